"""Graphs as the ops take them, made once of an edge index."""
import weakref
from typing import Any, Dict, Optional, Tuple

import torch

from . import _core
from ._core import UsageError
from .inputs import edges_from


def _kept() -> Any:
    """A context for tensors that outlive a call: one that was made in inference mode
    could never be saved for a gradient."""
    return torch.inference_mode(False)


class GraphLists:
    """Lists of a graph without weights, as ops take them.

    Args:
        rowptr, col: [N + 1], [E]: senders, receiver by receiver.
        t_rowptr, t_col: the transpose.
        inverse_in_degree: [N] float64.
    """
    has_weights = False

    def __init__(self, rowptr: torch.Tensor, col: torch.Tensor,
                 t_rowptr: torch.Tensor, t_col: torch.Tensor,
                 inverse_in_degree: torch.Tensor) -> None:
        self.rowptr, self.col = rowptr, col
        self.t_rowptr, self.t_col = t_rowptr, t_col
        self.inverse_in_degree = inverse_in_degree
        self._root: Optional[torch.Tensor] = None
        self._scaled: Dict[str, _core.ScaledLists] = {}

    @property
    def lists(self) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor,
                             torch.Tensor]:
        """rowptr, col, t_rowptr, t_col: the first arguments of most ops."""
        return self.rowptr, self.col, self.t_rowptr, self.t_col

    def scales(self, aggregator: str) -> Tuple[Optional[torch.Tensor],
                                               Optional[torch.Tensor]]:
        """Factors of receivers and senders that make a sum "mean", "gcn" or "sum"."""
        if aggregator == "mean":
            return self.inverse_in_degree, None
        if aggregator == "sum":
            return None, None
        if self._root is None:
            self._root = self.inverse_in_degree.sqrt()
        return self._root, self._root

    def scaled(self, aggregator: str) -> _core.ScaledLists:
        """Lists and factors in one object, as layers take them outside of programs."""
        found = self._scaled.get(aggregator)
        if found is None:
            found = self._scaled[aggregator] = _core.ScaledLists(
                *self.lists, *self.scales(aggregator))
        return found


class Graph(GraphLists):
    """An immutable graph of N nodes: who hears whom, sorted and without repeats.

    Args:
        edge_index: [2, E] int64; a message goes from row 0 to row 1. A repeated edge
            counts once (its weights add up).
        num_nodes: N.
        edge_weight: [E], finite and 0 or more; None: none.
        direction: "as_stored", "reversed" or "undirected".
        self_loops: "keep", "remove" or "add" (every node hears itself once).

    Attributes: num_nodes, num_edges, rowptr [N + 1], col [E] (senders, row by row),
    t_rowptr, t_col (the transpose), inverse_in_degree [N] float64.
    """

    def __init__(self, edge_index: Any, num_nodes: int, *,
                 edge_weight: Optional[torch.Tensor] = None,
                 direction: str = "as_stored", self_loops: str = "keep",
                 core: Optional[_core.Graph] = None) -> None:
        if edge_weight is not None and edge_weight.requires_grad:
            raise UsageError("edge_weight: weights of a graph have no gradients here; "
                             "give edge_weight.detach(), or multiply messages by them "
                             "with ordered_gnn.ops.weighted_aggregate()")
        if core is None:
            edges = edges_from(edge_index)
            weight = edges.weight if edge_weight is None else \
                edge_weight.detach().reshape(-1).to("cpu", torch.float32)
            core = _core.make_graph(num_nodes, edges.ends, direction,
                                    self_loops, weight)
        super().__init__(*core.lists, core.inverse_in_degree)
        # The first to ask may be a pass in inference mode, see _kept().
        self._root = self.inverse_in_degree.sqrt()
        self.core = core
        self.num_nodes = core.num_nodes
        self.num_edges = core.num_edges
        self.factors = core.factors
        self.has_weights = self.factors["sum"] is not None

    @property
    def t_edge(self) -> torch.Tensor:
        """For every entry of t_col its place in col, [E] int64."""
        with _kept():  # of a graph that was moved, it is made here
            return self.core.edge_of_out

    @property
    def receivers(self) -> torch.Tensor:
        """The receiver of every edge, in the order of col, [E] int64."""
        return self.core.receivers

    def split_lists(self, aggregator: str) -> Tuple[Tuple[Any, ...], Tuple[Any, ...]]:
        """Lists and factors of messages along the edges, and of those against them.

        One from u to v has 1 / d_in[v] (mean), 1 (sum) or 1 / sqrt(d_in[v] d_out[u])
        (gcn); in and out change places in the second.
        """
        def inverse_degree(rowptr: torch.Tensor) -> torch.Tensor:
            return rowptr.diff().clamp(min=1).double().reciprocal()
        of_in = of_out = from_in = from_out = None
        if aggregator != "sum":
            of_in, of_out = map(inverse_degree, (self.rowptr, self.t_rowptr))
        if aggregator == "gcn" and of_in is not None and of_out is not None:
            of_in = from_out = of_in.sqrt()
            of_out = from_in = of_out.sqrt()
        return ((*self.lists, of_in, from_in),
                (self.t_rowptr, self.t_col, self.rowptr, self.col, of_out, from_out))

    def to(self, device: Any) -> "Graph":
        """The same graph on a device."""
        if device == self.rowptr.device or torch.device(device) == self.rowptr.device:
            return self
        return Graph(None, self.num_nodes, core=self.core.to(str(device)))

    def __repr__(self) -> str:
        return f"Graph({self.num_nodes} nodes, {self.num_edges} edges)"


