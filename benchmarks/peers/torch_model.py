"""The Ordered GNN as a PyTorch user writes it, for torch_peer.py.

Under bfloat16 autocast the rows of nodes stay in bfloat16 from layer to layer:
left to itself autocast would turn them to float32 at every norm and back at
every product. Softmax and cumulative sum are float32 in every mode.
"""
import contextlib
import warnings

import torch
import torch.nn.functional as F
from torch import nn


def without_autocast():
    """For code that chose its types itself."""
    if torch.is_autocast_enabled():
        return torch.autocast("cuda", enabled=False)
    return contextlib.nullcontext()


class GatherMean(nn.Module):
    """Mean over the senders of each node, along the edge list."""

    def __init__(self, sender, receiver, nodes, _dtype):
        super().__init__()
        degree = torch.bincount(receiver, minlength=nodes).clamp(min=1)
        self.register_buffer("sender", sender)
        self.register_buffer("receiver", receiver)
        self.register_buffer("scale", degree.float().reciprocal()[:, None])

    def forward(self, h):
        messages = h.index_select(0, self.sender)
        total = torch.zeros_like(h).index_add_(0, self.receiver, messages)
        return total * self.scale.to(h.dtype)


def csr_matrix(row, col, value, nodes, index_type):
    """A square CSR matrix of entries that are sorted by row."""
    warnings.filterwarnings("ignore", message="Sparse (CSR|invariant)")
    rowptr = torch.zeros(nodes + 1, dtype=torch.long, device=row.device)
    torch.cumsum(torch.bincount(row, minlength=nodes), 0, out=rowptr[1:])
    return torch.sparse_csr_tensor(rowptr.to(index_type), col.to(index_type),
                                   value, (nodes, nodes))


def shares(receiver, nodes, dtype):
    """What each edge of the list counts in the mean of its receiver."""
    degree = torch.bincount(receiver, minlength=nodes).clamp(min=1)
    return degree.float().reciprocal()[receiver].to(dtype)


class SparseMean(nn.Module):
    """The same mean as a sparse matrix product."""

    def __init__(self, sender, receiver, nodes, dtype):
        super().__init__()
        index_type = torch.int32 if sender.is_cuda else torch.long
        # Not a buffer: modules of PyTorch 1.13 cannot copy CSR tensors.
        self.matrix = csr_matrix(receiver, sender,
                                 shares(receiver, nodes, dtype), nodes,
                                 index_type)

    def forward(self, h):
        with without_autocast():
            return self.matrix @ h


def sparse_product(matrix, dense):
    if not dense.is_cuda:
        return matrix @ dense
    # A plain product fills and copies a matrix of zeros first.
    out = dense.new_empty((matrix.shape[0], dense.shape[1]))
    with without_autocast():
        return torch.addmm(out, matrix, dense, beta=0, out=out)


class TransposedProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx, h, matrix, transpose):
        ctx.transpose = transpose
        return sparse_product(matrix, h)

    @staticmethod
    def backward(ctx, grad):
        return sparse_product(ctx.transpose, grad.contiguous()), None, None


class TransposedSparseMean(nn.Module):
    """The same product, with the transpose for backward built once.

    Left to itself autograd transposes the matrix in every backward pass.
    """

    def __init__(self, sender, receiver, nodes, dtype):
        super().__init__()
        share = shares(receiver, nodes, dtype)
        order = torch.argsort(sender * nodes + receiver)
        self.matrix = csr_matrix(receiver, sender, share, nodes, torch.int32)
        self.transpose = csr_matrix(sender[order], receiver[order],
                                    share[order], nodes, torch.int32)

    def forward(self, h):
        return TransposedProduct.apply(h, self.matrix, self.transpose)


class StateNorm(nn.LayerNorm):
    """A LayerNorm whose result has the type of its input."""

    def forward(self, x):
        if not torch.is_autocast_enabled():
            return super().forward(x)
        with without_autocast():
            return F.layer_norm(x, self.normalized_shape,
                                self.weight.to(x.dtype),
                                self.bias.to(x.dtype), self.eps)


class StateBatchNorm(nn.BatchNorm1d):
    """A BatchNorm whose result has the type of its input."""

    def forward(self, x):
        return super().forward(x).to(x.dtype)


NORMS = {"layer": StateNorm, "batch": StateBatchNorm,
         "none": lambda width: nn.Identity()}


class Candidate(nn.Module):
    """What a layer of the extended model writes: relu(norm(W [m ; h] + b))."""

    def __init__(self, width, norm):
        super().__init__()
        self.map = nn.Linear(2 * width, width)
        self.norm = NORMS[norm](width)

    def forward(self, h, m):
        return self.norm(self.map(torch.cat((m, h), dim=1))).relu()


class OrderedLayer(nn.Module):
    def __init__(self, width, options):
        super().__init__()
        self.gate = nn.Linear(2 * width, options.gates)
        self.candidate = (Candidate(width, options.candidate_norm)
                          if options.transform == "linear" else None)
        self.norm = NORMS[options.norm](width)
        self.repeats = width // options.gates

    def forward(self, h, mean, previous):
        m = mean(h)
        # Summed from the left: the same model as from the right, with its
        # neurons in the opposite order, and no flip to pay for.
        gate = self.gate(torch.cat((h, m), dim=1)).softmax(1).cumsum(1)
        gate = previous + (1 - previous) * gate
        ego = gate.to(h.dtype).repeat_interleave(self.repeats, dim=1)
        written = m if self.candidate is None else self.candidate(h, m)
        return self.norm(ego * h + (1 - ego) * written), gate


class OrderedGnn(nn.Module):
    def __init__(self, features, classes, mean, options):
        super().__init__()
        width = options.hidden
        self.p_theta, self.p_xi = options.dropout_theta, options.dropout_xi
        self.gates = options.gates
        self.mean = mean
        self.input = nn.ModuleList(
            nn.Linear(width if i > 0 else features, width)
            for i in range(options.mlp_layers))
        self.input_norm = nn.ModuleList(
            StateNorm(width) for _ in range(options.mlp_layers))
        self.layers = nn.ModuleList(
            OrderedLayer(width, options) for _ in range(options.layers))
        self.output = nn.Linear(width, classes)
        if options.input_norm == "frozen":
            self.input_norm.requires_grad_(False)

    def first_state(self, x):
        for linear, norm in zip(self.input, self.input_norm):
            x = norm(linear(F.dropout(x, self.p_theta, self.training)).relu())
        return x

    def forward(self, x):
        x = self.first_state(x)
        gate = x.new_zeros(self.gates)
        for layer in self.layers:
            x, gate = layer(F.dropout(x, self.p_xi, self.training), self.mean,
                            gate)
        return self.output(F.dropout(x, self.p_theta, self.training))
