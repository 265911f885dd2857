"""The differentiable ops of the engine, ``torch.ops.ordered_gnn.*``, by name.

N nodes, E edges, D width, G gates that divide D. Tensors are float32 or float64 on the
device of the graph. The mask of a dropout follows from (seed, step, site) alone, and
p = 0 is none.
"""
from typing import Any, NamedTuple, Optional, Tuple, cast

import torch

from . import _core  # registers the ops
from .compiled import is_tracing
from .graph import Graph, GraphLists
from .state import GpuLayerState, LayerState

_ops = torch.ops.ordered_gnn

#: Names of gates as ops number them.
GATINGS = {"simple": 0, "ordered": 1, "softor": 2}
EPS = 1e-5
# Classes of rows that mean nothing of their own to an op.
_PLAIN = (torch.Tensor, LayerState, GpuLayerState, torch.nn.Parameter)
_NORMS = {"layer": 0, "batch": 1, "none": 2, "fixed": 3}


class RowNorm(NamedTuple):
    """A norm of rows [N, D] inside a layer, vectors [D].

    "layer", "batch" (moves the running statistics), "fixed" (reads them) or "none".
    """
    mode: str = "layer"
    weight: Optional[torch.Tensor] = None
    bias: Optional[torch.Tensor] = None
    running_mean: Optional[torch.Tensor] = None
    running_var: Optional[torch.Tensor] = None

    def arguments(self) -> Tuple[Any, ...]:
        """As ops take it."""
        return (*self[1:], _NORMS[self.mode])


class DropoutKey(NamedTuple):
    """Which random numbers a dropout uses."""
    seed: int = 0
    step: int = 0
    site: int = 0


#: Of a dropout that is none.
NO_KEY = DropoutKey()


def _key(key: DropoutKey) -> Tuple[int, int, None, int]:
    return key.seed, key.step, None, key.site


def _require_a_row_per_node(graph: GraphLists, h: torch.Tensor) -> None:
    # Ops take more rows, for graphs that are shared between processes.
    if h.dim() == 2 and h.shape[0] > graph.rowptr.shape[0] - 1:
        raise _core.UsageError(f"h must be [{graph.rowptr.shape[0] - 1}, D] to match "
                               f"the graph, got {list(h.shape)}")


def mean_aggregate(graph: GraphLists, h: torch.Tensor) -> torch.Tensor:
    """Mean over in-neighbours, [N, D] -> [N, D]; weighted where the graph is."""
    return aggregate(graph, h, "mean")


def sum_aggregate(graph: GraphLists, h: torch.Tensor) -> torch.Tensor:
    """Sum over in-neighbours, [N, D] -> [N, D]; weighted where the graph is."""
    return aggregate(graph, h, "sum")


def gcn_aggregate(graph: GraphLists, h: torch.Tensor) -> torch.Tensor:
    """sum_u h[u] / sqrt(d_u d_v), [N, D] -> [N, D]."""
    return aggregate(graph, h, "gcn")


def aggregate(graph: GraphLists, h: torch.Tensor, kind: str) -> torch.Tensor:
    """The sums above by name: "mean", "sum" or "gcn"."""
    _require_a_row_per_node(graph, h)
    if graph.has_weights:
        weighted = cast(Graph, graph)
        return weighted_aggregate(weighted, weighted.factors[kind].to(h.dtype), h)
    return _ops.scaled_aggregate(*graph.lists, *graph.scales(kind), h)


def split_aggregate(graph: Graph, h: torch.Tensor, kind: str) -> torch.Tensor:
    """aggregate() of the first D / 2 neurons along the edges and of the others against
    them, [N, D]; weights of edges are not read."""
    along, against = graph.split_lists(kind)
    first, second = h.chunk(2, dim=1)
    return torch.cat([_ops.scaled_aggregate(*along, first.contiguous()),
                      _ops.scaled_aggregate(*against, second.contiguous())], dim=1)


def max_aggregate(graph: Graph, h: torch.Tensor) -> torch.Tensor:
    """Element-wise maximum over in-neighbours, zeros without any; [N, D]."""
    return _ops.max_aggregate(*graph.lists, h)[0]


def weighted_aggregate(graph: Graph, weight: torch.Tensor,
                       h: torch.Tensor) -> torch.Tensor:
    """sum_e weight[e] h[u] for e = (u -> v) in the order of graph.col.

    weight [E] or [E, H]; differentiable in both.
    """
    return _ops.weighted_aggregate(*graph.lists, graph.t_edge, weight, h)


def edge_softmax(graph: Graph, score: torch.Tensor) -> torch.Tensor:
    """Softmax over the in-edges of every node; score [E] or [E, H]."""
    return _ops.edge_softmax(graph.rowptr, score)


