"""Edges and features of a graph file of ours, treated as the file says."""
import numpy as np

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
