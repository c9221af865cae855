"""Fast substitutes are torch's own, to the last bit, in hooks and in errors too."""

import copy
from typing import Any

import pytest
import torch
from torch import nn, optim
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from cs285.infrastructure import fast_torch as fast
from cs285.infrastructure.fast_torch import FusedAdam, LeanSequential

STEPS = 7


def make_network() -> nn.Module:
    torch.manual_seed(3)
    return nn.Sequential(
        nn.Conv2d(2, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(3 * 9, 5), nn.Linear(5, 2)
    ).to(memory_format=torch.channels_last)


def train(network: nn.Module, optimizer: optim.Optimizer, first: int, last: int) -> None:
    """Takes steps `first` ... `last` - 1, each with a batch, and a learning rate, of its own."""
    for number in range(first, last):
        inputs = torch.randn(4, 2, 5, 5, generator=torch.Generator().manual_seed(number))
        optimizer.param_groups[0]["lr"] = 0.1 / (1 + number)
        optimizer.zero_grad()
        network(inputs).square().sum().backward()
        optimizer.step()


def same_bits(a: nn.Module, b: nn.Module) -> bool:
    return all(torch.equal(x, y) for x, y in zip(a.parameters(), b.parameters(), strict=True))


def test_same_weights_and_state_as_torch() -> None:
    ours, theirs = make_network(), make_network()
    lean = FusedAdam(ours.parameters(), lr=0.1, betas=(0.8, 0.99), eps=1e-4)
    full = optim.Adam(theirs.parameters(), lr=0.1, betas=(0.8, 0.99), eps=1e-4, fused=True)
    train(ours, lean, 0, STEPS)
    train(theirs, full, 0, STEPS)
    assert same_bits(ours, theirs)
    assert not same_bits(ours, make_network())
    for key, moments in full.state_dict()["state"].items():
        for name, values in moments.items():
            assert torch.equal(lean.state_dict()["state"][key][name], values)


def test_goes_on_from_its_state_dict() -> None:
    ours = make_network()
    lean = FusedAdam(ours.parameters(), lr=0.1)
    train(ours, lean, 0, 3)
    other = copy.deepcopy(ours)
    resumed = FusedAdam(other.parameters(), lr=0.5)
    resumed.load_state_dict(copy.deepcopy(lean.state_dict()))
    train(ours, lean, 3, STEPS)
    train(other, resumed, 3, STEPS)
    assert same_bits(ours, other)


def test_parameters_without_gradient_stay() -> None:
    network = make_network()
    optimizer = FusedAdam(network.parameters(), lr=0.1)
    optimizer.step()
    assert same_bits(network, make_network())
    bias = network[4].bias
    for number in range(2):  # the second time, moments exist for some parameters only
        optimizer.zero_grad()
        (bias if number == 0 else network[4].weight).sum().backward()
        optimizer.step()
    assert not torch.equal(bias, make_network()[4].bias)
    assert torch.equal(network[3].weight, make_network()[3].weight)


def test_schedule_and_zeroing() -> None:
    network = make_network()
    optimizer = FusedAdam(network.parameters(), lr=0.1)
    scheduler = optim.lr_scheduler.LambdaLR(optimizer, lambda update: 0.5**update)

    losses = []
    for _ in range(2):
        optimizer.zero_grad()
        losses.append(network(torch.ones(1, 2, 5, 5)).square().sum())
        losses[-1].backward()
        optimizer.step()
    assert losses[0].item() > losses[1].item()
    scheduler.step()
    assert scheduler.get_last_lr() == [pytest.approx(0.05)]
    assert network[3].weight.grad is not None
    optimizer.zero_grad()
    assert network[3].weight.grad is None


def test_a_stale_graph_is_refused() -> None:
    """A loss from before a step has no gradient after it: autograd says so, as with plain Adam."""
    network = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    optimizer = FusedAdam(network.parameters(), lr=0.1)
    inputs = torch.ones(4, 2)
    first, second = network(inputs).mean(), network(inputs).square().mean()
    first.backward()
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        second.backward()


def calls_of(kind: str, network: nn.Sequential) -> list[tuple[str, list[float]]]:
    """What hooks of one kind on the middle layer are called with, in a pass forth and back."""
    calls: list[tuple[str, list[float]]] = []

    def note(*given: Any) -> None:
        tensors = [part for one in given for part in (one if isinstance(one, tuple) else [one])]
        numbers = [t.detach().flatten().tolist() for t in tensors if isinstance(t, torch.Tensor)]
        calls.append((kind, [round(number, 5) for one in numbers for number in one]))

    inputs = torch.ones(2, 3, requires_grad=True)
    register = getattr(torch.nn.modules.module, kind, None) or getattr(network[1], kind)
    handle = register(note)
    network(inputs).square().sum().backward()
    handle.remove()
    network(inputs)
    return calls


HOOKS = ["forward_hook", "forward_pre_hook", "full_backward_hook", "full_backward_pre_hook"]


@pytest.mark.parametrize("scope", ["register", "register_module"])
@pytest.mark.parametrize("hook", HOOKS)
def test_hooks_of_layers_run_as_in_torchs_sequential(scope: str, hook: str) -> None:
    torch.manual_seed(0)
    layers = [nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)]
    kind = f"{scope}_{hook}"
    calls = calls_of(kind, LeanSequential(*layers))
    assert calls == calls_of(kind, nn.Sequential(*layers))
    per_pass = {"register": 1, "register_module": len(layers) + (hook.startswith("forward"))}
    # The container is a module as well, and its own hooks run in any case.
    assert len(calls) >= per_pass[scope]


