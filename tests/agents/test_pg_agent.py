"""Policy gradient: q-values and advantages by hand, cut paths, order of updates, resumption."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cs285.agents.pg_agent import PGAgent
from cs285.configs.vpg import PGConfig
from cs285.infrastructure.rollouts import PathBuffer, PathDict
from cs285.infrastructure.training.checkpoint import read_state, write_state
from tests.by_hand import Nowhere

SETTINGS: dict[str, Any] = {
    "hidden": "8",
    "learning_rate": 5e-3,
    "discount": 0.5,
    "reward_to_go": True,
    "dont_standardize_advantages": True,
    "nn_baseline": False,
    "baseline_learning_rate": 5e-3,
    "baseline_gradient_steps": 3,
}
REWARDS = [np.array([1.0, 2.0, 4.0]), np.array([8.0])]
ENDS = np.array([0.0, 0.0, 1.0, 1.0])


def make_agent(discrete: bool = True, **changes: Any) -> Any:
    return PGAgent(Nowhere(discrete=discrete), PGConfig(**SETTINGS | changes))


class FakeCritic:
    """V(s) = the first component of s; remembers what it was to learn."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def forward_np(self, obs: np.ndarray) -> np.ndarray:
        return obs[:, 0].copy()

    def update(self, ob_no: np.ndarray, target_n: np.ndarray) -> float:
        self.calls.append((ob_no, target_n))
        return 10.0 + len(self.calls)


def fake_agent(**changes: Any) -> Any:
    agent = make_agent(nn_baseline=True, **changes)
    agent.critic = FakeCritic()
    return agent


def column(values: list[float]) -> np.ndarray:
    """Returns observations of which FakeCritic gives `values`; other components must not count."""
    return np.stack([values, np.full(len(values), 99.0), np.full(len(values), -99.0)], axis=1)


def path(values: list[float], rewards: list[float], terminal: bool, discrete: bool) -> PathDict:
    n = len(rewards)
    obs = column(values).astype(np.float32)
    return {
        "observation": obs[:-1],
        "next_observation": obs[1:],
        "action": np.zeros(n if discrete else (n, 2), np.float32),
        "reward": np.array(rewards, np.float32),
        "terminal": np.array([0.0] * (n - 1) + [float(terminal)], np.float32),
    }


def two_paths(discrete: bool = True) -> list[PathDict]:
    """One path that was cut in a state of value 7, and one that ended where 7 must not count."""
    return [
        path([1.0, 2.0, 3.0, 7.0], [1.0, 2.0, 4.0], False, discrete),
        path([5.0, 7.0], [8.0], True, discrete),
    ]


def test_q_values_by_hand() -> None:
    assert make_agent().calculate_q_vals(REWARDS).tolist() == [3.0, 4.0, 4.0, 8.0]
    whole = make_agent(reward_to_go=False).calculate_q_vals(REWARDS)
    assert whole.tolist() == [3.0, 3.0, 3.0, 8.0]


def test_without_a_baseline_advantages_are_q_values() -> None:
    q_values = np.array([3.0, 4.0, 4.0, 8.0])
    adv_n = make_agent().estimate_advantage(column([9.0] * 4), REWARDS, q_values, ENDS)
    assert adv_n.tolist() == q_values.tolist()
    assert adv_n is not q_values


def test_baseline_speaks_in_units_of_the_batch() -> None:
    q_values = np.array([1.0, 1.0, 5.0, 5.0])  # mean 3, deviation 2
    obs = column([0.0, 1.0, 0.0, -1.0])
    adv_n = fake_agent().estimate_advantage(obs, REWARDS, q_values, ENDS)
    assert adv_n.tolist() == [1 - 3, 1 - 5, 5 - 3, 5 - 1]


def test_gae_by_hand() -> None:
    q_values = np.array([1.0, 1.0, 5.0, 5.0])
    obs = column([0.0, 1.0, 0.0, -1.0])  # V = 3, 5, 3, 1
    adv_n = fake_agent(gae_lambda=0.5).estimate_advantage(obs, REWARDS, q_values, ENDS)
    # One-step errors: 1 + 2.5 - 3, 2 + 1.5 - 5, 4 - 3, 8 - 1; each passes a quarter back.
    assert adv_n.tolist() == [0.5 - 0.25 * 1.25, -1.5 + 0.25, 1.0, 7.0]


def test_gae_with_lambda_1_is_reward_to_go_minus_the_baseline() -> None:
    rng = np.random.default_rng(0)
    obs = rng.normal(size=(4, 3)).astype(np.float32)
    agent, other = fake_agent(gae_lambda=1.0), fake_agent()
    q_values = agent.calculate_q_vals(REWARDS)
    np.testing.assert_allclose(
        agent.estimate_advantage(obs, REWARDS, q_values, ENDS),
        other.estimate_advantage(obs, REWARDS, q_values, ENDS),
        rtol=1e-6,
    )


