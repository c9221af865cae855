"""Environments by name, their time limits and seeds, and exact continuation."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.envs.classic_control import CartPoleEnv
from gymnasium.wrappers import RecordEpisodeStatistics

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.environments import env_state, envs
from tests.continuing import play, scores, through_disk


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its log into the working directory."""
    monkeypatch.chdir(tmp_path)


# ---------------------------------------------------------------- time limits


@pytest.mark.parametrize(
    ("time_limit", "discount", "terminal"),
    [
        ("auto", 1.0, True),
        ("auto", 0.99, False),
        ("terminal", 1.0, True),
        ("terminal", 0.99, True),
        ("bootstrap", 1.0, False),
        ("bootstrap", 0.99, False),
    ],
)
@pytest.mark.parametrize(
    ("env_name", "ep_len", "limit"),
    [("CartPole-v0", 5, 5), ("MountainCar-v0", None, 200), ("MountainCar-v0", 300, 200)],
    ids=["ep_len", "its own limit", "the shorter of both"],
)
def test_time_limit(
    time_limit: str, discount: float, terminal: bool, env_name: str, ep_len: int | None, limit: int
) -> None:
    env = envs.make_env(env_name, ep_len=ep_len, discount=discount, time_limit=time_limit)
    env.reset(seed=0)
    ends = [env.step(t % 2)[2:4] for t in range(limit)]  # to and fro: nothing falls, none climbs
    assert ends[:-1] == [(False, False)] * (limit - 1)
    assert ends[-1] == (terminal, True)
    assert list(env_state.within(env, RecordEpisodeStatistics).length_queue) == [limit]


@pytest.mark.parametrize("time_limit", ["auto", "terminal", "bootstrap"])
def test_a_true_end_is_terminal_under_every_rule(time_limit: str) -> None:
    env = envs.make_env("CartPole-v0", discount=0.99, time_limit=time_limit)
    env.reset(seed=0)
    ends = [(False, False)]
    while not any(ends[-1]) and len(ends) < 100:
        ends.append(env.step(1)[2:4])  # pushed one way only, the pole falls
    assert ends[-1] == (True, False)


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("InvertedPendulum-v2", "InvertedPendulum-v5"),
        ("HalfCheetah-v2", "HalfCheetah-v5"),
        ("LunarLander-v2", "LunarLander-v3"),
        ("LunarLanderContinuous-v2", "LunarLanderContinuous-v3"),
        ("Pendulum-v0", "Pendulum-v1"),
        ("CartPole-v0", "CartPole-v0"),
    ],
)
def test_an_id_whose_environment_is_gone_stands_for_the_newest(old: str, new: str) -> None:
    env = envs.make_env(old)
    assert env.spec is not None
    assert env.spec.id == new


def test_an_id_of_ones_own_stands_for_itself() -> None:
    for version in (0, 1):
        gym.register(f"OfOnesOwn-v{version}", CartPoleEnv)
    env = envs.make_env("OfOnesOwn-v0")
    assert env.spec is not None
    assert env.spec.id == "OfOnesOwn-v0"


@pytest.mark.parametrize(
    ("typed", "meant"), [("CartPol-v0", "CartPole-v0"), ("LunarLandr-v2", "LunarLander-v3")]
)
def test_an_unknown_id_suggests_the_nearest(typed: str, meant: str) -> None:
    for asked in (envs.make_env, envs.is_atari):
        with pytest.raises(UserError, match=rf"--env_name {typed}: .*did you mean {meant}"):
            asked(typed)


def test_an_id_like_no_other_gets_one_line_too() -> None:
    with pytest.raises(UserError, match="no such environment; see https"):
        envs.make_env("zzzzzzzz")


def test_a_discrete_state_becomes_one_hot() -> None:
    env = envs.make_env("FrozenLake-v1")
    obs, _ = env.reset(seed=0)
    assert obs.tolist() == [1] + [0] * 15


# ---------------------------------------------------------------- seeds


def starts(env: gym.Env[Any, Any], seed: int, steps: int) -> list[list[float]]:
    """Returns how three episodes begin, each left after `steps` steps."""
    found = []
    for episode in range(3):
        obs, _ = env.reset(seed=seed if episode == 0 else None)
        found.append(obs.tolist())
        for _ in range(steps):
            env.step(0)
    return found


def test_seeded_resets_do_not_depend_on_what_was_played() -> None:
    first = starts(envs.make_env("CartPole-v0"), seed=1, steps=0)
    used = envs.make_env("CartPole-v0")
    assert starts(used, seed=1, steps=5) == first
    assert starts(used, seed=1, steps=2) == first  # a seed begins again, on a used one too


def test_seeded_resets_differ_by_episode_and_by_seed() -> None:
    env = envs.make_env("CartPole-v0")
    found = [tuple(obs) for seed in (1, 2) for obs in starts(env, seed, steps=0)]
    assert len(set(found)) == 6


# ---------------------------------------------------------------- exact continuation


@pytest.mark.parametrize("within", [False, True])
@pytest.mark.parametrize(
    "name", ["CartPole-v0", "LunarLander-v3", "CourseLander-v0", "InvertedPendulum-v5"]
)
def test_an_episode_goes_on_exactly(name: str, within: bool, tmp_path: Path) -> None:
    env = envs.make_env(name, ep_len=60)
    env.reset(seed=3)
    env.action_space.seed(0)
    while len(scores(env)[0]) < 3:  # simulators must not remember these
        play(env, [env.action_space.sample()])
    if within:
        play(env, [env.action_space.sample() for _ in range(2)])
    restored = envs.make_env(name, ep_len=60)
    env_state.within(restored, env_state.ResumableEnv).load_state_dict(through_disk(env, tmp_path))
    actions = [env.action_space.sample() for _ in range(200)]
    assert actions[0] == restored.action_space.sample()
    assert play(env, actions) == play(restored, actions)
    assert scores(env) == scores(restored)
    assert len(scores(env)[0]) > 5
