"""torch.compile of PyTorch 2.x: ops tell their shapes, layers are part of a program."""
import inspect
import shutil

import pytest
import torch
import torch.nn.functional as F

import ordered_gnn as og
from ordered_gnn import ops

if not hasattr(torch, "compile"):
    pytest.skip("torch.compile is of PyTorch 2.x, this is " + torch.__version__,
                allow_module_level=True)

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(
    not torch.cuda.is_available(), reason="there is no GPU that this PyTorch can use"))]
NODES, WIDTH, GATES = 12, 8, 4


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


def edges(device="cpu"):
    generator = torch.Generator().manual_seed(4)
    return torch.randint(NODES - 1, (2, 30), generator=generator).to(device)


def rows(device, *shape):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, dtype=torch.double,
                       generator=generator).to(device).requires_grad_()


def samples(device):
    """Arguments of every op, as they are registered."""
    graph = og.Graph(edges(), NODES).to(device)
    lists, scales = graph.lists, graph.scales("mean")
    made = lambda *shape: rows(device, *shape)
    h, m, gate = made(NODES, WIDTH), made(NODES, WIDTH), made(NODES, GATES)
    weight, bias = made(GATES, 2 * WIDTH), made(GATES)
    scale, shift = made(WIDTH), made(WIDTH)
    key = (0.25, 3, 5, None, 2)
    number = lambda *values: torch.tensor(values, device=device)
    found = {
        "scaled_aggregate": (*lists, *scales, h),
        "max_aggregate": (*lists, h),
        "weighted_aggregate": (*lists, graph.t_edge, made(graph.num_edges), h),
        "edge_softmax": (graph.rowptr, made(graph.num_edges)),
        "edge_dot": (*lists, graph.t_edge, h, m, 2),
        "linear": (h, made(3, WIDTH), made(3)),
        "pair_linear": (h, m, made(3, 2 * WIDTH), made(3)),
        "dropout": (h, *key),
        "layer_norm": (h, scale, shift, 1e-5, True, *key),
        "ordered_gate": (2, gate, gate.detach().sigmoid(), h, m),
        "ordered_layer": (*lists, *scales, h, gate.detach().sigmoid(), weight, bias,
                          scale, shift, 2, 1e-5, *key, False, False),
        "cross_entropy": (made(NODES, 3), number(1, 4), number(0, 2), None),
    }
    if device == "cpu":
        found["candidate_layer"] = (
            *lists, *scales, h, None, weight, bias, made(WIDTH, 2 * WIDTH),
            made(WIDTH), scale, shift, None, None, 0, None, None, None, None, 2, 1,
            1e-5, 0.1, *key, False, False)
    return found


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", sorted(samples("cpu")))
def test_ops_keep_the_rules_of_programs(name, device):
    if not hasattr(torch.library, "opcheck"):
        pytest.skip("torch.library.opcheck is of PyTorch 2.4")
    given = samples(device).get(name)
    if given is None:
        pytest.skip("the CPU has it alone")
    torch.library.opcheck(getattr(torch.ops.ordered_gnn, name).default, given)


def test_an_edge_index_keeps_the_rules_of_programs():
    if not hasattr(torch.library, "opcheck"):
        pytest.skip("torch.library.opcheck is of PyTorch 2.4")
    og.OrderedGNNConv  # the op comes with the layers
    torch.library.opcheck(torch.ops.ordered_gnn.edge_lists.default,
                          (edges(), NODES, "undirected", "add", torch.device("cpu")))


class Net(torch.nn.Module):
    """A network as users write it."""

    def __init__(self, p=0.0, **settings):
        super().__init__()
        self.first = torch.nn.Linear(5, 16)
        self.convs = torch.nn.ModuleList(og.OrderedGNNConv(16, **settings)
                                         for _ in range(3))
        self.last = torch.nn.Linear(16, 3)
        self.p = p

    def forward(self, x, edge_index):
        x, gate = self.first(x).relu(), None
        for conv in self.convs:
            x, gate = conv(F.dropout(x, self.p, self.training), edge_index, gate)
        return self.last(x)


def results(net, *given):
    out = net(*given)
    for parameter in net.parameters():
        parameter.grad = None
    out.square().sum().backward()
    return [out.detach(), *(p.grad.clone() for p in net.parameters())]


