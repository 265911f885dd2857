"""The Ordered GNN as a torch module, for training loops of one's own."""
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import nn

from . import _core, ops
from ._core import Trained, UsageError
from .compiled import as_it_is, is_tracing, traced_graph
from .engine import EngineModule
from .graph import Graph, GraphLists, graph_of
from .layers import Norm, OrderedGNNConv, require
from .ops import DropoutKey
from .release import from_release, to_release


class NodeIds(nn.Module):
    """A learned row for every node, [N, D], and a bias [D]."""

    def __init__(self, nodes: int, width: int) -> None:
        super().__init__()
        bound = max(1, nodes) ** -0.5
        self.weight = nn.Parameter(torch.empty(nodes, width).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(width).uniform_(-bound, bound))

    def heard(self, graph: GraphLists, kind: str,
              rows: torch.Tensor) -> torch.Tensor:
        """The rows themselves ("id"), or their sums over in-neighbours; `rows` are the
        weight after its dropout."""
        nodes = len(graph.rowptr) - 1
        if nodes != len(self.weight):
            raise UsageError(f"the model has parameters for {len(self.weight)} nodes, "
                             f"but the graph has {nodes}; use the graph that "
                             "it was trained on")
        return (rows if kind == "id" else ops.sum_aggregate(graph, rows)) + self.bias


