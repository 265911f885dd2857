"""Cases that are run beside a PyTorch peer, and where that peer is."""
import collections
import pathlib
import shutil

import bench_support as support

# `network` is what both sides are told besides the size.
Case = collections.namedtuple("Case", "graph layers mlp_layers network",
                              defaults=((),))
LINEAR = ("--transform", "linear")
LINEAR_BATCH = LINEAR + ("--candidate-norm", "batch", "--norm", "batch")
CASES = {
    "pubmed-8": Case("synthetic:pubmed", 8, 3),
    "actor-8": Case("synthetic:actor", 8, 2),
    "pubmed-32": Case("synthetic:pubmed", 32, 2),
    "arxiv-4": Case("synthetic:ogbn-arxiv", 4, 3),
    "arxiv-8": Case("synthetic:ogbn-arxiv", 8, 3),
    # The extended model, with layer norms and with batch norms.
    "pubmed-8-linear": Case("synthetic:pubmed", 8, 1, LINEAR),
    "pubmed-8-linear-batch": Case("synthetic:pubmed", 8, 1, LINEAR_BATCH),
    "minesweeper-8-linear": Case("synthetic:minesweeper", 8, 1, LINEAR),
    "minesweeper-8-linear-batch": Case("synthetic:minesweeper", 8, 1,
                                       LINEAR_BATCH),
    # Take seconds, to see whether everything is in place.
    "tiny-2": Case("synthetic:csbm?nodes=500&features=32&sparse=true", 2, 2),
    "tiny-2-linear": Case("synthetic:csbm?nodes=500&features=32&sparse=true",
                          2, 2, LINEAR_BATCH),
}
PEER = pathlib.Path(__file__).resolve().parent / "peers" / "torch_peer.py"
HIDDEN, GATES, P_THETA, P_XI = 256, 64, 0.2, 0.1


def find_peer(given):
    """(Python, its versions, None) or (None, None, why there is none)."""
    # A distribution's packages serve its own Python, not another in the path.
    candidates = [given] if given else ["python3", "/usr/bin/python3"]
    probe = ("import json, numpy, torch; print(json.dumps({'torch': "
             "torch.__version__, 'numpy': numpy.__version__, 'cuda': "
             "torch.version.cuda}))")
    reasons = []
    for candidate in dict.fromkeys(candidates):
        if not shutil.which(candidate):
            reasons.append(f"{candidate}: not found")
            continue
        run = support.run_json([candidate, "-c", probe], 300)
        if "result" in run:
            return candidate, run["result"], None
        reasons.append(f"{candidate}: {run['error']}")
    return None, None, ("no Python with torch and numpy (Debian: apt install "
                        f"python3-torch): {'; '.join(reasons)}")


def generate_graphs(ognn, cases, folder):
    """Graph file, or why there is none, per generator spec."""
    graphs = {}
    for spec in dict.fromkeys(CASES[name].graph for name in cases):
        path = folder / f"graph{len(graphs)}.npz"
        run = support.run_json(
            [ognn, "data", "generate", spec, "--out", str(path), "--json"], 600)
        graphs[spec] = (path, run.get("error"))
    return graphs


def shape_options(case):
    return ["--layers", str(case.layers), "--mlp-layers", str(case.mlp_layers),
            "--hidden", str(HIDDEN), "--dropout-theta", str(P_THETA),
            "--dropout-xi", str(P_XI), *case.network]
