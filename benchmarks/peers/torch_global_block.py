#!/usr/bin/env python3
"""Does a global block help the Ordered GNN? Scores with and without it.

The model of torch_model.py is trained as `ognn train --config
modern/ordered_gnn_transform/GRAPH` does, on the same splits with the same seed,
in these variants (global_block.py):

  none    the recipe's model
  after   the outermost neurons (--share) are kept from the layers and written
          once, behind the last one, by linear attention over all nodes
  before  the same ahead of the first layer
  kept    they are kept from the layers, and nothing is written: a control

  benchmarks/structural_inputs --graphs GRAPH --files F --prepare
  benchmarks/peers/torch_global_block.py --graphs GRAPH --files F --device cuda

GRAPH.plain.npz of --files is read, features as the recipe treats them. Options
of a recipe that the PyTorch model does not have are refused. On a GPU an epoch
is captured in a CUDA graph (--eager: not).

Prints a row per graph and variant: validation and test scores of the epoch that
is best on the validation part, means over the runs that all variants have, and
the mean difference to the first variant by run with its standard error. Beside
them is what `ognn` had on the validation parts of the same runs when
docs/results.md was made, with all epochs of the recipe: without a block about
the same should come out. A graph with one split is run with seeds 42 to 44.
"""
import argparse
import json
import pathlib
import statistics
import sys
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent))
import bench_support as support  # noqa: E402
import global_block  # noqa: E402
import recipe_graph  # noqa: E402
import torch_trainer  # noqa: E402

GRAPHS = "chameleon-filtered,amazon-photo,minesweeper"
RESULTS = support.ROOT / "docs/results/files/modern/results.json"


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add = parser.add_argument
    add("--ognn", help="the command that knows the recipes")
    add("--graphs", default=GRAPHS, metavar="LIST")
    add("--files", type=pathlib.Path, default="build/structural",
        metavar="DIR", help="of benchmarks/structural_inputs --prepare")
    add("--variants", default="none,after", metavar="LIST",
        help=f"of {', '.join(global_block.VARIANTS)}")
    add("--share", type=float, default=0.25,
        help="of the neurons that are the block's")
    add("--splits", default="0-2", help="first-last")
    add("--epochs", type=int,
        help="at most so many; as the recipe says when not given")
    add("--device", choices=("cpu", "cuda"), default="cpu")
    add("--eager", action="store_true", help="capture nothing")
    add("--seconds", type=float, default=float("inf"),
        help="for all trainings; a run that is not done by then is left out")
    add("--json", metavar="FILE", help="write all runs there too")
    arguments = parser.parse_args()
    arguments.variants = arguments.variants.split(",")
    for name in arguments.variants:
        if name not in global_block.VARIANTS:
            parser.error(f"unknown variant '{name}'; known: "
                         + ", ".join(global_block.VARIANTS))
    if not 0 < arguments.share < 1:
        parser.error("--share is between 0 and 1")
    arguments.deadline = time.monotonic() + arguments.seconds
    return arguments


def runs_of(arguments, splits):
    """(split, seed) of all runs of a graph."""
    if splits == 1:
        return [(0, seed) for seed in (42, 43, 44)]
    first, _, last = arguments.splits.partition("-")
    return [(split, 42) for split in range(int(first), int(last or first) + 1)]


def train(arguments, graph, options, key):
    """Scores of one run, or None where time is up."""
    if time.monotonic() > arguments.deadline:
        return None

    def make():
        return global_block.BlockedOrderedGnn(
            graph.x.shape[1], graph.classes, graph.messages,
            options).to(arguments.device)

    run = torch_trainer.Run(make, graph.split(key[0]), options, key[1])
    captured = arguments.device == "cuda" and not arguments.eager
    return run.train(captured, arguments.deadline)


def train_graph(arguments, name):
    """(split, seed) to variant to scores.

    Variants of a run come one after the other, so that the runs that are done
    when time is up are pairs.
    """
    options = recipe_graph.read_recipe(arguments.ognn, name)
    options.epochs = arguments.epochs or options.epochs
    options.share = arguments.share
    graph = recipe_graph.RecipeGraph(arguments.files / f"{name}.plain.npz",
                                     options, arguments.device)
    graph.messages = global_block.ScaledSum(
        graph.sender, graph.receiver, graph.x.shape[0], options.aggregator)
    found = {}
    for key in runs_of(arguments, graph.num_splits):
        for variant in arguments.variants:
            options.variant = variant
            scores = train(arguments, graph, options, key)
            if scores is None:
                return found
            found.setdefault(key, {})[variant] = scores
            support.say(f"{name}, split {key[0]}, seed {key[1]}, {variant}: "
                        + scores_text(scores))
    return found


def scores_text(scores):
    return (f"{100 * scores['val']:.2f} / {100 * scores['test']:.2f}, epoch "
            f"{scores['best_epoch']} of {scores['epochs']}, "
            f"{scores['seconds']:.1f} s")


def published(graph, keys):
    """Mean validation score of the same runs in our results, or None."""
    cells = json.loads(RESULTS.read_text(encoding="utf-8"))["cells"]
    scores = {(run["split"], run["seed"]): run["validation"]
              for cell in cells
              if cell["recipe"] == f"modern/ordered_gnn_transform/{graph}"
              for run in cell["runs"]}
    if not keys or not all(key in scores for key in keys):
        return None
    return statistics.mean(scores[key] for key in keys)


def rows_of(arguments, graph, found):
    first = arguments.variants[0]
    keys = [key for key, scores in found.items()
            if len(scores) == len(arguments.variants)]
    if not keys:
        return []
    ours = support.number_text(published(graph, keys))
    rows = []
    for variant in arguments.variants:
        row = [graph, variant, len(keys)]
        for score in ("val", "test"):
            pairs = [(100 * found[key][first][score],
                      100 * found[key][variant][score]) for key in keys]
            row.append(f"{statistics.mean(pair[1] for pair in pairs):.2f}")
            row.append(support.paired_difference(pairs))
        row += [f"{found[keys[0]][variant]['parameters']:,}", ours]
        rows.append(row)
    return rows


def main():
    arguments = parse_arguments()
    found = {graph: train_graph(arguments, graph)
             for graph in arguments.graphs.split(",")}
    if arguments.json:
        support.write_json(arguments.json, [
            {"graph": graph, "split": key[0], "seed": key[1],
             "variant": variant, **scores}
            for graph, runs in found.items() for key, sides in runs.items()
            for variant, scores in sides.items()])
    rows = [row for graph, runs in found.items()
            for row in rows_of(arguments, graph, runs)]
    support.print_table(
        "Global block, %",
        ["graph", "variant", "runs", "validation", "difference ± s.e.", "test",
         "difference ± s.e.", "parameters", "ognn, validation"], rows)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
