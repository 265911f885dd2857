"""Torch modules on the fused ops, for training loops of one's own."""
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, \
    TypeVar, Union

import torch
import torch.nn.functional as F
from torch import nn

from . import _core, ops
from ._core import Dataset, Trained, UsageError
from .graph import Graph, graph_of
from .ops import EPS, DropoutKey

_Function = TypeVar("_Function", bound=Callable[..., Any])
_LEAKY_SLOPE = 0.2
_BATCH_MOMENTUM = 0.1
_SUMS = ("mean", "gcn", "sum")
# torch.compile of PyTorch 2.x leaves these layers as they are: they are fused already,
# and a graph is made of an edge index outside of any trace.
_as_it_is: Callable[[_Function], _Function] = getattr(
    getattr(torch, "compiler", None), "disable", lambda function: function)


def _require(what: str, value: str, known: Tuple[str, ...]) -> str:
    if value not in known:
        raise UsageError(f"unknown {what} '{value}'; known: {', '.join(known)}")
    return value


class Norm(nn.Module):
    """Normalisation of rows [N, D]: "layer", "batch" or "none"."""
    running_mean: torch.Tensor
    running_var: torch.Tensor

    def __init__(self, kind: str, width: int) -> None:
        super().__init__()
        self.kind = _require("norm", kind, ("layer", "batch", "none"))
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
        # One node has no spread of its own.
        return F.batch_norm(x, self.running_mean, self.running_var, self.weight,
                            self.bias, self.training and len(x) > 1,
                            _BATCH_MOMENTUM, EPS)


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

    On the CPU and GPU one fused op where gates are ordered or softor, the aggregator is
    mean, gcn or sum, the norm is layer and there is no residual, transform or weight.

    Args:
        channels: D, width of a node's state.
        chunk: neurons per gate; divides D. Or `gates`: their number G.
        gating: "softor", "ordered", "simple" or "none".
        aggregator: "mean", "gcn", "sum", "max", "gat" or "signed".
        transform: "none", or "linear": what is written is relu(norm(W [m ; h] + b)).
        candidate_norm: norm of that: "layer", "batch" or "none".
        norm: "layer", "batch" or "none".
        residual: add the layer's input to its output.
        self_loops: "keep", "add" or "remove".
        direction: "as_stored" (from row 0 of the edge index to row 1), "reversed" or
            "undirected".
        tied: no gate network of its own; forward() is given one.
    """

    def __init__(self, channels: int, chunk: int = 4, *,
                 gates: Optional[int] = None, gating: str = "softor",
                 aggregator: str = "mean", transform: str = "none",
                 candidate_norm: str = "layer", norm: str = "layer",
                 residual: bool = False, self_loops: str = "keep",
                 direction: str = "as_stored", tied: bool = False) -> None:
        super().__init__()
        if gates is not None:
            chunk = channels // gates if gates > 0 and channels % gates == 0 else 0
        if chunk < 1 or channels % chunk != 0:
            raise UsageError(f"the neurons of a gate must divide the width {channels}")
        self.channels, self.chunk, self.gates = channels, chunk, channels // chunk
        self.gating = _require("gating", gating,
                               ("none", "simple", "ordered", "softor"))
        self.aggregator = _require("aggregator", aggregator,
                                   (*_SUMS, "max", "gat", "signed"))
        self.transform = _require("transform", transform, ("none", "linear"))
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
        return graph_of(edge_index, len(x), edge_weight, direction=self.direction,
                        self_loops=self.self_loops, device=x.device)

    @_as_it_is
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
        graph = self.graph(edge_index, x, edge_weight)
        if gate is not None and gate.dim() == 1:
            gate = gate.expand(len(x), -1).contiguous()
        return self.run(graph, x, gate, self.gate, 0.0, DropoutKey())

    def fuses(self, graph: Graph) -> bool:
        """Whether the layer is one fused op on this graph."""
        return self.gating in ("ordered", "softor") and \
            self.aggregator in _SUMS and self.transform == "none" and \
            self.norm.kind == "layer" and not self.residual and \
            not graph.has_weights

    def run(self, graph: Graph, h: torch.Tensor, prev: Optional[torch.Tensor],
            affine: Optional[nn.Linear], p: float, key: DropoutKey
            ) -> Tuple[torch.Tensor, torch.Tensor]:
        """forward() with a gate network and a dropout of the result."""
        if self.fuses(graph):
            assert affine is not None
            return ops.ordered_layer(
                graph, h, prev if self.gating == "softor" else None,
                affine.weight, affine.bias, self.norm.weight, self.norm.bias,
                gating=self.gating, aggregator=self.aggregator, p=p, key=key)
        if prev is None:
            prev = h.new_zeros(len(h), self.gates)
        m = self._aggregate(graph, h)
        written = m
        if self.candidate is not None and self.candidate_norm is not None:
            written = self.candidate_norm(ops.pair_linear(
                m, h, self.candidate.weight, self.candidate.bias)).relu()
        new, gate = written, prev
        if affine is not None and self.gating != "none":
            logits = ops.pair_linear(h, m, affine.weight, affine.bias)
            new, gate = ops.ordered_gate(self.gating, logits, prev, h, written)
        new = self.norm(new)
        if self.residual:
            new = new + h
        return ops.dropout(new, p, key), gate

    def _aggregate(self, graph: Graph, h: torch.Tensor) -> torch.Tensor:
        if self.aggregator in _SUMS:
            return ops.aggregate(graph, h, self.aggregator)
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


class OrderedGNN(nn.Module):
    """The Ordered GNN: input network, K layers, output layer.

    The same values as the C++ model of the same parameters; names of parameters are
    those of our safetensors files.

    Args:
        in_channels: F.  out_channels: classes.  layers, hidden, chunk, mlp_layers,
        gating, aggregator, transform, candidate_norm, tied_gates, norm, residual,
        dropout_theta, dropout_xi: the options of these names, with their defaults.
        self_loops, direction: how an edge index is read; loops are added by default, as
        by the command.
    """

    def __init__(self, in_channels: int, out_channels: int, layers: int = 8,
                 hidden: int = 256, chunk: int = 4, mlp_layers: int = 1,
                 gating: str = "softor", aggregator: str = "mean",
                 transform: str = "none", candidate_norm: str = "layer",
                 tied_gates: bool = False, norm: str = "layer",
                 residual: bool = False, dropout_theta: float = 0.1,
                 dropout_xi: float = 0.1, self_loops: str = "add",
                 direction: str = "as_stored") -> None:
        super().__init__()
        self.settings: Dict[str, Any] = {
            "in_channels": in_channels, "out_channels": out_channels,
            "layers": layers, "hidden": hidden, "chunk": chunk,
            "mlp_layers": mlp_layers, "gating": gating, "aggregator": aggregator,
            "transform": transform, "candidate_norm": candidate_norm,
            "tied_gates": tied_gates, "norm": norm, "residual": residual,
            "dropout_theta": dropout_theta, "dropout_xi": dropout_xi,
            "self_loops": self_loops, "direction": direction}
        self.dropout_theta, self.dropout_xi = dropout_theta, dropout_xi
        self.input = nn.ModuleList(
            nn.Linear(in_channels if i == 0 else hidden, hidden)
            for i in range(mlp_layers))
        self.input_norm = nn.ModuleList(
            Norm("layer", hidden) for _ in range(mlp_layers))
        tied = tied_gates and gating != "none"
        self.gate = nn.Linear(2 * hidden, hidden // chunk) if tied else None
        self.layers = nn.ModuleList(
            OrderedGNNConv(hidden, chunk, gating=gating, aggregator=aggregator,
                           transform=transform, candidate_norm=candidate_norm,
                           norm=norm, residual=residual, self_loops=self_loops,
                           direction=direction, tied=tied)
            for _ in range(layers))
        self.output = nn.Linear(hidden, out_channels)
        self.seed = int(torch.randint(2 ** 31, ()).item())  # of dropout
        self.step = 0  # of training, fixes the masks

    def forward(self, x: Any, edge_index: Any = None,
                edge_weight: Optional[torch.Tensor] = None) -> torch.Tensor:
        """Logits [N, C].

        Args:
            x: features [N, F], or a PyG Data.
            edge_index: [2, E] int64, or a Graph.
            edge_weight: [E].
        """
        return self.run(x, edge_index, edge_weight)[0]

    @_as_it_is
    def run(self, x: Any, edge_index: Any = None,
            edge_weight: Optional[torch.Tensor] = None
            ) -> Tuple[torch.Tensor, torch.Tensor, List[torch.Tensor]]:
        """Logits [N, C], embeddings [N, D] and the gates [N, G] of every layer."""
        if edge_index is None:
            x, edge_index, edge_weight = x.x, x.edge_index, \
                getattr(x, "edge_weight", None)
        graph = graph_of(edge_index, len(x), edge_weight,
                         direction=self.settings["direction"],
                         self_loops=self.settings["self_loops"],
                         device=x.device)
        if self.training:
            self.step += 1
        theta = self.dropout_theta if self.training else 0.0
        h = self._start(x, theta)
        gate: Optional[torch.Tensor] = None
        gates: List[torch.Tensor] = []
        for k, layer in enumerate(self.layers):
            last = k + 1 == len(self.layers)
            p = theta if last else self.dropout_xi if self.training else 0.0
            affine = self.gate if self.gate is not None else layer.gate
            h, opened = layer.run(graph, h, gate, affine, p,
                                  self._key(len(self.input) + k + 1))
            gate = opened
            if self.settings["gating"] != "none":
                gates.append(opened)
        logits = ops.linear(h, self.output.weight, self.output.bias)
        return logits, h, gates

    def _key(self, site: int) -> DropoutKey:
        return DropoutKey(self.seed, self.step, site)

    def _start(self, x: torch.Tensor, theta: float) -> torch.Tensor:
        z = ops.dropout(x, theta, self._key(0))
        for i, (affine, norm) in enumerate(zip(self.input, self.input_norm)):
            last = i + 1 == len(self.input)
            p = theta if not last else self.dropout_xi if self.training else 0.0
            z = ops.linear(z, affine.weight, affine.bias)
            z = ops.layer_norm(z, norm.weight, norm.bias, relu=True, p=p,
                               key=self._key(i + 1))
        return z

    def reset_parameters(self) -> None:
        """Draws all parameters anew."""
        fresh = OrderedGNN(**self.settings)
        self.load_state_dict(fresh.state_dict())

    @classmethod
    def from_trained(cls, trained: Trained) -> "OrderedGNN":
        """The network of a trained model, with copies of its parameters."""
        values = trained.options
        if values["model"] != "ordered_gnn":
            raise UsageError(f"{values['model']} is another network; to_torch() "
                             "takes it")
        names = ("layers", "hidden", "chunk", "mlp-layers", "gating",
                 "aggregator", "transform", "candidate-norm", "tied-gates", "norm",
                 "residual", "dropout-theta", "dropout-xi", "self-loops",
                 "direction")
        out = cls(trained.num_features, trained.num_classes,
                  **{name.replace("-", "_"): values[name] for name in names})
        out.load_state_dict(trained.state())
        return out

    def to_trained(self, like: Trained) -> Trained:
        """A checkpoint with these parameters and all else of `like`: what ``save()``
        writes and ``ognn predict`` reads. Its scores are those of `like`."""
        return _core.with_state(like, dict(self.state_dict()))

    def load_release(self, state: Mapping[str, torch.Tensor]) -> None:
        """Takes the parameters of the authors' released code.

        That sums its gates from the other side, so that neurons are in the opposite
        order; they are turned round here.
        """
        self.load_state_dict(from_release(state, bool(self.gate)))

    def release_state_dict(self) -> Dict[str, torch.Tensor]:
        """The parameters by the names, and in the order, of the authors' code."""
        if self.settings["transform"] != "none" or \
                self.settings["aggregator"] != "mean" or \
                self.settings["norm"] != "layer" or self.settings["residual"]:
            raise UsageError("the authors' code has the mean and layer norms alone, no "
                             "transform and no residual")
        return to_release(self.state_dict(), len(self.layers), bool(self.gate))


