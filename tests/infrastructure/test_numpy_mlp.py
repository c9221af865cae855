"""A few rows by NumPy are what the network answers, whatever happens to it; actions drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from cs285.infrastructure import numpy_mlp
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.numpy_mlp import NumpyMLP, Sampler
from cs285.policies.MLP_policy import MLPPolicy

ROWS = np.array([[0.3, -2.0, 5.0], [1.0, 0.5, -0.7]], np.float32)


def network(activation: str = "relu") -> Any:
    return ptu.build_mlp(3, 4, 2, 7, activation)


def answers(its: nn.Module, rows: np.ndarray) -> np.ndarray:
    """What the network itself says."""
    with torch.no_grad():
        return ptu.to_numpy(its(ptu.from_numpy(rows)))


def asked_torch(by_numpy: NumpyMLP, rows: np.ndarray) -> bool:
    """Whether the network itself had to answer; it must be its answer in any case."""
    its: Any = by_numpy.network
    asked: list[torch.Tensor] = []
    real = its.forward
    its.forward = lambda inputs: real(asked.append(inputs) or inputs)
    answer = by_numpy(rows)
    del its.forward
    np.testing.assert_allclose(answer, answers(its, rows), rtol=1e-6, atol=1e-6)
    return bool(asked)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("number", [1, 2])
def test_it_is_the_networks_answer_whatever_is_learned(activation: str, number: int) -> None:
    its, rows = network(activation), ROWS[:number]
    by_numpy = NumpyMLP(its)
    for _ in range(2):
        assert not asked_torch(by_numpy, rows)
        with torch.no_grad():
            for weight in its.parameters():
                weight.add_(0.1)


CHANGES: dict[str, Callable[[Any], Any]] = {
    "a hook": lambda its: its[0].register_forward_hook(lambda *_: torch.ones(2, 7)),
    "another layer": lambda its: its.__setitem__(1, nn.Tanh()),
    "another weight": lambda its: setattr(its[0], "weight", nn.Parameter(torch.zeros(7, 3))),
    "another memory": lambda its: setattr(its[0].weight, "data", torch.zeros(7, 3)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_after_a_change_the_network_is_asked(name: str) -> None:
    its = network()
    by_numpy = NumpyMLP(its)
    before = by_numpy(ROWS)
    CHANGES[name](its)
    assert not np.allclose(answers(its, ROWS), before)  # the change counts
    assert asked_torch(by_numpy, ROWS)


@pytest.mark.parametrize(
    "its",
    [nn.Sequential(nn.Linear(3, 4)), ptu.LeanSequential(nn.Linear(3, 4), nn.Dropout(1.0))],
    ids=["another class", "a layer that NumPy does not know"],
)
def test_unknown_networks_are_left_to_torch(its: nn.Module) -> None:
    assert asked_torch(NumpyMLP(its), ROWS)


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_rows_of_another_type_are_left_to_torch(dtype: Any) -> None:
    assert asked_torch(NumpyMLP(network()), ROWS.astype(dtype))


def test_weights_of_another_type_are_left_to_torch() -> None:
    its = network()
    by_numpy = NumpyMLP(its)
    its.double()
    with pytest.raises(RuntimeError, match="same dtype"):  # as the network refuses such rows
        by_numpy(ROWS)


@pytest.mark.parametrize("std", [None, [0.5, 2.0, 0.1]])
def test_actions_are_those_of_torchs_own_draws(std: list[float] | None) -> None:
    outputs = torch.randn(500, 3)
    torch.manual_seed(5)
    drawn = numpy_mlp.sample_actions(outputs.numpy(), None if std is None else np.array(std, "f"))
    torch.manual_seed(5)
    if std is None:
        expected = torch.multinomial(outputs.softmax(dim=1), 1)[:, 0]
    else:
        expected = torch.normal(outputs, torch.tensor(std).expand(500, 3))
    np.testing.assert_allclose(drawn, expected.numpy(), rtol=1e-6)


@pytest.mark.parametrize("discrete", [True, False])
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_a_sampler_draws_from_its_policys_present_distribution(
    discrete: bool, activation: str
) -> None:
    policy = MLPPolicy(3, 2, 2, 8, discrete, activation=activation)
    network = policy.network
    norm = ptu.RunningNorm(2)
    network.insert(0, norm)
    sampler = Sampler(policy)
    with torch.no_grad():  # after it was made: what it draws from is never a copy
        for weight in policy.parameters():
            weight += 0.3 * torch.randn_like(weight)
    norm.update(torch.randn(50, 2) * 3 + 1)
    obs = np.random.default_rng(0).normal(size=(4, 2)) * 3
    with torch.no_grad():
        expected = policy(ptu.from_numpy(obs))
    np.testing.assert_allclose(
        sampler.outputs(obs.astype(np.float32)), answers(network, obs), rtol=1e-5
    )
    n = 20_000
    drawn = sampler.get_action(np.repeat(obs, n, axis=0)).reshape(4, n, -1)
    if discrete:
        shares = np.stack([(drawn == action).mean(axis=1)[:, 0] for action in range(3)], axis=1)
        np.testing.assert_allclose(shares, expected.probs.numpy(), atol=5 * 0.5 / n**0.5)
    else:
        spread = expected.stddev.numpy()
        np.testing.assert_allclose(
            drawn.mean(axis=1), expected.mean.numpy(), atol=5 * spread.max() / n**0.5
        )
        np.testing.assert_allclose(drawn.std(axis=1), spread, rtol=5 / (2 * n) ** 0.5)
