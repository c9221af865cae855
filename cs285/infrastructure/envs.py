"""Environments by name, what a time limit means in them, and their state for exact resume."""

from __future__ import annotations

import copy
import difflib
import importlib
import warnings
from collections import deque
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics, RescaleAction, TimeLimit

from cs285.infrastructure.config import UserError


def is_atari(env_name: str) -> bool:
    """Tells whether this is a game of the Arcade Learning Environment; `atari.py` makes those."""
    return "ale_py" in str(find_spec(env_name).entry_point)


def make_env(
    env_name: str,
    *,
    ep_len: int | None = None,
    discount: float = 1.0,
    time_limit: str = "auto",
    rescale: bool = False,
    render: str | None = None,
) -> gym.Env[Any, Any]:
    """Makes an environment as the course uses it; its observations are vectors.

    Args:
        env_name: Id of Gymnasium.
        ep_len: Longest episode, in steps; the environment's own limit may be shorter.
        discount: gamma, on which the rule "auto" depends.
        time_limit: "terminal", "bootstrap" or "auto": see `with_time_limit`.
        rescale: Whether actions are given in (-1, 1), and scaled to the environment's bounds.
        render: "rgb_array" if `env.render()` must return pictures, "human" for a window.

    Raises:
        UserError: If there is no such environment, or a package that it needs is missing, or it
            is an Atari game.
    """
    if is_atari(env_name):
        raise UserError(
            f"{env_name} shows images and has discrete actions: use scripts/run_hw3_dqn.py"
        )
    env = gym_make(env_name, render)
    if rescale:
        env = RescaleAction(env, np.float32(-1), np.float32(1))
    if len(env.observation_space.shape or ()) != 1:
        env = FlattenObservation(env)  # a discrete state becomes one-hot, a grid a vector
    if ep_len is not None:
        env = TimeLimit(env, ep_len)
    env = RecordEpisodeStatistics(env, buffer_length=100)
    return SeededResets(with_time_limit(env, discount, time_limit))


def with_time_limit(env: gym.Env[Any, Any], discount: float, rule: str) -> gym.Env[Any, Any]:
    """Applies a rule of what a time limit means.

    Args:
        env: The environment.
        discount: gamma.
        rule: "terminal": no future counts after the limit; "bootstrap": the state that it cut keeps
            its value; "auto": terminal where the discount is 1.
    """
    terminal = rule == "terminal" or (rule == "auto" and discount == 1.0)
    return TimeLimitIsTerminal(env) if terminal else env