def edge_dot(graph: Graph, a: torch.Tensor, b: torch.Tensor,
             heads: int = 1) -> torch.Tensor:
    """<a[v], b[u]> for every edge u -> v; a, b [N, D], result [E, heads]."""
    return _ops.edge_dot(*graph.lists, graph.t_edge, a, b, heads)


def linear(x: torch.Tensor, weight: torch.Tensor,
           bias: torch.Tensor) -> torch.Tensor:
    """x W^T + b: [N, I], [O, I], [O] -> [N, O]; the same bits for any threads."""
    return _ops.linear(x, weight, bias)


def pair_linear(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor,
                bias: torch.Tensor) -> torch.Tensor:
    """[a ; b] W^T + bias without the concatenation; weight [O, A + B]."""
    return _ops.pair_linear(a, b, weight, bias)


def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, *,
               eps: float = EPS, relu: bool = False, p: float = 0.0,
               key: DropoutKey = NO_KEY) -> torch.Tensor:
    """dropout(layer_norm(relu(x))) in one pass, [N, D]."""
    return _ops.layer_norm(x, weight, bias, eps, relu, p, *_key(key))[0]


def dropout(x: torch.Tensor, p: float, key: DropoutKey) -> torch.Tensor:
    """Dropout whose mask follows from the key; any shape."""
    return x if p == 0 else _ops.dropout(x, p, *_key(key))


def ordered_gate(gating: str, logits: torch.Tensor, prev_gate: torch.Tensor,
                 h: torch.Tensor, m: torch.Tensor
                 ) -> Tuple[torch.Tensor, torch.Tensor]:
    """Gate and combine stage: the new state [N, D] and the gate [N, G].

    gating "simple", "ordered" or "softor"; logits and prev_gate [N, G], h and m [N, D].
    """
    return _ops.ordered_gate(GATINGS[gating], logits, prev_gate, h, m)


def ordered_layer(graph: GraphLists, h: torch.Tensor,
                  prev_gate: Optional[torch.Tensor], gate_weight: torch.Tensor,
                  gate_bias: torch.Tensor, norm_weight: torch.Tensor,
                  norm_bias: torch.Tensor, *, gating: str = "softor",
                  aggregator: str = "mean", eps: float = EPS, p: float = 0.0,
                  key: DropoutKey = NO_KEY
                  ) -> Tuple[torch.Tensor, torch.Tensor]:
    """One layer of the Ordered GNN in one blocked pass: [N, D] and the gate [N, G].

    gating "ordered" or "softor", aggregator "mean", "gcn" or "sum" of a graph without
    weights; prev_gate [N, G] or None for zeros; gate_weight [G, 2 D], columns [h ; m].
    """
    # Before the first layer nothing is open: softor of zeros is ordered.
    mode = GATINGS["ordered" if prev_gate is None else gating]
    if type(h) in _PLAIN and not is_tracing():
        return _core.ordered_layer(
            graph.scaled(aggregator), h, prev_gate, gate_weight, gate_bias,
            norm_weight, norm_bias, mode, eps, p, key.seed, key.step, key.site)
    _require_a_row_per_node(graph, h)
    found = _ops.ordered_layer(
        *graph.lists, *graph.scales(aggregator), h, prev_gate, gate_weight,
        gate_bias, norm_weight, norm_bias, mode, eps, p, *_key(key),
        False, False)
    return found[0], found[1]


def candidate_layer(graph: GraphLists, h: torch.Tensor,
                    prev_gate: Optional[torch.Tensor], gate_weight: torch.Tensor,
                    gate_bias: torch.Tensor, weight: torch.Tensor,
                    bias: torch.Tensor, candidate_norm: RowNorm, norm: RowNorm, *,
                    gating: str = "softor", aggregator: str = "mean",
                    eps: float = EPS, momentum: float = 0.1, p: float = 0.0,
                    key: DropoutKey = NO_KEY
                    ) -> Tuple[torch.Tensor, torch.Tensor]:
    """One layer that writes relu(norm(W [m ; h] + b)), fused: [N, D] and gate [N, G].

    As ordered_layer(), with weight [D, 2 D], columns [m ; h], and bias [D]. On the CPU.
    """
    _require_a_row_per_node(graph, h)
    mode = GATINGS["ordered" if prev_gate is None else gating]
    found = _ops.candidate_layer(
        *graph.lists, *graph.scales(aggregator), h, prev_gate, gate_weight,
        gate_bias, weight, bias, *candidate_norm.arguments(), *norm.arguments(),
        mode, eps, momentum, p, *_key(key), False, False)
    return found[0], found[1]


def cross_entropy(logits: torch.Tensor, nodes: torch.Tensor,
                  labels: torch.Tensor,
                  weights: Optional[torch.Tensor] = None) -> torch.Tensor:
    """Mean cross-entropy of the rows `nodes` of logits [N, C]; labels [n] theirs."""
    return _ops.cross_entropy(logits, nodes, labels, weights)
