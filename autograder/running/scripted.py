"""What plays around an agent where nothing is random: worlds, actions and draws from a script.

A world shows and pays the same whatever is done in it. So two agents that act differently still see
the same, and the first number that differs is near the mistake.
"""

from __future__ import annotations

import functools
import inspect
import random
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from gymnasium.wrappers import RecordEpisodeStatistics

from autograder.running.probing import plain_array

Ends = tuple[tuple[int, bool], ...]
"""The length of each episode, over and over, and whether it was terminated."""
VECTORS = gym.spaces.Box(-10.0, 10.0, (4,), np.float32)
FRAMES = gym.spaces.Box(0, 255, (84, 84), np.uint8)
ASKED = 60  # calls in which the actor answers too: it may keep something for later ones
CHOICE, COMPONENTS = gym.spaces.Discrete(3), gym.spaces.Box(-1.0, 1.0, (2,), np.float32)


def require_action(space: gym.Space[Any], action: Any) -> None:
    """Is as strict about an action as CartPole and MuJoCo's tasks are.

    Raises:
        ValueError: If there is no such action.
    """
    if isinstance(space, gym.spaces.Discrete):
        if not space.contains(action):
            raise ValueError(f"{action!r} ({type(action)}) invalid")
    elif np.shape(action) != space.shape:
        shapes = f"Expected {space.shape}, found {np.shape(action)}"
        raise ValueError(f"Action dimension mismatch. {shapes}")


class ScriptedEnv(gym.Env[np.ndarray, Any]):
    """Shows a fixed story, and is as strict about actions as real environments are."""

    def __init__(
        self,
        observations: gym.Space[Any],
        actions: gym.Space[Any],
        ends: Ends,
        pay: float,
        note: Callable[[list[float]], None],
    ) -> None:
        """Tells `note` of each call: 0 for a reset, else 1 and the action."""
        self.observation_space, self.action_space = observations, actions
        self.ends, self.pay, self.note = ends, pay, note
        self.episode = self.steps = 0
        self.pattern = np.random.default_rng(7).integers(0, 256, (84, 84))

    def reset(self, **_: Any) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode, unless one has just begun: two resets in a row are as good as one."""
        if self.steps or not self.episode:
            self.episode, self.steps = self.episode + 1, 0
        return self._observation(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Takes a step.

        Raises:
            ValueError: If there is no such action.
        """
        require_action(self.action_space, action)
        if not self.steps:  # noted here: an episode may be begun at the end of the one before
            self.note([0.0, 0.0])
        self.steps += 1
        self.note([1.0, *np.ravel(plain_array(action))])
        length, terminated = self.ends[self.episode % len(self.ends)]
        over = self.steps >= length
        reward = self.pay * float(np.sin(3 * self._state()[0]) + 0.4)
        return self._observation(), reward, over and terminated, over and not terminated, {}

    def state_dict(self) -> dict[str, int]:
        """Returns where the story is: what a trainer saves before it collects paths."""
        return {"episode": self.episode, "steps": self.steps}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Goes back to where the story was."""
        self.episode, self.steps = state["episode"], state["steps"]

    def render(self) -> None:
        """Shows nothing, as games that were made without a `render_mode`."""

    def _state(self) -> np.ndarray:
        waves = np.sin(0.7 * self.steps + 1.7 * self.episode + 2.1 * np.arange(4))
        return np.asarray(waves + 0.4 * np.cos(1.3 * self.steps * self.episode + np.arange(4)))

    def _observation(self) -> np.ndarray:
        state = self._state()
        if self.observation_space.dtype != np.uint8:
            return np.asarray(1.5 * state, np.float32)
        moved = np.roll(self.pattern, int(97 * abs(state[0])) % 84, axis=1)
        return np.asarray((moved * abs(np.sin(state[1])) + 9 * self.steps) % 256, np.uint8)


class Unplayed:
    """An environment that nobody steps: its spaces say what networks are to fit."""

    def __init__(self, ob_dim: int, ac_dim: int, discrete: bool) -> None:
        """Has observations of `ob_dim` components, and `ac_dim` choices, or so many components."""
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (ob_dim,), np.float32)
        continuous = gym.spaces.Box(-np.inf, np.inf, (ac_dim,), np.float32)
        self.action_space = gym.spaces.Discrete(ac_dim) if discrete else continuous
        self.spaces = self.observation_space, self.action_space


class Actions:
    """Plays from a list, whatever is shown, and asks an actor as training does."""

    def __init__(
        self,
        actions: gym.Space[Any],
        asked: Callable[[Any], Any],
        note: Callable[[str, list[float]], None],
    ) -> None:
        """Draws the list; no action is beyond the bounds of its space.

        Args:
            actions: Their space.
            asked: The actor's `get_action`, whose first answers are waited for, and not played.
            note: Takes down, in "draws", whether each generator repeats itself.
        """
        rng = np.random.default_rng(11)
        discrete = isinstance(actions, gym.spaces.Discrete)
        self.list: np.ndarray = (
            rng.integers(0, 3, 997)
            if discrete
            else rng.uniform(-0.95, 0.95, (997, 2)).astype(np.float32)
        )
        self.asked, self.number, self.note = asked, 0, note
        self.drawn = set[tuple[int, float]]()

    def get_action(self, obs: Any) -> np.ndarray:
        """Returns the next action, a batch of one."""
        self.number += 1
        if self.number <= ASKED:
            self.asked(obs)
            of_torch = torch.rand((), dtype=torch.float64).item()
            draws = [*enumerate((of_torch, np.random.rand(), random.random()))]
            self.note("draws", [draw in self.drawn for draw in draws])
            self.drawn.update(draws)
        return self.list[[self.number % len(self.list)]]


class Draws:
    """Plays for a replay buffer's generator: numbers from a list."""

    def __init__(self) -> None:
        """Begins the list."""
        self.rng = np.random.default_rng(17)

    def integers(self, low: int, high: int | None = None, size: Any = None) -> np.ndarray:
        """Returns whole numbers, as `numpy.random.Generator.integers`."""
        first, end = (0, low) if high is None else (low, high)
        return np.asarray(first + (self.rng.random(size) * (end - first)).astype(np.int64))


