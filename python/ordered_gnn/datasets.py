"""Datasets: by name, from files, arrays, tables, PyG and networkx."""
import os
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import torch

from . import _core
from ._core import Dataset, UsageError
from .inputs import (Edges, class_texts, edges_from, features_from, frame_text,
                     is_frame, labels_from, nodes_from)
from .options import to_core

Split = Tuple[Any, Any, Any]


def load(data: str, root: Optional[Any] = None, *, for_training: bool = True,
         **options: Any) -> Dataset:
    """Reads what ``ognn train --data`` reads: a name, a path or ``synthetic:...``.

    Args:
        data: "cora", "graph.npz", "synthetic:csbm?nodes=600".
        root: folder searched first for datasets known by name.
        for_training: draw a split where the files of a path have none, as
            ``ognn train`` does; False: as ``ognn predict`` reads data.
        options: other options of data: direction, self_loops, features,
            edge_weights, split_set, split_seed, split_file, format.

    Raises ``Error`` naming the files looked for when there is no such dataset.
    """
    values = to_core({**options, "data": os.fspath(data)})
    if root is not None:
        values["data-root"] = os.fspath(root)
    return _core.load_dataset(values, for_training)


def names() -> List[Dict[str, Any]]:
    """Every dataset known by name."""
    return _core.named_datasets()


def make_dataset(x: Any, graph: Any = None, y: Any = None, *,
                 train: Any = None, val: Any = None, test: Any = None,
                 name: str = "arrays", undirected: bool = False,
                 unlabelled: Any = -1, split_set: str = "auto",
                 split_seed: int = 0, columns: Optional[Any] = None,
                 node_names: Optional[Sequence[str]] = None,
                 missing_columns: str = "error",
                 **treatment: Any) -> Dataset:
    """A dataset from arrays in memory, which are shared where they can be.

    Args:
        x: features [N, F]: tensor, array, SciPy sparse matrix or DataFrame (whose
            columns are treated as ``ognn data import`` does).
        graph: edge index [2, E], SciPy sparse [N, N], networkx graph or PyG Data.
        y: labels [N] of any kind; None, NaN or `unlabelled`: a node without.
        train, val, test: masks [N] or node numbers of one split; without any,
            splits are drawn as `split_set` says.
        undirected: every edge is listed once. networkx graphs know that.
        columns: of a DataFrame: kinds of columns by name ({"zip": "category"}), or
            the ``columns`` of a dataset or model, to be treated alike.
        treatment: direction, self_loops, features, edge_weights; "auto" chooses.
    """
    data, _ = make_labelled_dataset(
        x, graph, y, train=train, val=val, test=test, name=name,
        undirected=undirected, unlabelled=unlabelled, split_set=split_set,
        split_seed=split_seed, columns=columns, node_names=node_names,
        missing_columns=missing_columns, **treatment)
    return data


def make_labelled_dataset(x: Any, graph: Any, y: Any, *, columns: Any,
                          train: Any, val: Any, test: Any, name: str,
                          undirected: bool, unlabelled: Any, split_set: str,
                          split_seed: int, node_names: Optional[Sequence[str]],
                          missing_columns: str = "error",
                          classes: Optional[np.ndarray] = None,
                          **treatment: Any) -> Tuple[Dataset, np.ndarray]:
    """The same, and the classes of the labels."""
    edges = edges_from(graph)
    if undirected:
        edges = edges._replace(undirected=True)
    features, fitted, feature_names = _features_of(
        x, edges, columns, missing_columns)
    num_nodes = _rows_of(features)
    if node_names is None and is_frame(x):
        node_names = _index_names(x)
    labels: Optional[torch.Tensor] = None
    texts: List[str] = []
    if y is not None:
        found, numbers = labels_from(y, unlabelled)
        if len(numbers) != num_nodes:
            raise UsageError(f"labels: got {len(numbers)} for {num_nodes} nodes")
        classes, texts = found, class_texts(found)
        labels = torch.from_numpy(numbers)
    about = {
        "name": name, "class_names": texts,
        "node_names": [str(n) for n in node_names or edges.names or []],
        "treatment": to_core(treatment), "undirected": edges.undirected,
        "edge_weights": edges.weight, "split_set": split_set,
        "split_seed": split_seed, "columns": fitted,
        "feature_names": feature_names,
        "splits": _splits_of(train, val, test, num_nodes),
    }
    data = _core.make_dataset(edges.ends, features, labels, about)
    return data, np.arange(0) if classes is None else classes


def _features_of(x: Any, edges: Edges, columns: Any,
                 missing_columns: str) -> Tuple[Any, List[Any], List[str]]:
    if x is None:
        if edges.num_nodes is None:
            raise UsageError("features: there are none, and nothing says how many "
                             "nodes there are; give x, or a networkx or SciPy graph")
        return torch.ones(edges.num_nodes, 1), [], []
    if not is_frame(x):
        return features_from(x), [], []
    text = frame_text(x)
    if columns is None or isinstance(columns, Mapping):
        columns = _core.fit_columns(text, dict(columns or {}))
    features, names_of, _ = _core.apply_columns(
        text, list(columns), missing_columns == "fill")
    return features, list(columns), names_of


def _rows_of(features: Any) -> int:
    return len(features[0]) - 1 if isinstance(features, tuple) else len(features)


def _index_names(frame: Any) -> Optional[List[str]]:
    found = frame.index.tolist()
    return None if found == list(range(len(found))) else [str(n) for n in found]