def find_spec(env_name: str) -> EnvSpec:
    """Looks an id up; one whose environment is gone stands for the newest of its name."""
    try:
        ale_py = importlib.import_module("ale_py")
        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)  # no banner before our output
        gym.register_envs(ale_py)
        spec = gym.registry.get(env_name)
        # A function of Gymnasium's own says only that the environment is gone.
        if spec is None or getattr(spec.entry_point, "__module__", "") == "gymnasium.envs":
            name = env_name.rpartition("-v")[0]
            same = [s for s in gym.registry.values() if s.name == name and s.version is not None]
            spec = max(same, key=lambda s: int(s.version or 0)) if same else gym.spec(env_name)
        return spec
    except ModuleNotFoundError as error:
        raise UserError(f"{error}; run: pip install 'gymnasium[atari]'") from error
    except gym.error.Error as error:
        near = difflib.get_close_matches(env_name, gym.registry, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "see https://gymnasium.farama.org"
        raise UserError(f"--env_name {env_name}: no such environment; {hint}") from error


def gym_make(env_name: str, render: str | None, **settings: Any) -> gym.Env[Any, Any]:
    """Calls gym.make, with its errors told in one line."""
    settings |= {"render_mode": render} if render else {}
    spec = find_spec(env_name)
    try:
        with warnings.catch_warnings():
            # The course's ids are older than Gymnasium's newest, on purpose.
            warnings.filterwarnings("ignore", message=".*is out of date.*")
            return gym.make(spec.id, disable_env_checker=True, **settings)
    except (gym.error.DependencyNotInstalled, ModuleNotFoundError) as error:
        kind = str(spec.entry_point).split(":")[0].rsplit(".", 2)[-2]
        extra = '-e ".[mujoco]"' if kind == "mujoco" else f'"gymnasium[{kind}]"'
        raise UserError(f"--env_name {env_name} needs a package: pip install {extra}") from error


class TimeLimitIsTerminal(gym.Wrapper[Any, Any, Any, Any]):
    """Reports a time limit as the end of the task: after it, no future counts.

    Right where the discount is 1: the return is finite only because episodes end, so the limit is
    part of the task. With a discount below 1 the state at the limit keeps its value instead
    (Pardo et al., 2018, https://arxiv.org/abs/1712.00378).
    """

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps; `terminated` is true at the limit too."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        return obs, reward, terminated or truncated, truncated, info


class RememberCut(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps the frame at which a time limit cut an episode.

    Nothing is done in that state, but it is a next state, and has a value. Agents act in the fresh
    episode by then, so somebody must remember it for their replay buffer.
    """

    cut_frame: Any = None
    """The last frame, if the newest step was truncated and not terminated; else None."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps, and takes note."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.cut_frame = np.array(obs) if truncated and not terminated else None
        return obs, reward, terminated, truncated, info


class SeededResets(gym.Wrapper[Any, Any, Any, Any]):
    """Seeds episode k with the k-th draw from one seed, and remembers the actions taken in it.

    So the present state can be reached again exactly, in another process, without knowing what
    the simulator hides: begin the same episode, and act the same.

    `reset(seed=...)` must come first.
    """

    seed_of_run, episode = 0, 0
    actions: list[np.ndarray]

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begins the next episode; with a seed, the first of that seed."""
        if seed is not None:
            self.seed_of_run, self.episode = seed, 0
        draw = np.random.SeedSequence([self.seed_of_run, self.episode]).generate_state(1)
        self.episode += 1
        self.actions = []
        return self.env.reset(seed=int(draw[0]), options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps, and takes note."""
        self.actions.append(np.array(action))
        return self.env.step(action)

    def state_dict(self) -> dict[str, Any]:
        """Returns a state tree from which `load_state_dict` continues this environment exactly."""
        return {
            "wrappers": memory(self),
            "random": self.action_space.np_random.bit_generator.state,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Brings a freshly made environment to where `state_dict` was called."""
        own = state["wrappers"][0]
        self.seed_of_run, self.episode = own["seed_of_run"], own["episode"] - 1
        self.reset()
        for action in own["actions"]:
            self.env.step(action)
        restore_memory(self, state["wrappers"])
        self.action_space.np_random.bit_generator.state = state["random"]


def layer_with(name: str, env: Any) -> Any:
    """Returns the outermost wrapper of `env` that has an attribute: one knows, others pass it on.

    "load_state_dict": can save all that it wraps. "return_queue": holds the returns of the last 100
    whole episodes; with it come length_queue and episode_count.
    """
    while not hasattr(env, name):
        env = env.env
    return env


def memory(env: gym.Env[Any, Any]) -> list[dict[str, Any]]:
    """Returns what each wrapper remembers, from the outermost on: its numbers, arrays and lists."""
    kinds, memories = (int, float, np.ndarray, list, deque), []
    while isinstance(env, gym.Wrapper):
        held = {name: value for name, value in vars(env).items() if isinstance(value, kinds)}
        held = {n: list(value) if type(value) is deque else value for n, value in held.items()}
        memories.append(copy.deepcopy(held))
        env = env.env
    return memories


def restore_memory(env: Any, memories: list[dict[str, Any]]) -> None:
    """Restores what `memory` returned."""
    for held in memories:
        for name, value in held.items():
            if isinstance(old := getattr(env, name), deque):
                value = deque(value, old.maxlen)
            setattr(env, name, value)
        env = env.env
