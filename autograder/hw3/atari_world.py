"""Scripted environments: a game in place of Atari's, and a vector task; and how they are played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from torch import nn

from autograder.probing import Student

GAME, VECTOR = "ScriptedGame-v0", "ScriptedVector-v0"
BRIGHTNESS, LIVES, LIFE_FRAMES = 200, 3, 26
MOST_STEPS, GAMES = 120, 2
LIMIT, VECTOR_END = 5, 11  # agent steps; the vector task terminates by itself after VECTOR_END
NOOP, FIRE, ACT = 0, 1, 2
Seen = dict[str, Any]


def reward_of(frame: int) -> float:
    """Returns the reward of a frame in which the player acted: sums of four differ, some > 1."""
    return (0.15, 0.4, -0.25, 1.3, 0.05, -0.6, 0.45)[frame % 7]


class Screen:
    """What the game's emulator offers; `lives` as the game has them."""

    def __init__(self, game: ScriptedGame) -> None:
        """Shows `game`."""
        self.game = game

    def lives(self) -> int:
        """Returns the lives left."""
        return self.game.lives

    def getScreenGrayscale(self, out: np.ndarray) -> None:  # noqa: N802  (ALE's name)
        """Writes the screen, all of one brightness."""
        out.fill(BRIGHTNESS)

    getScreenRGB = getScreenGrayscale  # noqa: N815


