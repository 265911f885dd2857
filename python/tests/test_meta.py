"""Shapes that are told ahead are those that the CPU gives, op by op, switch by switch."""
import contextlib
import functools
import itertools

import pytest
import torch

import ordered_gnn as og
from ordered_gnn import meta

OPS = torch.ops.ordered_gnn
WIDTH, GATES = 8, 4
SWITCHES = (False, True)
NORMS = {"layer": 0, "batch": 1, "none": 2, "fixed": 3}


def rows(*shape, dtype=torch.double):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, generator=generator)


def graph_of(edges, nodes=9):
    generator = torch.Generator().manual_seed(4)
    return og.Graph(torch.randint(nodes - 1, (2, edges), generator=generator), nodes)


FEW, MANY = graph_of(20), og.Graph(torch.ones(40, 40).nonzero().t().contiguous(), 40)
KEY = (0.25, 3, 5, None, 2)


def called(name, *given):
    """The op itself, without the autograd that stands before it."""
    below = torch._C._AutoDispatchBelowAutograd()  # of 1.13 as long as it lives
    with below if hasattr(below, "__enter__") else contextlib.nullcontext(below):
        found = getattr(OPS, name)(*given)
    del below
    return found if isinstance(found, (tuple, list)) else (found,)


def layers():
    """Layers and their gradients, with all that they leave out or not."""
    for graph, gated, keep, dtype in itertools.product(
            (FEW, MANY), SWITCHES, SWITCHES, (torch.double, torch.float)):
        made = lambda *shape: rows(*shape, dtype=dtype)
        nodes = graph.num_nodes
        h, prev = made(nodes, WIDTH), made(nodes, GATES) if gated else None
        weight, scale, shift = made(GATES, 2 * WIDTH), made(WIDTH), made(WIDTH)
        lists = (*graph.lists, *graph.scales("gcn"))
        given = (*lists, h, prev, weight, made(GATES), scale, shift,
                 2 if gated else 1, 1e-5, *KEY, False, keep)
        yield "ordered_layer", given
        if keep:
            _, gate, m, logits, mean, rstd = called("ordered_layer", *given)
            for grad_gate in (None, made(nodes, GATES)):
                yield "ordered_layer_backward", (
                    *lists, h, prev, weight, scale, gate, m if m.dim() == 2 else None,
                    logits, mean, rstd, 2 if gated else 1, *KEY, made(nodes, WIDTH),
                    grad_gate, False)


def norm_arguments(kind, made):
    if kind == "none":
        return (None,) * 4
    moving = (torch.zeros_like(made(WIDTH)), torch.ones_like(made(WIDTH)))
    return (made(WIDTH), made(WIDTH), *(moving if kind != "layer" else (None, None)))


def candidates():
    for graph, gated, keep, (first, second) in itertools.product(
            (FEW, MANY), SWITCHES, SWITCHES, itertools.product(NORMS, NORMS)):
        nodes = graph.num_nodes
        h, prev = rows(nodes, WIDTH), rows(nodes, GATES) if gated else None
        weight, written = rows(GATES, 2 * WIDTH), rows(WIDTH, 2 * WIDTH)
        lists = (*graph.lists, *graph.scales("sum"))
        norms = [norm_arguments(kind, rows) for kind in (first, second)]
        given = (*lists, h, prev, weight, rows(GATES), written, rows(WIDTH), *norms[0],
                 NORMS[first], *norms[1], NORMS[second], 2 if gated else 1, 1e-5, 0.1,
                 *KEY, False, keep)
        yield "candidate_layer", given
        if keep:
            _, gate, m, logits, pre, *statistics = called("candidate_layer", *given)
            there = lambda x: x if x.dim() == 2 else None
            yield "candidate_layer_backward", (
                *lists, h, prev, weight, written, gate, there(m), logits, pre,
                *norms[0][:2], there(statistics[0]), NORMS[first], *norms[1][:2],
                there(statistics[1]), NORMS[second], 2 if gated else 1, *KEY,
                rows(nodes, WIDTH), None, False)


