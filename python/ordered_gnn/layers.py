"""Layers on the fused ops."""
from typing import Any, Optional, Tuple, cast

import torch
import torch.nn.functional as F
from torch import nn

from . import ops
from ._core import UsageError
from .compiled import as_it_is, can_trace, is_tracing, traced_graph
from .graph import Graph, GraphLists, graph_of
from .memory import recycle_while_alive
from .ops import EPS, NO_KEY, DropoutKey, RowNorm
from .state import LayerState, as_state, plainly

_LEAKY_SLOPE = 0.2
_BATCH_MOMENTUM = 0.1
_SUMS = ("mean", "gcn", "sum")
_FUSED_GATINGS = ("ordered", "softor")


def part_of(module: nn.Module, name: str) -> Any:
    """A module in another, or None; as quick as weight_and_bias()."""
    part = module._modules.get(name)
    return getattr(module, name) if part is None else part


def weight_and_bias(module: nn.Module) -> Tuple[torch.Tensor, torch.Tensor]:
    """The parameters of a module; nn.Module's search for names takes longer than most
    else that the host does for a layer."""
    parameters = module._parameters
    weight, bias = parameters.get("weight"), parameters.get("bias")
    if weight is None or bias is None:  # somebody computes them
        return cast(torch.Tensor, module.weight), cast(torch.Tensor, module.bias)
    return weight, bias


def require(what: str, value: str, known: Tuple[str, ...]) -> str:
    if value not in known:
        raise UsageError(f"unknown {what} '{value}'; known: {', '.join(known)}")
    return value


