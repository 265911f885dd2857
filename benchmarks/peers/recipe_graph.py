"""Recipes of ours and their graphs, for models in plain PyTorch."""
import json
import sys
import types

import bench_support as support
import numpy as np
import torch

import graph_file

# Options of a recipe with the only value that is known here.
FIXED = {"model": "ordered_gnn", "transform": "linear", "gating": "softor",
         "first-state": "own", "node-ids": "none", "directions": "joint",
         "tied-gates": False, "residual": False, "schedule": "constant",
         "warmup": 0, "clip-norm": 0, "drop-edge": 0, "class-weights": "none",
         "input-norm": "frozen", "batch": "whole", "eval-every": 1}


def read_recipe(ognn, graph):
    """What `ognn train` would run, as torch_trainer takes it."""
    command = [support.find_ognn(ognn), "train", "--config",
               f"modern/ordered_gnn_transform/{graph}", "--print-config"]
    told = support.run_json(command, 60)
    if "error" in told:
        sys.exit(f"{graph}: {told['error']}")
    recipe = told["result"]
    for key, value in FIXED.items():
        if recipe[key] != value:
            sys.exit(f"{graph}: --{key} {recipe[key]} is not known here")
    if recipe["l2-theta"] != recipe["l2-xi"]:
        sys.exit(f"{graph}: two kinds of L2 are not known here")
    options = {key.replace("-", "_"): value for key, value in recipe.items()}
    return types.SimpleNamespace(**options, l2=recipe["l2-xi"],
                                 gates=recipe["hidden"] // recipe["chunk"])


class RecipeGraph:
    """A graph file on a device, its edges treated as a recipe says."""

    def __init__(self, path, options, device):
        with np.load(path) as archive:
            meta = json.loads(archive["meta.json"])
            treatment = dict(meta["treatment"])
            for key in ("direction", "self_loops"):
                if getattr(options, key) != "auto":
                    treatment[key] = getattr(options, key)
            edges = graph_file.read_graph(archive, meta, treatment)
            x = graph_file.read_features(archive, meta, treatment)
            labels = archive["node_labels"].astype(np.int64)
            self.masks = {
                part: np.atleast_2d(archive[f"{part}_masks"]).astype(bool)
                & (labels >= 0) for part in ("train", "val", "test")}
        self.sender, self.receiver, self.x, self.labels = (
            torch.from_numpy(array).to(device) for array in (*edges, x, labels))
        self.classes = meta["num_classes"]
        self.num_splits = self.masks["train"].shape[0]

    def split(self, index):
        """Features, labels and the nodes of each part."""
        nodes = {part: torch.from_numpy(np.flatnonzero(mask[index])).to(
            self.x.device) for part, mask in self.masks.items()}
        return {"x": self.x, "labels": self.labels, **nodes,
                "train_labels": self.labels[nodes["train"]]}