def compare(net, given, **how):
    wanted = results(net, *given)
    for got, expected in zip(results(torch.compile(net, **how), *given), wanted):
        torch.testing.assert_close(got, expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("settings", [
    {}, {"gating": "ordered"}, {"aggregator": "gcn"}, {"self_loops": "add"},
    {"direction": "undirected"}, {"gating": "simple", "norm": "batch"}], ids=str)
def test_a_network_is_one_program(device, settings):
    torch.manual_seed(0)
    net = Net(**settings).to(device)
    x, index = torch.randn(NODES, 5, device=device), edges(device)
    compare(net, (x, index), fullgraph=True, backend="aot_eager")


@pytest.mark.parametrize("device", DEVICES)
def test_a_graph_made_by_hand_is_part_of_a_program(device):
    torch.manual_seed(0)
    graph = og.Graph(edges(), NODES).to(device)
    compare(Net().to(device), (torch.randn(NODES, 5, device=device), graph),
            fullgraph=True, backend="aot_eager")


def test_a_layer_with_a_transform_is_part_of_a_program():
    torch.manual_seed(0)
    compare(Net(transform="linear"), (torch.randn(NODES, 5), edges()), fullgraph=True,
            backend="aot_eager")


@pytest.mark.parametrize("settings", [{"aggregator": "gat"}, {"aggregator": "max"},
                                      {"directions": "split"}], ids=str)
def test_other_layers_run_between_the_parts(settings):
    torch.manual_seed(0)
    compare(Net(**settings), (torch.randn(NODES, 5), edges()), backend="aot_eager")


def test_another_graph_is_another_result():
    torch.manual_seed(0)
    net = torch.compile(Net().eval(), fullgraph=True, backend="aot_eager")
    x, index = torch.randn(NODES, 5), edges()
    before = net(x, index)
    index[1, :10] = 0  # somebody wrote to it
    torch.testing.assert_close(net(x, index), net._orig_mod(x, index))
    assert not torch.equal(net(x, index), before)


@pytest.mark.parametrize("device", DEVICES)
def test_compiled_network_gives_the_same(device):
    model = og.OrderedGNN(5, 3, layers=2, hidden=16, mlp_layers=2).eval().to(device)
    given = torch.randn(NODES, 5, device=device), edges(device)
    compare(model, given, fullgraph=True, backend="aot_eager")


@pytest.mark.parametrize("device", DEVICES)
def test_compiled_network_learns(device):
    torch.manual_seed(0)
    model = og.OrderedGNN(5, 3, layers=2, hidden=16, dropout_theta=0.2).to(device)
    program = torch.compile(model, fullgraph=True, backend="aot_eager")
    x, index = torch.randn(NODES, 5, device=device), edges(device)
    y = torch.arange(NODES, device=device) % 3
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for _ in range(60):
        loss = F.cross_entropy(program(x, index), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    # Without dropout: the loss of one step of so few nodes is mostly that of its masks.
    assert F.cross_entropy(model.eval()(x, index), y) < 0.5 * losses[0]


@pytest.mark.parametrize("device", DEVICES)
def test_gradients_of_a_program_are_those_of_its_masks(device):
    torch.manual_seed(0)
    model = og.OrderedGNN(5, 3, layers=2, hidden=16, dropout_theta=0.2).double()
    program = torch.compile(model.to(device), fullgraph=True, backend="aot_eager")
    made = dict(device=device, dtype=torch.double)
    x, index = torch.randn(NODES, 5, **made), edges(device)
    factors = torch.randn(NODES, 3, **made)
    parameters = list(model.parameters())
    ways = [torch.randn_like(p) for p in parameters]

    def value():
        """With the masks of one seed."""
        torch.manual_seed(7)
        return (program(x, index) * factors).sum()

    def value_at(place):
        """Of parameters that lie elsewhere."""
        with torch.no_grad():
            torch._foreach_add_(parameters, ways, alpha=place)
        found = value().detach()
        with torch.no_grad():
            torch._foreach_add_(parameters, ways, alpha=-place)
        return found

    first = value()
    assert torch.equal(first, value())
    assert not torch.equal(first, (program(x, index) * factors).sum())  # other masks
    slope = sum((g * way).sum() for g, way in
                zip(torch.autograd.grad(value(), parameters), ways))
    step = 1e-6
    measured = (value_at(step) - value_at(-step)) / (2 * step)
    torch.testing.assert_close(slope, measured, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_the_default_compiler_gives_the_same(device):
    if shutil.which("g++") is None and shutil.which("c++") is None:
        pytest.skip("the compiler of programs needs a C++ compiler")
    torch.manual_seed(0)
    compare(Net().to(device), (torch.randn(NODES, 5, device=device), edges(device)))


def test_export_of_a_network():
    if "args" not in inspect.signature(torch.export.export).parameters:
        pytest.skip("this PyTorch exports in another way")
    torch.manual_seed(0)
    net = Net().eval()
    given = torch.randn(NODES, 5), edges()
    program = torch.export.export(net, given)
    torch.testing.assert_close(program.module()(*given), net(*given))
