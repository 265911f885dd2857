#!/usr/bin/env python3
"""Times training epochs of the Ordered GNN written in plain PyTorch.

The peer that the library is compared with: the model of torch_model.py on a
graph file of ours, with the same treatment of edges, self loops and features.
An epoch is forward, backward and Adam, without an evaluation. On the CPU one
variant per process, and one thread count where the peak memory is to be
theirs; on a GPU, whose allocator keeps the peak of each, as many as are asked
for.

Variants:
  gather        index_select and index_add over the edge list
  spmm          product with a torch.sparse CSR matrix that holds 1 / in-degree
  spmm-t        the same with a matrix for backward that was transposed once
  graph         gather, captured once in a CUDA graph and replayed
  graph-spmm    spmm, captured
  graph-spmm-t  spmm-t, captured; captured ones are for --device cuda

Prints one JSON object per variant, math mode and number of threads, each on a
line when it is known; one that failed says why under "error". Runs on PyTorch
1.13 and 2.x.
"""
import argparse
import gc
import inspect
import json
import os
import resource
import statistics
import sys
import time
import warnings

sys.dont_write_bytecode = True

# In this order: a capture that fails may leave the process unfit for more, so
# the one that is least sure comes last.
VARIANTS = ("gather", "spmm", "spmm-t", "graph", "graph-spmm-t", "graph-spmm")
MATHS = ("fp32", "tf32", "bf16")
# Timed epochs that a limit on the seconds does not take away.
LEAST_EPOCHS = 3


def is_captured(variant):
    return variant.startswith("graph")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add = parser.add_argument
    add("--data", required=True, metavar="FILE", help="graph of ours, .npz")
    add("--variants", default="gather", metavar="LIST",
        help=f"of {', '.join(VARIANTS)}")
    add("--math", default="fp32", metavar="LIST",
        help="of fp32, tf32 (products) and bf16 (autocast), cuda only")
    add("--device", choices=("cpu", "cuda"), default="cpu")
    add("--threads", default="1", metavar="LIST",
        help="one after the other; a BLAS whose threads PyTorch does not set\n"
             "has the most of them throughout")
    add("--layers", type=int, default=8)
    add("--mlp-layers", type=int, default=1)
    add("--hidden", type=int, default=256)
    add("--gates", type=int, default=64, help="must divide --hidden")
    add("--transform", choices=("none", "linear"), default="none",
        help="what a layer writes, as in ognn")
    add("--candidate-norm", choices=("layer", "batch", "none"),
        default="layer", help="norm inside the transform")
    add("--norm", choices=("layer", "batch", "none"), default="layer",
        help="norm after every layer")
    add("--dropout-theta", type=float, default=0.2)
    add("--dropout-xi", type=float, default=0.1)
    add("--lr", type=float, default=0.005)
    add("--weight-decay", type=float, default=5e-4)
    add("--input-norm", choices=("frozen", "trained"), default="frozen",
        help="LayerNorms between input layers; frozen is our default")
    add("--epochs", type=int, default=5, help="epochs that are timed")
    add("--warmup", type=int, default=1, help="epochs before them")
    add("--seconds", type=float, default=float("inf"),
        help="time fewer epochs when they take longer than this")
    add("--long", type=float, default=float("inf"), metavar="SECONDS",
        help="time one epoch when the first takes longer than this, and warm\n"
             "up with the first number of threads alone")
    add("--seed", type=int, default=0)
    arguments = parser.parse_args()
    check_arguments(parser, arguments)
    return arguments


