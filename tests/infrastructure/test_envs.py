"""Environments by name, their wrappers at work on real games, and exact continuation."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from cs285.infrastructure import envs
from cs285.infrastructure.checkpoint import read_state, write_state
from cs285.infrastructure.config import UserError

NOOP, FIRE = 0, 1


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its log into the working directory."""
    monkeypatch.chdir(tmp_path)


# ---------------------------------------------------------------- Atari


class RawGame:
    """Listens between a game and its wrappers: what the game was told, and what it paid."""

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        self.actions: list[int] = []
        self.rewards: list[float] = []
        self.resets = 0
        self.game: Any = env.unwrapped
        self._step, self._reset = self.game.step, self.game.reset
        self.game.step, self.game.reset = self.step, self.reset

    def step(self, action: int) -> Any:
        result = self._step(action)
        self.actions.append(int(action))
        self.rewards.append(float(result[1]))
        return result

    def reset(self, **settings: Any) -> Any:
        self.resets += 1
        return self._reset(**settings)

    @property
    def frame(self) -> int:
        return self.game.ale.getFrameNumber()


@pytest.fixture(scope="module")
def played() -> SimpleNamespace:
    """One game of Ms. Pac-Man as the agent trains on it, played at random until it is over."""
    env = envs.make_env("MsPacman-v0", discount=0.99)
    raw = RawGame(env)
    env.reset(seed=3)
    raw.actions.clear()
    steps, rng = [], np.random.default_rng(0)
    while envs.episode_statistics(env).episode_count == 0 and len(steps) < 2000:
        frame, action = raw.frame, int(rng.integers(9))
        obs, reward, terminated, truncated, info = env.step(action)
        steps.append((action, reward, terminated, truncated, info["lives"], raw.frame - frame))
        if terminated and info["lives"]:
            env.reset()
    names = ("action", "reward", "terminated", "truncated", "lives", "frames")
    columns = dict(zip(names, map(np.array, zip(*steps, strict=True)), strict=True))
    return SimpleNamespace(env=env, raw=raw, obs=obs, **columns)


def test_observations_are_grey_bytes(played: SimpleNamespace) -> None:
    assert played.env.observation_space.shape == (84, 84)
    assert played.env.observation_space.dtype == np.uint8
    assert (played.obs.shape, played.obs.dtype) == ((84, 84), np.uint8)
    assert played.obs.max() > 100  # not scaled: the network does that


def test_a_step_is_four_frames_of_one_action(played: SimpleNamespace) -> None:
    assert (played.frames[:-1] == 4).all()  # the game may end within its last step
    first = int(np.flatnonzero(played.terminated)[0])  # later, resets act in between
    told = played.raw.actions[: 4 * first]
    assert told == np.repeat(played.action[:first], 4).tolist()


def test_each_life_is_an_episode_and_three_make_a_game(played: SimpleNamespace) -> None:
    ends = np.flatnonzero(played.terminated)
    assert played.lives[ends].tolist() == [2, 1, 0]
    assert not played.truncated.any()
    assert played.lives[np.setdiff1d(np.arange(ends[-1]), ends)].min() == 1
    assert played.raw.resets == 1  # the game itself was reset only to begin


def test_rewards_are_clipped_and_scores_are_not(played: SimpleNamespace) -> None:
    assert set(played.reward) == {0.0, 1.0}
    assert max(played.raw.rewards) >= 10  # a dot
    statistics = envs.episode_statistics(played.env)
    assert list(statistics.return_queue) == [sum(played.raw.rewards)]
    # The whole game, with the one step that begins each further life.
    assert list(statistics.length_queue) == [len(played.reward) + 2]


def test_evaluation_plays_whole_games_for_the_games_own_rewards() -> None:
    env = envs.make_env("MsPacman-v0", discount=0.99, training=False)
    raw = RawGame(env)
    env.reset(seed=3)
    raw.rewards.clear()
    rewards, lives, rng = [], 3, np.random.default_rng(0)
    while lives == 3 and len(rewards) < 2000:
        _, reward, terminated, truncated, info = env.step(int(rng.integers(9)))
        rewards.append(reward)
        lives = info["lives"]
    assert not terminated
    assert not truncated
    assert sum(rewards) == sum(raw.rewards)
    assert max(rewards) >= 10


def test_fire_begins_a_game_of_pong() -> None:
    env = envs.make_env("PongNoFrameskip-v4", discount=0.99)
    raw = RawGame(env)
    for seed in (0, 1):
        raw.actions.clear()
        env.reset(seed=seed)
        noops = raw.actions[:-4]
        assert 1 <= len(noops) <= 30
        assert raw.actions == [NOOP] * len(noops) + [FIRE] * 4


@pytest.mark.parametrize("training", [True, False])
def test_fire_begins_each_life_of_breakout(training: bool) -> None:
    """Without it the ball never comes, and no second life could be lost by doing nothing."""
    env = envs.make_env("BreakoutNoFrameskip-v4", discount=0.99, training=training)
    env.reset(seed=0)
    lives = []
    for _ in range(100):
        _, _, terminated, _, info = env.step(NOOP)
        lives.append(info["lives"])
        if terminated:
            env.reset()
    assert lives[0] == 5
    assert min(lives) <= 3


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
    assert list(envs.episode_statistics(env).length_queue) == [limit]


