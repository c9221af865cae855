"""The squashed Gaussian against torch's distributions, and where those fail."""

import numpy as np
import pytest
import torch
from torch import distributions

from cs285.infrastructure.training.agent import DeterministicPolicy
from cs285.policies.squashed_policy import (
    LOG_STD_MAX,
    LOG_STD_MIN,
    SquashedPolicy,
    squashed_log_prob,
)
from tests.off_policy import AC, OB


def policy() -> SquashedPolicy:
    return SquashedPolicy(OB, AC, (7,))


def test_log_prob_agrees_with_torchs_transformed_distribution() -> None:
    actor = policy().double()
    ob_no = torch.randn(50, OB, dtype=torch.float64)
    ac_na, log_prob_n = actor.sample(ob_no)
    mean_na, log_std_na = actor(ob_no)
    normal = distributions.Normal(mean_na, log_std_na.exp())
    squashed = distributions.TransformedDistribution(
        distributions.Independent(normal, 1), [distributions.TanhTransform()]
    )
    torch.testing.assert_close(log_prob_n, squashed.log_prob(ac_na))


def test_log_prob_by_hand() -> None:
    zero = torch.zeros(1, AC)
    # At u = 0 with deviation 1 nothing is squashed: a standard Gaussian in AC dimensions.
    by_hand = -AC * 0.5 * np.log(2 * np.pi)
    assert squashed_log_prob(zero, zero, zero).item() == pytest.approx(by_hand)
    # One component; u = 1, mean 0, deviation 2: noise 1/2.
    u, noise, log_std = (torch.tensor([[x]]) for x in (1.0, 0.5, float(np.log(2.0))))
    by_hand = -0.125 - np.log(2) - 0.5 * np.log(2 * np.pi) - np.log(1 - np.tanh(1) ** 2)
    assert squashed_log_prob(u, noise, log_std).item() == pytest.approx(by_hand)


@pytest.mark.parametrize("u", [-30.0, -12.0, 12.0, 30.0])
def test_log_prob_is_exact_where_tanh_is_1(u: float) -> None:
    """1 - tanh(u)^2 = 4 exp(-2|u|) for large |u|; float32 makes 0 of it."""
    zero = torch.zeros(1, 1)
    log_prob = squashed_log_prob(torch.full((1, 1), u), zero, zero).item()
    assert log_prob == pytest.approx(-0.5 * np.log(2 * np.pi) - np.log(4) + 2 * abs(u), rel=1e-6)


def test_density_integrates_to_1() -> None:
    u_na = torch.linspace(-9, 9, 20001, dtype=torch.float64)[:, None]
    log_std = torch.full_like(u_na, -0.3)
    noise_na = (u_na - 0.4) / log_std.exp()
    density = squashed_log_prob(u_na, noise_na, log_std).exp().numpy()
    actions = np.tanh(u_na.numpy()[:, 0])
    mean_height = (density[1:] + density[:-1]) / 2
    assert (mean_height * np.diff(actions)).sum() == pytest.approx(1.0, abs=1e-4)


def test_gradients_flow_through_the_sample() -> None:
    actor = policy()
    ac_na, log_prob_n = actor.sample(torch.randn(4, OB))
    for what in (ac_na.sum(), log_prob_n.sum()):
        actor.zero_grad()
        what.backward(retain_graph=True)
        assert all(weight.grad.abs().sum() > 0 for weight in actor.parameters())


def test_deviation_depends_on_the_state_and_is_clamped() -> None:
    actor = policy()
    _, log_std_na = actor(torch.randn(4, OB))
    assert (log_std_na[0] != log_std_na[1]).all()
    _, log_std_na = actor(1e6 * torch.randn(200, OB))
    assert log_std_na.min() == LOG_STD_MIN and log_std_na.max() == LOG_STD_MAX


def test_actions_are_samples_around_the_mean_that_evaluation_plays() -> None:
    actor = policy()
    obs = np.ones(OB, np.float32)
    greedy = DeterministicPolicy(actor).get_action(obs)
    assert greedy.shape == (1, AC) and greedy.dtype == np.float32
    np.testing.assert_array_equal(greedy, DeterministicPolicy(actor).get_action(obs))
    mean_na, log_std_na = actor(torch.ones(1, OB))
    np.testing.assert_allclose(greedy, np.tanh(mean_na.detach().numpy()), rtol=1e-6)
    u_na = np.arctanh(actor.get_action(np.tile(obs, (20_000, 1))).astype(np.float64))
    std = log_std_na.exp().detach().numpy()[0]
    # Five standard errors of a mean and of a deviation over 20,000 draws.
    np.testing.assert_allclose(u_na.mean(0), mean_na[0].detach(), atol=5 * std.max() / 141)
    np.testing.assert_allclose(u_na.std(0), std, rtol=5 / 200)
    assert actor.get_action(obs).shape == (1, AC)
