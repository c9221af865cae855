"""Nothing that changes is forgotten: buffers, rules, portfolios and wrappers name it in `kept`."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium.envs.classic_control import CartPoleEnv

from cs285.agents import selectors
from cs285.agents.fruit_grid import FruitGrid
from cs285.agents.portfolio_agent import MemberScores
from cs285.agents.q_learner import QLearner
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.schedules import PiecewiseSchedule
from cs285.infrastructure.base.state import Stateful, state_of
from cs285.infrastructure.environments import atari, env_state, envs
from cs285.infrastructure.replay.replay_buffer import MemoryOptimizedReplayBuffer
from cs285.infrastructure.training import run_folder
from cs285.infrastructure.training.checkpoint import CheckpointStore, read_state, write_state
from cs285.infrastructure.training.run_folder import RunFolder, weights_in
from tests.agents.test_portfolio_agent import portfolio, step
from tests.by_hand import step_and_train
from tests.infrastructure.test_selectors import ALL

CLOCKS = {"time_queue", "episode_start_time"}  # of RecordEpisodeStatistics


def numbers(value: Any) -> Any:
    """What can be compared of an attribute: its state, tensors as lists; None if it has none."""
    state = state_of(value)
    if isinstance(state, dict):
        return {name: numbers(part) for name, part in state.items()}
    if isinstance(state, list | tuple):
        return [numbers(part) for part in state]
    if isinstance(state, torch.Tensor | np.ndarray):
        return state.tolist()
    return state if isinstance(state, bool | int | float | str | bytes) else None


def changed(owner: Any, change: Callable[[], object]) -> set[str]:
    """Returns the names of the attributes that differ after a change."""
    before = copy.deepcopy({name: numbers(value) for name, value in vars(owner).items()})
    change()
    after = {name: numbers(value) for name, value in vars(owner).items()}
    return {name for name, value in after.items() if value != before.get(name)}


class Whole(Stateful):
    kept = ("parts", "queue", "plain")

    def __init__(self) -> None:
        self.parts = [Part(), Part()]
        self.queue: deque[int] = deque([1], maxlen=2)
        self.plain = [[1.0], [2.0]]


class Part(Stateful):
    kept = ("rng", "queue")

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.queue: deque[float] = deque(maxlen=3)


def test_parts_in_a_list_and_deques_are_restored_in_place() -> None:
    one, other = Whole(), Whole()
    draws = one.parts[1].rng.normal(size=3)
    one.parts[1].queue.extend(draws.tolist())
    one.queue.extend([2, 3])
    one.plain.append([3.0])
    parts, queue = list(other.parts), other.queue
    other.load_state_dict(copy.deepcopy(one.state_dict()))
    assert all(part is before for part, before in zip(other.parts, parts, strict=True))
    assert other.queue is queue
    assert (list(queue), queue.maxlen, other.plain) == ([2, 3], 2, [[1.0], [2.0], [3.0]])
    assert list(other.parts[1].queue) == draws.tolist()
    assert one.parts[1].rng.normal() == other.parts[1].rng.normal()
    assert not other.parts[0].queue


@pytest.mark.parametrize("name", [name for name in ALL if name != "esbas"])
def test_what_an_episode_changes_in_a_rule_is_kept(name: str) -> None:
    rule = selectors.make(name, 3, 1)

    def play() -> None:
        arm = rule.choose()
        rule.update(arm, arm / 2)
        if "scale" in rule.kept:
            rule.rescale(0.9, 0.1)

    found = {attribute for _ in range(60) for attribute in changed(rule, play)}
    assert found == set(rule.kept)


def test_what_an_epoch_changes_in_esbas_is_kept() -> None:
    rule = selectors.ESBAS(2, 0)
    assert changed(rule, lambda: rule.update(rule.choose(), 0.5)) == {"beta", "rng"}
    assert {"beta", "frozen", *selectors.Selector.kept} == set(rule.kept)


def q_learner(seed: int) -> QLearner:
    exploration = PiecewiseSchedule.parse("0:1,200:0.1")
    return QLearner(FruitGrid(seed), 0.5, 0.9, exploration, seed)


def walk(agent: QLearner) -> None:
    step_and_train(agent, 150, 1)


def test_a_q_learner_goes_on_exactly_from_disk(tmp_path: Path) -> None:
    one, other = q_learner(0), q_learner(1)
    walk(one)
    besides = {"actor", "eval_policy", "t"}  # itself, and the clock, which the trainer sets
    assert changed(one, lambda: walk(one)) - besides == set(one.kept)
    write_state(tmp_path / "a", one.state_dict())
    other.load_state_dict(read_state(tmp_path / "a"))
    other.env, other.t = copy.deepcopy(one.env), one.t
    for agent in (one, other):
        walk(agent)
    assert one.state_dict() == other.state_dict()


@pytest.mark.parametrize("own", [False, True])
def test_what_steps_change_in_a_portfolio_is_kept(own: bool) -> None:
    agent = portfolio("esbas", own)
    step(agent, 20)
    names = {name.partition(".")[0] for name in agent.kept}
    found = changed(agent, lambda: step(agent, 40)) - {"_t"}  # the clock, which the trainer sets
    assert {"members", "record", "playing", "own_steps"} <= found <= names


def test_weights_of_members_are_found_by_their_number() -> None:
    names = weights_in(portfolio().state_dict())
    assert {name.split(".")[1] for name in names} == {"0", "1", "2"}
    assert all(name.startswith("members.") for name in names)


@pytest.mark.parametrize("shape", [(2,), (8, 8)], ids=["vectors", "images"])
def test_what_a_step_changes_in_the_memory_of_dqn_is_kept(shape: tuple[int, ...]) -> None:
    dtype = np.uint8 if len(shape) > 1 else np.float32
    memory = MemoryOptimizedReplayBuffer(30, 2, shape, dtype, 0)

    def remember() -> None:
        at = memory.next_idx
        memory.store_effect(memory.store_frame(np.full(shape, at, dtype)), at, at, at % 3 == 2)
        if memory.can_sample(4):
            memory.sample(4)

    found = {attribute for _ in range(20) for attribute in changed(memory, remember)}
    assert found == set(memory.kept)
    assert changed(memory.frames, remember) - {"open"} <= {"next", "ring"}


def test_what_an_episode_changes_in_the_scores_of_members_is_kept() -> None:
    scores = MemberScores(2)
    assert changed(scores, lambda: scores.add(1, -5.0)) == set(scores.kept)


# ---------------------------------------------------------------- wrappers


STACKS: dict[str, Callable[[], Any]] = {
    "CartPole": lambda: envs.make_env("CartPole-v0", ep_len=30),
    "Pendulum": lambda: envs.make_env("Pendulum-v1", ep_len=30, rescale=True),
    "grid": lambda: envs.make_env("FrozenLake-v1"),
    "game": lambda: atari.make_env("MsPacman-v0", ep_len=50, own_skip=True),
    "fire": lambda: atari.make_env("BreakoutNoFrameskip-v4", ep_len=50),
}


@pytest.mark.parametrize("name", STACKS)
def test_what_a_step_changes_in_a_wrapper_is_kept(name: str) -> None:
    env = STACKS[name]()
    env.action_space.seed(0)
    wrappers = env_state.within(env, env_state.ResumableEnv).wrappers()
    before = copy.deepcopy([{n: numbers(v) for n, v in inner(w).items()} for w in wrappers])
    env.reset(seed=0)
    for _ in range(100):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
    for wrapper, old in zip(wrappers, before, strict=True):
        found = {n for n, value in inner(wrapper).items() if numbers(value) != old.get(n)}
        kept = set(env_state.kept_by(wrapper) or ())
        if isinstance(wrapper, env_state.ResumableEnv):
            kept |= wrapper.simulator_state().keys()
        assert found - CLOCKS <= kept, wrapper


def inner(wrapper: Any) -> dict[str, Any]:
    """Returns the attributes of a wrapper, without what it wraps."""
    return {name: value for name, value in vars(wrapper).items() if name != "env"}


class CountsResets(gym.Wrapper[Any, Any, Any, Any]):
    """Somebody's own wrapper, around somebody's own environment."""

    resets = 0

    def reset(self, **settings: Any) -> Any:
        self.resets += 1
        return self.env.reset(**settings)


def counting() -> CountsResets:
    return CountsResets(CartPoleEnv())


def test_a_wrapper_of_which_nothing_is_known_gets_a_warning() -> None:
    gym.register("Counting-v0", counting)
    with pytest.warns(UserWarning, match=r"CountsResets remembers .* kept = "):
        envs.make_env("Counting-v0")


def test_a_wrapper_that_names_its_state_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CountsResets, "kept", ("resets",), raising=False)
    one, other = (env_state.SeededResets(counting()) for _ in range(2))
    for _ in range(4):
        one.reset()
    other.load_state_dict(one.state_dict())
    assert other.env.resets == 4


# ---------------------------------------------------------------- files


def test_a_checkpoint_of_another_version_is_refused_in_one_line(tmp_path: Path) -> None:
    params = {"checkpoint_secs": 1.0}
    store = CheckpointStore(tmp_path)
    for state in ({"agent": {}}, {"format": run_folder.FORMAT - 1, "trainer": {}}):
        store.save(1, state)
        with pytest.raises(UserError, match="another version of this code") as caught:
            RunFolder(tmp_path, params).latest()
        assert "\n" not in str(caught.value)
    store.save(2, {"format": run_folder.FORMAT, "trainer": {"next_itr": 2}})
    assert RunFolder(tmp_path, params).latest() == {"next_itr": 2}
