"""Modules on the fused ops: values, loops, names of parameters."""
import copy
import io
import pickle

import pytest
import torch
import torch.nn.functional as F

import ordered_gnn as og
from conftest import train

VARIANTS = [
    {}, {"gating": "ordered"}, {"gating": "simple"}, {"gating": "none"},
    {"aggregator": "gcn"}, {"aggregator": "sum"}, {"aggregator": "max"},
    {"aggregator": "gat"}, {"aggregator": "signed"}, {"transform": "linear"},
    {"transform": "linear", "candidate_norm": "batch"}, {"tied_gates": True},
    {"transform": "linear", "norm": "batch"}, {"transform": "linear", "residual": True},
    {"norm": "batch"}, {"norm": "none"}, {"residual": True}, {"mlp_layers": 3},
    {"directions": "split"}, {"directions": "split", "transform": "linear"},
    {"directions": "split", "aggregator": "gcn", "gating": "simple"},
    {"first_state": "heard"}, {"first_state": "heard", "directions": "split"},
    {"first_state": "heard", "transform": "linear", "node_ids": "id"},
    {"node_ids": "id"}, {"node_ids": "adjacency", "mlp_layers": 2},
]


@pytest.fixture
def one_thread_of_torch():
    """Ops of PyTorch's own, as a norm over a batch, add up by threads; those of the
    engine do not."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_network_has_the_bits_of_the_engine(ring, one_thread_of_torch, variant):
    same = torch.equal
    x, edge_index, y = ring
    data = og.make_dataset(x, edge_index, y)
    trained = og.train(data, layers=3, hidden=16, epochs=4, **variant)
    network = og.to_torch(trained).eval()
    assert isinstance(network, og.OrderedGNN)
    said = og.predict(trained, data, embeddings=True, gates=True)
    logits, embeddings, gates = network.run(x, edge_index)
    assert same(logits, said.logits)
    assert same(embeddings, said.embeddings)
    assert all(map(same, gates, said.gates or []))
    assert list(network.state_dict()) and \
        set(network.state_dict()) == set(trained.state())


def test_weights_of_edges_are_read(ring):
    x, edge_index, y = ring
    weight = torch.rand(edge_index.shape[1])

    class Data:
        pass
    graph = Data()
    graph.x, graph.edge_index, graph.edge_weight = x, edge_index, weight
    data = og.make_dataset(x, graph, y)
    trained = og.train(data, layers=2, hidden=16, epochs=4)
    network = og.to_torch(trained).eval()
    assert torch.equal(network(graph), og.predict(trained, data).logits)
    assert not torch.equal(network(x, edge_index), network(graph))


def test_loop_as_geometric_users_write_it(ring):
    x, edge_index, y = ring
    torch.manual_seed(0)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Linear(3, 32)
            self.convs = torch.nn.ModuleList(og.OrderedGNNConv(32)
                                             for _ in range(3))
            self.last = torch.nn.Linear(32, 3)

        def forward(self, x, edge_index):
            x, gate = self.first(x).relu(), None
            for conv in self.convs:
                x, gate = conv(F.dropout(x, 0.1, self.training), edge_index, gate)
            return self.last(x)
    net = Net()
    losses = train(net, x, edge_index, y)
    assert losses[-1] < 0.3 * losses[0]
    accuracy = (net.eval()(x, edge_index)[200:].argmax(1) == y[200:]).float().mean()
    assert accuracy > 0.8


def test_dropout_of_a_layers_result_is_ours(ring):
    x, edge_index, _ = ring
    conv = og.OrderedGNNConv(8)
    x = torch.randn(300, 8, requires_grad=True)
    torch.manual_seed(1)
    h, _ = conv(x, edge_index)
    dropped = F.dropout(h, 0.4)
    assert type(dropped) is torch.Tensor
    kept = dropped != 0
    assert 0.5 < kept.float().mean() < 0.7
    torch.testing.assert_close(dropped[kept], torch.Tensor.detach(h)[kept] / 0.6)
    dropped.sum().backward()
    torch.manual_seed(1)
    again = torch.nn.Dropout(0.4)(conv(x, edge_index)[0])
    assert torch.equal(again, dropped)  # by torch's generator, like any other
    assert not torch.equal(F.dropout(h, 0.4), dropped)
    assert torch.equal(torch.dropout(h, 0.4, False), h)
    assert F.dropout(h, 1.0).abs().sum() == 0
    assert type(h + 1) is torch.Tensor
    assert type(conv.eval()(x, edge_index)[0]) is torch.Tensor
    assert type(conv.train()(x.detach(), og.Graph(edge_index, 300))[0]) \
        is not torch.Tensor  # parameters have gradients too


def test_dropout_of_a_layers_result_has_the_gradient_of_its_mask(ring):
    _, edge_index, _ = ring
    conv = og.OrderedGNNConv(8)
    h, _ = conv(torch.randn(300, 8), edge_index)
    h.retain_grad()
    dropped = F.dropout(h, 0.25)
    dropped.sum().backward()
    torch.testing.assert_close(h.grad, (dropped != 0).float() / 0.75)


def gradients_of_a_layer(edge_index, loss, **settings):
    """Of a loss(h, gate, dropped), as it is and by a dropout that tells the layer
    nothing; dropout is told by a seed."""
    torch.manual_seed(3)
    conv = og.OrderedGNNConv(8, **settings).double()
    x = torch.randn(300, 8, dtype=torch.double, requires_grad=True)
    found = []
    for is_plain in (False, True):
        h, gate = conv(x, edge_index)
        torch.manual_seed(5)
        mask = (F.dropout(h, 0.25) / h).detach()
        torch.manual_seed(5)
        dropped = h * mask if is_plain else F.dropout(h, 0.25)
        leaves = [x, *conv.parameters()]
        found.append(torch.autograd.grad(loss(h, gate, dropped), leaves,
                                         allow_unused=True))
    return found


@pytest.mark.parametrize("settings", [{}, {"gating": "ordered", "aggregator": "sum"},
                                      {"transform": "linear"},
                                      {"norm": "batch"}], ids=str)
@pytest.mark.parametrize("name, loss", [
    ("dropped", lambda h, gate, dropped: dropped.square().sum()),
    ("gate", lambda h, gate, dropped: dropped.square().sum() + gate.square().sum()),
    ("itself", lambda h, gate, dropped: (dropped * h).sum() + h.square().sum()),
    ("twice", lambda h, gate, dropped:
        (dropped.sin() * dropped.cos() + dropped.exp()).sum())],
    ids=lambda value: value if isinstance(value, str) else "")
def test_a_layer_drops_the_gradient_of_its_result(ring, settings, name, loss):
    _, edge_index, _ = ring
    ours, plain = gradients_of_a_layer(edge_index, loss, **settings)
    for got, wanted in zip(ours, plain):
        assert (got is None) == (wanted is None)
        if got is not None:
            torch.testing.assert_close(got, wanted, atol=1e-9, rtol=1e-9)


def dropouts_of(run):
    with torch.profiler.profile() as trace:
        run()
    return sum(row.count for row in trace.key_averages()
               if row.key == "ordered_gnn::dropout")


def test_a_dropped_gradient_is_no_pass_of_its_own(ring):
    _, edge_index, _ = ring
    conv = og.OrderedGNNConv(8)
    dropped = F.dropout(conv(torch.randn(300, 8), edge_index)[0], 0.25)
    assert dropouts_of(dropped.sum().backward) == 0
    h, _ = conv(torch.randn(300, 8), edge_index)
    h.retain_grad()
    assert dropouts_of(F.dropout(h, 0.25).sum().backward) == 1


@pytest.mark.parametrize("degree", [2, 5, 12])
def test_layers_keep_sums_that_are_read_faster(degree):
    """With the same bits as when they are gathered again."""
    torch.manual_seed(0)
    conv = og.OrderedGNNConv(8)
    graph = og.Graph(torch.stack([torch.arange(300 * degree) * 7 % 300,
                                  torch.arange(300 * degree) // degree]), 300)
    x = torch.randn(300, 8, requires_grad=True)
    parameters = (conv.gate.weight, conv.gate.bias, conv.norm.weight, conv.norm.bias)
    found = torch.ops.ordered_gnn.ordered_layer(
        *graph.lists, *graph.scales("mean"), x, None, *parameters, 1, 1e-5, 0.0, 0, 0,
        None, 0, False, False)
    wanted = torch.autograd.grad(found[0].square().sum(), (x, *parameters))
    out, _ = conv(x, graph)
    assert torch.equal(out, found[0])
    for got, expected in zip(torch.autograd.grad(out.square().sum(), (x, *parameters)),
                             wanted):
        assert torch.equal(got, expected)


def test_several_dropouts_of_one_result(ring):
    _, edge_index, _ = ring
    conv = og.OrderedGNNConv(8).double()
    x = torch.randn(300, 8, dtype=torch.double, requires_grad=True)
    h, _ = conv(x, edge_index)
    torch.manual_seed(5)
    first, second = F.dropout(h, 0.25), F.dropout(h, 0.5)
    masks = (first / h).detach(), (second / h).detach()
    loss = first.square().sum() + second.sin().sum()
    got, = torch.autograd.grad(loss, x)
    h, _ = conv(x, edge_index)
    wanted, = torch.autograd.grad((h * masks[0]).square().sum() +
                                  (h * masks[1]).sin().sum(), x)
    torch.testing.assert_close(got, wanted, atol=1e-9, rtol=1e-9)


def test_who_watches_a_dropped_result_sees_its_gradient(ring):
    _, edge_index, _ = ring
    conv = og.OrderedGNNConv(8)
    x = torch.randn(300, 8, requires_grad=True)

    def made():
        torch.manual_seed(5)
        h, gate = conv(x, edge_index)
        dropped = F.dropout(h, 0.25)
        return h, dropped, (dropped.detach() != 0).float() / 0.75
    h, dropped, wanted = made()
    dropped.sum().backward(retain_graph=True)
    first = x.grad.clone()
    # By name, alone and beside others, of a pass that goes no further, by a hook.
    torch.testing.assert_close(torch.autograd.grad(
        dropped.sum(), h, retain_graph=True)[0], wanted)
    of_h, of_x = torch.autograd.grad(dropped.sum(), (h, x), retain_graph=True)
    torch.testing.assert_close(of_h, wanted)
    torch.testing.assert_close(of_x, first)
    seen = []
    h.register_hook(seen.append)
    x.grad = None
    dropped.sum().backward(retain_graph=True)
    torch.testing.assert_close(seen[0], wanted)
    torch.testing.assert_close(x.grad, first)
    # A hook that changes the gradient is heard.
    h, dropped, _ = made()
    h.register_hook(lambda grad: 2 * grad)
    x.grad = None
    dropped.sum().backward()
    torch.testing.assert_close(x.grad, 2 * first)


def test_a_pass_of_another_part_leaves_nothing_behind(ring):
    _, edge_index, _ = ring
    conv = og.OrderedGNNConv(8)
    x = torch.randn(300, 8, requires_grad=True)
    h, _ = conv(x, edge_index)
    factor = torch.ones(300, 8, requires_grad=True)
    dropped = F.dropout(h, 0.25)
    loss = (dropped * factor).sum()
    wanted, = torch.autograd.grad(loss, x, retain_graph=True)
    torch.autograd.grad(loss, factor, retain_graph=True)  # not through the layer
    torch.autograd.grad(loss, dropped, retain_graph=True)
    torch.testing.assert_close(torch.autograd.grad(loss, x, retain_graph=True)[0],
                               wanted)
    with pytest.raises(RuntimeError, match="second time"):
        torch.autograd.grad(loss, x)
        torch.autograd.grad(loss, x)


def test_a_dropout_of_a_step_on_the_device(ring):
    from ordered_gnn import _core, state
    _, edge_index, _ = ring
    conv = og.OrderedGNNConv(8)
    x = torch.randn(300, 8, requires_grad=True)
    h, _ = conv(x, edge_index)
    steps = [state.drawn_step(torch.device("cpu")) for _ in range(2)]

    def dropped(step):
        torch.manual_seed(1)
        with state.plainly():
            return _core.drawn_dropout(h, 0.4, step)
    assert torch.equal(dropped(steps[0]), dropped(steps[0].clone()))
    assert not torch.equal(dropped(steps[0]), dropped(steps[1]))
    found = dropped(steps[0])
    torch.autograd.grad(found.sum(), x)
    assert 0.5 < (found != 0).float().mean() < 0.7


def test_a_layers_result_is_a_node_of_the_layer_itself(ring):
    _, edge_index, _ = ring
    conv = og.OrderedGNNConv(8)
    first, gate = conv(torch.randn(300, 8), edge_index)
    assert "OrderedLayer" in first.grad_fn.name()
    out, _ = conv(first, edge_index, gate)  # without a dropout between
    plain, _ = conv(first + 0, edge_index, gate)
    assert torch.equal(out, plain)
    assert type(out) is type(first) and type(plain) is type(first)


@pytest.mark.parametrize("transform", ["none", "linear"])
def test_what_a_layer_saves_is_its_own(ring, transform):
    """Whoever moves saved tensors elsewhere is not asked to move the graph, too."""
    _, edge_index, _ = ring
    conv = og.OrderedGNNConv(8, transform=transform)
    x = torch.randn(300, 8, requires_grad=True)
    saved = []

    def results(pack):
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda packed: packed):
            first, gate = conv(x, edge_index)
            out, _ = conv(first, edge_index, gate)
        return torch.autograd.grad(out.square().sum(), [x, *conv.parameters()])

    def pack(tensor):
        saved.append(tensor)
        return tensor.clone()
    for got, wanted in zip(results(pack), results(lambda tensor: tensor)):
        assert torch.equal(got, wanted)
    assert saved and all(tensor.dtype == torch.float for tensor in saved)


def test_layers_take_what_is_not_plain(ring):
    """Classes of tensors and modes that listen to ops hear of the layer."""
    _, edge_index, _ = ring
    conv = og.OrderedGNNConv(8)
    x = torch.randn(300, 8)
    wanted = conv(x, edge_index)[0]
    heard = []

    class Listener(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            heard.append(str(func))
            return super().__torch_function__(func, types, args, kwargs or {})
    out = conv(x.as_subclass(Listener), edge_index)[0]
    torch.testing.assert_close(out.as_subclass(torch.Tensor).detach(), wanted.detach(),
                               rtol=0, atol=0)
    assert any("ordered_layer" in name for name in heard)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(conv(x, edge_index)[0], wanted)
    conv.eval().requires_grad_(False)
    traced = torch.jit.trace(lambda x: conv(x, edge_index)[0], (x,), check_trace=False)
    assert "ordered_layer" in str(traced.graph)


def test_parameters_that_are_computed_are_used(ring):
    _, edge_index, _ = ring
    conv, other = og.OrderedGNNConv(8), og.OrderedGNNConv(8)
    other.load_state_dict(conv.state_dict())

    class Twice(torch.nn.Module):
        def forward(self, weight):
            return 2 * weight
    torch.nn.utils.parametrize.register_parametrization(other.norm, "weight", Twice())
    with torch.no_grad():
        conv.norm.weight.mul_(2)
    x = torch.randn(300, 8)
    assert torch.equal(conv(x, edge_index)[0], other(x, edge_index)[0])


def test_what_is_changed_in_a_layer_is_used(ring):
    _, edge_index, _ = ring
    conv, other = og.OrderedGNNConv(8), og.OrderedGNNConv(8, norm="batch", residual=True)
    conv(torch.randn(300, 8), edge_index)
    conv.residual, conv.norm = True, other.norm
    conv.gate = other.gate
    x = torch.randn(300, 8)
    assert torch.equal(conv(x, edge_index)[0], other(x, edge_index)[0])


def test_rows_that_do_not_fit_the_graph_are_refused(ring):
    _, edge_index, _ = ring
    graph = og.Graph(edge_index, 300)
    with pytest.raises(og.Error, match=r"h must be \[300, D\]"):
        og.OrderedGNNConv(8)(torch.randn(301, 8), graph)
    with pytest.raises(RuntimeError, match="299"):
        og.OrderedGNNConv(8)(torch.randn(299, 8), graph)


@pytest.mark.parametrize("gating", ["softor", "ordered", "simple"])
def test_a_gate_of_zeros_is_none(ring, gating):
    _, edge_index, _ = ring
    conv = og.OrderedGNNConv(8, gating=gating)
    x = torch.randn(300, 8)
    wanted = conv(x, edge_index)
    for gate in (torch.zeros(2), torch.zeros(2, requires_grad=True), torch.zeros(300, 2)):
        for got, expected in zip(conv(x, edge_index, gate), wanted):
            assert torch.equal(got, expected)
    other = conv(x, edge_index, torch.full((2,), 0.5))[1]
    assert torch.equal(other, wanted[1]) == (gating != "softor")


@pytest.mark.parametrize("settings", [
    {}, {"self_loops": "add"}, {"direction": "undirected"}, {"aggregator": "gcn"},
    {"self_loops": "remove", "direction": "reversed"}, {"transform": "linear"}], ids=str)
def test_what_a_program_is_made_of_gives_the_same(ring, monkeypatch, settings):
    from ordered_gnn import compiled, layers, nn, ops
    _, edge_index, _ = ring
    edge_index = torch.cat([edge_index, edge_index[:, :40]], 1)  # repeats need no room
    conv = og.OrderedGNNConv(8, **settings)
    network = og.OrderedGNN(8, 3, layers=2, hidden=16, **settings).eval()
    x = torch.randn(300, 8)
    wanted = conv(x, edge_index)[0], network(x, edge_index)
    how = (settings.get("direction", "as_stored"), settings.get("self_loops", "keep"),
           torch.device("cpu"))
    for real, said in zip(compiled._edge_lists(edge_index, 300, *how),
                          compiled._edge_lists_shapes(edge_index, 300, *how)):
        assert (real.shape, real.dtype) == (said.shape, said.dtype)
    if compiled._op is None:
        monkeypatch.setattr(compiled, "_op", compiled._edge_lists)
    for module in (layers, nn, ops):
        monkeypatch.setattr(module, "is_tracing", lambda: True)
    for got, expected in zip((conv(x, edge_index)[0], network(x, edge_index)), wanted):
        assert torch.equal(got, expected)
    loss = F.cross_entropy(network.train()(x, edge_index), torch.zeros(300).long())
    loss.backward()  # its dropout is PyTorch's
    assert network.step == 0


def test_graph_is_made_once_for_an_edge_index(ring):
    _, edge_index, _ = ring
    conv = og.OrderedGNNConv(8)
    x = torch.randn(300, 8)
    first = conv.graph(edge_index, x)
    assert conv.graph(edge_index, x) is first
    assert og.graph.graph_of(edge_index, 300, device="cpu") is first
    weight = torch.rand(900)
    weighted = conv.graph(edge_index, x, weight)
    assert weighted.has_weights and not first.has_weights
    assert conv.graph(edge_index, x, weight) is weighted
    weight[0] = 2
    assert conv.graph(edge_index, x, weight) is not weighted
    edge_index[0, 0] = 7  # somebody wrote to it
    assert conv.graph(edge_index, x) is not first


def test_trained_model_goes_on_in_a_loop(ring):
    x, edge_index, y = ring
    data = og.make_dataset(x, edge_index, y)
    trained = og.train(data, layers=2, hidden=16, epochs=5)
    network = og.to_torch(trained).train()
    before = F.cross_entropy(network.eval()(x, edge_index), y).item()
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    network.train()
    for _ in range(30):
        loss = F.cross_entropy(network(x, edge_index), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    logits = network.eval()(x, edge_index)
    assert F.cross_entropy(logits, y).item() < before
    again = network.to_trained(trained)
    assert torch.equal(og.predict(again, data).logits, logits)


def test_parameters_go_through_safetensors(ring, tmp_path):
    x, edge_index, y = ring
    trained = og.train(og.make_dataset(x, edge_index, y), layers=2, hidden=16,
                       epochs=2)
    trained.save(tmp_path / "model.safetensors")
    again = og.load_trained(tmp_path / "model.safetensors")
    for name, value in trained.state().items():
        assert torch.equal(again.state()[name], value)
    copied = copy.deepcopy(og.to_torch(again)).eval()
    stored = io.BytesIO()
    torch.save(copied, stored)
    stored.seek(0)
    assert torch.equal(torch.load(stored, weights_only=False)(x, edge_index), copied(x, edge_index))


def release_pass(state, x, index, layers, chunk):
    """The authors' network, from its description: gates are summed from the left."""
    norm = lambda name, h: F.layer_norm(h, h.shape[1:], state[name + ".weight"],
                                        state[name + ".bias"])
    affine = lambda name, h: h @ state[name + ".weight"].t() + state[name + ".bias"]
    for i in range(2):
        x = norm(f"norm_input.{i}", affine(f"linear_trans_in.{i}", x).relu())
    gate = x.new_zeros(chunk)
    for k in range(layers):
        total = torch.zeros_like(x).index_add_(0, index[1], x[index[0]])
        degree = torch.bincount(index[1], minlength=len(x)).clamp(min=1)
        m = total / degree[:, None]
        new = affine(f"tm_net.{k}", torch.cat((x, m), 1)).softmax(1).cumsum(1)
        gate = gate + (1 - gate) * new
        share = gate.repeat_interleave(x.shape[1] // chunk, 1)
        x = norm(f"tm_norm.{k}", x * share + m * (1 - share))
    return affine("linear_trans_out", x)


@pytest.mark.parametrize("tied", [False, True])
def test_parameters_of_the_release(ring, tied):
    x, edge_index, _ = ring
    network = og.OrderedGNN(3, 3, layers=3, hidden=16, mlp_layers=2,
                            tied_gates=tied, self_loops="keep").eval()
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter.data, std=0.5)
    state = network.release_state_dict()
    assert "convs.2.tm_net.weight" in state and "norm_input.1.bias" in state
    torch.testing.assert_close(release_pass(state, x, edge_index, 3, 4),
                               network(x, edge_index), atol=1e-4, rtol=1e-4)
    other = og.OrderedGNN(3, 3, layers=3, hidden=16, mlp_layers=2, tied_gates=tied,
                          self_loops="keep").eval()
    other.load_release(state)
    assert torch.equal(other(x, edge_index), network(x, edge_index))