class OrderedGNN(nn.Module):
    """The Ordered GNN: input network, K layers, output layer.

    The same values as the C++ model of the same parameters; names of parameters are
    those of our safetensors files.

    Args:
        in_channels: F.  out_channels: classes.  layers, hidden, chunk, mlp_layers,
        gating, aggregator, transform, candidate_norm, tied_gates, norm, residual,
        directions, first_state, node_ids, dropout_theta, dropout_xi: the options of
        these names, with their defaults.
        num_nodes: N, for node ids: "id" or "adjacency" learn a row for every node.
        self_loops, direction: how an edge index is read; loops are added by default, as
        by the command.
    """

    def __init__(self, in_channels: int, out_channels: int, layers: int = 8,
                 hidden: int = 256, chunk: int = 4, mlp_layers: int = 1,
                 gating: str = "softor", aggregator: str = "mean",
                 transform: str = "none", candidate_norm: str = "layer",
                 tied_gates: bool = False, norm: str = "layer",
                 residual: bool = False, directions: str = "joint",
                 node_ids: str = "none", dropout_theta: float = 0.1,
                 dropout_xi: float = 0.1, self_loops: str = "add",
                 direction: str = "as_stored",
                 num_nodes: Optional[int] = None,
                 first_state: str = "own") -> None:
        super().__init__()
        self.settings: Dict[str, Any] = {
            "in_channels": in_channels, "out_channels": out_channels,
            "layers": layers, "hidden": hidden, "chunk": chunk,
            "mlp_layers": mlp_layers, "gating": gating, "aggregator": aggregator,
            "transform": transform, "candidate_norm": candidate_norm,
            "tied_gates": tied_gates, "norm": norm, "residual": residual,
            "directions": directions, "node_ids": node_ids, "num_nodes": num_nodes,
            "first_state": first_state,
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
                           norm=norm, residual=residual, directions=directions,
                           self_loops=self_loops, direction=direction, tied=tied)
            for _ in range(layers))
        self.output = nn.Linear(hidden, out_channels)
        require("first state", first_state, ("own", "heard"))
        require("node ids", node_ids, ("none", "id", "adjacency"))
        self.node_ids: Optional[NodeIds] = None
        if node_ids != "none":
            if num_nodes is None:
                raise UsageError("node ids need the number of nodes, num_nodes")
            self.node_ids = NodeIds(num_nodes, hidden)
            self.node_ids_norm = Norm("layer", hidden)
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

    def run(self, x: Any, edge_index: Any = None,
            edge_weight: Optional[torch.Tensor] = None
            ) -> Tuple[torch.Tensor, torch.Tensor, List[torch.Tensor]]:
        """Logits [N, C], embeddings [N, D] and the gates [N, G] of every layer."""
        if edge_index is None:
            x, edge_index, edge_weight = x.x, x.edge_index, \
                getattr(x, "edge_weight", None)
        if not is_tracing():
            return self._run(graph_of(
                edge_index, len(x), edge_weight, direction=self.settings["direction"],
                self_loops=self.settings["self_loops"], device=x.device), x)
        for layer in self.layers:
            if not layer.can_trace(edge_index, edge_weight):
                return self._untraced(x, edge_index, edge_weight)
        return self._run(traced_graph(edge_index, x, self.settings["direction"],
                                      self.settings["self_loops"]), x)

    @as_it_is
    def _untraced(self, x: torch.Tensor, edge_index: Any,
                  edge_weight: Optional[torch.Tensor]
                  ) -> Tuple[torch.Tensor, torch.Tensor, List[torch.Tensor]]:
        return self.run(x, edge_index, edge_weight)

    def _run(self, graph: GraphLists, x: torch.Tensor
             ) -> Tuple[torch.Tensor, torch.Tensor, List[torch.Tensor]]:
        # A number that changes with every step would be a new program every time.
        if self.training and not is_tracing():
            self.step += 1
        theta = self.dropout_theta if self.training else 0.0
        h = self._start(graph, x, theta)
        gate: Optional[torch.Tensor] = None
        gates: List[torch.Tensor] = []
        for k, layer in enumerate(self.layers):
            last = k + 1 == len(self.layers)
            p = theta if last else self.dropout_xi if self.training else 0.0
            affine = self.gate if self.gate is not None else layer.gate
            h, opened = layer.run(graph, h, gate, affine, self._fused(p),
                                  self._key(len(self.input) + k + 1))
            h = self._traced_dropout(h, p)
            gate = opened
            if self.settings["gating"] != "none":
                gates.append(opened)
        logits = ops.linear(h, self.output.weight, self.output.bias)
        return logits, h, gates

    @staticmethod
    def _fused(p: float) -> float:
        """The dropout of an op, whose mask the step fixes; PyTorch's own in a trace."""
        return 0.0 if is_tracing() else p

    @staticmethod
    def _traced_dropout(h: torch.Tensor, p: float) -> torch.Tensor:
        return F.dropout(h, p) if is_tracing() and p > 0 else h

    def _dropout(self, h: torch.Tensor, p: float, site: int) -> torch.Tensor:
        return self._traced_dropout(ops.dropout(h, self._fused(p), self._key(site)), p)

    def _key(self, site: int) -> DropoutKey:
        return DropoutKey(self.seed, self.step, site)

    def _start(self, graph: GraphLists, x: torch.Tensor,
               theta: float) -> torch.Tensor:
        z = self._dropout(x, theta, 0)
        xi = self.dropout_xi if self.training else 0.0
        sites = len(self.input)
        for i, (affine, norm) in enumerate(zip(self.input, self.input_norm)):
            # The sum with the second tower is dropped out as a whole.
            last = 0.0 if self.node_ids is not None else xi
            p = theta if i + 1 < sites else last
            if i == 0 and self.settings["first_state"] == "heard":
                mapped = ops.linear(z, affine.weight, torch.zeros_like(affine.bias))
                z = self.layers[0].messages(graph, mapped) + affine.bias
            else:
                z = ops.linear(z, affine.weight, affine.bias)
            z = ops.layer_norm(z, norm.weight, norm.bias, relu=True,
                               p=self._fused(p), key=self._key(i + 1))
            z = self._traced_dropout(z, p)
        if self.node_ids is None:
            return z
        # Behind the sites of all layers.
        site = sites + len(self.layers) + 1
        heard = self.node_ids.heard(
            graph, self.settings["node_ids"],
            self._dropout(self.node_ids.weight, theta, site))
        return self._dropout(z + self.node_ids_norm(heard.relu()), xi, sites)

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
                 "residual", "directions", "first-state", "node-ids", "dropout-theta",
                 "dropout-xi", "self-loops", "direction")
        state = trained.state()
        rows = state.get("node_ids.weight")
        out = cls(trained.num_features, trained.num_classes,
                  num_nodes=None if rows is None else len(rows),
                  **{name.replace("-", "_"): values[name] for name in names})
        out.load_state_dict(state)
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
                self.settings["norm"] != "layer" or self.settings["residual"] or \
                self.settings["directions"] != "joint" or \
                self.settings["first_state"] != "own" or self.node_ids is not None:
            raise UsageError("the authors' code has the mean and layer norms alone, no "
                             "transform, residual, split directions, heard first "
                             "state or node ids")
        return to_release(self.state_dict(), len(self.layers), bool(self.gate))


def to_torch(trained: Trained) -> Union[OrderedGNN, EngineModule]:
    """A module of a trained model that a loop of one's own trains on.

    An Ordered GNN becomes an OrderedGNN, which takes x and edge_index; every other model
    an EngineModule, which takes a Dataset. Parameters are copies.
    """
    if trained.options["model"] == "ordered_gnn":
        return OrderedGNN.from_trained(trained)
    return EngineModule(trained)