@pytest.mark.parametrize("time_limit", ["auto", "terminal", "bootstrap"])
def test_a_true_end_is_terminal_under_every_rule(time_limit: str) -> None:
    env = envs.make_env("CartPole-v0", discount=0.99, time_limit=time_limit)
    env.reset(seed=0)
    ends = [(False, False)]
    while not any(ends[-1]) and len(ends) < 100:
        ends.append(env.step(1)[2:4])  # pushed one way only, the pole falls
    assert ends[-1] == (True, False)


# ---------------------------------------------------------------- names


@pytest.mark.parametrize("name", ["InvertedPendulum", "HalfCheetah"])
def test_old_ids_stand_for_their_successors(name: str) -> None:
    env = envs.make_env(f"{name}-v2")
    assert env.spec is not None
    assert env.spec.id == f"{name}-v5"


@pytest.mark.parametrize(
    ("typed", "meant"), [("CartPol-v0", "CartPole-v0"), ("LunarLander-v2", "LunarLander-v3")]
)
def test_an_unknown_id_suggests_the_nearest(typed: str, meant: str) -> None:
    for asked in (envs.make_env, envs.dqn_preset):
        with pytest.raises(UserError, match=rf"--env_name {typed}: .*did you mean {meant}"):
            asked(typed)


def test_an_id_like_no_other_gets_one_line_too() -> None:
    with pytest.raises(UserError, match="no such environment; see https"):
        envs.make_env("zzzzzzzz")


def test_presets_follow_the_kind_of_environment() -> None:
    for name in ("MsPacman-v0", "PongNoFrameskip-v4"):
        assert envs.dqn_preset(name) is envs.ATARI
    for name in ("LunarLander-v3", "CartPole-v0"):
        assert envs.dqn_preset(name) is envs.LANDER


def test_a_discrete_state_becomes_one_hot() -> None:
    env = envs.make_env("FrozenLake-v1")
    obs, _ = env.reset(seed=0)
    assert obs.tolist() == [1] + [0] * 15


def test_render_gives_pictures() -> None:
    env = envs.make_env("MsPacman-v0", render="rgb_array")
    env.reset(seed=0)
    picture: Any = env.render()
    assert (picture.shape, picture.dtype) == ((210, 160, 3), np.uint8)


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


def test_games_follow_their_seed() -> None:
    env = envs.make_env("MsPacman-v0")
    runs = []
    for seed in (1, 1, 2):
        env.reset(seed=seed)
        runs.append([env.step(3)[0].sum() for _ in range(20)])
    assert runs[0] == runs[1] != runs[2]


# ---------------------------------------------------------------- exact continuation


def play(env: gym.Env[Any, Any], actions: list[Any]) -> list[Any]:
    """Plays, with a reset after each episode; returns all that was seen."""
    seen: list[Any] = []
    for action in actions:
        obs, *rest, _ = env.step(action)
        seen.append((obs.tobytes(), *rest))
        if rest[1] or rest[2]:
            seen.append(env.reset()[0].tobytes())
    return seen


def through_disk(env: gym.Env[Any, Any], directory: Path) -> dict[str, Any]:
    """Returns the environment's state as a checkpoint gives it back."""
    directory.mkdir(exist_ok=True)
    write_state(directory, envs.env_state(env))
    return read_state(directory)


def scores(env: gym.Env[Any, Any]) -> tuple[list[float], list[int]]:
    statistics = envs.episode_statistics(env)
    return list(statistics.return_queue), list(statistics.length_queue)


@pytest.mark.parametrize(
    ("name", "ep_len"), [("MsPacman-v0", None), ("BreakoutNoFrameskip-v4", 70)]
)
def test_a_game_goes_on_exactly_from_its_middle(
    name: str, ep_len: int | None, tmp_path: Path
) -> None:
    """Saved twice, the second time within a later life; the last part ends the game and begins
    another, so that its number of no-ops must be the same too."""
    env = envs.make_env(name, ep_len=ep_len, discount=0.99)
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    for part, steps in enumerate((200, 100, 250)):
        if part > 0:
            restored = envs.make_env(name, ep_len=ep_len, discount=0.99)
            envs.restore_env(restored, through_disk(env, tmp_path / str(part)))
        actions = rng.integers(env.action_space.n, size=steps).tolist()  # type: ignore[attr-defined]
        seen = play(env, actions)
        if part > 0:
            assert seen == play(restored, actions)
            assert scores(env) == scores(restored)
    assert len(scores(env)[0]) >= 1


@pytest.mark.parametrize("name", ["CartPole-v0", "LunarLander-v3", "InvertedPendulum-v5"])
def test_others_go_on_exactly_from_an_episodes_start(name: str, tmp_path: Path) -> None:
    env = envs.make_env(name, ep_len=60)
    env.reset(seed=3)
    env.action_space.seed(0)
    while len(scores(env)[0]) < 3:  # simulators must not remember these
        play(env, [env.action_space.sample()])
    restored = envs.make_env(name, ep_len=60)
    envs.restore_env(restored, through_disk(env, tmp_path))
    actions = [env.action_space.sample() for _ in range(200)]
    assert actions[0] == restored.action_space.sample()
    assert play(env, actions) == play(restored, actions)
    assert scores(env) == scores(restored)
    assert len(scores(env)[0]) > 5


@pytest.mark.parametrize(
    ("name", "at_start", "within"), [("MsPacman-v0", True, True), ("CartPole-v0", True, False)]
)
def test_when_an_environment_can_be_saved(name: str, at_start: bool, within: bool) -> None:
    env = envs.make_env(name)
    assert envs.can_save(env, at_episode_start=True) is at_start
    assert envs.can_save(env, at_episode_start=False) is within