@pytest.mark.parametrize("model", ["gcn", "gat", "gprgnn", "unimp", "geom_gcn"])
def test_other_models_train_in_a_loop(ring, model):
    x, edge_index, y = ring
    data = og.make_dataset(x, edge_index, y)
    trained = og.train(data, model=model, epochs=2)
    module = og.to_torch(trained)
    assert torch.equal(module.eval()(data), og.predict(trained, data).logits)
    before = F.cross_entropy(module(data), y).item()
    optimizer = torch.optim.Adam(module.parameters(), lr=0.01)
    module.train()
    for _ in range(10):
        loss = F.cross_entropy(module(data), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    module.eval()
    assert F.cross_entropy(module(data), y).item() < before
    assert torch.equal(og.predict(module.to_trained(), data).logits, module(data))
    assert torch.equal(pickle.loads(pickle.dumps(module)).eval()(data),
                       module(data))


def test_weights_that_learn_are_refused(ring):
    _, edge_index, _ = ring
    weight = torch.rand(edge_index.shape[1], requires_grad=True)
    with pytest.raises(og.Error, match="no gradients here"):
        og.OrderedGNNConv(8)(torch.randn(300, 8), edge_index, None, weight)


def test_tensors_of_inference_mode_are_taken(ring):
    _, edge_index, _ = ring
    conv = og.OrderedGNNConv(8)
    x = torch.randn(300, 8)
    with torch.inference_mode():
        index = edge_index.clone()
        out = conv(x, index)[0]
        index[1] = 0  # nobody can tell that this happened
        assert not torch.equal(conv(x, index)[0], out)
    torch.testing.assert_close(conv.eval()(x, edge_index)[0], out)


@pytest.mark.parametrize("settings", [
    {}, {"aggregator": "gcn"}, {"aggregator": "gat"}, {"transform": "linear"}], ids=str)
def test_a_graph_of_inference_mode_can_be_trained_on(ring, settings):
    _, edge_index, _ = ring
    edge_index = edge_index.clone()  # no graph of it is kept yet
    conv = og.OrderedGNNConv(8, **settings)
    x = torch.randn(300, 8)
    with torch.inference_mode():
        conv(x, edge_index)
    conv(x, edge_index)[0].sum().backward()
    assert conv.gate.weight.grad is not None


def test_wrong_settings_are_refused():
    with pytest.raises(og.Error, match="divide the width"):
        og.OrderedGNNConv(10, 4)
    with pytest.raises(og.Error, match="unknown gating"):
        og.OrderedGNNConv(8, gating="softer")
