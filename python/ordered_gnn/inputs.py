"""Graphs, features and labels as users have them, turned into tensors.

Memory is shared where type and layout allow: int64 edge indices [2, E], float32
features, contiguous.
"""
from typing import Any, List, NamedTuple, Optional, Tuple, Union

import numpy as np
import torch

from . import _core
from ._core import UsageError

SparseRows = Tuple[torch.Tensor, torch.Tensor, torch.Tensor, int]


class Edges(NamedTuple):
    """Edges of a graph of N nodes; a message goes from row 0 to row 1."""
    ends: torch.Tensor  #: [2, E] int64
    weight: Optional[torch.Tensor] = None  #: [E] float32
    undirected: bool = False  #: every edge is listed once
    num_nodes: Optional[int] = None  #: where the graph says so
    names: Optional[List[str]] = None  #: of nodes, where the graph has them


def _as_tensor(values: Any) -> torch.Tensor:
    if isinstance(values, torch.Tensor):
        # PyG's EdgeIndex is a tensor around one.
        return values.as_tensor() if hasattr(values, "as_tensor") else values
    array = np.asarray(values)
    if array.dtype == object:
        array = array.astype(np.float64)
    # A read-only array of a user stays unwritten: nothing here writes to it.
    if not array.flags.writeable or any(s < 0 for s in array.strides):
        array = array.copy()
    return torch.from_numpy(array)


def _is_scipy_sparse(value: Any) -> bool:
    return type(value).__module__.startswith("scipy.sparse")


def _is_networkx(value: Any) -> bool:
    return hasattr(value, "is_directed") and hasattr(value, "edges") \
        and hasattr(value, "nodes")


def is_frame(value: Any) -> bool:
    """Whether the value is a pandas DataFrame."""
    return type(value).__module__.startswith("pandas") \
        and type(value).__name__ == "DataFrame"


def _edges_from_scipy(matrix: Any) -> Edges:
    if matrix.shape[0] != matrix.shape[1]:
        raise UsageError("graph: an adjacency matrix is square, got "
                         f"{matrix.shape[0]} x {matrix.shape[1]}")
    entries = matrix.tocoo()
    index = np.stack([entries.row, entries.col]).astype(np.int64)
    weight = entries.data.astype(np.float32)
    has_weights = weight.size > 0 and not bool((weight == 1).all())
    return Edges(torch.from_numpy(index),
                 torch.from_numpy(weight) if has_weights else None,
                 num_nodes=matrix.shape[0])


def _edges_from_networkx(graph: Any) -> Edges:
    nodes = list(graph.nodes)
    place = {node: i for i, node in enumerate(nodes)}
    rows = [(place[u], place[v], d.get("weight"))
            for u, v, d in graph.edges(data=True)]
    ends = torch.tensor([[u for u, _, _ in rows], [v for _, v, _ in rows]],
                        dtype=torch.long).reshape(2, -1)
    weight = None
    if any(w is not None for _, _, w in rows):
        weight = torch.tensor([1.0 if w is None else float(w)
                               for _, _, w in rows])
    names = None if nodes == list(range(len(nodes))) else [str(n) for n in nodes]
    return Edges(ends, weight, not graph.is_directed(), len(nodes), names)


def edges_from(graph: Any) -> Edges:
    """Edges of an edge index [2, E] (tensor, array, lists), a SciPy sparse
    adjacency matrix (entry [i, j]: an edge from i to j), a networkx graph, or
    anything with an ``edge_index``, as PyTorch Geometric's Data; None: no edges.
    """
    if graph is None:
        return Edges(torch.empty(2, 0, dtype=torch.long))
    if _is_scipy_sparse(graph):
        return _edges_from_scipy(graph)
    if hasattr(graph, "edge_index"):
        weight = getattr(graph, "edge_weight", None)
        found = edges_from(graph.edge_index)
        return found if weight is None else found._replace(
            weight=_as_tensor(weight).float().cpu())
    if _is_networkx(graph):
        return _edges_from_networkx(graph)
    index = _as_tensor(graph)
    if index.numel() == 0:
        index = index.reshape(2, -1).long()
    if index.is_floating_point() or index.dim() != 2 or index.shape[0] != 2:
        hint = "; give graph.t()" if index.dim() == 2 and \
            index.shape[-1] == 2 else ""
        raise UsageError("graph: an edge index is [2, E] of whole numbers, got "
                         f"{list(index.shape)} {index.dtype}{hint}")
    return Edges(index.to("cpu", torch.long))