def _turned_gate(weight: torch.Tensor) -> torch.Tensor:
    h, m = weight.flip(0).chunk(2, dim=1)
    return torch.cat([h.flip(1), m.flip(1)], dim=1)


def _turned(name: str, value: torch.Tensor, last_input: int) -> torch.Tensor:
    """A parameter with the neurons of the state in the opposite order."""
    parts = name.split(".")
    if parts[-2] == "gate":
        return _turned_gate(value) if parts[-1] == "weight" else value.flip(0)
    if parts[0] == "output":
        return value.flip(1) if parts[-1] == "weight" else value
    if parts[0].startswith("input") and int(parts[1]) != last_input:
        return value
    return value.flip(0)


_RELEASE = (("linear_trans_in.", "input."), ("norm_input.", "input_norm."),
            ("linear_trans_out.", "output."))


def from_release(state: Mapping[str, torch.Tensor],
                 tied: bool) -> Dict[str, torch.Tensor]:
    """Our parameters of those of the authors' code."""
    out: Dict[str, torch.Tensor] = {}
    for name, value in state.items():
        if name.startswith("convs."):
            continue  # the same tensors again
        parts = name.split(".")
        if parts[0] == "tm_net":
            name = f"gate.{parts[2]}" if tied else f"layers.{parts[1]}.gate.{parts[2]}"
        elif parts[0] == "tm_norm":
            name = f"layers.{parts[1]}.norm.{parts[2]}"
        for theirs, ours in _RELEASE:
            if name.startswith(theirs):
                name = ours + name[len(theirs):]
        out[name] = value
    last = max(int(name.split(".")[1]) for name in out if name.startswith("input."))
    return {name: _turned(name, value, last) for name, value in out.items()}


