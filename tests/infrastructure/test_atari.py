"""Atari games: their preprocessing at work on real games, and exact continuation."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import RecordEpisodeStatistics

from cs285.infrastructure.environments import atari, env_state
from tests.continuing import play, scores, through_disk

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
    env = atari.make_env("MsPacman-v0", discount=0.99)
    raw = RawGame(env)
    env.reset(seed=3)
    raw.actions.clear()
    steps, rng = [], np.random.default_rng(0)
    while env_state.within(env, RecordEpisodeStatistics).episode_count == 0 and len(steps) < 2000:
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
    message = played.raw.actions[: 4 * first]
    assert message == np.repeat(played.action[:first], 4).tolist()


def test_each_life_is_an_episode_and_three_make_a_game(played: SimpleNamespace) -> None:
    ends = np.flatnonzero(played.terminated)
    assert played.lives[ends].tolist() == [2, 1, 0]
    assert not played.truncated.any()
    assert played.lives[np.setdiff1d(np.arange(ends[-1]), ends)].min() == 1
    assert played.raw.resets == 1  # the game itself was reset only to begin


def test_rewards_are_clipped_and_scores_are_not(played: SimpleNamespace) -> None:
    assert set(played.reward) == {0.0, 1.0}
    assert max(played.raw.rewards) >= 10  # a dot
    statistics = env_state.within(played.env, RecordEpisodeStatistics)
    assert list(statistics.return_queue) == [sum(played.raw.rewards)]
    # The whole game, with the one step that begins each further life.
    assert list(statistics.length_queue) == [len(played.reward) + 2]


def test_evaluation_plays_whole_games_for_the_games_own_rewards() -> None:
    env = atari.make_env("MsPacman-v0", discount=0.99, training=False)
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
    env = atari.make_env("PongNoFrameskip-v4", discount=0.99)
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
    env = atari.make_env("BreakoutNoFrameskip-v4", discount=0.99, training=training)
    env.reset(seed=0)
    lives = []
    for _ in range(100):
        _, _, terminated, _, info = env.step(NOOP)
        lives.append(info["lives"])
        if terminated:
            env.reset()
    assert lives[0] == 5
    assert min(lives) <= 3


def test_render_gives_pictures() -> None:
    env = atari.make_env("MsPacman-v0", render="rgb_array")
    env.reset(seed=0)
    picture: Any = env.render()
    assert (picture.shape, picture.dtype) == ((210, 160, 3), np.uint8)


def test_games_follow_their_seed() -> None:
    env = atari.make_env("MsPacman-v0")
    runs = []
    for seed in (1, 1, 2):
        env.reset(seed=seed)
        runs.append([env.step(3)[0].sum() for _ in range(20)])
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize(
    ("name", "ep_len"), [("MsPacman-v0", None), ("BreakoutNoFrameskip-v4", 70)]
)
def test_a_game_goes_on_exactly_from_its_middle(
    name: str, ep_len: int | None, tmp_path: Path
) -> None:
    """Saved twice, the second time within a later life; the last part ends the game and begins
    another, so that its number of no-ops must be the same too."""
    env = atari.make_env(name, ep_len=ep_len, discount=0.99)
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    for part, steps in enumerate((200, 100, 250)):
        if part > 0:
            restored = atari.make_env(name, ep_len=ep_len, discount=0.99)
            state = through_disk(env, tmp_path / str(part))
            env_state.within(restored, env_state.ResumableEnv).load_state_dict(state)
        actions = rng.integers(env.action_space.n, size=steps).tolist()  # type: ignore[attr-defined]
        record = play(env, actions)
        if part > 0:
            assert record == play(restored, actions)
            assert scores(env) == scores(restored)
    assert len(scores(env)[0]) >= 1