class Nothing:
    """The folder of a run that writes nothing: whatever is asked of it, it does nothing."""

    write_row: Callable[..., None]

    def __getattr__(self, name: str) -> Any:
        """Returns itself, whatever is looked up."""
        return self

    def __call__(self, *args: Any, **_: Any) -> Any:
        """Returns an environment as it is, and else itself."""
        return args[0] if args and isinstance(args[0], gym.Env) else self

    def __enter__(self) -> Any:
        """Returns itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Does nothing."""

    def __bool__(self) -> bool:
        """Returns that nobody asks for a stop."""
        return False


def script_rows(agent: Any) -> None:
    """Draws scripted rows from a buffer in which each row is a transition."""
    agent.replay_buffer.rng = Draws()


def script_frames(agent: Any) -> None:
    """Draws scripted transitions from a buffer of frames: counted among those with an effect.

    So it does not matter what else lies in the buffer, nor how often a frame is stored.
    """
    buffer, draws, stored = agent.replay_buffer, Draws(), dict[int, None]()
    original = buffer.store_effect

    @functools.wraps(original)
    def store_effect(*args: Any, **kwargs: Any) -> Any:
        value = original(*args, **kwargs)
        bound = inspect.signature(original).bind(*args, **kwargs).arguments
        stored.setdefault(int(next(iter(bound.values()))))
        return value

    def draw(number: int) -> np.ndarray:
        valid = np.array(sorted(index for index in stored if index + 1 < buffer.next_idx))
        return np.asarray(valid[draws.integers(0, len(valid), number)])

    buffer.store_effect, buffer._draw = store_effect, draw


def listed_noise() -> Callable[..., torch.Tensor]:
    """Returns what plays `torch.randn_like` from a list."""
    rng = np.random.default_rng(19)

    def randn_like(tensor: torch.Tensor, **_: object) -> torch.Tensor:
        return torch.from_numpy(rng.standard_normal(tensor.shape).astype(np.float32))

    return randn_like


def noted_environment(name: str, case: Any, notes: Any) -> Any:
    """Returns an environment of which each step is noted, and each reset that was asked for.

    Args:
        name: Of its stream: "steps", or "evaluation", whose actions may be drawn.
        case: The training.
        notes: Where, see `story_notes.Notes`.
    """
    training = name == "steps"
    observations = FRAMES if case.frames else VECTORS
    actions = CHOICE if case.actions == "choice" else COMPONENTS
    ends = tuple((length, end) for length, end in case.ends)

    def note(call: list[float]) -> None:
        if len(notes.rows.get(name, ())) < notes.most:
            notes.note(name, call if training else call[:1])

    def reset(**how: Any) -> Any:
        notes.note("resets", [])
        return counted_reset(**how)

    env = ScriptedEnv(observations, actions, ends if training else ends[::-1], case.pay, note)
    if not training:
        return env
    counted: Any = RecordEpisodeStatistics(env, buffer_length=100)
    counted_reset, counted.reset = counted.reset, reset
    return counted