class Norm(nn.Module):
    """Normalisation of rows [N, D]: "layer", "batch" or "none"."""
    running_mean: torch.Tensor
    running_var: torch.Tensor

    def __init__(self, kind: str, width: int) -> None:
        super().__init__()
        self.kind = require("norm", kind, ("layer", "batch", "none"))
        if kind == "none":
            return
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        if kind == "batch":
            self.register_buffer("running_mean", torch.zeros(width))
            self.register_buffer("running_var", torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.kind == "none":
            return x
        if self.kind == "layer":
            return ops.layer_norm(x, self.weight, self.bias)
        return F.batch_norm(x, self.running_mean, self.running_var, self.weight,
                            self.bias, self._counts(x), _BATCH_MOMENTUM, EPS)

    def of_rows(self, x: torch.Tensor) -> RowNorm:
        """What a fused layer is told of it."""
        if self.kind == "none":
            return RowNorm("none")
        if self.kind == "layer":
            return RowNorm("layer", self.weight, self.bias)
        return RowNorm("batch" if self._counts(x) else "fixed", self.weight,
                       self.bias, self.running_mean, self.running_var)

    def _counts(self, x: torch.Tensor) -> bool:
        # One node has no spread of its own.
        return self.training and len(x) > 1


class Attention(nn.Module):
    """A score per end of an edge, [D] each; of the aggregators gat and signed."""

    def __init__(self, width: int) -> None:
        super().__init__()
        bound = width ** -0.5
        self.source = nn.Parameter(torch.empty(width).uniform_(-bound, bound))
        self.target = nn.Parameter(torch.empty(width).uniform_(-bound, bound))

    def scores(self, graph: Graph, h: torch.Tensor) -> torch.Tensor:
        """source[u] + target[v] of every edge, [E]."""
        source, target = h.mv(self.source), h.mv(self.target)
        return source[graph.col.long()] + target[graph.receivers]


class OrderedGNNConv(nn.Module):
    """One layer of the Ordered GNN, as PyTorch Geometric users write layers.

    m = aggregate(h), g = gate([h ; m], previous g), h' = norm(g h + (1 - g) m)

    One fused op where gates are ordered or softor, the aggregator is mean, gcn or sum,
    and there is no residual, split direction or weight: on the CPU and GPU without a
    transform and with a layer norm, on the CPU with a transform and any norm.

    Args:
        channels: D, width of a node's state.
        chunk: neurons per gate; divides D. Or `gates`: their number G.
        gating: "softor", "ordered", "simple" or "none".
        aggregator: "mean", "gcn", "sum", "max", "gat" or "signed".
        transform: "none", or "linear": what is written is relu(norm(W [m ; h] + b)).
        candidate_norm: norm of that: "layer", "batch" or "none".
        norm: "layer", "batch" or "none".
        residual: add the layer's input to its output.
        directions: "joint", or "split": one half of the neurons hears along the edges and
            the other against them, each with gates of its own.
        self_loops: "keep", "add" or "remove".
        direction: "as_stored" (from row 0 of the edge index to row 1), "reversed" or
            "undirected".
        tied: no gate network of its own; forward() is given one.
    """

    def __init__(self, channels: int, chunk: int = 4, *,
                 gates: Optional[int] = None, gating: str = "softor",
                 aggregator: str = "mean", transform: str = "none",
                 candidate_norm: str = "layer", norm: str = "layer",
                 residual: bool = False, directions: str = "joint",
                 self_loops: str = "keep", direction: str = "as_stored",
                 tied: bool = False) -> None:
        super().__init__()
        if gates is not None:
            chunk = channels // gates if gates > 0 and channels % gates == 0 else 0
        if chunk < 1 or channels % chunk != 0:
            raise UsageError(f"the neurons of a gate must divide the width {channels}")
        self.channels, self.chunk, self.gates = channels, chunk, channels // chunk
        self.gating = require("gating", gating,
                               ("none", "simple", "ordered", "softor"))
        self.aggregator = require("aggregator", aggregator,
                                   (*_SUMS, "max", "gat", "signed"))
        self.transform = require("transform", transform, ("none", "linear"))
        self.directions = require("directions", directions, ("joint", "split"))
        if directions == "split" and (self.gates % 2 or aggregator not in _SUMS):
            raise UsageError("split directions need an even number of gates and the "
                             "aggregator mean, gcn or sum")
        self.residual, self.self_loops = residual, self_loops
        self.direction = direction
        self.gate = nn.Linear(2 * channels, self.gates) \
            if gating != "none" and not tied else None
        self.attention = Attention(channels) \
            if aggregator in ("gat", "signed") else None
        self.candidate = self.candidate_norm = None
        if transform == "linear":
            self.candidate = nn.Linear(2 * channels, channels)
            self.candidate_norm = Norm(candidate_norm, channels)
        self.norm = Norm(norm, channels)

    def extra_repr(self) -> str:
        return (f"{self.channels}, chunk={self.chunk}, gating={self.gating!r}, "
                f"aggregator={self.aggregator!r}")

    def graph(self, edge_index: Any, x: torch.Tensor,
              edge_weight: Optional[torch.Tensor] = None) -> Graph:
        """The Graph of an edge index, made once as long as that lives."""
        # len() is a function of Python's; a tracer's shapes are tensors.
        return graph_of(edge_index, int(x.shape[0]), edge_weight,
                        direction=self.direction, self_loops=self.self_loops,
                        device=x.device)

    def forward(self, x: torch.Tensor, edge_index: Any,
                gate: Optional[torch.Tensor] = None,
                edge_weight: Optional[torch.Tensor] = None
                ) -> Tuple[torch.Tensor, torch.Tensor]:
        """The new state [N, D] and the gate [N, G] for the next layer.

        Args:
            x: [N, D].
            edge_index: [2, E] int64, or a Graph.
            gate: [N, G] or [G] of the layer before; None: zeros, of the first layer.
            edge_weight: [E]; read by mean, gcn and sum.
        """
        if is_tracing():
            if not self.can_trace(edge_index, edge_weight):
                return self._untraced(x, edge_index, gate, edge_weight)
            return self._next(traced_graph(edge_index, x, self.direction,
                                           self.self_loops), x, gate)
        if isinstance(x, LayerState):
            with plainly():
                return self._eager(x, edge_index, gate, edge_weight)
        return self._eager(x, edge_index, gate, edge_weight)

    def _eager(self, x: torch.Tensor, edge_index: Any, gate: Optional[torch.Tensor],
               edge_weight: Optional[torch.Tensor]
               ) -> Tuple[torch.Tensor, torch.Tensor]:
        h, opened = self._next(self.graph(edge_index, x, edge_weight), x, gate)
        return (as_state(h) if self.training and h is not x else h), opened

    def _next(self, graph: GraphLists, x: torch.Tensor,
              gate: Optional[torch.Tensor]) -> Tuple[torch.Tensor, torch.Tensor]:
        if gate is not None and gate.dim() == 1:
            # Of zeros softor makes the ordered gate, to the bit, without reading any.
            closed = gate.device.type == "cpu" and not gate.requires_grad and \
                not is_tracing() and not bool(gate.any())
            gate = None if closed else gate.expand(len(x), -1).contiguous()
        return self.run(graph, x, gate, part_of(self, "gate"), 0.0, NO_KEY)

    def can_trace(self, edge_index: Any, edge_weight: Optional[torch.Tensor]) -> bool:
        """Whether torch.compile can make the layer a part of its program."""
        return self.aggregator in _SUMS and self.directions == "joint" and \
            can_trace(edge_index, edge_weight)

    @as_it_is
    def _untraced(self, x: torch.Tensor, edge_index: Any,
                  gate: Optional[torch.Tensor], edge_weight: Optional[torch.Tensor]
                  ) -> Tuple[torch.Tensor, torch.Tensor]:
        return self._next(self.graph(edge_index, x, edge_weight), x, gate)

    def fuses(self, graph: GraphLists) -> bool:
        """Whether the layer is one fused op on this graph."""
        if graph.has_weights or self.gating not in _FUSED_GATINGS or \
                self.aggregator not in _SUMS or self.residual or \
                self.directions != "joint":
            return False
        if self.transform == "none":
            kind: str = part_of(self, "norm").kind
            return kind == "layer"
        return graph.rowptr.device.type != "cuda"

    def run(self, graph: GraphLists, h: torch.Tensor, prev: Optional[torch.Tensor],
            affine: Optional[nn.Linear], p: float, key: DropoutKey
            ) -> Tuple[torch.Tensor, torch.Tensor]:
        """forward() with a gate network and a dropout of the result."""
        if self.training and not is_tracing():
            recycle_while_alive(self, h)
        if self.fuses(graph):
            assert affine is not None
            return self._run_fused(graph, h, prev if self.gating == "softor" else None,
                                   affine, p, key)
        if prev is None:
            prev = h.new_zeros(len(h), self.gates)
        m = self.messages(graph, h)
        written = m
        if self.candidate is not None and self.candidate_norm is not None:
            written = self.candidate_norm(ops.pair_linear(
                m, h, self.candidate.weight, self.candidate.bias)).relu()
        new, gate = written, prev
        if affine is not None and self.gating != "none":
            logits = ops.pair_linear(h, m, affine.weight, affine.bias)
            new, gate = self._gate(logits, prev, h, written)
        new = self.norm(new)
        if self.residual:
            new = new + h
        return ops.dropout(new, p, key), gate

    def _run_fused(self, graph: GraphLists, h: torch.Tensor,
                   prev: Optional[torch.Tensor], affine: nn.Linear, p: float,
                   key: DropoutKey) -> Tuple[torch.Tensor, torch.Tensor]:
        if self.transform == "none":
            gate_weight, gate_bias = weight_and_bias(affine)
            norm_weight, norm_bias = weight_and_bias(part_of(self, "norm"))
            return ops.ordered_layer(
                graph, h, prev, gate_weight, gate_bias, norm_weight, norm_bias,
                gating=self.gating, aggregator=self.aggregator, p=p, key=key)
        assert self.candidate is not None and self.candidate_norm is not None
        return ops.candidate_layer(
            graph, h, prev, affine.weight, affine.bias, self.candidate.weight,
            self.candidate.bias, self.candidate_norm.of_rows(h),
            self.norm.of_rows(h), gating=self.gating,
            aggregator=self.aggregator, momentum=_BATCH_MOMENTUM, p=p, key=key)

    def _gate(self, logits: torch.Tensor, prev: torch.Tensor, h: torch.Tensor,
              m: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        if self.directions == "joint":
            return ops.ordered_gate(self.gating, logits, prev, h, m)
        # Two rows for every row: gates then work half by half.
        halves = [x.reshape(2 * len(x), -1) for x in (logits, prev, h, m)]
        new, gate = ops.ordered_gate(self.gating, *halves)
        return new.reshape(h.shape), gate.reshape(logits.shape)

    def messages(self, given: GraphLists, h: torch.Tensor) -> torch.Tensor:
        """What nodes hear of rows [N, D]."""
        if self.aggregator in _SUMS and self.directions == "joint":
            return ops.aggregate(given, h, self.aggregator)
        graph = cast(Graph, given)  # can_trace() sees to that
        if self.directions == "split":
            return ops.split_aggregate(graph, h, self.aggregator)
        if self.aggregator == "max":
            return ops.max_aggregate(graph, h)
        assert self.attention is not None
        scores = self.attention.scores(graph, h)
        if self.aggregator == "gat":
            weight = ops.edge_softmax(graph, F.leaky_relu(scores, _LEAKY_SLOPE))
        else:
            share = graph.inverse_in_degree[graph.receivers]
            weight = scores.tanh() * share.to(h.dtype)
        return ops.weighted_aggregate(graph, weight, h)