def test_standardized_advantages() -> None:
    agent = make_agent(dont_standardize_advantages=False)
    adv_n = agent.estimate_advantage(column([0.0] * 4), REWARDS, np.array([3.0, 3, 7, 7]), ENDS)
    np.testing.assert_allclose(adv_n, [-1, -1, 1, 1], rtol=1e-6)
    equal = agent.estimate_advantage(column([0.0] * 4), REWARDS, np.full(4, 2.0), ENDS)
    assert equal.tolist() == [0.0] * 4


def spied(agent: Any) -> list[Any]:
    """Gives the agent the two paths, trains it, and returns what its policy was to learn."""
    calls: list[Any] = []
    agent.actor.update = lambda *batch: calls.append(batch) or 5.0
    agent.add_to_replay_buffer(two_paths())
    agent.logged = agent.train(*agent.sample(4))
    return calls


def test_without_a_baseline_a_cut_path_just_ends() -> None:
    agent = make_agent()
    ((ob_no, ac_na, adv_n),) = spied(agent)
    assert ob_no[:, 0].tolist() == [1.0, 2.0, 3.0, 5.0]
    assert ac_na.tolist() == [0.0] * 4
    assert adv_n.tolist() == [3.0, 4.0, 4.0, 8.0]
    assert agent.logged == {"Actor_Loss": 5.0}


def test_with_a_baseline_a_cut_path_keeps_its_future() -> None:
    agent = fake_agent()
    agent.q_mean, agent.q_std = 1.0, 3.0  # of the batch before: the cut state is worth 1 + 3 * 7
    ((_, _, adv_n),) = spied(agent)
    q_n = np.array([3.0 + 11 / 4, 4.0 + 11 / 2, 4.0 + 11, 8.0])
    value_n = np.array([1.0, 2.0, 3.0, 5.0]) * q_n.std() + q_n.mean()
    np.testing.assert_allclose(adv_n, q_n - value_n, rtol=1e-6)
    assert (agent.q_mean, agent.q_std) == pytest.approx((q_n.mean(), q_n.std()))
    assert agent.logged == {"Actor_Loss": 5.0, "Baseline_Loss": 13.0}
    assert len(agent.critic.calls) == 3
    for ob_no, target_n in agent.critic.calls:
        assert ob_no[:, 0].tolist() == [1.0, 2.0, 3.0, 5.0]
        np.testing.assert_allclose(target_n, (q_n - q_n.mean()) / q_n.std(), rtol=1e-6)


def test_a_baseline_of_whole_returns_says_nothing_of_a_cut_state() -> None:
    """It counts what came before that state: the sum ends at the cut, as without a baseline."""
    agent = fake_agent(reward_to_go=False)
    agent.q_mean, agent.q_std = 1.0, 3.0
    ((_, _, adv_n),) = spied(agent)
    q_n = np.array([3.0, 3.0, 3.0, 8.0])
    value_n = np.array([1.0, 2.0, 3.0, 5.0]) * q_n.std() + q_n.mean()
    np.testing.assert_allclose(adv_n, q_n - value_n, rtol=1e-6)


def test_the_batch_stays_as_it_was() -> None:
    agent = make_agent(nn_baseline=True, gae_lambda=0.9)
    agent.add_to_replay_buffer(two_paths())
    batch = agent.sample(4)
    before = copy.deepcopy(batch)
    agent.train(*batch)
    for array, old in zip(batch, before, strict=True):
        np.testing.assert_array_equal(array, old)


def test_the_buffer_knows_where_paths_end(tmp_path: Path) -> None:
    buffer = PathBuffer()
    buffer.add_rollouts(two_paths())
    assert buffer.sample_recent_data(4).path_ends_n.tolist() == [False, False, True, True]
    other = PathBuffer()
    write_state(tmp_path / "state", buffer.state_dict())
    other.load_state_dict(read_state(tmp_path / "state"))
    assert len(other) == 4
    assert other.sample_recent_data(4).path_ends_n.tolist() == [False, False, True, True]


@pytest.mark.parametrize("discrete", [True, False])
@pytest.mark.parametrize("baseline", [{}, {"nn_baseline": True, "gae_lambda": 0.9}])
def test_resumed_training_is_the_same_bit_for_bit(discrete: bool, baseline: Any) -> None:
    agent = make_agent(discrete=discrete, **baseline)
    resumed = make_agent(discrete=discrete, **baseline)
    agent.add_to_replay_buffer(two_paths(discrete))
    agent.train(*agent.sample(4))
    resumed.load_state_dict(copy.deepcopy(agent.state_dict()))
    assert agent.train(*agent.sample(4)) == resumed.train(*resumed.sample(4))
    weights, others = agent.state_dict(), resumed.state_dict()
    for part in {"actor", "critic"} & weights.keys():
        for name, weight in weights[part].items():
            assert torch.equal(weight, others[part][name]), name