def check_arguments(parser, arguments):
    arguments.variants = arguments.variants.split(",")
    arguments.math = arguments.math.split(",")
    try:
        arguments.threads = [int(n) for n in arguments.threads.split(",")]
    except ValueError:
        parser.error("--threads takes numbers with commas between them")
    for given, known in ((arguments.variants, VARIANTS),
                         (arguments.math, MATHS)):
        for name in given:
            if name not in known:
                parser.error(f"unknown '{name}'; known: {', '.join(known)}")
    if arguments.hidden % arguments.gates != 0:
        parser.error("--gates must divide --hidden")
    if (arguments.epochs < 1 or arguments.warmup < 0
            or min(arguments.threads) < 1):
        parser.error("--epochs and --threads start at 1, --warmup at 0")
    if arguments.device == "cpu":
        if len(arguments.variants) > 1 or is_captured(arguments.variants[0]):
            parser.error("the CPU takes one variant that is not captured")
        if arguments.math != ["fp32"]:
            parser.error("--math other than fp32 needs --device cuda")


ARGUMENTS = parse_arguments()
# A BLAS with its own threads reads these once, when it is loaded.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                  "MKL_NUM_THREADS"):
    os.environ[_variable] = str(max(ARGUMENTS.threads))

import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

import graph_file  # noqa: E402
import torch_model  # noqa: E402

MEANS = {"gather": torch_model.GatherMean, "graph": torch_model.GatherMean,
         "spmm": torch_model.SparseMean, "graph-spmm": torch_model.SparseMean,
         "spmm-t": torch_model.TransposedSparseMean,
         "graph-spmm-t": torch_model.TransposedSparseMean}


def read_data(path):
    with np.load(path) as archive:
        if "meta.json" not in archive:
            raise SystemExit(f"{path}: no meta.json; 'ognn data convert' and "
                             "'ognn data generate' write files with it")
        if "train_masks" not in archive:
            raise SystemExit(f"{path}: the file has no splits")
        meta = json.loads(bytes(archive["meta.json"]))
        treatment = meta.get("treatment", graph_file.DEFAULT_TREATMENT)
        labels = archive["node_labels"].astype(np.int64)
        train = np.atleast_2d(archive["train_masks"])[0].astype(bool)
        sender, receiver = graph_file.read_graph(archive, meta, treatment)
        return {
            "sender": torch.from_numpy(sender),
            "receiver": torch.from_numpy(receiver),
            "x": torch.from_numpy(
                graph_file.read_features(archive, meta, treatment)),
            "labels": torch.from_numpy(labels),
            "train": torch.from_numpy(np.flatnonzero(train & (labels >= 0))),
            "classes": meta["num_classes"],
        }


class CaptureError(RuntimeError):
    """A capture broke off: what the process does next cannot be trusted."""


def make_optimizer(model, options, captured):
    switches = {"capturable": captured}
    if (options.device == "cuda"
            and "fused" in inspect.signature(torch.optim.Adam).parameters):
        switches["fused"] = True
    return torch.optim.Adam(
        [p for p in model.parameters() if p.requires_grad], lr=options.lr,
        weight_decay=options.weight_decay, **switches)


def make_step(model, data, options, variant, math):
    """A function that runs one epoch and returns its loss, a tensor."""
    optimizer = make_optimizer(model, options, is_captured(variant))
    labels = data["labels"][data["train"]]

    def loss_of():
        scores = model(data["x"]).index_select(0, data["train"])
        return F.cross_entropy(scores.float(), labels)

    def step():
        optimizer.zero_grad(set_to_none=True)
        if math == "bf16":
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = loss_of()
        else:
            loss = loss_of()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return capture(step) if is_captured(variant) else step


def settle(step):
    """Runs the step until it allocates what a capture needs, and checks it."""
    for _ in range(2):
        step()
    # What waits for the GPU cannot be captured. Found here it is an error like
    # any other; within a capture it would spoil the process.
    warnings.filterwarnings("ignore", message="Synchronization debug mode")
    torch.cuda.set_sync_debug_mode("error")
    try:
        step()
    finally:
        torch.cuda.set_sync_debug_mode("default")


def capture(step):
    # Capture wants allocations and optimiser state settled on a side stream.
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        settle(step)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            loss = step()
    except Exception as error:
        raise CaptureError(f"not captured: {error}") from error

    def replay():
        graph.replay()
        return loss

    return replay


