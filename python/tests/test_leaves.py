"""Gradients of parameters, which a layer stores without the engine where nobody else is
to see them on the way: what a loop finds is what PyTorch's own layers give it."""
import copy
import threading

import pytest
import torch

import ordered_gnn as og

DEVICES = ["cpu"] + ["cuda"] * torch.cuda.is_available()


@pytest.fixture(params=DEVICES)
def stack(request, ring):
    """Two layers of which the second reads the gate of the first, their graph and rows
    with a gradient."""
    torch.manual_seed(3)
    convs = torch.nn.ModuleList(og.OrderedGNNConv(8) for _ in range(2))
    x = torch.randn(300, 8, requires_grad=True, device=request.param)
    return convs.to(request.param), ring[1].to(request.param), x


def loss_of(convs, index, x):
    h, gate = convs[0](x, index)
    h, _ = convs[1](h, index, gate)
    return h.square().sum()


def by_name(stack):
    """Gradients of the parameters, asked for one by one: all by the engine."""
    convs, index, x = stack
    names, leaves = zip(*convs.named_parameters())
    return dict(zip(names, torch.autograd.grad(loss_of(convs, index, x), leaves)))


def stored(convs):
    return {name: p.grad for name, p in convs.named_parameters() if p.grad is not None}


def same(got, wanted, times=1):
    assert set(got) == set(wanted)
    for name, grad in wanted.items():
        torch.testing.assert_close(got[name], times * grad, atol=1e-5, rtol=1e-5)


def nodes_of(run):
    with torch.profiler.profile() as trace:
        run()
    return sum(row.count for row in trace.key_averages()
               if "evaluate_function" in row.key and "AccumulateGrad" in row.key)


def test_a_plain_pass_stores_them_without_the_engine(stack):
    convs, index, x = stack
    wanted = by_name(stack)
    loss = loss_of(*stack)
    # On a device with streams one in a pass tells the engine which to wait for.
    assert nodes_of(loss.backward) == (0 if x.device.type == "cpu" else 1)
    same(stored(convs), wanted)
    for p in convs.parameters():
        assert p.grad.is_leaf and not p.grad.requires_grad and p.grad.is_contiguous()
    assert x.grad is not None


def test_gradients_that_are_there_are_added_to(stack):
    convs, wanted = stack[0], by_name(stack)
    loss_of(*stack).backward()
    held = {name: p.grad for name, p in convs.named_parameters()}
    loss_of(*stack).backward()
    same(stored(convs), wanted, 2)
    assert all(p.grad is held[name] for name, p in convs.named_parameters())
    for p in convs.parameters():  # as Optimizer.zero_grad(set_to_none=False)
        p.grad.zero_()
    (loss_of(*stack) + loss_of(*stack)).backward()
    same(stored(convs), wanted, 2)


def test_gradients_that_are_added_to_say_that_they_have_changed(stack):
    convs = stack[0]
    loss_of(*stack).backward()
    versions = {name: p.grad._version for name, p in convs.named_parameters()}
    for _, p in convs.named_parameters():
        factor = torch.ones_like(p, requires_grad=True)
        penalty = (p.grad * factor).sum()  # keeps the gradient for its own
        loss_of(*stack).backward()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            penalty.backward()
    assert all(p.grad._version > versions[name] for name, p in convs.named_parameters())


def test_gradients_with_gradients_are_added_to(stack):
    convs, wanted = stack[0], by_name(stack)
    loss_of(*stack).backward(create_graph=True)
    loss_of(*stack).backward()
    same({name: grad.detach() for name, grad in stored(convs).items()}, wanted, 2)
    for p in convs.parameters():
        p.grad = None  # else gradient and parameter keep each other


def test_a_kept_graph_gives_them_again(stack):
    convs, wanted = stack[0], by_name(stack)
    loss = loss_of(*stack)
    loss.backward(retain_graph=True)
    functions = loss.grad_fn.next_functions
    loss.backward(retain_graph=True)
    assert functions == loss.grad_fn.next_functions
    same(dict(zip(wanted, torch.autograd.grad(loss, list(convs.parameters()),
                                              retain_graph=True))), wanted)
    loss.backward()
    same(stored(convs), wanted, 3)
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()


