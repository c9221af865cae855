"""FusedAdam is torch's fused Adam, to the last bit."""

import copy

import pytest
import torch
from torch import nn, optim

from cs285.infrastructure.fast import FusedAdam

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
