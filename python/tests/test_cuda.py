"""The GPU computes what the CPU does."""
import pytest
import torch
import torch.nn.functional as F

import ordered_gnn as og
from conftest import train
from test_ops import CASES, random_graph

if not torch.cuda.is_available():
    pytest.skip("there is no GPU that this PyTorch can use", allow_module_level=True)


def results(function, graph, inputs):
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    found = function(graph, *leaves)
    found = found if isinstance(found, tuple) else (found,)
    sum((out * out).sum() for out in found).backward()
    return [out.detach().cpu() for out in found] + [x.grad.cpu() for x in leaves]


@pytest.mark.parametrize("dtype", [torch.double, torch.float], ids=str)
@pytest.mark.parametrize("name, function, inputs", CASES,
                         ids=[case[0] for case in CASES])
def test_ops_and_gradients(name, function, inputs, dtype):
    if name == "candidate":
        pytest.skip("the CPU has it alone; a layer runs op by op here")
    graph = random_graph()
    inputs = [x.detach().to(dtype) for x in inputs]
    here = results(function, graph, inputs)
    there = results(function, graph.to("cuda"), [x.cuda() for x in inputs])
    close = 1e-9 if dtype == torch.double else 2e-4
    for got, wanted in zip(there, here):
        torch.testing.assert_close(got, wanted, atol=close, rtol=close)


@pytest.mark.parametrize("settings", [
    {}, {"gating": "ordered"}, {"gating": "simple"}, {"gating": "none"},
    {"aggregator": "gcn"}, {"aggregator": "sum"}, {"aggregator": "max"},
    {"aggregator": "gat"}, {"aggregator": "signed"}, {"norm": "batch"},
    {"residual": True}, {"directions": "split"}, {"transform": "linear"},
    {"transform": "linear", "candidate_norm": "batch"}], ids=str)
def test_layers_and_gradients(ring, settings):
    _, edge_index, _ = ring
    torch.manual_seed(0)
    conv = og.OrderedGNNConv(32, **settings)
    x = torch.randn(300, 32)

    def run(device):
        layer = og.OrderedGNNConv(32, **settings).to(device)
        layer.load_state_dict(conv.state_dict())
        h = x.to(device).requires_grad_()
        first, gate = layer(h, edge_index.to(device))
        out, gate = layer(first, edge_index.to(device), gate)
        (out.square().sum() + gate.square().sum()).backward()
        return [out.detach().cpu(), gate.detach().cpu(), h.grad.cpu(),
                *(p.grad.cpu() for p in layer.parameters() if p.grad is not None)]
    for got, wanted in zip(run("cuda"), run("cpu")):
        scale = wanted.abs().max().clamp(min=1)
        torch.testing.assert_close(got / scale, wanted / scale, atol=2e-4, rtol=2e-3)


def test_dropout_of_a_layers_result_keeps_no_mask(ring):
    _, edge_index, _ = ring
    conv = og.OrderedGNNConv(32).cuda()
    torch.manual_seed(1)
    h, _ = conv(torch.randn(300, 32, device="cuda"), edge_index.cuda())
    h.retain_grad()
    dropped = F.dropout(h, 0.25)
    assert type(dropped) is torch.Tensor and "dropout" in dropped.grad_fn.name()
    kept = dropped != 0
    assert 0.7 < kept.float().mean() < 0.8
    torch.testing.assert_close(dropped[kept], h.detach()[kept] / 0.75)
    dropped.sum().backward()
    torch.testing.assert_close(h.grad, kept.float() / 0.75)
    assert not torch.equal(F.dropout(h, 0.25), dropped)


def test_a_captured_step_draws_new_masks(ring):
    _, edge_index, _ = ring
    conv, index = og.OrderedGNNConv(32).cuda(), edge_index.cuda()
    x = torch.randn(300, 32, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            F.dropout(conv(x, index)[0], 0.5)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = F.dropout(conv(x, index)[0], 0.5)
    graph.replay()
    first = out.detach().clone()
    graph.replay()
    assert not torch.equal(first, out)


def test_network_gives_the_same():
    model = og.OrderedGNN(5, 3, layers=2, hidden=16).eval()
    index, x = torch.randint(30, (2, 90)), torch.randn(30, 5)
    here = model(x, index)
    there = model.cuda()(x.cuda(), index.cuda())
    torch.testing.assert_close(there.cpu(), here, atol=1e-4, rtol=1e-4)


def test_graph_follows_the_rows(ring):
    _, edge_index, _ = ring
    conv = og.OrderedGNNConv(8).cuda()
    x = torch.randn(300, 8, device="cuda")
    torch.testing.assert_close(conv(x, edge_index)[0], conv(x, edge_index.cuda())[0])


def test_loop_learns(ring):
    x, edge_index, y = (t.cuda() for t in ring)
    torch.manual_seed(0)
    net = og.OrderedGNN(3, 3, layers=3, hidden=32).cuda()
    losses = train(net, x, edge_index, y)
    assert losses[-1] < 0.3 * losses[0]


def test_fit_trains_there_as_the_command_does(ring):
    x, edge_index, y = ring
    model = og.OrderedGNNClassifier(layers=2, hidden=16, epochs=30, device="cuda",
                                    progress=False).fit(x, y, graph=edge_index)
    assert model.score(x, y, graph=edge_index) > 0.9