def test_chosen_leaves_alone(stack):
    convs, wanted = stack[0], by_name(stack)
    chosen = convs[0].gate.weight
    loss_of(*stack).backward(inputs=[chosen])
    same(stored(convs), {"0.gate.weight": wanted["0.gate.weight"]})
    assert stack[2].grad is None


def test_frozen_parameters_have_none(stack):
    convs, wanted = stack[0], by_name(stack)
    convs[0].norm.requires_grad_(False)
    convs[1].gate.bias.requires_grad_(False)
    loss_of(*stack).backward()
    for name in ("0.norm.weight", "0.norm.bias", "1.gate.bias"):
        del wanted[name]
    same(stored(convs), wanted)


def test_hooks_of_parameters_are_heard(stack):
    convs, wanted = stack[0], by_name(stack)
    seen = []
    convs[0].gate.weight.register_hook(seen.append)
    handle = convs[1].norm.weight.register_hook(lambda grad: 2 * grad)
    loss = loss_of(*stack)
    convs[1].gate.bias.register_hook(lambda grad: 3 * grad)  # after the pass forward
    loss.backward()
    torch.testing.assert_close(seen[0], wanted["0.gate.weight"])
    wanted["1.norm.weight"] = 2 * wanted["1.norm.weight"]
    wanted["1.gate.bias"] = 3 * wanted["1.gate.bias"]
    same(stored(convs), wanted)
    handle.remove()
    assert len(seen) == 1


@pytest.mark.skipif(not hasattr(torch.Tensor, "register_post_accumulate_grad_hook"),
                    reason="of PyTorch 2.1")
def test_hooks_after_the_gradient_are_called(stack):
    convs, wanted = stack[0], by_name(stack)
    seen = {}
    for name, p in convs.named_parameters():
        def keep(p, name=name):
            seen[name] = p.grad
            p.grad = None
        p.register_post_accumulate_grad_hook(keep)
    loss_of(*stack).backward()
    same(seen, wanted)
    assert not stored(convs)


def test_hooks_of_the_accumulator_are_called_as_those_of_parallel_training(stack):
    convs, wanted = stack[0], by_name(stack)
    seen, held = [], []
    for name, p in convs.named_parameters():
        accumulator = p.expand_as(p).grad_fn.next_functions[0][0]
        accumulator.register_hook(lambda *_, name=name: seen.append(name))
        held.append(accumulator)
    for _ in range(2):
        loss_of(*stack).backward()
    assert sorted(seen) == sorted([*wanted, *wanted])
    same(stored(convs), wanted, 2)


def test_hooks_of_the_layers_node_see_them(stack):
    convs, index, x = stack
    wanted = by_name(stack)
    h, gate = convs[0](x, index)
    seen = []
    h.grad_fn.register_hook(lambda grads, _: seen.append(grads))
    convs[1](h, index, gate)[0].square().sum().backward()
    torch.testing.assert_close(seen[0][2], wanted["0.gate.weight"])
    same(stored(convs), wanted)


def test_a_parameter_of_two_layers_has_the_sum(stack):
    convs, index, x = stack
    wanted = by_name(stack)
    with torch.no_grad():
        convs[1].gate.weight.copy_(convs[0].gate.weight)
    apart = by_name(stack)
    convs[1].gate.weight = convs[0].gate.weight
    loss_of(*stack).backward()
    got = stored(convs)
    torch.testing.assert_close(got["0.gate.weight"], apart["0.gate.weight"] +
                               apart["1.gate.weight"], atol=1e-5, rtol=1e-5)
    assert set(got) == set(wanted) - {"1.gate.weight"}