def _splits_of(train: Any, val: Any, test: Any,
               num_nodes: int) -> List[List[torch.Tensor]]:
    if train is None and val is None and test is None:
        return []
    if train is None or val is None:
        raise UsageError("a split has train and val, by which the best epoch is "
                         "chosen; give both, or neither")
    empty = torch.empty(0, dtype=torch.long)
    return [[nodes_from(train, num_nodes, "train"),
             nodes_from(val, num_nodes, "val"),
             empty if test is None else nodes_from(test, num_nodes, "test")]]


def import_tables(nodes: Any, edges: Any, out: Optional[Any] = None, *,
                  id: Optional[str] = None, label: Optional[str] = None,
                  source: str = "", target: str = "", weight: str = "",
                  unlabelled: str = "", drop: Sequence[str] = (),
                  columns: Optional[Mapping[str, str]] = None,
                  directed: Optional[bool] = None, skip_unknown: bool = False,
                  name: str = "") -> Dataset:
    """``ognn data import``: a dataset of a table of nodes and a table of edges.

    Args:
        nodes, edges: files, or DataFrames.
        out: .npz file to write; None: nothing is kept.
        id, label: columns of `nodes`; the first one names the nodes when not given.
        source, target, weight: columns of `edges`; the first two when not given.
        columns: kinds of columns by name, such as {"zip": "category"}.
        directed: None finds out.
    """
    values = {"id": id or "", "label": label or "", "source": source,
              "target": target, "weight": weight, "unlabelled": unlabelled,
              "drop": list(drop), "column": dict(columns or {}),
              "undirected": None if directed is None else not directed,
              "skip_unknown": skip_unknown, "name": name}
    with tempfile.TemporaryDirectory(prefix="ordered_gnn-") as folder:
        values["nodes"] = _table_file(nodes, os.path.join(folder, "nodes.csv"))
        values["edges"] = _table_file(edges, os.path.join(folder, "edges.csv"))
        file = os.fspath(out) if out is not None else \
            os.path.join(folder, "graph.npz")
        _core.import_tables(values, file)
        return load(file)


def _table_file(table: Any, file: str) -> str:
    if not is_frame(table):
        return os.fspath(table)
    with open(file, "w", encoding="utf-8", newline="") as out:
        out.write(frame_text(table))
    return file


def from_pyg(data: Any, **options: Any) -> Dataset:
    """A dataset of a PyG ``Data`` (or anything with x, edge_index and y).

    Its masks are the split where it has them; options as for make_dataset().
    """
    masks: Dict[str, Any] = {
        part: getattr(data, part + "_mask", None)
        for part in ("train", "val", "test")}
    return make_dataset(data.x, data, getattr(data, "y", None),
                        **{**masks, **options})


def to_pyg(data: Dataset, split: int = 0) -> Any:
    """A PyG ``Data`` of x, edge_index, y and the masks of a split.

    Tensors are the dataset's own where they can be. Raises ImportError without
    PyTorch Geometric.
    """
    from torch_geometric.data import Data  # type: ignore[import]
    out = Data(x=dense_features(data), edge_index=data.edge_index, y=data.labels)
    if data.edge_weight is not None:
        out.edge_weight = data.edge_weight
    if split < len(data.splits):
        for part, nodes in zip(("train", "val", "test"), data.splits[split]):
            mask = torch.zeros(data.num_nodes, dtype=torch.bool)
            mask[nodes] = True
            out[part + "_mask"] = mask
    return out


def dense_features(data: Dataset) -> torch.Tensor:
    """Features [N, F] float32; those of a dense dataset are shared."""
    found = data.features
    if isinstance(found, torch.Tensor):
        return found
    rowptr, col, value, width = found
    out = torch.zeros(len(rowptr) - 1, width)
    rows = torch.repeat_interleave(torch.arange(len(rowptr) - 1), rowptr.diff())
    out[rows, col.long()] = value
    return out


def from_networkx(graph: Any, features: Optional[Any] = None,
                  label: Optional[str] = None, **options: Any) -> Dataset:
    """A dataset of a networkx graph.

    Args:
        features: names of attributes of nodes that are numbers, or an array [N, F]
            in the order of the nodes; None: the node ids are the features.
        label: attribute that holds the label; a node without it has none.
    """
    x = features
    attributes = isinstance(features, (list, tuple)) and \
        all(isinstance(name, str) for name in features)
    if attributes and features is not None:
        x = torch.tensor([[float(of[name]) for name in features]
                          for _, of in graph.nodes(data=True)])
    y = None
    if label is not None:
        y = np.array([of.get(label) for _, of in graph.nodes(data=True)],
                     dtype=object)
    if x is None:
        options.setdefault("features", "identity")
    return make_dataset(x, graph, y, **options)


def to_networkx(data: Dataset) -> Any:
    """A directed networkx graph of the messages; nodes have ``label``."""
    import networkx  # type: ignore[import]
    graph = networkx.DiGraph(name=data.name)
    names_of: List[Any] = list(data.node_names) or \
        [*range(data.num_nodes)]
    classes: List[Any] = list(data.class_names) or [*range(data.num_classes)]
    for node, label in zip(names_of, data.labels.tolist()):
        graph.add_node(node, label=classes[label] if label >= 0 else None)
    weights = data.edge_weight
    ends = data.edge_index.t().tolist()
    for e, (u, v) in enumerate(ends):
        if weights is None:
            graph.add_edge(names_of[u], names_of[v])
        else:
            graph.add_edge(names_of[u], names_of[v], weight=float(weights[e]))
    return graph
