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


@pytest.mark.parametrize("nodes", [300, 3000])
def test_a_layer_takes_few_blocks_of_memory(nodes):
    """Each of them costs the host about as much as a third of a launch."""
    conv = og.OrderedGNNConv(256, gates=64).cuda()
    index = torch.randint(nodes, (2, 5 * nodes), device="cuda")
    x = torch.randn(nodes, 256, device="cuda", requires_grad=True)
    gate = torch.rand(nodes, 64, device="cuda", requires_grad=True)
    ones = torch.ones_like(x)

    def blocks():
        return torch.cuda.memory_stats()["allocation.all.allocated"]
    for _ in range(2):
        for leaf in (x, gate, *conv.parameters()):
            leaf.grad = None
        start = blocks()
        h, _ = conv(x, index, gate)
        middle = blocks()
        h.backward(ones)
        end = blocks()
    assert middle - start == 3  # what the caller gets, and what backward needs
    # The gradients of x and of the gate, those of parameters, scratch.
    assert end - middle == 3
    wanted = {name: p.grad.clone() for name, p in conv.named_parameters()}
    kept = conv.gate.bias.grad
    for leaf in (x, gate, *conv.parameters()):
        leaf.grad = None
    conv(x, index, gate)[0].backward(ones)
    assert torch.equal(kept, wanted["gate.bias"])
    for name, p in conv.named_parameters():
        assert torch.equal(p.grad, wanted[name])


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


class Stack(torch.nn.Module):
    """Layers as users stack them."""

    def __init__(self, p):
        super().__init__()
        self.first = torch.nn.Linear(3, 32)
        self.convs = torch.nn.ModuleList(og.OrderedGNNConv(32) for _ in range(3))
        self.last = torch.nn.Linear(32, 3)
        self.p = p

    def forward(self, x, edge_index):
        h, gate = self.first(x).relu(), torch.zeros(self.convs[0].gates, device=x.device)
        for conv in self.convs:
            h, gate = conv(h, edge_index, gate)
            h = F.dropout(h, self.p, self.training)
        return self.last(h)


def training_step(ring, p):
    x, edge_index, y = (t.cuda() for t in ring)
    torch.manual_seed(0)
    net = Stack(p).cuda()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01, capturable=True)

    def step():
        loss = F.cross_entropy(net(x, edge_index)[:200], y[:200])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        return loss.detach()
    return step


def captured(step, warmups=3):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(warmups):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()

    def replay():
        graph.replay()
        return loss
    return replay


def test_a_captured_step_trains_as_the_loop_does(ring):
    eager = training_step(ring, p=0.0)
    wanted = [eager().item() for _ in range(23)][3:]
    step = captured(training_step(ring, p=0.0))
    got = [step().item() for _ in range(20)]
    assert wanted[-1] < 0.8 * wanted[0]
    torch.testing.assert_close(torch.tensor(got), torch.tensor(wanted), atol=1e-3,
                               rtol=1e-3)


def test_a_captured_step_learns_under_dropout(ring):
    step = captured(training_step(ring, p=0.2))
    losses = [step().item() for _ in range(60)]
    assert losses[-1] < 0.5 * losses[0]


def test_layers_become_graphed_callables(ring):
    _, edge_index, _ = ring
    graph = og.Graph(edge_index, 300).to("cuda")
    torch.manual_seed(0)
    conv = og.OrderedGNNConv(32).cuda()

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = conv

        def forward(self, h, gate):
            return self.conv(h, graph, gate)
    h = torch.randn(300, 32, device="cuda", requires_grad=True)
    gate = torch.rand(300, conv.gates, device="cuda", requires_grad=True)

    def results(layer):
        for leaf in (h, gate, *conv.parameters()):
            leaf.grad = None
        out, opened = layer(h, gate)
        (out.square().sum() + opened.square().sum()).backward()
        return [out.detach().clone(), opened.detach().clone(), h.grad.clone(),
                gate.grad.clone(), *(p.grad.clone() for p in conv.parameters())]
    wanted = results(Layer())
    sample = tuple(t.detach().clone().requires_grad_() for t in (h, gate))
    for leaf in (h, gate, *conv.parameters()):
        leaf.grad = None
    graphed = torch.cuda.make_graphed_callables(Layer(), sample)
    for got, expected in zip(results(graphed), wanted):
        torch.testing.assert_close(got, expected, atol=1e-4, rtol=1e-4)


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