def _sparse_rows(matrix: Any) -> SparseRows:
    rows = matrix.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return (torch.from_numpy(rows.indptr.astype(np.int64, copy=False)),
            torch.from_numpy(rows.indices.astype(np.int32, copy=False)),
            torch.from_numpy(rows.data.astype(np.float32, copy=False)),
            int(rows.shape[1]))


def features_from(x: Any) -> Union[torch.Tensor, SparseRows]:
    """Features [N, F] of a tensor, an array, lists or a SciPy sparse matrix."""
    if _is_scipy_sparse(x):
        return _sparse_rows(x)
    if hasattr(x, "edge_index") and hasattr(x, "x"):
        x = x.x
    rows = _as_tensor(x)
    if rows.is_complex():
        raise UsageError("features: Complex data not supported")
    if rows.dim() != 2:
        raise UsageError(f"features: expected [N, F], got {list(rows.shape)}. "
                         "Reshape your data: a row for every node")
    return rows.to("cpu", torch.float32)


def frame_text(frame: Any) -> str:
    """A DataFrame as the CSV text that ``ognn data import`` would read."""
    names = [str(name) for name in frame.columns]
    return str(frame.set_axis(names, axis=1).to_csv(
        index=False, date_format="%Y-%m-%dT%H:%M:%S"))


def nodes_from(nodes: Any, num_nodes: int, what: str) -> torch.Tensor:
    """Node numbers of a mask [N] or of node numbers, rising."""
    given = _as_tensor(nodes).cpu()
    if given.dtype == torch.bool:
        if given.shape != (num_nodes,):
            raise UsageError(f"{what}: a mask has a value for each of the "
                             f"{num_nodes} nodes, got {list(given.shape)}")
        return given.nonzero().squeeze(1)
    return given.long().reshape(-1).sort().values


def labels_from(y: Any, unlabelled: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Classes, sorted, and for every node the number of its class or -1.

    A node has no label where `y` is None, NaN or equal to `unlabelled`.
    """
    if isinstance(y, torch.Tensor):
        y = y.cpu().numpy()
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise UsageError(f"labels: expected [N], got {list(values.shape)}")
    known = np.ones(len(values), dtype=bool)
    if values.dtype == object:
        known &= np.array([v is not None and v == v for v in values], dtype=bool)
    elif values.dtype.kind == "f":
        known &= ~np.isnan(values)
    if unlabelled is not None:
        if values.dtype == object:
            known &= np.array([v != unlabelled for v in values], dtype=bool)
        elif (values.dtype.kind in "US") == isinstance(unlabelled, str):
            known &= values != unlabelled
    chosen = values[known]
    if chosen.dtype == object and chosen.size:
        chosen = np.array(chosen.tolist())
    if chosen.dtype.kind == "f" and chosen.size and \
            bool((chosen == np.floor(chosen)).all()) and not known.all():
        chosen = chosen.astype(np.int64)  # whole numbers beside NaN
    classes, numbers = np.unique(chosen, return_inverse=True)
    labels = np.full(len(values), -1, dtype=np.int64)
    labels[known] = numbers
    return classes, labels


def class_texts(classes: np.ndarray) -> List[str]:
    """Names of classes as checkpoints hold them; none for 0 .. C-1."""
    if classes.dtype.kind in "iu" and \
            classes.tolist() == list(range(len(classes))):
        return []
    return [str(c) for c in classes.tolist()]


def classes_of(trained: "_core.Trained") -> np.ndarray:
    """The classes of a checkpoint; whole numbers where all names are."""
    names = trained.class_names
    try:
        numbers = [int(name) for name in names]
    except ValueError:
        return np.array(names)
    if [str(n) for n in numbers] != names:
        return np.array(names)
    return np.array(numbers)
