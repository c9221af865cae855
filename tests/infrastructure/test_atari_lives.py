"""Lives as episodes, and FIRE to begin: on a fake game whose lives are scripted."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import FrameStackObservation

from cs285.experiments import dqn
from cs285.infrastructure.environments.atari import EpisodicLife, FireReset, StackWithinLife
from cs285.infrastructure.replay.replay_buffer import MemoryOptimizedReplayBuffer

NOOP, FIRE, LEFT = 0, 1, 3


class FakeGame(gym.Env[np.ndarray, int]):
    """Shows (game, frame). `lives[i]` are left at frame i, and a game is over at the last one."""

    observation_space = gym.spaces.Box(0, np.inf, (2,))
    action_space = gym.spaces.Discrete(4)

    def __init__(self, lives: list[int], end: str = "terminated") -> None:
        self.lives = lives
        self.end = end
        self.game = -1
        self.at = len(lives) - 1
        self.tape: list[Any] = []

    def reset(self, *, seed: int | None = None, **_: Any) -> tuple[np.ndarray, dict[str, Any]]:
        self.tape.append("reset" if seed is None else f"reset {seed}")
        self.game, self.at = self.game + 1, 0
        return self.observation(), {"lives": self.lives[0]}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        assert self.at < len(self.lives) - 1, "stepped a game that is over"
        self.tape.append(action)
        self.at += 1
        over = self.at == len(self.lives) - 1
        ends = over and self.end == "terminated", over and self.end == "truncated"
        return self.observation(), 10.0 * self.at, *ends, {"lives": self.lives[self.at]}

    def observation(self) -> np.ndarray:
        return np.array([self.game, self.at])


def begun(wrapper: Any, lives: list[int], end: str = "terminated") -> tuple[Any, list[Any]]:
    """Returns a wrapped game after its first reset, and the game's emptied tape."""
    game = FakeGame(lives, end)
    env = wrapper(game)
    env.reset()
    game.tape.clear()
    return env, game.tape


@pytest.mark.parametrize(
    ("lives", "terminated"),
    [
        ([3, 3, 2, 2, 1, 0], [0, 1, 0, 1, 1]),
        ([2, 2, 1, 0, 0, 0], [0, 1, 0, 0, 1]),  # shows 0 lives for a while: one end, the game's
        ([2, 3, 3, 2, 1], [0, 0, 1, 1]),  # an extra life ends nothing
        ([0, 0, 0, 0], [0, 0, 1]),  # a game without lives
    ],
)
def test_a_lost_life_ends_the_episode(lives: list[int], terminated: list[int]) -> None:
    env, _ = begun(EpisodicLife, lives)
    steps = [env.step(LEFT) for _ in terminated]
    assert [int(step[2]) for step in steps] == terminated
    assert not any(step[3] for step in steps)
    assert [step[1] for step in steps] == [10.0 * (i + 1) for i in range(len(steps))]


def test_reset_after_a_lost_life_goes_on_with_the_same_game() -> None:
    env, tape = begun(EpisodicLife, [3, 2, 2, 1, 1])
    env.step(LEFT)
    obs, info = env.reset()
    assert tape == [LEFT, NOOP]
    assert (obs.tolist(), info["lives"]) == ([0, 2], 2)
    assert env.step(LEFT)[2]  # the next life counts from there


@pytest.mark.parametrize("end", ["terminated", "truncated"])
def test_reset_after_the_game_starts_a_new_one(end: str) -> None:
    env, tape = begun(EpisodicLife, [3, 3, 3], end)
    env.step(LEFT)
    assert env.step(LEFT)[2:4] == (end == "terminated", end == "truncated")
    obs, _ = env.reset()
    assert tape == [LEFT, LEFT, "reset"]
    assert obs.tolist() == [1, 0]


def test_a_seed_always_starts_a_new_game() -> None:
    env, tape = begun(EpisodicLife, [3, 2, 2])
    env.step(LEFT)
    env.reset(seed=7)
    assert tape == [LEFT, "reset 7"]


@pytest.mark.parametrize("end", ["terminated", "truncated"])
def test_a_game_that_ends_while_the_next_life_begins_is_begun_anew(end: str) -> None:
    env, tape = begun(EpisodicLife, [2, 1, 0], end)
    env.step(LEFT)
    obs, info = env.reset()
    assert tape == [LEFT, NOOP, "reset"]
    assert (obs.tolist(), info["lives"]) == ([1, 0], 2)


