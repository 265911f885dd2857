"""The Ordered GNN with the whole graph as the outermost level of its tree.

Some of the neurons, the outermost ones, are kept from the layers and written
once by linear attention over all nodes. As in torch_model.py gates are summed
from the left, so the outermost neurons are the first.
"""
import torch
import torch.nn.functional as F
from torch import nn

import torch_model

# none: no block. after, before: the block writes behind the last layer or ahead
# of the first. kept: its neurons are kept from the layers, and nothing is
# written there; what this alone does.
VARIANTS = ("none", "after", "before", "kept")


class ScaledSum(nn.Module):
    """Sums over senders, scaled by degrees: --aggregator mean or gcn."""

    def __init__(self, sender, receiver, nodes, aggregator):
        super().__init__()
        degree = torch.bincount(receiver, minlength=nodes).clamp(min=1).float()
        share = degree[receiver].reciprocal()
        if aggregator == "gcn":
            share = (degree[receiver] * degree[sender]).rsqrt()
        index_type = torch.int32 if sender.is_cuda else torch.long
        order = torch.argsort(sender * nodes + receiver)
        self.matrix = torch_model.csr_matrix(receiver, sender, share, nodes,
                                             index_type)
        self.transpose = torch_model.csr_matrix(
            sender[order], receiver[order], share[order], nodes, index_type)

    def forward(self, h):
        return torch_model.TransposedProduct.apply(h, self.matrix,
                                                   self.transpose)


def positive(x):
    return F.elu(x) + 1


class GlobalBlock(nn.Module):
    """Writes the first neurons of every node from all nodes.

      a = q (k^T v) / (q k^T 1)          q, k = elu(norm(linear(h))) + 1
      c = relu(norm(W [a ; h]))          what may be written
      g = cumsum(softmax(V [h ; a]))     an ordered gate per chunk
      h' = g h + (1 - g) c               of the block; others as they are

    O(N d^2) for N nodes and a block of d neurons.
    """

    def __init__(self, gates, options):
        super().__init__()
        self.repeats = options.hidden // options.gates
        self.width = gates * self.repeats
        make = [nn.Linear(options.hidden, self.width) for _ in range(3)]
        self.query, self.key, self.value = make
        self.query_norm = nn.LayerNorm(self.width)
        self.key_norm = nn.LayerNorm(self.width)
        both = options.hidden + self.width
        self.gate = nn.Linear(both, gates)
        self.map = nn.Linear(both, self.width)
        self.map_norm = torch_model.NORMS[options.candidate_norm](self.width)
        self.norm = torch_model.NORMS[options.norm](options.hidden)

    def attention(self, h):
        q = positive(self.query_norm(self.query(h)))
        k = positive(self.key_norm(self.key(h)))
        # Means instead of sums: the same quotient, and no large numbers.
        k = k / h.shape[0]
        return (q @ (k.t() @ self.value(h))) / (q @ k.sum(0))[:, None]

    def forward(self, h):
        a = self.attention(h)
        gate = self.gate(torch.cat((h, a), dim=1)).softmax(1).cumsum(1)
        gate = gate.repeat_interleave(self.repeats, dim=1)
        written = self.map_norm(self.map(torch.cat((a, h), dim=1))).relu()
        own, others = h[:, :self.width], h[:, self.width:]
        block = gate * own + (1 - gate) * written
        return self.norm(torch.cat((block, others), dim=1))


class BlockedOrderedGnn(torch_model.OrderedGnn):
    """torch_model.OrderedGnn with a share of its gates kept for the block.

    All that it has in common with the plain model is drawn first, and starts
    from the same numbers.
    """

    def __init__(self, features, classes, mean, options):
        super().__init__(features, classes, mean, options)
        self.variant = options.variant
        kept = max(1, round(options.share * options.gates))
        first = torch.zeros(options.gates)
        if self.variant != "none":
            # A gate that is open stays open: layers leave these alone.
            first[:kept] = 1
        self.register_buffer("first_gate", first)
        if self.variant in ("after", "before"):
            self.block = GlobalBlock(kept, options)

    def forward(self, x):
        x = self.first_state(x)
        if self.variant == "before":
            x = self.block(F.dropout(x, self.p_xi, self.training))
        gate = self.first_gate
        for layer in self.layers:
            x, gate = layer(F.dropout(x, self.p_xi, self.training), self.mean,
                            gate)
        if self.variant == "after":
            x = self.block(F.dropout(x, self.p_xi, self.training))
        return self.output(F.dropout(x, self.p_theta, self.training))