class ScriptedGame(gym.Env[np.ndarray, np.int64]):
    """A game that loses a life every so many frames. Only acting is rewarded."""

    newest: ScriptedGame
    _frameskip = 1
    observation_space = gym.spaces.Box(0, 255, (210, 160), np.uint8)
    action_space = gym.spaces.Discrete(4)

    def __init__(self, **_: Any) -> None:
        """Keeps what happened in the present call of the agent's, until somebody takes it."""
        ScriptedGame.newest = self
        self.ale = Screen(self)
        self.lives = self.frames = self.resets = 0
        self.actions: list[int] = []
        self.rewards: list[float] = []
        self.over = True

    def get_action_meanings(self) -> list[str]:
        """Names the actions as ALE does."""
        return ["NOOP", "FIRE", "UP", "LEFT"]

    def _screen(self) -> np.ndarray:
        return np.full((210, 160), BRIGHTNESS, np.uint8)

    def reset(self, **kwargs: Any) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins a game."""
        super().reset(seed=kwargs.get("seed"))
        self.resets += 1
        self.lives, self.frames, self.over = LIVES, 0, False
        return self._screen(), {"lives": self.lives}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Plays a frame."""
        self.frames += action >= ACT  # random starts shift nothing
        reward = reward_of(self.frames) if action >= ACT else 0.0
        self.actions.append(int(action))
        self.rewards.append(reward)
        if action >= ACT and self.frames % LIFE_FRAMES == 0:
            self.lives = max(0, self.lives - 1)
        self.over = self.lives == 0
        return self._screen(), reward, self.over, False, {"lives": self.lives}

    def take(self) -> tuple[list[int], list[float], int]:
        """Returns the actions, the rewards and the number of resets since it was last asked."""
        taken = self.actions, self.rewards, self.resets
        self.actions, self.rewards, self.resets = [], [], 0
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
        self.seeds: list[float] = []

    def reset(self, **kwargs: Any) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode."""
        seed = kwargs.get("seed")
        self.seeds.append(-1.0 if seed is None else float(seed))
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


def play_games(make: Callable[..., Any], seen: Seen, seed: int, **how: Any) -> None:
    """Plays whole games; notes what the agent was told and what really happened, step by step.

    "steps" has a row a step: told reward, raw rewards' sum, largest, first, last, number and sum
    of clipped ones, and numbers of frames. "flags": terminated, truncated, game over, lives lost,
    whether FIRE was pressed, resets. "resets" has a row for each `reset`: resets of the game, FIRE
    pressed, whether the game was over before.
    """
    env = make(GAME, **how)
    game = ScriptedGame.newest
    obs, _ = env.reset(seed=seed)
    actions, _, game_resets = game.take()
    steps: list[list[float]] = []
    flags, resets = [], [(game_resets, FIRE in actions, True)]
    games = 0
    while games < GAMES and len(steps) < MOST_STEPS:
        lives = game.lives
        obs, reward, terminated, truncated, _ = env.step(ACT)
        actions, raw, game_resets = game.take()
        lost, fired = lives - game.lives, FIRE in actions
        steps.append([float(reward), *summary(raw)])
        flags.append((terminated, truncated, game.over, lost, fired, game_resets))
        games += game.over
        if terminated or truncated or game.over:
            over = game.over
            obs, _ = env.reset()
            actions, _, game_resets = game.take()
            resets.append((game_resets, FIRE in actions, over))
    seen["steps"], seen["flags"], seen["resets"] = steps, flags, resets
    seen["obs"] = obs
    note_returns(env, seen)


def summary(raw: list[float]) -> list[float]:
    """Describes the rewards of the frames of one step."""
    array = np.array(raw or [np.nan])
    clipped = np.clip(array, -1, 1).sum()
    acted = [a for a in array.tolist() if a != 0] or [np.nan]
    return [array.sum(), array.max(), acted[0], acted[-1], array.mean(), clipped, len(raw)]


def note_returns(env: Any, seen: Seen) -> None:
    """Notes the returns of whole episodes as they are reported, wherever the monitor stands."""
    while not hasattr(env, "return_queue"):
        if not isinstance(env, gym.Wrapper):
            return
        env = env.env
    seen["returns"] = [float(np.asarray(r).reshape(-1)[0]) for r in env.return_queue]


def play_to_limit(make: Callable[..., Any], seen: Seen, task: str, **how: Any) -> None:
    """Plays one episode towards a limit of steps; notes the flags of each, and the next start."""
    env = make(task, ep_len=LIMIT, **how)
    env.reset(seed=1)
    flags = []
    for _ in range(VECTOR_END):
        _, _, terminated, truncated, _ = env.step(ACT if task == GAME else 0)
        flags.append((terminated, truncated))
        if terminated or truncated:
            break
    seen["flags"] = flags
    note_returns(env, seen)
    if task == VECTOR:
        env.reset()
        env.reset()
        seen["seeds"] = ScriptedVector.newest.seeds


def remember(wrapper: Any, seen: Seen, limit: int) -> None:
    """Notes which frame a `RememberCut` holds after each step, and whether it stays as it is."""
    env = wrapper(gym.wrappers.TimeLimit(ScriptedVector(), limit))
    env.reset()
    held, kept = [], []
    for _ in range(limit):
        _, _, terminated, truncated, _ = env.step(0)
        held.append(-1.0 if env.cut_frame is None else float(env.cut_frame[0]))
        if terminated or truncated:
            break
    last = env.cut_frame
    env.reset()
    kept.append(-1.0 if last is None else float(last[0]))
    seen["held"], seen["kept"] = held, kept


def mean_of_inputs(network: nn.Module) -> None:
    """Makes each unit of a network the mean of its inputs, so that its output is their mean."""
    with torch.no_grad():
        for parameter in network.parameters():
            is_weight = parameter.ndim > 1
            parameter.fill_(1 / parameter[0].numel() if is_weight else 0.0)


def pixel_value(student: Student, frame: np.ndarray) -> float:
    """Returns what the student's Nature network makes of a uniform frame before it computes."""
    ptu = student.module("infrastructure.pytorch_util")
    network = ptu.NatureCNN(4, 3)
    mean_of_inputs(network)
    tensor = torch.as_tensor(np.stack([frame] * 4)[None])
    if hasattr(ptu, "observations_from_numpy"):
        tensor = ptu.observations_from_numpy(np.stack([frame] * 4)[None])
    with torch.no_grad():
        return float(network(tensor)[0, 0])