def to_release(state: Mapping[str, torch.Tensor], layers: int,
               tied: bool) -> Dict[str, torch.Tensor]:
    """The parameters of the authors' code of ours."""
    last = max(int(name.split(".")[1]) for name in state
               if name.startswith("input."))
    out: Dict[str, torch.Tensor] = {}
    for name, value in state.items():
        value = _turned(name, value, last)
        parts = name.split(".")
        if parts[0] == "gate":
            for k in range(layers):
                out[f"tm_net.{k}.{parts[1]}"] = value
        elif parts[0] == "layers":
            kind = {"gate": "tm_net", "norm": "tm_norm"}[parts[2]]
            out[f"{kind}.{parts[1]}.{parts[3]}"] = value
        else:
            for theirs, ours in _RELEASE:
                if name.startswith(ours):
                    name = theirs + name[len(ours):]
                    break
            out[name] = value
    for name in list(out):
        parts = name.split(".")
        if parts[0] in ("tm_net", "tm_norm"):
            out[f"convs.{parts[1]}.{parts[0]}.{parts[2]}"] = out[name]
    return out


class EngineModule(nn.Module):
    """Any model of the table as a module: its forward pass is the C++ model's, with
    gradients; parameters are the C++ model's own tensors.

    Unlike OrderedGNN it takes a Dataset, which knows how the data was treated, and runs
    where the dataset is: on the CPU.
    """

    def __init__(self, trained: Trained) -> None:
        super().__init__()
        self.network = _core.network_of(trained)
        self.seed = int(trained.options["seed"])
        self.split = int(trained.result["split"])
        self.step = 0
        for name, value in self.network.parameters.items():
            # The tensor itself, not a copy: the C++ model computes with it.
            value.__class__ = nn.Parameter
            _place(self, name).register_parameter(
                name.split(".")[-1], value)  # type: ignore[arg-type]
        for name, value in self.network.buffers.items():
            _place(self, name).register_buffer(name.split(".")[-1], value)

    def forward(self, data: Dataset) -> torch.Tensor:
        """Logits [N, C]; a training pass drops out."""
        if self.training:
            self.step += 1
        return self.network.forward(data, self.training, self.seed, self.step,
                                    self.split)

    def to_trained(self) -> Trained:
        """A checkpoint of the parameters as they are; its scores are the old ones."""
        return self.network.trained()

    def __deepcopy__(self, memo: Dict[int, Any]) -> "EngineModule":
        out = EngineModule(self.to_trained())
        out.train(self.training)
        out.step = self.step
        return out

    def __reduce__(self) -> Tuple[Any, ...]:
        from . import training  # noqa: F401  knows how to pickle a Trained
        return EngineModule, (self.to_trained(),)


def _place(module: nn.Module, name: str) -> nn.Module:
    for part in name.split(".")[:-1]:
        if part not in module._modules:
            module.add_module(part, nn.Module())
        module = module._modules[part]  # type: ignore[assignment]
    return module


def to_torch(trained: Trained) -> Union[OrderedGNN, EngineModule]:
    """A module of a trained model that a loop of one's own trains on.

    An Ordered GNN becomes an OrderedGNN, which takes x and edge_index; every other model
    an EngineModule, which takes a Dataset. Parameters are copies.
    """
    if trained.options["model"] == "ordered_gnn":
        return OrderedGNN.from_trained(trained)
    return EngineModule(trained)
