"""Layers in programs that torch.compile of PyTorch 2.x traces.

An edge index becomes a graph by an op of its own, so that a whole network with our layers
in it is one program. Its results have as much room as the edges could need: their sizes
then follow from those of the edge index, whatever is repeated in it.
"""
import inspect
from typing import Any, Callable, Dict, Optional, Tuple, TypeVar

import torch

from .graph import Graph, GraphLists, graph_of

_Function = TypeVar("_Function", bound=Callable[..., Any])
_compiler = getattr(torch, "compiler", None)
_INT32_NODES = 2 ** 31 - 1  # above that columns are int64

#: Whether a program is being traced.
is_tracing: Callable[[], bool] = getattr(_compiler, "is_compiling", lambda: False)
#: Leaves a function out of programs: it runs as it is, between the compiled parts. The
#: first of the two loads the compiler only when one is made.
as_it_is: Callable[[_Function], _Function] = getattr(
    torch, "_disable_dynamo", getattr(_compiler, "disable", lambda function: function))
_custom_op: Optional[Callable[..., Any]] = getattr(torch.library, "custom_op", None)
_Lists = Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def _room(edges: int, num_nodes: int, direction: str, self_loops: str) -> int:
    """The most entries that the lists can have."""
    return edges * (2 if direction == "undirected" else 1) + \
        (num_nodes if self_loops == "add" else 0)


def _with_room(col: torch.Tensor, entries: int) -> torch.Tensor:
    out = col.new_zeros(entries)
    out[:len(col)] = col
    return out


def _edge_lists(edge_index: torch.Tensor, num_nodes: int, direction: str,
                self_loops: str, device: torch.device) -> _Lists:
    graph = graph_of(edge_index, num_nodes, direction=direction,
                     self_loops=self_loops, device=device)
    entries = _room(edge_index.shape[1], num_nodes, direction, self_loops)
    # Copies: a program may write over what an op gave, and the graph is kept.
    return (graph.rowptr.clone(), _with_room(graph.col, entries),
            graph.t_rowptr.clone(), _with_room(graph.t_col, entries),
            graph.inverse_in_degree.clone())


def _edge_lists_shapes(edge_index: torch.Tensor, num_nodes: int, direction: str,
                       self_loops: str, device: torch.device) -> _Lists:
    def rows() -> torch.Tensor:
        return torch.empty((num_nodes + 1,), dtype=torch.int64, device=device)

    def columns() -> torch.Tensor:
        return torch.empty(
            (_room(edge_index.shape[1], num_nodes, direction, self_loops),),
            dtype=torch.int32 if num_nodes <= _INT32_NODES else torch.int64,
            device=device)
    return (rows(), columns(), rows(), columns(),
            torch.empty((num_nodes,), dtype=torch.float64, device=device))


def _define() -> Optional[Callable[..., _Lists]]:
    if _custom_op is None:  # before PyTorch 2.4
        return None
    settings: Dict[str, Any] = {"mutates_args": ()}
    # The first call sorts edges on the CPU, which a CUDA graph cannot record.
    tag = getattr(getattr(torch, "Tag", None), "cudagraph_unsafe", None)
    if tag is not None and "tags" in inspect.signature(_custom_op).parameters:
        settings["tags"] = (tag,)
    op = _custom_op("ordered_gnn::edge_lists", _edge_lists, **settings)
    op.register_fake(_edge_lists_shapes)
    found: Callable[..., _Lists] = torch.ops.ordered_gnn.edge_lists.default
    return found


_op = _define()


def can_trace(edge_index: Any, edge_weight: Optional[torch.Tensor]) -> bool:
    """Whether the graph of an edge index can be part of a program."""
    if isinstance(edge_index, Graph):
        return not edge_index.has_weights
    return _op is not None and edge_weight is None and \
        isinstance(edge_index, torch.Tensor)


def traced_graph(edge_index: Any, x: torch.Tensor, direction: str,
                 self_loops: str) -> GraphLists:
    """The graph of an edge index for the rows of x, while a program is traced."""
    if isinstance(edge_index, GraphLists):
        return edge_index
    assert _op is not None
    return GraphLists(*_op(edge_index, x.shape[0], direction, self_loops, x.device))
