"""One rule for actions in all homeworks, and for spaces that agents cannot have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete, unflatten
from gymnasium.wrappers import TransformAction

from cs285.experiments import actor_critic, dqn, ppo, sac, vpg
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.environments import envs, spaces
from tests import odd_environments as odd


def score(env: Any, actions: np.ndarray) -> float:
    env.reset(seed=0)
    return float(sum(env.step(action)[1] for action in actions))


@pytest.mark.parametrize("name", ["HalfCheetah-v5", "Pendulum-v1"])
def test_the_same_actions_score_the_same_in_every_homework(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its log here
    pg = vpg.EXPERIMENT.make_env(vpg.PGConfig(env_name=name, discount=0.9), True)
    config = actor_critic.ACConfig(env_name=name, discount=0.9, ep_len=1000)
    ac = actor_critic.EXPERIMENT.make_env(config, True)
    segment = ppo.EXPERIMENT.make_env(ppo.PPOConfig(env_name=name), True)
    scaled = sac.EXPERIMENT.make_env(sac.SACConfig(env_name=name))
    shape, high = pg.action_space.shape, pg.action_space.high
    actions = 2 * np.random.default_rng(0).normal(size=(200, *shape)).astype(np.float32)
    inside = score(pg, np.clip(actions, -high, high))
    assert [score(env, actions) for env in (pg, ac, segment)] == [inside] * 3
    assert score(scaled, actions / high) == pytest.approx(inside, abs=1e-3)


def remembering(word: str, **rules: Any) -> tuple[Any, list[Any]]:
    env = envs.make_env(f"{word}Actions-v0", **rules)
    env.reset(seed=0)
    actions: list[Any] = env.unwrapped.actions
    return env, actions


def test_scaled_actions_beyond_their_bounds_are_clipped_too() -> None:
    env, taken = remembering("Matrix", rescale=True)
    assert env.action_space == Box(-1, 1, (6,), np.float32)
    env.step(np.array([-9, -1, 0, 0.5, 1, 9], np.float32))
    np.testing.assert_allclose(taken[0], [[-1, -1, 0.5], [1.25, 2, 2]])


def test_noise_comes_before_the_clip() -> None:
    gym.register("Remembering-v0", odd.WithActions, kwargs={"space": Box(-1, 1, (2,))})
    config = vpg.PGConfig(env_name="Remembering-v0", action_noise_std=3.0)
    env = vpg.EXPERIMENT.make_env(config, True)
    env.reset(seed=0)
    for _ in range(50):
        env.step(np.zeros(2, np.float32))
    taken = np.array(env.unwrapped.actions)
    assert np.abs(taken).max() == 1 and 0.1 < (np.abs(taken) < 1).mean() < 0.5


def test_whole_numbers_are_rounded_to_the_nearest() -> None:
    env, taken = remembering("Numbers")
    assert env.action_space == Box(0, 3, (2,), np.float32)
    for action in ([0.4, 0.6], [-7.0, 99.0]):
        env.step(np.array(action, np.float32))
    assert [action.tolist() for action in taken] == [[0, 1], [0, 3]]


@pytest.mark.parametrize("word", ["Matrix", "OneNumber", "Unbounded"])
def test_boxes_of_any_shape_take_vectors(word: str) -> None:
    env, taken = remembering(word)
    space = env.unwrapped.action_space
    assert env.action_space.shape == (int(np.prod(space.shape)),)
    action = np.linspace(-0.5, 1, env.action_space.shape[0], dtype=np.float32)
    env.step(action)
    assert taken[0].ravel().tolist() == action.tolist()


def test_an_unbounded_integer_box_is_unbounded_for_agents() -> None:
    task = gym.Env[Any, Any]()
    task.action_space = Box(-np.inf, 5, (2,), np.int64)
    env = spaces.NearestAction(task)
    assert (env.action_space.low == -np.inf).all() and (env.action_space.high == 5).all()
    assert env.action(np.array([-1e6, 9])).tolist() == [-1_000_000, 5]


@pytest.mark.parametrize("action", [0.5, np.zeros(1), np.zeros((1, 2)), np.zeros(3)])
def test_an_action_of_the_wrong_shape_is_not_spread(action: Any) -> None:
    env, _ = remembering("Unbounded")
    with pytest.raises(ValueError, match=r"action has shape \(.*\), wanted \(2,\)") as caught:
        env.step(action)
    assert not isinstance(caught.value, UserError)


def test_discrete_actions_begin_at_0() -> None:
    env = envs.make_env(odd.name(odd.StartsAtOne, False))
    env.reset(seed=0)
    assert env.action_space == Discrete(2)
    for action in (0, np.int64(1)):
        env.step(action)  # which asserts that its action is 1 or 2


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("Several", r"MultiDiscrete.* number its 6 combinations"),
        ("Bits", r"MultiBinary.* number its 8 combinations"),
        ("Named", r"Dict.* join its parts to one Box"),
        ("Words", r"Text.* in a wrapper of your own"),
    ],
)
def test_what_no_agent_has_is_refused_with_a_way_out(word: str, message: str) -> None:
    with pytest.raises(UserError, match=f"{word}Actions-v0 has actions in {message}"):
        envs.make_env(f"{word}Actions-v0")


def several() -> gym.Env[Any, Any]:
    env = odd.WithActions(odd.ACTIONS["Several"])
    return TransformAction(env, lambda a: np.array(np.unravel_index(a, [2, 3])), Discrete(6))


def named() -> gym.Env[Any, Any]:
    parts = odd.ACTIONS["Named"]
    return TransformAction(
        odd.WithActions(parts), lambda a: unflatten(parts, a), Box(-1, 1, (3,), np.float32)
    )


def test_the_ways_out_lead_somewhere() -> None:
    gym.register("SeveralNumbered-v0", several)
    gym.register("NamedJoined-v0", named)
    env = envs.make_env("SeveralNumbered-v0")
    env.reset(seed=0)
    env.step(np.int64(5))
    assert env.unwrapped.actions[0].tolist() == [1, 2]
    joined = envs.make_env("NamedJoined-v0")
    joined.reset(seed=0)
    joined.step(np.array([0.5, -1, 1], np.float32))
    assert joined.unwrapped.actions[0]["wheel"].tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("algorithm", "name", "other"),
    [
        (dqn, "Pendulum-v1", "actor"),
        (sac, "CartPole-v1", "dqn"),
        (sac, "UnboundedActions-v0", "actor"),
    ],
)
def test_who_cannot_act_names_who_can(algorithm: Any, name: str, other: str) -> None:
    with pytest.raises(UserError, match=rf"{name} has .*use scripts/run_hw3_{other}"):
        experiment = algorithm.EXPERIMENT
        experiment.make_env(experiment.config_class(env_name=name), True)
