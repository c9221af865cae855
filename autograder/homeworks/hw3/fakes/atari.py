"""Scripted environments: a game in place of Atari's, and a vector task; how games are played."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np

GAME, VECTOR = "ScriptedGame-v0", "ScriptedVector-v0"
BRIGHTNESS, LIVES, LIFE_FRAMES = 200, 3, 26
MOST_STEPS, GAMES = 120, 2
VECTOR_END = 11  # the vector task terminates by itself after so many steps
FIRE, ACT = 1, 2
REWARDS = (0.15, 0.4, -0.25, 1.3, 0.05, -0.6, 0.45)  # of frames: sums of four differ, some > 1
Columns = Mapping[str, np.ndarray]


class ScriptedGame(gym.Env[np.ndarray, np.int64]):
    """A game that loses a life every so many frames. Only acting is rewarded."""

    newest: ScriptedGame
    _frameskip = 1
    observation_space = gym.spaces.Box(0, 255, (210, 160), np.uint8)
    action_space = gym.spaces.Discrete(4)

    def __init__(self, **_: Any) -> None:
        """Keeps what happened in the present call of the agent's, until somebody takes it."""
        ScriptedGame.newest = self
        self.lives = self.frames = 0
        self.over = True
        self.take()

        def show(out: np.ndarray) -> None:
            out.fill(BRIGHTNESS)

        self.ale = SimpleNamespace(
            lives=lambda: self.lives, getScreenGrayscale=show, getScreenRGB=show
        )

    def get_action_meanings(self) -> list[str]:
        """Names the actions as ALE does."""
        return ["NOOP", "FIRE", "UP", "LEFT"]

    def _recorded(self) -> np.ndarray:
        return np.full((210, 160), BRIGHTNESS, np.uint8)

    def reset(self, **kwargs: Any) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins a game."""
        super().reset(seed=kwargs.get("seed"))
        self.resets += 1
        self.lives, self.frames, self.over = LIVES, 0, False
        return self._recorded(), {"lives": self.lives}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Plays a frame."""
        self.frames += action >= ACT  # random starts shift nothing
        self.fired |= action == FIRE
        self.rewards.append(REWARDS[self.frames % len(REWARDS)] if action >= ACT else 0.0)
        if action >= ACT and self.frames % LIFE_FRAMES == 0:
            self.lives = max(0, self.lives - 1)
        self.over = self.lives == 0
        return self._recorded(), self.rewards[-1], self.over, False, {"lives": self.lives}

    def take(self) -> dict[str, Any]:
        """Returns the rewards, the resets and whether FIRE was pressed, since last time."""
        names = ("rewards", "resets", "fired")
        taken = {name: getattr(self, name, None) for name in names}
        self.rewards, self.resets, self.fired = list[float](), 0, False
        return taken


class ScriptedVector(gym.Env[np.ndarray, np.int64]):
    """A task with three numbers to see, kept in one array that it writes over."""

    newest: ScriptedVector
    observation_space = gym.spaces.Box(-np.inf, np.inf, (3,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, **_: Any) -> None:
        """Begins before the first reset."""
        ScriptedVector.newest = self
        self.state = np.zeros(3, np.float32)
        self.seeds: list[Any] = []

    def reset(self, **kwargs: Any) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode."""
        self.seeds.append(kwargs.get("seed"))
        self.state[:] = (0, 0.5, 1)
        return self.state, {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Counts the step."""
        self.state += 1
        return self.state, 1.5, bool(self.state[0] >= VECTOR_END), False, {}


def register() -> None:
    """Makes the scripted environments known to Gymnasium."""
    for name, kind in ((GAME, ScriptedGame), (VECTOR, ScriptedVector)):
        if name not in gym.registry:
            gym.register(name, kind)


def play_games(env: Any, seed: int) -> tuple[Columns, Columns, tuple[int, ...]]:
    """Plays whole games; notes what the agent was shown, and what really happened.

    Returns:
        A row for each step; a row for each of the agent's resets; and the shape of a frame.
    """
    game, obs = ScriptedGame.newest, env.reset(seed=seed)[0]
    steps: list[dict[str, Any]] = []
    resets = [{"over": True, **game.take()}]
    while sum(step["over"] for step in steps) < GAMES and len(steps) < MOST_STEPS:
        lives = game.lives
        obs, reward, terminated, truncated, _ = env.step(ACT)
        row = {"shown": float(reward), "terminated": bool(terminated), "over": game.over}
        steps.append({**row, "lost": lives > game.lives, **game.take()})
        if terminated or truncated or row["over"]:
            obs, _ = env.reset()
            resets.append({"over": row["over"], **game.take()})
    return columns(steps), columns(resets), np.shape(obs)


def columns(rows: list[dict[str, Any]]) -> Columns:
    """Returns the columns of a table; among them sums and single ones of the frames' rewards."""
    for row in rows:
        raw = np.array(row.pop("rewards"))
        acted = raw[raw != 0] if raw.any() else np.array([np.nan])
        row |= {"sum": raw.sum(), "clipped": np.clip(raw, -1, 1).sum(), "frames": len(raw)}
        row |= {"max": max(raw, default=np.nan), "first": acted[0], "last": acted[-1]}
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def returns_of(env: Any) -> np.ndarray | None:
    """Returns the returns of whole episodes as they are reported, wherever the monitor stands."""
    while not hasattr(env, "return_queue"):
        if not isinstance(env, gym.Wrapper):
            return None
        env = env.env
    return np.array([float(np.asarray(r).reshape(-1)[0]) for r in env.return_queue])
