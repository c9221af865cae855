"""A portfolio: who plays when, who is credited, who learns from what, and exact resume."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

from cs285.agents import selectors
from cs285.agents.fruit_grid import FruitGrid
from cs285.agents.portfolio_agent import PortfolioAgent, regret
from cs285.agents.q_learner import QLearner
from cs285.agents.td3_agent import TD3Agent
from cs285.configs.td3 import TD3Config
from cs285.infrastructure.base.schedules import PiecewiseSchedule
from cs285.infrastructure.base.state import Blob
from cs285.infrastructure.environments.scaled_rewards import scaled
from cs285.infrastructure.training.checkpoint import read_state, write_state
from tests.by_hand import step_and_train
from tests.off_policy import SMALL, ScriptedEnv

ENDS = {at: (at % 2 == 0, at % 2 == 1) for at in (3, 7, 8, 14, 21, 30, 37, 44, 52, 70)}


def portfolio(rule: str = "uniform", own: bool = False, seed: int = 0) -> PortfolioAgent:
    """Three members in an environment whose episodes end at ENDS."""
    torch.manual_seed(seed)
    rates = (1e-3, 1e-2, 1e-4)
    builders: list[Any] = [
        functools.partial(
            TD3Agent, settings=TD3Config(**{**SMALL, "learning_rate": rate, "seed": k})
        )
        for k, rate in enumerate(rates)
    ]
    return PortfolioAgent(ScriptedEnv(ENDS), builders, selectors.make(rule, 3, seed), own)


def step(agent: PortfolioAgent, times: int = 1) -> list[int]:
    """Steps and learns as the trainer does; returns who played each step."""
    played = []
    for _ in range(times):
        step_and_train(agent, 1, 4)
        played.append(agent.playing)
    return played


def test_members_change_only_between_episodes_and_each_episode_is_credited_once() -> None:
    agent = portfolio()
    credited: list[tuple[int, float]] = []
    agent.selector.update = lambda arm, x: credited.append((arm, x))  # type: ignore[method-assign]
    played = step(agent, 60)
    begins = [0, *(at + 1 for at in ENDS if at < 59)]
    episodes = [played[a:b] for a, b in zip(begins, [*begins[1:], 60], strict=True)]
    assert all(len(set(members)) == 1 for members in episodes)
    assert len({members[0] for members in episodes}) == 3
    assert [arm for arm, _ in credited] == [members[0] for members in episodes[:-1]]
    assert all(0 <= x <= 1 for _, x in credited)
    assert agent.record.plays_k.sum() == len(credited)


def test_the_next_member_goes_on_from_the_present_observation() -> None:
    agent = portfolio()
    step(agent, 60)
    rows = agent.members[0].replay_buffer.rows[10:50]  # the newest, in a ring of 50
    states = rows[:, :3]
    assert (states[:, 0] == states[:, 0].astype(int)).all()
    assert sorted(states[:, 2]) == list(range(10, 50))  # no state twice, none left out


class ScoreOfItsOwn(gym.Wrapper[Any, Any, Any, Any]):
    """A game whose `info` has its points, as many games have them."""

    def step(self, action: Any) -> Any:
        *result, info = self.env.step(action)
        return *result, {**info, "score": 200.0}


@pytest.mark.parametrize("factor", [1.0, 10.0])
def test_members_are_compared_by_rewards_whatever_else_the_task_reports(factor: float) -> None:
    env = scaled(ScoreOfItsOwn(ScriptedEnv({3: (True, False)})), factor)
    builders: list[Any] = [functools.partial(TD3Agent, settings=TD3Config(**SMALL))]
    agent = PortfolioAgent(env, builders, selectors.make("uniform", 1, 0))
    for agent.t in range(4):
        agent.step_env()
    assert agent.record.total_k.tolist() == [-(1 + 2 + 3 + 4) / 8]
    _, reward, *_, info = agent.monitor.step(np.zeros(2, np.float32))
    assert (reward, info["score"]) == (factor * -5 / 8, 200.0)


def test_scores_are_places_in_the_range_seen() -> None:
    agent = portfolio()
    agent.record.add(0, -1600.0)
    assert agent.scaled(-1600.0) == 0.5
    agent.record.add(1, -100.0)
    assert [agent.scaled(x) for x in (-1600.0, -850.0, -100.0)] == [0.0, 0.5, 1.0]


RETURNS = (-100.0, -100.0, -90.0, -16.0, -90.0)  # of members 0, 1, 2, 0, 1
PLACES = (0.0, 0.0, 10 / 84, 1.0, 10 / 84)  # in the range from -100 to -16


def scored(rule: str) -> PortfolioAgent:
    """A portfolio after episodes of those returns."""
    agent = portfolio(rule)
    for number, score in enumerate(RETURNS):
        agent.playing = number % 3
        agent.end_episode(score)
    return agent


@pytest.mark.parametrize("rule", ["uniform", "ucb1", "ssbas", "exp3", "d3rb"])
def test_scores_are_rescaled_when_the_range_grows(rule: str) -> None:
    selector = scored(rule).selector
    assert selector.plays_k.tolist() == [2, 2, 1]
    np.testing.assert_allclose(selector.total_k, [1.0, 10 / 84, 10 / 84], atol=1e-12)


def test_a_window_forgets_a_play_as_it_is_scaled_now() -> None:
    selector = scored("ssbas").selector
    np.testing.assert_allclose([x for _, x in selector.window], PLACES, atol=1e-12)
    for _ in range(8):
        selector.update(0, 0.5)
    assert selector.plays_k.tolist() == [8, 0, 0]
    np.testing.assert_allclose(selector.total_k, [4.0, 0.0, 0.0], atol=1e-12)


def test_weights_of_exp3_are_those_of_the_scores_as_they_are_scaled_now() -> None:
    agent, chances = portfolio("exp3"), []
    for number, score in enumerate(RETURNS):
        agent.playing = number % 3
        chances.append(agent.selector.probs()[agent.playing])
        agent.end_episode(score)
    expected = np.zeros(3)
    for number, (x, p) in enumerate(zip(PLACES, chances, strict=True)):
        expected[number % 3] += agent.selector.gamma * x / (p * 3)
    np.testing.assert_allclose(agent.selector.log_w_k, expected, atol=1e-12)


def test_guesses_of_d3rb_shrink_with_the_scores() -> None:
    rule = selectors.D3RB(2, 0)
    rule.d_k[:] = (8.0, 1.0)
    rule.rescale(0.25, 0.5)
    assert rule.d_k.tolist() == [2.0, rule.d_min]


def test_rules_over_rules_rescale_each() -> None:
    selector = selectors.make("d3rb(ucb1,exp3)", 3, 0)
    for rule in selector.rules:
        rule.update(0, 0.5)
    selector.rescale(0.5, 0.25)
    assert [rule.total_k[0] for rule in selector.rules] == [0.5, 0.5, 0.5]
    selector.rescale(0.0, 0.25)
    assert [rule.total_k[0] for rule in selector.rules] == [0.25, 0.25, 0.25]


@pytest.mark.parametrize("rule", ["ucb1", "ssbas", "exp3", "d3rb", "d3rb(ucb1,exp3)"])
def test_a_member_whose_returns_are_no_numbers_is_the_worst(rule: str) -> None:
    agent = portfolio(rule)
    agent.end_episode(np.nan)  # and of the first episode nothing is kept
    assert not agent.record.plays_k.any()
    for time in range(80):
        agent.playing = agent.selector.choose()
        agent.end_episode((-100.0 - time % 7, np.nan, -np.inf)[agent.playing])
    assert agent.best() == 0
    assert agent.record.plays_k.argmax() == 0
    assert np.isfinite(agent.record.total_k).all()


def test_all_learn_each_from_a_batch_of_its_own() -> None:
    agent = portfolio()
    step(agent, 20)
    record: dict[int, np.ndarray] = {}
    for k, member in enumerate(agent.members):
        real = member.train

        def train(*batch: Any, k: int = k, real: Any = real) -> Any:
            record[k] = batch[2]
            return real(*batch)

        member.train = train
    step(agent)
    assert sorted(record) == [0, 1, 2]
    assert not np.array_equal(record[0], record[1])
    assert {member.num_param_updates for member in agent.members} == {15 + 1}


def test_with_own_experience_only_who_plays_learns() -> None:
    agent = portfolio(own=True)
    played = step(agent, 60)
    for k, member in enumerate(agent.members):
        assert member.replay_buffer.num_added == played.count(k)
        assert member.num_param_updates == max(0, played.count(k) - 5)


def blobs(tree: Any) -> list[str]:
    if isinstance(tree, dict):
        return [name for value in tree.values() for name in blobs(value)]
    if isinstance(tree, (list, tuple)):
        return [name for value in tree for name in blobs(value)]
    return [tree.name] if isinstance(tree, Blob) else []


def test_the_common_memory_is_saved_once_and_own_memories_under_names_of_their_own() -> None:
    for own in (False, True):
        agent = portfolio(own=own)
        for member in agent.members:
            member.replay_buffer.block_rows = 4
        step(agent, 45)
        names = blobs(agent.state_dict())
        assert names
        assert len(names) == len(set(names))


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("rule", ["ssbas", "esbas", "d3rb(ucb1,exp3)"])
def test_goes_on_exactly_from_disk(rule: str, own: bool, tmp_path: Path) -> None:
    one, other = portfolio(rule, own), portfolio(rule, own, seed=9)
    step(one, 35)
    write_state(tmp_path / "a", one.state_dict())
    other.load_state_dict(read_state(tmp_path / "a"))
    other.t = one.t
    env = other.monitor.unwrapped
    env.steps, env.episode, env.at = 35, *(int(x) for x in one.members[one.playing].last_obs[:2])
    random = torch.get_rng_state()
    ends = []
    for agent in (one, other):
        torch.set_rng_state(random)
        ends.append((step(agent, 30), agent.scalars(), agent.policy_state_dict()))
    assert ends[0][:2] == ends[1][:2]
    assert ends[0][2].keys() == ends[1][2].keys()
    assert all(torch.equal(ends[0][2][name], w) for name, w in ends[1][2].items())


def test_esbas_freezes_policies_within_an_epoch_and_catches_up() -> None:
    agent = portfolio("esbas")
    history = []
    for _ in range(60):
        step(agent)
        updates = agent.members[1].num_param_updates
        history.append((agent.selector.frozen, updates, sum(agent.held)))
    for (_, before, _), (frozen, after, held) in zip(history, history[1:], strict=False):
        assert after == before if frozen else held == 0
    assert history[-1][1] > 0


def test_what_esbas_holds_back_is_made_up_for_by_who_played_it() -> None:
    agent = portfolio("esbas", own=True)
    while agent.selector.beta < 3:
        step(agent)
    assert not sum(agent.held)
    played = [member.replay_buffer.num_added for member in agent.members]
    updates = [member.num_param_updates for member in agent.members]
    assert sum(n > 5 for n in played) > 1
    # Each has learned as often as it has played, but for the batches that it could not draw yet.
    assert all(n - 5 <= made <= n for n, made in zip(played, updates, strict=True))


def test_the_best_recent_member_evaluates_and_is_saved() -> None:
    agent = portfolio()
    for k, score in ((0, 5.0), (1, 9.0), (2, 7.0)):
        agent.record.add(k, score)
    assert agent.best() == 1
    obs = np.zeros(3, np.float32)
    expected = agent.members[1].eval_policy.get_action(obs)
    np.testing.assert_array_equal(agent.eval_policy.get_action(obs), expected)
    assert all(name.startswith("1.") for name in agent.policy_state_dict())
    for _ in range(10):
        agent.record.add(1, 0.0)
    assert agent.best() == 2


def test_regret_by_hand() -> None:
    assert regret(np.array([30.0, 0.0, 10.0]), np.array([3.0, 0.0, 2.0])) == 5 * 10 - 40
    assert regret(np.zeros(2), np.zeros(2)) == 0


def test_tables_learn_the_grid_without_noise() -> None:
    exploration = PiecewiseSchedule.parse("0:1,2e4:0.05")
    builders: list[Any] = [
        functools.partial(QLearner, alpha=a, discount=0.95, exploration=exploration, seed=k)
        for k, a in enumerate((0.5, 0.0))
    ]
    agent = PortfolioAgent(FruitGrid(0, noise=0.0), builders, selectors.make("ssbas", 2, 0))
    while agent.record.plays_k.sum() < 600:
        step_and_train(agent, 1, 1)
    assert agent.best() == 0
    assert np.mean(agent.record.recent[0]) > -25
    assert agent.record.plays_k[0] > 400
