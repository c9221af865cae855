"""Policies: densities by hand, samples by frequency, and the policy gradient by an oracle."""

import numpy as np
import pytest
import torch
from torch import nn

from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.training.agent import DeterministicPolicy
from cs285.policies.MLP_policy import MLPPolicy, MLPPolicyAC

OB_DIM, AC_DIM, BATCH = 3, 2, 5  # different primes: a transposed or broadcast shape shows


def linear_policy(discrete: bool, step_size: float = 1.0) -> MLPPolicyAC:
    """Returns a policy of one linear layer without bias, moved by plain gradient descent."""
    policy = MLPPolicyAC(AC_DIM, OB_DIM, n_layers=1, size=4, discrete=discrete)
    layer = nn.Linear(OB_DIM, AC_DIM, bias=False)
    if discrete:
        policy.logits_na = layer
    else:
        policy.mean_net = layer
        policy.logstd = nn.Parameter(torch.tensor([0.3, -0.4]))
    policy.optimizer = torch.optim.SGD(policy.parameters(), lr=step_size)
    return policy


def random_batch(discrete: bool, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    obs = rng.normal(size=(BATCH, OB_DIM)).astype(np.float32)
    if discrete:
        acs = rng.integers(AC_DIM, size=BATCH).astype(np.float32)  # as rollouts store them
    else:
        acs = rng.normal(size=(BATCH, AC_DIM)).astype(np.float32)
    return obs, acs, rng.normal(size=BATCH).astype(np.float32)


def test_discrete_log_prob_by_hand() -> None:
    policy = linear_policy(discrete=True)
    with torch.no_grad():  # logits of the one-hot rows are the columns: (0, log 3) and (log 4, 0)
        policy.logits_na.weight.copy_(
            torch.tensor([[0.0, np.log(4.0), 0.0], [np.log(3.0), 0.0, 0.0]])
        )
    log_prob = policy(torch.eye(3)).log_prob(torch.tensor([1, 0, 1]))
    # softmax: (1, 3)/4, (4, 1)/5, (1, 1)/2
    np.testing.assert_allclose(ptu.to_numpy(log_prob.exp()), [0.75, 0.8, 0.5], rtol=1e-6)


def test_continuous_log_prob_by_hand() -> None:
    policy = linear_policy(discrete=False)
    with torch.no_grad():
        policy.mean_net.weight.zero_()
        policy.logstd.copy_(torch.tensor([np.log(2.0), 0.0]))
    log_prob = policy(torch.eye(3)).log_prob(torch.tensor([[0.0, 0.0], [2.0, 0.0], [2.0, 3.0]]))
    # Peak density 1 / (2 pi * 2 * 1); then z = (1, 0) and z = (1, 3): minus z^2 / 2 for each.
    peak = -np.log(2 * np.pi) - np.log(2.0)
    assert log_prob.shape == (3,)
    np.testing.assert_allclose(ptu.to_numpy(log_prob), [peak, peak - 0.5, peak - 5.0], rtol=1e-6)


def test_spread_starts_at_one_and_is_the_same_in_every_state() -> None:
    policy = MLPPolicy(AC_DIM, OB_DIM, n_layers=2, size=8)
    stddev = policy(torch.randn(BATCH, OB_DIM)).stddev
    assert stddev.shape == (BATCH, AC_DIM)
    assert torch.equal(stddev, torch.ones(BATCH, AC_DIM))


def test_network_is_the_one_asked_for() -> None:
    """Two hidden layers of 4 tanh units and a linear head, computed once more in NumPy."""
    policy = MLPPolicy(AC_DIM, OB_DIM, n_layers=2, size=4, discrete=True)
    obs = random_batch(True)[0]
    layers = [m for m in policy.logits_na if isinstance(m, nn.Linear)]
    assert [(m.in_features, m.out_features) for m in layers] == [(3, 4), (4, 4), (4, 2)]
    hidden = obs
    for layer in layers[:-1]:
        hidden = np.tanh(hidden @ ptu.to_numpy(layer.weight).T + ptu.to_numpy(layer.bias))
    logits = hidden @ ptu.to_numpy(layers[-1].weight).T + ptu.to_numpy(layers[-1].bias)
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    probs = ptu.to_numpy(policy(ptu.from_numpy(obs)).probs)
    np.testing.assert_allclose(probs, expected, rtol=1e-5)  # float32 through three layers


@pytest.mark.parametrize("discrete", [True, False])
def test_action_shapes(discrete: bool) -> None:
    policy = MLPPolicy(AC_DIM, OB_DIM, n_layers=1, size=4, discrete=discrete)
    one_action = () if discrete else (AC_DIM,)
    single = policy.get_action(np.zeros(OB_DIM))  # float64, as MuJoCo gives
    batch = policy.get_action(np.zeros((BATCH, OB_DIM), dtype=np.float32))
    assert isinstance(single, np.ndarray)
    assert single.shape == (1, *one_action)
    assert batch.shape == (BATCH, *one_action)
    assert np.issubdtype(batch.dtype, np.integer if discrete else np.float32)


def test_discrete_actions_have_their_probabilities() -> None:
    torch.manual_seed(0)
    policy = linear_policy(discrete=True)
    with torch.no_grad():
        policy.logits_na.weight.copy_(torch.tensor([[0.0, 0.0, 0.0], [np.log(3.0), 0.0, 0.0]]))
    n = 10_000
    obs = np.tile(np.eye(3, dtype=np.float32)[:2], (n, 1))  # two states in turn
    actions = policy.get_action(obs)
    # Six standard errors, sqrt(p (1 - p) / n) = 0.005: misses once in 10^8 seeds.
    assert abs(actions[0::2].mean() - 0.75) < 0.03
    assert abs(actions[1::2].mean() - 0.50) < 0.03


def test_continuous_actions_have_their_mean_and_spread() -> None:
    torch.manual_seed(0)
    policy = linear_policy(discrete=False)
    with torch.no_grad():
        policy.mean_net.weight.copy_(torch.tensor([[5.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]))
        policy.logstd.copy_(torch.tensor([np.log(0.5), np.log(2.0)]))
    n = 10_000
    actions = policy.get_action(np.tile(np.eye(3, dtype=np.float32)[0], (n, 1)))
    # Six standard errors: 6 * std / sqrt(n) for the mean, 6 * std / sqrt(2 n) for the spread.
    np.testing.assert_array_less(np.abs(actions.mean(axis=0) - [5, -1]), [0.03, 0.12])
    np.testing.assert_array_less(np.abs(actions.std(axis=0) - [0.5, 2]), [0.022, 0.085])
    assert abs(np.corrcoef(actions.T)[0, 1]) < 0.06  # independent components, 6 / sqrt(n)


def test_acting_leaves_the_weights_and_their_gradients_alone() -> None:
    policy = MLPPolicy(AC_DIM, OB_DIM, n_layers=1, size=4)
    before = [p.clone() for p in policy.parameters()]
    policy.get_action(np.ones(OB_DIM))
    assert all(torch.equal(a, b) for a, b in zip(before, policy.parameters(), strict=True))
    assert all(p.grad is None for p in policy.parameters())
    assert torch.is_grad_enabled()


def test_discrete_policy_gradient() -> None:
    """d(-log pi(a|s) A)/d(logit_k) = -A (1[k = a] - pi(k|s)), averaged over the batch."""
    policy = linear_policy(discrete=True)
    obs, acs, adv = random_batch(discrete=True)
    weight = ptu.to_numpy(policy.logits_na.weight).astype(np.float64)
    gradient, expected_loss = np.zeros_like(weight), 0.0
    for ob, ac, a in zip(obs, acs.astype(int), adv, strict=True):
        probs = np.exp(weight @ ob) / np.exp(weight @ ob).sum()
        gradient += -a * np.outer(np.eye(AC_DIM)[ac] - probs, ob) / BATCH
        expected_loss += -a * np.log(probs[ac]) / BATCH
    loss = policy.update(obs, acs, adv)
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    np.testing.assert_allclose(
        ptu.to_numpy(policy.logits_na.weight), weight - gradient, rtol=1e-4, atol=1e-6
    )


def test_continuous_policy_gradient() -> None:
    """d(log pi)/d(mean) = (a - mean) / std^2 and d(log pi)/d(logstd) = (a - mean)^2 / std^2 - 1."""
    policy = linear_policy(discrete=False)
    obs, acs, adv = random_batch(discrete=False)
    weight = ptu.to_numpy(policy.mean_net.weight).astype(np.float64)
    logstd = ptu.to_numpy(policy.logstd).astype(np.float64)
    gradient, logstd_gradient, expected_loss = np.zeros_like(weight), np.zeros(AC_DIM), 0.0
    for ob, ac, a in zip(obs, acs, adv, strict=True):
        z = (ac - weight @ ob) / np.exp(logstd)
        gradient += -a * np.outer(z / np.exp(logstd), ob) / BATCH
        logstd_gradient += -a * (z**2 - 1) / BATCH
        log_prob = sum(-0.5 * z[i] ** 2 - logstd[i] - 0.5 * np.log(2 * np.pi) for i in range(2))
        expected_loss += -a * log_prob / BATCH
    loss = policy.update(obs, acs, adv)
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    tolerance = {"rtol": 1e-4, "atol": 1e-6}  # float32 sums of five terms
    np.testing.assert_allclose(ptu.to_numpy(policy.mean_net.weight), weight - gradient, **tolerance)
    np.testing.assert_allclose(ptu.to_numpy(policy.logstd), logstd - logstd_gradient, **tolerance)


def test_gradients_do_not_pile_up_over_updates() -> None:
    obs, acs, adv = random_batch(discrete=True)
    once, twice = linear_policy(True), linear_policy(True, step_size=0.0)
    twice.load_state_dict(once.state_dict())
    twice.update(obs, acs, adv)  # step size 0: only a gradient left behind could matter
    twice.optimizer.param_groups[0]["lr"] = 1.0
    twice.update(obs, acs, adv)
    once.update(obs, acs, adv)
    assert torch.equal(once.logits_na.weight, twice.logits_na.weight)


@pytest.mark.parametrize("discrete", [True, False])
def test_adam_owns_every_parameter(discrete: bool) -> None:
    policy = MLPPolicyAC(AC_DIM, OB_DIM, 2, 4, discrete, learning_rate=7e-3)
    assert isinstance(policy.optimizer, torch.optim.Adam)
    assert policy.optimizer.param_groups[0]["lr"] == 7e-3
    before = {name: p.clone() for name, p in policy.named_parameters()}
    assert ("logstd" in before) == (not discrete)
    policy.update(*random_batch(discrete))
    assert all(not torch.equal(before[name], p) for name, p in policy.named_parameters())


@pytest.mark.parametrize("discrete", [True, False])
def test_shapes_that_would_broadcast_are_refused(discrete: bool) -> None:
    policy = MLPPolicyAC(AC_DIM, OB_DIM, 1, 4, discrete)
    obs, acs, adv = random_batch(discrete)
    with pytest.raises(ValueError, match=r"adv_n has shape \(5, 1\), expected \(5,\)"):
        policy.update(obs, acs, adv[:, None])
    with pytest.raises(ValueError, match="actions has shape"):
        policy.update(obs, acs[:, None], adv)


def test_the_mode_by_hand() -> None:
    """The largest logit's action, or the mean, whatever the deviation; a deterministic policy."""
    discrete, continuous = (MLPPolicy(2, 3, 1, 4, discrete=kind) for kind in (True, False))
    discrete.logits_na = nn.Linear(3, 2, bias=False)
    continuous.mean_net = discrete.logits_na
    with torch.no_grad():
        discrete.logits_na.weight.copy_(torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
        continuous.logstd += 3.0
    obs = np.array([[0.3, 0.2, 9.0], [0.1, 0.2, 0.0]], np.float32)
    assert DeterministicPolicy(discrete).get_action(obs).tolist() == [0, 1]
    np.testing.assert_array_equal(DeterministicPolicy(continuous).get_action(obs), obs[:, :2])
    np.testing.assert_array_equal(
        DeterministicPolicy(continuous).get_action(obs[0]), obs[:1, :2]
    )  # a single observation is a batch of one