def test_fire_is_pressed_after_a_reset() -> None:
    game = FakeGame([3, 3, 3])
    obs, info = FireReset(game).reset(seed=7)
    assert game.tape == ["reset 7", FIRE]
    assert (obs.tolist(), info["lives"]) == ([0, 1], 3)


def test_fire_is_pressed_for_each_new_life() -> None:
    # Frames:                      0  1  2  3  4  5  6  7
    env, tape = begun(FireReset, [3, 3, 2, 2, 2, 1, 1, 1])
    obs, reward, terminated, _, info = env.step(LEFT)
    assert tape == [LEFT, FIRE]
    assert (obs.tolist(), info["lives"], terminated) == ([0, 3], 2, False)
    assert reward == 20.0 + 30.0  # what was paid at frames 2 and 3
    env.step(LEFT)
    env.step(LEFT)
    assert tape == [LEFT, FIRE, LEFT, LEFT, FIRE]


@pytest.mark.parametrize("lives", [[3, 3, 2], [3, 3, 3], [3, 3, 4, 4]])
def test_fire_is_pressed_for_no_other_reason(lives: list[int]) -> None:
    """Neither when the game is over, nor for an extra life."""
    env, tape = begun(FireReset, lives)
    env.step(LEFT)
    assert tape == [LEFT]


def test_both_wrappers_together() -> None:
    """As make_env stacks them: the agent's next life begins with FIRE already pressed."""
    env, tape = begun(lambda game: EpisodicLife(FireReset(game)), [3, 3, 2, 2, 2, 2, 1, 1])
    assert env.step(LEFT)[2]
    env.reset()
    assert tape == [LEFT, FIRE, NOOP]
    assert [env.step(LEFT)[2] for _ in range(2)] == [False, True]
    assert tape == [LEFT, FIRE, NOOP, LEFT, LEFT, FIRE]


def seen_in_learning(lives: list[int], steps: int) -> list[list[float]]:
    """Returns the frames, numbered within a game, that DQN's actor is shown at each step."""
    env, buffer = EpisodicLife(FakeGame(lives)), MemoryOptimizedReplayBuffer(99, 3, (2,), float, 0)
    frame, shown = env.reset()[0], []
    for _ in range(steps):
        index = buffer.store_frame(frame)
        shown.append(buffer.encode_recent_observation()[:, 1].tolist())
        frame, reward, terminated, _, _ = env.step(LEFT)
        buffer.store_effect(index, LEFT, reward, terminated)
        frame = env.reset()[0] if terminated else frame
    return shown


def seen_in_evaluation(lives: list[int], steps: int) -> list[list[float]]:
    env = StackWithinLife(FrameStackObservation(FakeGame(lives), 3, padding_type="zero"))
    shown = [env.reset()[0][:, 1].tolist()]
    return shown + [env.step(LEFT)[0][:, 1].tolist() for _ in range(steps - 1)]


def test_a_new_life_begins_with_one_frame_in_learning_and_in_evaluation() -> None:
    # Frames:  0  1  2  3  4  5  6  7  8  9
    lives = [3, 3, 3, 3, 2, 2, 2, 3, 3, 3]  # one is lost at frame 4, and one more comes at 7
    assert seen_in_learning(lives, 7) == [
        *([0, 0, 0], [0, 0, 1], [0, 1, 2], [1, 2, 3]),
        *([0, 0, 5], [0, 5, 6], [5, 6, 7]),  # frame 4 ended the episode, and a step went by
    ]
    assert seen_in_evaluation(lives, 8) == [
        *([0, 0, 0], [0, 0, 1], [0, 1, 2], [1, 2, 3]),
        *([0, 0, 4], [0, 4, 5], [4, 5, 6], [5, 6, 7]),
    ]


def test_evaluated_games_show_one_life_at_a_time() -> None:
    config = dqn.EXPERIMENT.resolve(dqn.DQNConfig(env_name="BreakoutNoFrameskip-v4"))
    env = dqn.EXPERIMENT.make_env(config, training=False)
    stack, info = env.reset(seed=0)
    rng, lost = np.random.default_rng(0), 0
    while lost < 2:
        before, lives = stack, info["lives"]
        stack, _, terminated, truncated, info = env.step(rng.integers(4))
        assert not (terminated or truncated)
        if info["lives"] < lives:
            lost += 1
            assert not stack[:3].any() and stack[3].any()
        else:
            np.testing.assert_array_equal(stack[:3], before[1:])
