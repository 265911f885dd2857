"""torch.ops.ordered_gnn: values against plain torch, gradients, meta tensors."""
import pytest
import torch
from torch.autograd import gradcheck

import ordered_gnn as og
from ordered_gnn import ops

KEY = ops.DropoutKey(3, 5, 2)


def random_graph(nodes=7, edges=20, weighted=False):
    generator = torch.Generator().manual_seed(4)
    index = torch.randint(nodes - 1, (2, edges), generator=generator)
    weight = torch.rand(edges, generator=generator) if weighted else None
    return og.Graph(index, nodes, edge_weight=weight)  # the last node hears nobody


def dense(graph):
    matrix = torch.zeros(graph.num_nodes, graph.num_nodes, dtype=torch.double)
    matrix[graph.receivers, graph.col.long()] = 1.0
    return matrix


def rows(*shape):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, dtype=torch.double, generator=generator,
                       requires_grad=True)


def layer_by_hand(graph, h, gate, weight, bias, norm_weight, norm_bias):
    degree = dense(graph).sum(1, keepdim=True).clamp(min=1)
    m = dense(graph) @ h / degree
    logits = torch.cat([h, m], 1) @ weight.t() + bias
    own = logits.softmax(1).flip(1).cumsum(1).flip(1)
    own = gate + (1 - gate) * own
    share = own.repeat_interleave(h.shape[1] // own.shape[1], 1)
    mixed = share * h + (1 - share) * m
    return torch.nn.functional.layer_norm(mixed, h.shape[1:], norm_weight,
                                          norm_bias), own


def test_sums_are_those_of_a_dense_matrix():
    graph, h = random_graph(), rows(7, 4)
    matrix = dense(graph)
    degree = matrix.sum(1).clamp(min=1)
    torch.testing.assert_close(ops.sum_aggregate(graph, h), matrix @ h)
    torch.testing.assert_close(ops.mean_aggregate(graph, h),
                               matrix @ h / degree[:, None])
    root = degree.rsqrt()
    torch.testing.assert_close(ops.gcn_aggregate(graph, h),
                               root[:, None] * (matrix @ (root[:, None] * h)))
    torch.testing.assert_close(
        ops.mean_aggregate(graph, h),
        torch.ops.ordered_gnn.mean_aggregate(*graph.lists, h))


def test_fused_layer_is_the_layer_by_hand():
    graph, h = random_graph(), rows(7, 8)
    given = (torch.rand(7, 4, dtype=torch.double), rows(4, 16), rows(4), rows(8),
             rows(8))
    for got, wanted in zip(ops.ordered_layer(graph, h, *given),
                           layer_by_hand(graph, h, *given)):
        torch.testing.assert_close(got, wanted)
        assert got.requires_grad


# Name, function of a graph and inputs, inputs with gradients.
CASES = [
    ("mean", lambda g, h: ops.mean_aggregate(g, h), (rows(7, 4),)),
    ("gcn", lambda g, h: ops.gcn_aggregate(g, h), (rows(7, 4),)),
    ("max", lambda g, h: ops.max_aggregate(g, h), (rows(7, 4),)),
    ("softmax", lambda g, s: ops.edge_softmax(g, s[:g.num_edges]), (rows(20),)),
    ("weighted", lambda g, w, h: ops.weighted_aggregate(g, w[:g.num_edges], h),
     (rows(20), rows(7, 4))),
    ("dot", lambda g, a, b: ops.edge_dot(g, a, b), (rows(7, 4), rows(7, 4) * 2)),
    ("linear", lambda g, x, w, b: ops.linear(x, w, b),
     (rows(7, 4), rows(3, 4), rows(3))),
    ("pair", lambda g, a, b, w, c: ops.pair_linear(a, b, w, c),
     (rows(7, 4), rows(7, 2), rows(3, 6), rows(3))),
    ("norm", lambda g, x, w, b: ops.layer_norm(x, w, b, relu=True, p=0.3, key=KEY),
     (rows(7, 4), rows(4), rows(4) * 2)),
    ("dropout", lambda g, x: ops.dropout(x, 0.4, KEY), (rows(7, 4),)),
    ("gate", lambda g, s, p, h, m: ops.ordered_gate("softor", s, p.sigmoid(), h, m),
     (rows(7, 2), rows(7, 2) * 2, rows(7, 4), rows(7, 4) * 2)),
    ("layer", lambda g, h, p, w, b, n, c: ops.ordered_layer(
        g, h, p.sigmoid(), w, b, n, c, p=0.2, key=KEY),
     (rows(7, 4), rows(7, 2), rows(2, 8), rows(2), rows(4), rows(4) * 2)),
    ("candidate", lambda g, h, p, w, b, v, c, n, d: ops.candidate_layer(
        g, h, p.sigmoid(), w, b, v, c, ops.RowNorm("batch", n, d),
        ops.RowNorm("none"), p=0.2, key=KEY),
     (rows(7, 4), rows(7, 2), rows(2, 8), rows(2), rows(4, 8), rows(4),
      rows(4) * 2, rows(4) * 3)),
    ("split", lambda g, h: ops.split_aggregate(g, h, "gcn"), (rows(7, 4),)),
    ("loss", lambda g, x: ops.cross_entropy(
        x, torch.tensor([1, 3, 5], device=x.device),
        torch.tensor([0, 2, 1], device=x.device)), (rows(7, 3),)),
]


@pytest.mark.parametrize("name, function, inputs", CASES,
                         ids=[case[0] for case in CASES])
def test_gradients(name, function, inputs):
    graph = random_graph()
    leaves = tuple(x.detach().requires_grad_() for x in inputs)
    assert gradcheck(lambda *given: function(graph, *given), leaves)


def test_split_sums_are_those_of_the_matrix_and_its_transpose():
    graph, h = random_graph(), rows(7, 4)
    matrix = dense(graph)
    ins, outs = (matrix.sum(d).clamp(min=1)[:, None] for d in (1, 0))
    along, against = matrix @ h[:, :2], matrix.t() @ h[:, 2:]
    for kind, wanted in {
            "sum": (along, against), "mean": (along / ins, against / outs),
            "gcn": (matrix @ (h[:, :2] / outs.sqrt()) / ins.sqrt(),
                    matrix.t() @ (h[:, 2:] / ins.sqrt()) / outs.sqrt())}.items():
        torch.testing.assert_close(ops.split_aggregate(graph, h, kind),
                                   torch.cat(wanted, 1))


def test_wrong_shapes_are_refused():
    graph = random_graph()
    with pytest.raises(RuntimeError, match="must be|match"):
        ops.mean_aggregate(graph, torch.zeros(5, 4))
    weights = (rows(2, 8), rows(2), rows(4), rows(4))
    for call in (lambda h: ops.mean_aggregate(graph, h),
                 lambda h: ops.ordered_layer(graph, h, None, *weights)):
        with pytest.raises(og.Error, match="to match the graph"):
            call(rows(9, 4))


@pytest.mark.parametrize("name", ["ordered_layer", "candidate_layer"])
def test_gradients_of_layers_write_to_nothing_unless_they_say_so(name):
    schema = lambda op: str(getattr(torch.ops.ordered_gnn, op).default._schema)
    assert "!" not in schema(name + "_backward")
    assert "Tensor(a!) grad_out" in schema(name + "_backward_")
    arguments = lambda op: schema(op).split("->")[0].count("Tensor")
    assert arguments(name + "_backward") == arguments(name + "_backward_")


def test_meta_tensors_have_shapes_and_gradients():
    graph = random_graph()
    meta = og.Graph.__new__(og.Graph)
    meta.__dict__.update(graph.__dict__)
    for name in ("rowptr", "col", "t_rowptr", "t_col", "inverse_in_degree"):
        setattr(meta, name, getattr(graph, name).to("meta"))
    h = torch.empty(7, 8, device="meta", requires_grad=True)
    weights = [torch.empty(*shape, device="meta", requires_grad=True)
               for shape in ((4, 16), (4,), (8,), (8,))]
    out, gate = ops.ordered_layer(meta, h, None, *weights)
    assert (out.shape, gate.shape, out.device.type) == ((7, 8), (7, 4), "meta")
    (ops.max_aggregate(meta, out).sum() + gate.sum()).backward()
    assert h.grad.shape == h.shape
    assert [w.grad.shape for w in weights] == [w.shape for w in weights]
    gate_weight, gate_bias, scale, shift = weights
    weight = torch.empty(8, 16, device="meta", requires_grad=True)
    out, gate = ops.candidate_layer(meta, h, gate.detach(), gate_weight, gate_bias,
                                    weight, shift, ops.RowNorm("none"),
                                    ops.RowNorm("layer", scale, shift))
    (out.sum() + gate.sum()).backward()
    assert weight.grad.shape == weight.shape