def test_a_parameter_that_others_use_has_the_sum(stack):
    convs, wanted = stack[0], by_name(stack)
    weight, bias = convs[0].gate.weight, convs[1].norm.bias
    (loss_of(*stack) + weight.square().sum() + (3 * bias).sum()).backward()
    wanted["0.gate.weight"] = wanted["0.gate.weight"] + 2 * weight.detach()
    wanted["1.norm.bias"] = wanted["1.norm.bias"] + 3
    same(stored(convs), wanted)
    # One in two places of a layer.
    conv = og.OrderedGNNConv(8).to(stack[2].device)
    conv.norm.bias = conv.norm.weight
    h, _ = conv(*stack[2:0:-1])
    expected, = torch.autograd.grad(h.sum(), conv.norm.weight, retain_graph=True)
    h.sum().backward()
    torch.testing.assert_close(conv.norm.weight.grad, expected)


def test_parameters_that_are_computed_pass_theirs_on(stack):
    convs, index, x = stack
    wanted = by_name(stack)
    scale = torch.ones((), requires_grad=True, device=x.device)
    weight = convs[0].gate.weight
    h, gate = og.ops.ordered_layer(
        og.graph.graph_of(index, 300, device=x.device), x, None, scale * weight,
        convs[0].gate.bias, convs[0].norm.weight, convs[0].norm.bias)
    convs[1](h, index, gate)[0].square().sum().backward()
    same(stored(convs), wanted)
    torch.testing.assert_close(scale.grad, (wanted["0.gate.weight"] * weight).sum(),
                               atol=1e-3, rtol=1e-3)


def test_a_loss_that_is_kept_changes_nothing(stack):
    convs, wanted = stack[0], by_name(stack)
    first, second = loss_of(*stack), loss_of(*stack)
    first.backward()
    third = loss_of(*stack)
    second.backward()
    third.backward()
    same(stored(convs), wanted, 3)


def test_a_pass_in_a_pass(stack):
    """As torch.utils.checkpoint runs parts of a network again."""
    from torch.utils.checkpoint import checkpoint
    convs, index, x = stack
    wanted = by_name(stack)
    for reentrant in (True, False):
        for p in convs.parameters():
            p.grad = None
        h, gate = checkpoint(lambda rows: convs[0](rows, index), x,
                             use_reentrant=reentrant)
        convs[1](h, index, gate)[0].square().sum().backward()
        same(stored(convs), wanted)


def test_gradients_of_gradients_are_recorded(stack):
    convs = stack[0]
    loss = loss_of(*stack)
    loss.backward(create_graph=True)
    assert stored(convs)
    for p in convs.parameters():
        p.grad = None


def test_anomalies_are_found_in_them(stack):
    convs, index, x = stack
    h, _ = convs[0](x, index)
    loss = h.sum() * float("nan")
    with torch.autograd.set_detect_anomaly(True), \
            pytest.raises(RuntimeError, match="nan"):
        loss.backward()


def test_threads_have_layers_of_their_own(stack):
    convs, index, x = stack
    wanted = by_name(stack)
    copies = [copy.deepcopy(convs) for _ in range(4)]
    for one in copies:
        assert not stored(one)

    def train(one):
        for _ in range(5):
            loss_of(one, index, x.detach().requires_grad_()).backward()
    threads = [threading.Thread(target=train, args=(one,)) for one in copies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in copies:
        same(stored(one), wanted, 5)


def test_threads_share_the_layers(stack):
    convs, index, x = stack
    wanted = by_name(stack)

    def train():
        for _ in range(10):
            loss_of(convs, index, x.detach().requires_grad_()).backward()
    loss_of(convs, index, x.detach()).backward()  # who comes first makes the gradient
    threads = [threading.Thread(target=train) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, grad in stored(convs).items():
        torch.testing.assert_close(grad, 31 * wanted[name], atol=1e-3, rtol=1e-3)


def test_an_optimizer_goes_the_same_way(stack):
    convs, index, x = stack
    twin = copy.deepcopy(convs)
    optimizers = [torch.optim.Adam(one.parameters(), lr=0.01) for one in (convs, twin)]
    for _ in range(5):
        optimizers[0].zero_grad()
        loss = loss_of(convs, index, x.detach())
        loss.backward()
        leaves = list(twin.parameters())
        for leaf, grad in zip(leaves, torch.autograd.grad(
                loss_of(twin, index, x.detach()), leaves)):
            leaf.grad = grad
        for optimizer in optimizers:
            optimizer.step()
    for a, b in zip(convs.parameters(), twin.parameters()):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)