def others():
    graph, nodes, edges = FEW, FEW.num_nodes, FEW.num_edges
    h, m, gate = rows(nodes, WIDTH), rows(nodes, WIDTH) * 2, rows(nodes, GATES)
    lists, scale, shift = graph.lists, rows(WIDTH), rows(WIDTH)
    for kind in ("mean", "gcn", "sum"):
        yield "scaled_aggregate", (*lists, *graph.scales(kind), h)
    yield "propagation_step", (*lists, *graph.scales("gcn"), h, m, 0.1)
    yield "max_aggregate", (*lists, h)
    yield "max_aggregate_backward", (
        *lists[2:], called("max_aggregate", *lists, h)[1], m)
    for weight in (rows(edges), rows(edges, 2)):
        yield "weighted_aggregate", (*lists, graph.t_edge, weight, h)
        yield "weighted_aggregate_backward", (*lists, graph.t_edge, weight, h, m)
        yield "edge_softmax", (graph.rowptr, weight)
        yield "edge_softmax_backward", (graph.rowptr, weight, weight)
    yield "edge_dot", (*lists, graph.t_edge, h, m, 2)
    yield "linear", (h, rows(3, WIDTH), rows(3))
    for need_grad_x in SWITCHES:
        yield "linear_backward", (rows(nodes, 3), h, rows(3, WIDTH), need_grad_x)
    yield "linear_input_gradient", (rows(nodes, 3), rows(3, WIDTH))
    yield "linear_weight_gradient", (rows(nodes, 3), h)
    yield "pair_linear", (h, gate, rows(3, WIDTH + GATES), rows(3))
    yield "pair_linear_backward", (rows(nodes, 3), h, gate, rows(3, WIDTH + GATES))
    yield "dropout", (h, *KEY)
    yield "layer_norm", (h, scale, shift, 1e-5, True, *KEY)
    _, mean, rstd = called("layer_norm", h, scale, shift, 1e-5, True, *KEY)
    yield "layer_norm_backward", (m, h, mean, rstd, scale, True, *KEY)
    for gating, grad_gate in itertools.product(range(3), (None, gate)):
        yield "ordered_gate", (gating, gate, gate.sigmoid(), h, m)
        yield "ordered_gate_backward", (gating, gate, gate.sigmoid(), h, m,
                                        gate.sigmoid(), m, grad_gate)
    number = lambda *values: torch.tensor(values)
    for weights in (None, rows(GATES).abs()):
        yield "cross_entropy", (gate, number(1, 4), number(0, 2), weights)
        yield "cross_entropy_backward", (gate, number(1, 4), number(0, 2), weights,
                                         torch.ones((), dtype=torch.double))


@functools.lru_cache()
def cases():
    return [*layers(), *candidates(), *others()]


@pytest.mark.parametrize("name", sorted(meta.KNOWN))
def test_results_are_told_ahead(name):
    given = [arguments for op, arguments in cases() if op == name]
    assert given, "no call of " + name
    for arguments in given:
        expected = called(name, *arguments)
        told = called(name, *(x.to("meta") if isinstance(x, torch.Tensor) else x
                              for x in arguments))
        assert all(isinstance(x, torch.Tensor) for x in (*expected, *told))
        assert [(x.shape, x.dtype, x.stride()) for x in told] == \
            [(x.shape, x.dtype, x.stride()) for x in expected]


@pytest.mark.parametrize("name", sorted(meta.KNOWN))
def test_results_share_no_memory(name):
    for arguments in (arguments for op, arguments in cases() if op == name):
        tensors = [*called(name, *arguments),
                   *(x for x in arguments if isinstance(x, torch.Tensor))]
        results = len(tensors) - sum(isinstance(x, torch.Tensor) for x in arguments)
        memory = lambda x: getattr(x, "untyped_storage", x.storage)().data_ptr()
        for i, result in enumerate(tensors[:results]):
            assert result.numel() == 0 or all(
                memory(result) != memory(other)
                for other in tensors[:i] + tensors[results:] if other.numel())


@pytest.mark.parametrize("name", ["ordered_layer", "candidate_layer"])
@pytest.mark.parametrize("grad", SWITCHES)
def test_a_program_gets_what_its_backward_needs(name, grad):
    for arguments in (arguments for op, arguments in cases() if op == name):
        leaves = [x.detach().requires_grad_() if isinstance(x, torch.Tensor) and
                  x.is_floating_point() and i == 6 else x
                  for i, x in enumerate(arguments)]
        with torch.set_grad_enabled(grad):
            found = getattr(OPS, name)(*leaves)
        keeps = arguments[-1]
        assert found[0].requires_grad == (grad and not keeps)
        # With a gradient of its own a layer keeps what it needs to itself.
        assert [x.shape for x in found] == [x.shape for x in called(name, *arguments)]
