#!/usr/bin/env python3
"""Times training epochs of the Ordered GNN written in plain PyTorch.

The peer that the library is compared with: the model as a PyTorch user writes
it, on a graph file of ours, with the same treatment of edges, self loops and
features. An epoch is forward, backward and Adam, without an evaluation. One
variant and one thread count per process, so that the peak memory is theirs.

Variants:
  gather  index_select and index_add over the edge list
  spmm    product with a torch.sparse CSR matrix that holds 1 / in-degree
  graph   gather, captured once in a CUDA graph and replayed (cuda only)

Prints one JSON object. Runs on PyTorch 1.13 and 2.x.
"""
import argparse
import json
import os
import resource
import statistics
import time
import warnings


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add = parser.add_argument
    add("--data", required=True, metavar="FILE", help="graph of ours, .npz")
    add("--variant", choices=("gather", "spmm", "graph"), default="gather")
    add("--device", choices=("cpu", "cuda"), default="cpu")
    add("--threads", type=int, default=1)
    add("--layers", type=int, default=8)
    add("--mlp-layers", type=int, default=1)
    add("--hidden", type=int, default=256)
    add("--gates", type=int, default=64, help="must divide --hidden")
    add("--dropout-theta", type=float, default=0.2)
    add("--dropout-xi", type=float, default=0.1)
    add("--lr", type=float, default=0.005)
    add("--weight-decay", type=float, default=5e-4)
    add("--input-norm", choices=("frozen", "trained"), default="frozen",
        help="LayerNorms between input layers; frozen is our default")
    add("--epochs", type=int, default=5, help="epochs that are timed")
    add("--warmup", type=int, default=1, help="epochs before them")
    add("--seed", type=int, default=0)
    add("--tf32", action="store_true", help="TF32 products on cuda")
    arguments = parser.parse_args()
    if arguments.hidden % arguments.gates != 0:
        parser.error("--gates must divide --hidden")
    if arguments.epochs < 1 or arguments.warmup < 0 or arguments.threads < 1:
        parser.error("--epochs and --threads start at 1, --warmup at 0")
    if arguments.variant == "graph" and arguments.device != "cuda":
        parser.error("--variant graph needs --device cuda")
    return arguments


ARGUMENTS = parse_arguments()
# A BLAS with its own threads reads these once, when it is loaded.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                  "MKL_NUM_THREADS"):
    os.environ[_variable] = str(ARGUMENTS.threads)

import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

# What a file of ours means when it recommends nothing else.
DEFAULT_TREATMENT = {"direction": "as_stored", "self_loops": "add",
                     "features": "row_normalized"}


def read_graph(archive, meta, treatment):
    """Distinct (sender, receiver) pairs, sorted by receiver, then sender."""
    nodes = archive["node_labels"].shape[0]
    sender, receiver = archive["edges"].astype(np.int64).T
    # A file that stores every undirected edge once is read both ways.
    direction = treatment["direction"] if meta["directed"] else "undirected"
    if direction == "reversed":
        sender, receiver = receiver, sender
    elif direction == "undirected":
        sender, receiver = (np.concatenate((sender, receiver)),
                            np.concatenate((receiver, sender)))
    if treatment["self_loops"] != "keep":
        is_edge = sender != receiver
        sender, receiver = sender[is_edge], receiver[is_edge]
    if treatment["self_loops"] == "add":
        loop = np.arange(nodes, dtype=np.int64)
        sender = np.concatenate((sender, loop))
        receiver = np.concatenate((receiver, loop))
    key = np.unique(receiver * nodes + sender)
    return key % nodes, key // nodes


def read_features(archive, meta, treatment):
    """Dense float32 rows, whatever the file holds."""
    nodes = archive["node_labels"].shape[0]
    if "features_identity" in archive or treatment["features"] == "identity":
        return np.eye(nodes, dtype=np.float32)
    if "features_rowptr" in archive:
        rows, width = archive["features_shape"]
        dense = np.zeros((rows, width), dtype=np.float32)
        row = np.repeat(np.arange(rows), np.diff(archive["features_rowptr"]))
        dense[row, archive["features_col"]] = archive["features_value"]
    else:
        dense = archive["node_features"].astype(np.float32, copy=False)
    lowest = dense.min()
    # Without a recommendation, features below zero stay as they are.
    keep = treatment["features"] == "raw" or (
        "treatment" not in meta and lowest < 0)
    if not keep:
        dense -= lowest
        dense /= np.maximum(dense.sum(1, keepdims=True), 1)
    return dense


def read_data(path):
    with np.load(path) as archive:
        if "meta.json" not in archive:
            raise SystemExit(f"{path}: no meta.json; 'ognn data convert' and "
                             "'ognn data generate' write files with it")
        if "train_masks" not in archive:
            raise SystemExit(f"{path}: the file has no splits")
        meta = json.loads(bytes(archive["meta.json"]))
        treatment = meta.get("treatment", DEFAULT_TREATMENT)
        labels = archive["node_labels"].astype(np.int64)
        train = np.atleast_2d(archive["train_masks"])[0].astype(bool)
        sender, receiver = read_graph(archive, meta, treatment)
        return {
            "sender": torch.from_numpy(sender),
            "receiver": torch.from_numpy(receiver),
            "x": torch.from_numpy(read_features(archive, meta, treatment)),
            "labels": torch.from_numpy(labels),
            "train": torch.from_numpy(np.flatnonzero(train & (labels >= 0))),
            "classes": meta["num_classes"],
        }


