"""The policy of DDPG and TD3: its actions, and the noise on them."""

import numpy as np
import torch

from cs285.infrastructure.training.agent import DeterministicPolicy
from cs285.policies.deterministic_policy import DeterministicActor
from tests.off_policy import AC, OB, actor_output


def test_action_is_the_tanh_of_a_perceptron() -> None:
    actor = DeterministicActor(OB, AC, (7, 4), 0.1).double()
    ob_no = torch.randn(4, OB, dtype=torch.float64)
    wanted = [np.tanh(actor_output(actor, ob)) for ob in ob_no.numpy()]
    np.testing.assert_allclose(actor(ob_no).detach().numpy(), wanted)


def test_noise_has_its_deviation_and_evaluation_has_none() -> None:
    actor = DeterministicActor(OB, AC, (7,), 0.1)
    obs = np.ones(OB, np.float32)
    mean = DeterministicPolicy(actor).get_action(obs)
    assert mean.shape == (1, AC) and mean.dtype == np.float32
    np.testing.assert_array_equal(mean, DeterministicPolicy(actor).get_action(obs))
    noisy = actor.get_action(np.tile(obs, (20_000, 1)))
    # Five standard errors: 0.1 / sqrt(20000) = 0.0007 of the mean, half a percent of the deviation.
    np.testing.assert_allclose((noisy - mean).mean(0), 0.0, atol=0.0035)
    np.testing.assert_allclose((noisy - mean).std(0), 0.1, rtol=0.025)
    assert abs(np.corrcoef((noisy - mean).T)[0, 1]) < 0.036  # components have noise of their own


def test_noisy_actions_stay_within_the_bounds() -> None:
    actor = DeterministicActor(OB, AC, (7,), exploration_noise=5.0)
    actions = actor.get_action(np.zeros((500, OB), np.float32))
    assert np.abs(actions).max() == 1.0
    quiet = DeterministicActor(OB, AC, (7,), exploration_noise=0.0)
    obs = np.ones((3, OB), np.float32)
    np.testing.assert_array_equal(quiet.get_action(obs), DeterministicPolicy(quiet).get_action(obs))
