"""Shapes of results without computing them, for meta tensors and, on PyTorch 2.x, for
what traces a program (torch.compile, torch.export).

Registered when the package is imported, for the ops and for those of their gradients. A
result that an op leaves out is an empty tensor, here and there: programs are made by what
is said here, and keep no missing results.
"""
from typing import Any, Callable, List, Optional, Tuple

import torch

_IS_1_13 = torch.__version__.startswith("1.")
# Of PyTorch 2.4 and 2.1; before that a kernel for meta tensors has to do.
_register_fake: Optional[Callable[..., Any]] = getattr(
    torch.library, "register_fake", getattr(torch.library, "impl_abstract", None))
_library = torch.library.Library("ordered_gnn", "IMPL")
# With fewer neighbours than that a layer on the CPU does not keep their sum.
_REGATHER_DEGREE = 10
_LAYER_NORM, _NO_NORM = 0, 2  # modes of norms as ops number them

#: Ops whose shapes are known.
KNOWN: List[str] = []


def _kernel(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        KNOWN.append(name)
        if _register_fake is not None:
            _register_fake("ordered_gnn::" + name, function)
            return function
        _library.impl(name, function, "Meta")
        if _IS_1_13 and name.endswith("_backward"):
            # There nothing leads from the one to the other.
            _library.impl(name, function, "AutogradMeta")
        return function
    return register


def _left_out(like: Any) -> torch.Tensor:
    """A result that stands for none."""
    return like.new_empty((0,))


def _kept_sums(rowptr: Any, col: Any, h: Any) -> torch.Tensor:
    """The sums over neighbours that a layer keeps for its gradient."""
    rows = rowptr.shape[0] - 1
    few = col.shape[0] <= _REGATHER_DEGREE * rows and h.shape[0] <= rows
    if few and h.device.type != "cuda":
        return _left_out(h)
    return h.new_empty((rows, h.shape[1]))


@_kernel("scaled_aggregate")
def _scaled_aggregate(rowptr: Any, col: Any, t_rowptr: Any, t_col: Any,
                      row_scale: Any, col_scale: Any, h: Any) -> torch.Tensor:
    return h.new_empty((rowptr.shape[0] - 1, h.shape[1]))


@_kernel("propagation_step")
def _propagation_step(rowptr: Any, col: Any, t_rowptr: Any, t_col: Any,
                      row_scale: Any, col_scale: Any, h: Any, start: Any,
                      share: float) -> torch.Tensor:
    return h.new_empty(h.shape)


@_kernel("max_aggregate")
def _max_aggregate(rowptr: Any, col: Any, t_rowptr: Any, t_col: Any,
                   h: Any) -> Tuple[torch.Tensor, torch.Tensor]:
    return h.new_empty(h.shape), h.new_empty(h.shape, dtype=col.dtype)


@_kernel("max_aggregate_backward")
def _max_aggregate_backward(t_rowptr: Any, t_col: Any, winner: Any,
                            grad: Any) -> torch.Tensor:
    return grad.new_empty(grad.shape)


@_kernel("weighted_aggregate")
def _weighted_aggregate(rowptr: Any, col: Any, t_rowptr: Any, t_col: Any,
                        t_edge: Any, weight: Any, h: Any) -> torch.Tensor:
    return h.new_empty(h.shape)


@_kernel("weighted_aggregate_backward")
def _weighted_aggregate_backward(rowptr: Any, col: Any, t_rowptr: Any, t_col: Any,
                                 t_edge: Any, weight: Any, h: Any, grad: Any
                                 ) -> Tuple[torch.Tensor, torch.Tensor]:
    return weight.new_empty(weight.shape), h.new_empty(h.shape)


@_kernel("edge_softmax")
def _edge_softmax(rowptr: Any, score: Any) -> torch.Tensor:
    return score.new_empty(score.shape)


@_kernel("edge_softmax_backward")
def _edge_softmax_backward(rowptr: Any, out: Any, grad: Any) -> torch.Tensor:
    return out.new_empty(out.shape)


@_kernel("edge_dot")
def _edge_dot(rowptr: Any, col: Any, t_rowptr: Any, t_col: Any, t_edge: Any, a: Any,
              b: Any, heads: int) -> torch.Tensor:
    return a.new_empty((col.shape[0], heads))


@_kernel("linear")
def _linear(x: Any, weight: Any, bias: Any) -> torch.Tensor:
    return x.new_empty((x.shape[0], weight.shape[0]))


@_kernel("linear_backward")
def _linear_backward(grad: Any, x: Any, weight: Any, need_grad_x: bool
                     ) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return (x.new_empty(x.shape) if need_grad_x else _left_out(x),
            weight.new_empty(weight.shape), weight.new_empty(weight.shape[:1]))


@_kernel("linear_input_gradient")
def _linear_input_gradient(grad: Any, weight: Any) -> torch.Tensor:
    return grad.new_empty((grad.shape[0], weight.shape[1]))


@_kernel("linear_weight_gradient")
def _linear_weight_gradient(grad: Any, x: Any) -> torch.Tensor:
    return x.new_empty((grad.shape[1], x.shape[1]))


@_kernel("pair_linear")
def _pair_linear(a: Any, b: Any, weight: Any, bias: Any) -> torch.Tensor:
    return a.new_empty((a.shape[0], weight.shape[0]))


@_kernel("pair_linear_backward")
def _pair_linear_backward(grad: Any, a: Any, b: Any, weight: Any
                          ) -> Tuple[torch.Tensor, ...]:
    return (a.new_empty(a.shape), b.new_empty(b.shape),
            weight.new_empty(weight.shape), weight.new_empty(weight.shape[:1]))


@_kernel("dropout")
def _dropout(x: Any, p: float, seed: int, step: int, step_tensor: Any,
             site: int) -> torch.Tensor:
    return x.new_empty(x.shape)


@_kernel("layer_norm")
def _layer_norm(x: Any, weight: Any, bias: Any, eps: float, relu: bool, p: float,
                seed: int, step: int, step_tensor: Any, site: int
                ) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rows = x.shape[:1]
    return x.new_empty(x.shape), x.new_empty(rows), x.new_empty(rows)


@_kernel("layer_norm_backward")
def _layer_norm_backward(grad: Any, x: Any, mean: Any, rstd: Any, weight: Any,
                         relu: bool, p: float, seed: int, step: int,
                         step_tensor: Any, site: int
                         ) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return (x.new_empty(x.shape), weight.new_empty(weight.shape),
            weight.new_empty(weight.shape))


@_kernel("ordered_gate")
def _ordered_gate(mode: int, logits: Any, prev_gate: Any, h: Any, m: Any
                  ) -> Tuple[torch.Tensor, torch.Tensor]:
    return h.new_empty(h.shape), logits.new_empty(logits.shape)


@_kernel("ordered_gate_backward")
def _ordered_gate_backward(mode: int, logits: Any, prev_gate: Any, h: Any, m: Any,
                           gate: Any, grad_h: Any, grad_gate: Any
                           ) -> Tuple[torch.Tensor, ...]:
    return (logits.new_empty(logits.shape), prev_gate.new_empty(prev_gate.shape),
            h.new_empty(h.shape), m.new_empty(m.shape))


@_kernel("ordered_layer")
def _ordered_layer(rowptr: Any, col: Any, t_rowptr: Any, t_col: Any,
                   row_scale: Any, col_scale: Any, h: Any, prev_gate: Any,
                   gate_weight: Any, gate_bias: Any, norm_weight: Any,
                   norm_bias: Any, mode: int, eps: float, p: float, seed: int,
                   step: int, step_tensor: Any, site: int, reuse_memory: bool,
                   keep: bool) -> Tuple[torch.Tensor, ...]:
    rows = rowptr.shape[0] - 1
    out = h.new_empty((rows, h.shape[1]))
    gate = h.new_empty((rows, gate_weight.shape[0]))
    if not keep:
        return (out, gate, *(_left_out(h) for _ in range(4)))
    return (out, gate, _kept_sums(rowptr, col, h), h.new_empty(gate.shape),
            norm_weight.new_empty((rows,)), norm_weight.new_empty((rows,)))


@_kernel("ordered_layer_backward")
def _ordered_layer_backward(rowptr: Any, col: Any, t_rowptr: Any, t_col: Any,
                            row_scale: Any, col_scale: Any, h: Any, prev_gate: Any,
                            gate_weight: Any, norm_weight: Any, gate: Any, m: Any,
                            logits: Any, mean: Any, rstd: Any, mode: int, p: float,
                            seed: int, step: int, step_tensor: Any, site: int,
                            grad_out: Any, grad_gate: Any, reuse_memory: bool
                            ) -> Tuple[torch.Tensor, ...]:
    grad_prev = _left_out(h) if prev_gate is None else gate.new_empty(gate.shape)
    return (h.new_empty(h.shape), grad_prev,
            gate_weight.new_empty(gate_weight.shape),
            gate_weight.new_empty(gate_weight.shape[:1]),
            norm_weight.new_empty(norm_weight.shape),
            norm_weight.new_empty(norm_weight.shape))


@_kernel("candidate_layer")
def _candidate_layer(*arguments: Any) -> Tuple[torch.Tensor, ...]:
    rowptr, h, gate_weight, keep = arguments[0], arguments[6], arguments[8], arguments[-1]
    rows, width = rowptr.shape[0] - 1, h.shape[1]
    out = h.new_empty((rows, width))
    gate = h.new_empty((rows, gate_weight.shape[0]))
    if not keep:
        return (out, gate, *(_left_out(h) for _ in range(5)))

    def statistics(mode: int) -> torch.Tensor:
        if mode == _NO_NORM:
            return _left_out(h)
        return h.new_empty((2, rows if mode == _LAYER_NORM else width))
    return (out, gate, _kept_sums(rowptr, arguments[1], h), h.new_empty(gate.shape),
            h.new_empty(out.shape), statistics(arguments[16]),
            statistics(arguments[21]))


@_kernel("candidate_layer_backward")
def _candidate_layer_backward(*arguments: Any) -> Tuple[torch.Tensor, ...]:
    h, prev_gate, gate_weight, weight, gate = arguments[6:11]
    norms = arguments[14:16] + arguments[18:20]
    found = (h, None if prev_gate is None else gate, gate_weight, gate_weight[:, 0],
             weight, weight[:, 0], *norms)
    return tuple(_left_out(h) if x is None else x.new_empty(x.shape) for x in found)


@_kernel("cross_entropy")
def _cross_entropy(logits: Any, nodes: Any, labels: Any,
                   weights: Any) -> torch.Tensor:
    return logits.new_empty(())


@_kernel("cross_entropy_backward")
def _cross_entropy_backward(logits: Any, nodes: Any, labels: Any, weights: Any,
                            grad: Any) -> torch.Tensor:
    return logits.new_empty(logits.shape)
