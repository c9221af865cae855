"""Environments by name, what a time limit means in them, and their state for exact resume."""

from __future__ import annotations

import copy
import difflib
import importlib
import warnings
from collections import deque
from typing import Any, Protocol

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.wrappers import (
    AtariPreprocessing,
    FlattenObservation,
    HumanRendering,
    OrderEnforcing,
    PassiveEnvChecker,
    RecordEpisodeStatistics,
    RescaleAction,
    TimeLimit,
    TransformAction,
    TransformObservation,
    TransformReward,
)

from cs285.infrastructure.config import UserError
from cs285.infrastructure.state import restore, state_of

# A class of Gymnasium's wrappers -> what it remembers from one step to the next. Our own wrappers
# declare the same as `kept`. Clocks are not kept: another process has another one.
KEPT_BY_GYMNASIUM: dict[type, tuple[str, ...]] = {
    TimeLimit: ("_elapsed_steps",),
    OrderEnforcing: ("_has_reset",),
    RecordEpisodeStatistics: (
        *("episode_count", "episode_returns", "episode_lengths"),
        *("return_queue", "length_queue"),
    ),
    AtariPreprocessing: ("lives", "game_over", "obs_buffer"),
    TransformObservation: (),
    TransformAction: (),
    TransformReward: (),
    HumanRendering: (),
    PassiveEnvChecker: (),  # it has checked already what it has seen; numbers do not change
}


def is_atari(env_name: str) -> bool:
    """Returns whether this is a game of the Arcade Learning Environment; `atari.py` makes those."""
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
        # A function of Gymnasium's own stands for an environment that is gone.
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
    """Calls gym.make, and reports its errors in one line."""
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

    kept: tuple[str, ...] = ()

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps; `terminated` is true at the limit too."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        return obs, reward, terminated or truncated, truncated, info


class RememberCut(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps the frame at which a time limit cut an episode.

    Nothing is done in that state, but it is a next state, and has a value. Agents act in the fresh
    episode by then, so somebody must remember it for their replay buffer.
    """

    kept = ("cut_frame",)

    cut_frame: Any = None
    """The last frame, if the newest step was truncated and not terminated; else None."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps, and keeps the observation if a time limit cuts here."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.cut_frame = np.array(obs) if truncated and not terminated else None
        return obs, reward, terminated, truncated, info


class ResumableEnv(gym.Wrapper[Any, Any, Any, Any]):
    """A wrapper that can save and restore all that lies inside it, itself included.

    A subclass knows how to bring the simulator back. The wrappers around the simulator are
    restored after that, from the names that each declares: see `kept_by`.
    """

    kept: tuple[str, ...] = ()

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        """Wraps an environment; warns of wrappers of which only the present episode is saved."""
        super().__init__(env)
        for wrapper in self.wrappers():
            if kept_by(wrapper) is None:
                name = type(wrapper).__name__
                warnings.warn(
                    f"a resumed run loses what {name} remembers of earlier episodes: "
                    "list those attributes in its class, kept = (...)",
                    stacklevel=2,
                )

    def wrappers(self) -> list[gym.Wrapper[Any, Any, Any, Any]]:
        """Returns all wrappers, from this one inwards."""
        found: list[gym.Wrapper[Any, Any, Any, Any]] = []
        env: Any = self
        while isinstance(env, gym.Wrapper):
            found.append(env)
            env = env.env
        return found

    def simulator_state(self) -> dict[str, Any]:
        """Returns a state tree from which `restore_simulator` continues the simulator exactly."""
        raise NotImplementedError

    def restore_simulator(self, state: dict[str, Any]) -> None:
        """Brings a freshly made simulator to where `simulator_state` was called."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """Returns a state tree from which `load_state_dict` continues this environment exactly."""
        wrappers = [
            {name: state_of(getattr(wrapper, name)) for name in kept_by(wrapper) or ()}
            for wrapper in self.wrappers()
        ]
        state = {
            "simulator": self.simulator_state(),
            "wrappers": wrappers,
            "random": self.action_space.np_random.bit_generator.state,
        }
        return copy.deepcopy(state)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Brings a freshly made environment to where `state_dict` was called."""
        self.restore_simulator(state["simulator"])
        for wrapper, saved in zip(self.wrappers(), state["wrappers"], strict=True):
            for name, value in saved.items():
                restore(wrapper, name, value)
        self.action_space.np_random.bit_generator.state = state["random"]


class SeededResets(ResumableEnv):
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
        """Steps, and remembers the action."""
        self.actions.append(np.array(action))
        return self.env.step(action)

    def simulator_state(self) -> dict[str, Any]:
        """Returns which episode this is, and the actions taken in it."""
        return {
            "seed_of_run": self.seed_of_run,
            "episode": self.episode,
            "actions": self.actions,
        }

    def restore_simulator(self, state: dict[str, Any]) -> None:
        """Begins the same episode, and acts the same."""
        self.seed_of_run, self.episode = state["seed_of_run"], state["episode"] - 1
        self.reset()
        for action in state["actions"]:
            self.step(action)


class EpisodeStatistics(Protocol):
    """The newest 100 whole episodes: `RecordEpisodeStatistics`, or environments side by side."""

    return_queue: deque[float]
    length_queue: deque[int]
    episode_count: int


def kept_by(wrapper: gym.Wrapper[Any, Any, Any, Any]) -> tuple[str, ...] | None:
    """Returns the names of what a wrapper remembers from one step to the next.

    Returns:
        What its class declares as `kept`, or `KEPT_BY_GYMNASIUM`; None if neither knows it, as may
        be where somebody's own environment brings a wrapper.
    """
    declared: tuple[str, ...] | None = getattr(type(wrapper), "kept", None)
    if declared is not None:
        return declared
    for kind in type(wrapper).__mro__:
        if kind in KEPT_BY_GYMNASIUM:
            return KEPT_BY_GYMNASIUM[kind]
    return None


def resumable(env: Any) -> Any:
    """Returns what a checkpoint saves of an environment, which has `state_dict`.

    That is its `ResumableEnv`, without wrappers around that; environments side by side save
    themselves.
    """
    return within(env, ResumableEnv)


def episode_statistics(env: Any) -> EpisodeStatistics:
    """Returns what counts the episodes of an environment, or of several side by side."""
    statistics: EpisodeStatistics = within(env, RecordEpisodeStatistics)
    return statistics


def within(env: Any, kind: type) -> Any:
    """Returns the outermost wrapper of a class; what lies inside all wrappers if there is none."""
    while isinstance(env, gym.Wrapper) and not isinstance(env, kind):
        env = env.env
    return env