def test_a_hook_may_replace_an_output() -> None:
    network = LeanSequential(nn.Identity(), nn.Identity())
    network[0].register_forward_hook(lambda *_: torch.full((1, 2), 7.0))
    assert network(torch.zeros(1, 2)).tolist() == [[7.0, 7.0]]


@pytest.mark.parametrize("everywhere", [False, True])
def test_hooks_on_steps_run_as_torch_runs_them(everywhere: bool) -> None:
    calls: list[tuple[str, bool]] = []
    network = make_network()
    optimizer = FusedAdam(network.parameters(), lr=0.1)

    def has_moved(*_: Any) -> bool:
        return not same_bits(network, make_network())

    pre, post = optimizer.register_step_pre_hook, optimizer.register_step_post_hook
    if everywhere:
        pre, post = register_optimizer_step_pre_hook, register_optimizer_step_post_hook
    before = pre(lambda *_: calls.append(("pre", has_moved())))
    after = post(lambda *_: calls.append(("post", has_moved())))
    network(torch.ones(1, 2, 5, 5)).sum().backward()
    optimizer.step()
    assert calls == [("pre", False), ("post", True)]
    before.remove()
    after.remove()
    optimizer.step()
    assert len(calls) == 2


def test_hooks_change_no_number() -> None:
    ours, theirs = make_network(), make_network()
    optimizer = FusedAdam(ours.parameters(), lr=0.1)
    optimizer.register_step_post_hook(lambda *_: None)
    train(ours, optimizer, 0, 3)
    train(theirs, FusedAdam(theirs.parameters(), lr=0.1), 0, 3)
    assert same_bits(ours, theirs)


def test_a_schedule_before_the_first_step_is_warned_of() -> None:
    network = make_network()
    optimizer = FusedAdam(network.parameters(), lr=0.1)
    scheduler = optim.lr_scheduler.LambdaLR(optimizer, lambda update: 0.5**update)
    with pytest.warns(UserWarning, match="before `optimizer.step"):
        scheduler.step()


def weights_with(gradients: list[list[float] | None]) -> list[nn.Parameter]:
    weights = [nn.Parameter(torch.zeros(2)) for _ in gradients]
    for weight, gradient in zip(weights, gradients, strict=True):
        weight.grad = None if gradient is None else torch.tensor(gradient)
    return weights


GRADIENTS: list[list[list[float] | None]] = [
    [],
    [None],
    [[3.0, 4.0], None, [0.0, 12.0]],  # of length 13
    [[0.1, -0.2]],
    [[0.0, 0.0]],
    [[float("nan"), 1.0], [1.0, 2.0]],
    [[float("inf"), 1.0]],
]


@pytest.mark.parametrize("gradients", GRADIENTS, ids=str)
@pytest.mark.parametrize("name", ["clip_grad_norm_", "clip_grad_value_"])
def test_gradients_are_clipped_as_by_torch(name: str, gradients: list[list[float] | None]) -> None:
    ours, theirs = weights_with(gradients), weights_with(gradients)
    if name == "clip_grad_value_" and not any(gradients):
        fast.clip_grad_value_(ours, 1.3)
        assert all(weight.grad is None for weight in ours)
        return  # torch's own fails an internal assertion
    result = getattr(fast, name)(iter(ours), 1.3)  # once through it is all there is
    expected = getattr(nn.utils, name)(theirs, 1.3)
    torch.testing.assert_close(result, expected, rtol=0, atol=0, equal_nan=True)
    for weight, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(weight.grad, other.grad, rtol=0, atol=0, equal_nan=True)


def test_clipping_by_hand() -> None:
    first, without, last = weights = weights_with([[3.0, 4.0], None, [0.0, 12.0]])
    assert fast.clip_grad_norm_(weights, 1.3).item() == 13.0
    torch.testing.assert_close(first.grad, torch.tensor([0.3, 0.4]))
    torch.testing.assert_close(last.grad, torch.tensor([0.0, 1.2]))
    assert without.grad is None
    fast.clip_grad_value_(weights, 0.35)
    torch.testing.assert_close(first.grad, torch.tensor([0.3, 0.35]))
    assert fast.clip_grad_norm_(first, 0.1).item() == pytest.approx((0.3**2 + 0.35**2) ** 0.5)