def time_epochs(step, options, warmup):
    """Milliseconds of the timed epochs, the last loss, whether one is long."""
    def wait():
        if options.device == "cuda":
            torch.cuda.synchronize()

    times = []
    is_long = False
    for epoch in range(warmup + options.epochs):
        wait()
        start = time.perf_counter()
        loss = step()
        wait()
        seconds = time.perf_counter() - start
        is_long = is_long or seconds > options.long
        if epoch >= warmup:
            times.append(1000 * seconds)
        if times and (is_long or (
                len(times) >= LEAST_EPOCHS
                and sum(times) >= 1000 * options.seconds)):
            break
    return times, loss.item(), is_long


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


def placed(host, options, dtype):
    """What the model reads, where it reads it; the mean places the edges."""
    data = {name: host[name].to(options.device)
            for name in ("labels", "train")}
    data["x"] = host["x"].to(options.device, dtype)
    return data


def measure(host, options, variant, math):
    """Times one variant in one math mode: a record per number of threads."""
    if options.device == "cuda":
        # Whatever is left in float32 under autocast may be shortened too.
        torch.backends.cuda.matmul.allow_tf32 = math != "fp32"
    dtype = torch.bfloat16 if math == "bf16" else torch.float32
    torch.manual_seed(options.seed)
    data = placed(host, options, dtype)
    nodes, features = data["x"].shape
    base = base_memory(options.device)
    mean = MEANS[variant](host["sender"].to(options.device),
                          host["receiver"].to(options.device), nodes, dtype)
    model = torch_model.OrderedGnn(features, host["classes"], mean, options)
    step = make_step(model.to(options.device).train(), data, options, variant,
                     math)
    warmup = options.warmup
    for threads in options.threads:
        torch.set_num_threads(threads)
        times, loss, is_long = time_epochs(step, options, warmup)
        if is_long:
            warmup = 0
        yield {
            "threads": threads,
            "ms_per_epoch": statistics.median(times),
            "ms_all": times,
            "peak_bytes": peak_memory(options.device),
            "base_bytes": base,
            "loss": loss,
        }


def about(host, options):
    """What all results of this process have in common."""
    nodes, features = host["x"].shape
    facts = {
        "device": options.device,
        "layers": options.layers,
        "mlp_layers": options.mlp_layers,
        "nodes": nodes,
        "edges": host["sender"].numel(),
        "self_loops": int((host["sender"] == host["receiver"]).sum()),
        "features": features,
        "classes": host["classes"],
        "torch": torch.__version__,
    }
    if options.device == "cuda":
        facts.update(gpu=torch.cuda.get_device_name(), cuda=torch.version.cuda)
    return facts


def first_line(error):
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def measure_all(host, options):
    """One record per setting, as they come."""
    spoiled = None
    for variant in sorted(options.variants, key=VARIANTS.index):
        for math in options.math:
            record = {"variant": variant, "math": math}
            if spoiled:
                record["error"] = f"not run after {spoiled} failed"
                yield record
                continue
            try:
                for timed in measure(host, options, variant, math):
                    yield {**record, **timed}
            except Exception as error:  # one variant must not end the others
                record["error"] = first_line(error)
                if isinstance(error, CaptureError):
                    spoiled = f"the capture of {variant} in {math}"
                yield record
            gc.collect()
            if options.device == "cuda" and not spoiled:
                torch.cuda.empty_cache()


def main():
    options = ARGUMENTS
    torch.set_num_threads(options.threads[0])
    if options.device == "cuda" and not torch.cuda.is_available():
        raise SystemExit("this PyTorch has no CUDA device")
    host = read_data(options.data)
    facts = about(host, options)
    for record in measure_all(host, options):
        print(json.dumps({**record, **facts}), flush=True)


if __name__ == "__main__":
    main()
