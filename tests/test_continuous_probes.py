"""DDPG, TD3 and SAC on the continuous probes: each learns values and actions in a second or so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env

from cs285.agents.ddpg_agent import DDPGAgent
from cs285.agents.sac_agent import SACAgent
from cs285.agents.td3_agent import TD3Agent
from cs285.configs.ddpg import DDPGConfig
from cs285.configs.sac import SACConfig
from cs285.configs.td3 import TD3Config
from cs285.infrastructure.environments.envs import TimeLimitIsTerminal
from tests.by_hand import step_and_train
from tests.continuous_probes import (
    BEST,
    PROBES,
    WHERE_ACTIONS_MATTER,
    AlwaysTruncated,
    ConstantReward,
    Probe,
    RewardFromObservation,
    TwoSteps,
)

GAMMA = 0.8
SHARED: dict[str, Any] = {
    "hidden": "32,32",
    "discount": GAMMA,
    "learning_rate": 0.003,
    "tau": 0.2,
    "buffer_size": 1000,
    "start_steps": 100,
    "learning_starts": 64,
}
SMALL_TEMPERATURE = 1e-3  # so that entropy shifts no value by more than 0.03
STEPS = 400
QUICK = {ConstantReward: 200, RewardFromObservation: 250, TwoSteps: 300}  # fewer steps do there
# On seeds 0 to 5 no value was off by more than 0.09, and no action by more than 0.1. An actor
# that has learned nothing is 0.3 off.
ATOL = 0.15

probes = pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.__name__)


def ddpg(env: Any, **more: Any) -> DDPGAgent:
    return DDPGAgent(env, DDPGConfig(exploration_noise=0.5, **SHARED | more))


def td3(env: Any, **more: Any) -> TD3Agent:
    # The noise on targets would lower values where actions matter: E[-2 noise^2] = -0.02 at 0.1.
    return TD3Agent(env, TD3Config(exploration_noise=0.5, target_noise=0.1, **SHARED | more))


def sac(env: Any, **more: Any) -> SACAgent:
    return SACAgent(env, SACConfig(**SHARED | {"temperature": SMALL_TEMPERATURE} | more))


def sac_single(env: Any, **more: Any) -> SACAgent:
    return sac(env, q_backup="single", **more)


def sac_double(env: Any, **more: Any) -> SACAgent:
    return sac(env, q_backup="double", **more)


# By default the two that ask for most; all of them in the slow tests.
HARDEST = ("ActionAndObservationMatter", "AlwaysTruncated")
some_probes = pytest.mark.parametrize(
    "probe",
    [p if p.__name__ in HARDEST else pytest.param(p, marks=pytest.mark.slow) for p in PROBES],
    ids=lambda probe: probe.__name__,
)
agents = pytest.mark.parametrize("make", [ddpg, td3, sac], ids=["ddpg", "td3", "sac"])


def trained(make: Any, env: Any, steps: int = STEPS, seed: int = 0, **more: Any) -> Any:
    env.reset(seed=seed)
    agent = make(env, seed=seed, **more)
    step_and_train(agent, steps, 64)
    return agent


def q_of(agent: Any, states: list[float], actions: list[float]) -> np.ndarray:
    """Values by every critic. Shape (k, n)."""
    with torch.no_grad():
        ob_no, ac_na = torch.tensor(states)[:, None], torch.tensor(actions)[:, None]
        return agent.critic.q_net(ob_no, ac_na).numpy()


@probes
def test_probes_are_environments(probe: type[Probe]) -> None:
    check_env(probe(), skip_render_check=True)


@probes
def test_exact_answers_satisfy_the_bellman_equation(probe: type[Probe]) -> None:
    env = probe()
    (state,), _ = env.reset(seed=0)
    for action in np.random.default_rng(1).uniform(-1, 1, (50, 1)):
        (next_state,), reward, terminated, truncated, _ = env.step(action)
        best = max(probe.q(next_state, a, GAMMA) for a in np.linspace(-1, 1, 201))
        future = 0.0 if terminated else best
        assert probe.q(state, action[0], GAMMA) == pytest.approx(reward + GAMMA * future, abs=1e-6)
        (state,) = env.reset()[0] if terminated or truncated else (next_state,)


@some_probes
@agents
def test_agent_learns_values_and_actions(make: Any, probe: type[Probe]) -> None:
    agent = trained(make, probe(), QUICK.get(probe, STEPS))
    states = list(probe.states)
    actions = agent.eval_policy.get_action(np.array(states, np.float32)[:, None])[:, 0]
    assert actions.shape == (len(states),)
    wanted = [probe.q(s, a, GAMMA) for s, a in zip(states, actions.tolist(), strict=True)]
    for q_n in q_of(agent, states, actions.tolist()):
        np.testing.assert_allclose(q_n, wanted, atol=ATOL)
    if probe in WHERE_ACTIONS_MATTER:
        best = [BEST * s if s else BEST for s in states]
        np.testing.assert_allclose(actions, best, atol=ATOL)


@pytest.mark.slow
@pytest.mark.parametrize("make", [sac_single, sac_double])
def test_other_backups_of_sac_learn_too(make: Any) -> None:
    agent = trained(make, AlwaysTruncated())
    # Two critics that learn from each other alone differ by up to 0.18 for a while (seeds 0 to 4).
    np.testing.assert_allclose(q_of(agent, [0.0], [0.0]), 1 / (1 - GAMMA), atol=2 * ATOL)


def test_future_entropy_is_worth_its_temperature() -> None:
    """Where every action pays the same, the most random policy is the best, and worth more."""
    agent = trained(sac, AlwaysTruncated(), temperature=0.5)
    with torch.no_grad():
        _, log_prob_n = agent.actor.sample(torch.zeros(2000, 1))
    entropy = -log_prob_n.mean().item()
    # A uniform one would have log 2; no tanh of a Gaussian comes nearer than 0.03.
    assert entropy == pytest.approx(np.log(2), abs=0.1)
    wanted = (1 + GAMMA * 0.5 * entropy) / (1 - GAMMA)  # 6.4; without entropy, 5
    np.testing.assert_allclose(q_of(agent, [0.0], [0.0]), wanted, atol=ATOL)


@agents
def test_a_time_limit_stored_as_terminal_shows_in_the_last_probe(make: Any) -> None:
    agent = trained(make, TimeLimitIsTerminal(AlwaysTruncated()))
    # One step in three is terminal: V = 1 + gamma * (2 / 3) * V = 2.1, and not 5.
    wanted = 1 / (1 - GAMMA * 2 / 3)
    np.testing.assert_allclose(q_of(agent, [0.0], [0.0]), wanted, atol=2 * ATOL)