class GatherMean(nn.Module):
    """Mean over the senders of each node, along the edge list."""

    def __init__(self, sender, receiver, nodes):
        super().__init__()
        degree = torch.bincount(receiver, minlength=nodes).clamp(min=1)
        self.register_buffer("sender", sender)
        self.register_buffer("receiver", receiver)
        self.register_buffer("scale", degree.float().reciprocal()[:, None])

    def forward(self, h):
        messages = h.index_select(0, self.sender)
        total = torch.zeros_like(h).index_add_(0, self.receiver, messages)
        return total * self.scale


class SparseMean(nn.Module):
    """The same mean as a sparse matrix product."""

    def __init__(self, sender, receiver, nodes):
        super().__init__()
        degree = torch.bincount(receiver, minlength=nodes)
        rowptr = torch.zeros(nodes + 1, dtype=torch.long,
                             device=receiver.device)
        torch.cumsum(degree, 0, out=rowptr[1:])
        share = degree.clamp(min=1).float().reciprocal()[receiver]
        warnings.filterwarnings("ignore", message="Sparse (CSR|invariant)")
        # Not a buffer: modules of PyTorch 1.13 cannot copy CSR tensors.
        self.matrix = torch.sparse_csr_tensor(rowptr, sender, share,
                                              (nodes, nodes))

    def forward(self, h):
        return self.matrix @ h


class OrderedLayer(nn.Module):
    def __init__(self, width, gates):
        super().__init__()
        self.gate = nn.Linear(2 * width, gates)
        self.norm = nn.LayerNorm(width)
        self.repeats = width // gates

    def forward(self, h, mean, previous):
        m = mean(h)
        # Summed from the left: the same model as from the right, with its
        # neurons in the opposite order, and no flip to pay for.
        gate = self.gate(torch.cat((h, m), dim=1)).softmax(1).cumsum(1)
        gate = previous + (1 - previous) * gate
        ego = gate.repeat_interleave(self.repeats, dim=1)
        return self.norm(ego * h + (1 - ego) * m), gate


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
            nn.LayerNorm(width) for _ in range(options.mlp_layers))
        self.layers = nn.ModuleList(
            OrderedLayer(width, options.gates) for _ in range(options.layers))
        self.output = nn.Linear(width, classes)
        if options.input_norm == "frozen":
            self.input_norm.requires_grad_(False)

    def forward(self, x):
        for linear, norm in zip(self.input, self.input_norm):
            x = norm(linear(F.dropout(x, self.p_theta, self.training)).relu())
        gate = x.new_zeros(self.gates)
        for layer in self.layers:
            x, gate = layer(F.dropout(x, self.p_xi, self.training), self.mean,
                            gate)
        return self.output(F.dropout(x, self.p_theta, self.training))


def make_step(model, data, options):
    """A function that runs one epoch and returns its loss, a tensor."""
    is_captured = options.variant == "graph"
    optimizer = torch.optim.Adam(
        [p for p in model.parameters() if p.requires_grad], lr=options.lr,
        weight_decay=options.weight_decay, capturable=is_captured)
    labels = data["labels"][data["train"]]

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(data["x"])[data["train"]], labels)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return capture(step) if is_captured else step


def capture(step):
    # Capture wants allocations and optimiser state settled on a side stream.
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()

    def replay():
        graph.replay()
        return loss

    return replay


def time_epochs(step, options):
    """Milliseconds of every timed epoch, and the last loss."""
    def wait():
        if options.device == "cuda":
            torch.cuda.synchronize()

    times = []
    for epoch in range(options.warmup + options.epochs):
        wait()
        start = time.perf_counter()
        loss = step()
        wait()
        if epoch >= options.warmup:
            times.append(1000 * (time.perf_counter() - start))
    return times, loss.item()


def resident_bytes():
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return 1024 * int(line.split()[1])
    return None


def base_memory(device):
    if device == "cuda":
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        return torch.cuda.memory_allocated()
    return resident_bytes()


def peak_memory(device):
    if device == "cuda":
        return torch.cuda.max_memory_allocated()
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main():
    options = ARGUMENTS
    torch.set_num_threads(options.threads)
    if options.tf32:
        torch.backends.cuda.matmul.allow_tf32 = True
    if options.device == "cuda" and not torch.cuda.is_available():
        raise SystemExit("this PyTorch has no CUDA device")
    torch.manual_seed(options.seed)
    data = {name: part.to(options.device) if torch.is_tensor(part) else part
            for name, part in read_data(options.data).items()}
    nodes, features = data["x"].shape
    base = base_memory(options.device)
    make_mean = SparseMean if options.variant == "spmm" else GatherMean
    mean = make_mean(data["sender"], data["receiver"], nodes)
    model = OrderedGnn(features, data["classes"], mean, options)
    step = make_step(model.to(options.device).train(), data, options)
    times, loss = time_epochs(step, options)
    print(json.dumps({
        "variant": options.variant,
        "device": options.device,
        "threads": options.threads,
        "layers": options.layers,
        "mlp_layers": options.mlp_layers,
        "tf32": options.tf32,
        "ms_per_epoch": statistics.median(times),
        "ms_all": times,
        "peak_bytes": peak_memory(options.device),
        "base_bytes": base,
        "loss": loss,
        "nodes": nodes,
        "edges": data["sender"].numel(),
        "self_loops": int((data["sender"] == data["receiver"]).sum()),
        "features": features,
        "classes": data["classes"],
        "torch": torch.__version__,
    }))


if __name__ == "__main__":
    main()
