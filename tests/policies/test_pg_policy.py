"""The step of policy gradient: its gradient by an oracle, its sign by what becomes likelier."""

import numpy as np
import pytest
import torch
from torch import nn

from cs285.infrastructure import pytorch_util as ptu
from cs285.policies.pg_policy import MLPPolicyPG

OB_DIM, AC_DIM, BATCH = 3, 2, 5  # different primes: a transposed or broadcast shape shows


def linear_policy(discrete: bool) -> MLPPolicyPG:
    """Returns a policy of one linear layer without bias, moved by plain gradient descent."""
    policy = MLPPolicyPG(AC_DIM, OB_DIM, n_layers=1, size=4, discrete=discrete)
    layer = nn.Linear(OB_DIM, AC_DIM, bias=False)
    if discrete:
        policy.logits_na = layer
    else:
        policy.mean_net = layer
        policy.logstd = nn.Parameter(torch.tensor([0.3, -0.4]))
    policy.optimizer = torch.optim.SGD(policy.parameters(), lr=1.0)
    return policy


def random_batch(discrete: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    obs = rng.normal(size=(BATCH, OB_DIM)).astype(np.float32)
    acs = rng.integers(AC_DIM, size=BATCH) if discrete else rng.normal(size=(BATCH, AC_DIM))
    return obs, acs.astype(np.float32), rng.normal(size=BATCH).astype(np.float32)


def test_discrete_gradient_against_the_closed_form() -> None:
    policy = linear_policy(discrete=True)
    before = ptu.to_numpy(policy.logits_na.weight).copy()
    obs, acs, adv = random_batch(discrete=True)
    policy.update(obs, acs, adv)
    expected = np.zeros((AC_DIM, OB_DIM))
    for ob, ac, a in zip(obs, acs, adv, strict=True):
        logits = before @ ob
        probs = np.exp(logits) / np.exp(logits).sum()
        expected += a * np.outer(np.eye(AC_DIM)[int(ac)] - probs, ob) / BATCH
    moved = ptu.to_numpy(policy.logits_na.weight) - before
    np.testing.assert_allclose(moved, expected, rtol=1e-4, atol=1e-6)


def test_continuous_gradient_against_the_closed_form() -> None:
    policy = linear_policy(discrete=False)
    mean_weight = ptu.to_numpy(policy.mean_net.weight).copy()
    std = np.exp([0.3, -0.4])
    obs, acs, adv = random_batch(discrete=False)
    policy.update(obs, acs, adv)
    d_mean, d_logstd = np.zeros((AC_DIM, OB_DIM)), np.zeros(AC_DIM)
    for ob, ac, a in zip(obs, acs, adv, strict=True):
        off = ac - mean_weight @ ob
        d_mean += a * np.outer(off / std**2, ob) / BATCH
        d_logstd += a * ((off / std) ** 2 - 1) / BATCH
    moved = ptu.to_numpy(policy.mean_net.weight) - mean_weight
    np.testing.assert_allclose(moved, d_mean, rtol=1e-4, atol=1e-6)
    spread = ptu.to_numpy(policy.logstd) - [0.3, -0.4]
    np.testing.assert_allclose(spread, d_logstd, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("discrete", [True, False])
def test_what_was_good_becomes_likelier(discrete: bool) -> None:
    policy = MLPPolicyPG(AC_DIM, OB_DIM, 1, 8, discrete, learning_rate=1e-3)
    obs, acs, _ = random_batch(discrete)
    adv = np.zeros(BATCH)
    adv[2] = 1.0
    tensors = ptu.from_numpy(obs), ptu.from_numpy(acs)
    before = policy(tensors[0]).log_prob(tensors[1])[2].item()
    policy.update(obs, acs, adv)
    assert policy(tensors[0]).log_prob(tensors[1])[2].item() > before


def test_wrong_shapes_are_refused() -> None:
    policy = linear_policy(discrete=True)
    obs, acs, adv = random_batch(discrete=True)
    with pytest.raises(ValueError, match="actions has shape"):
        policy.update(obs, acs[:, None], adv)
    with pytest.raises(ValueError, match="advantages has shape"):
        policy.update(obs, acs, adv[:, None])


@pytest.mark.parametrize("discrete", [True, False])
def test_actions_come_from_the_distribution(discrete: bool) -> None:
    """They are drawn without building it: moments, or frequencies, of many draws at one state."""
    policy = linear_policy(discrete)
    torch.manual_seed(0)
    ob = np.array([0.5, -1.0, 2.0], np.float32)
    acs = policy.get_action(np.tile(ob, (20_000, 1)))
    pi = policy(ptu.from_numpy(ob[None]))
    if discrete:
        shares = np.bincount(acs, minlength=AC_DIM) / len(acs)
        np.testing.assert_allclose(shares, ptu.to_numpy(pi.probs[0]), atol=0.015)
    else:
        np.testing.assert_allclose(acs.mean(0), ptu.to_numpy(pi.mean[0]), atol=0.04)
        np.testing.assert_allclose(acs.std(0), ptu.to_numpy(pi.stddev[0]), rtol=0.03)
    assert policy.get_action(ob).shape == ((1,) if discrete else (1, AC_DIM))