class _Cache:
    """Graphs of edge indices that are still alive and unchanged."""

    def __init__(self) -> None:
        self._graphs: Dict[Tuple[Any, ...], Tuple[Any, int, Any, int, Graph]] = {}

    def found(self, edge_index: Any, num_nodes: int,
              edge_weight: Optional[torch.Tensor], direction: str,
              self_loops: str, device: torch.device) -> Optional[Graph]:
        """The graph that add() was given for the same before, if any."""
        entry = self._graphs.get((id(edge_index), id(edge_weight), num_nodes,
                                  direction, self_loops, device))
        if entry is None:
            return None
        index_ref, version, weight_ref, weight_version, graph = entry
        if index_ref() is not edge_index or edge_index._version != version:
            return None
        if edge_weight is not None and (
                weight_ref() is not edge_weight or
                edge_weight._version != weight_version):
            return None
        return graph

    def add(self, edge_index: torch.Tensor, num_nodes: int,
            edge_weight: Optional[torch.Tensor], direction: str,
            self_loops: str, device: torch.device) -> Graph:
        """Makes the graph, which found() gives from now on."""
        key = (id(edge_index), id(edge_weight), num_nodes, direction, self_loops,
               device)
        version = edge_index._version
        weight_version = -1 if edge_weight is None else edge_weight._version
        with _kept():
            graph = Graph(edge_index, num_nodes, edge_weight=edge_weight,
                          direction=direction, self_loops=self_loops).to(device)

        def forget(_: Any, key: Tuple[Any, ...] = key) -> None:
            self._graphs.pop(key, None)
        weight_ref = None if edge_weight is None else \
            weakref.ref(edge_weight, forget)
        self._graphs[key] = (weakref.ref(edge_index, forget), version,
                             weight_ref, weight_version, graph)
        return graph


_cache = _Cache()


def graph_of(edge_index: Any, num_nodes: int,
             edge_weight: Optional[torch.Tensor] = None, *,
             direction: str = "as_stored", self_loops: str = "keep",
             device: Any = "cpu") -> Graph:
    """The Graph of an edge index; made once for a tensor as long as that lives and
    nobody writes to it."""
    if isinstance(edge_index, Graph):
        return edge_index.to(device)
    if not isinstance(device, torch.device):
        device = torch.device(device)
    found = _cache.found(edge_index, num_nodes, edge_weight, direction, self_loops,
                         device)
    if found is not None:
        return found
    # Nobody can tell whether tensors of inference mode were written to.
    if isinstance(edge_index, torch.Tensor) and not edge_index.is_sparse and \
            not edge_index.is_inference() and \
            not (edge_weight is not None and edge_weight.is_inference()):
        return _cache.add(edge_index, num_nodes, edge_weight, direction,
                          self_loops, device)
    return Graph(edge_index, num_nodes, edge_weight=edge_weight,
                 direction=direction, self_loops=self_loops).to(device)
