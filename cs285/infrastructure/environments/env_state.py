"""The state of environments: what a checkpoint saves, so that a run goes on exactly."""

from __future__ import annotations

import copy
import warnings
from operator import attrgetter
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import (
    AtariPreprocessing,
    DelayObservation,
    FrameStackObservation,
    HumanRendering,
    MaxAndSkipObservation,
    NormalizeObservation,
    NormalizeReward,
    OrderEnforcing,
    PassiveEnvChecker,
    RecordEpisodeStatistics,
    RepeatAction,
    StickyAction,
    TimeAwareObservation,
    TimeLimit,
    TransformAction,
    TransformObservation,
    TransformReward,
)

from cs285.infrastructure.base.state import restore, state_of

# A class of Gymnasium's wrappers -> what it remembers from one step to the next. Our own wrappers
# declare the same as `kept`. Clocks are not kept: another process has another one. What a wrapper
# remembers of the present episode alone, such as a stack of frames, comes back with the episode.
KEPT_BY_GYMNASIUM: dict[type, tuple[str, ...]] = {
    TimeLimit: ("_elapsed_steps",),
    OrderEnforcing: ("_has_reset",),
    RecordEpisodeStatistics: (
        *("episode_count", "episode_returns", "episode_lengths"),
        *("return_queue", "length_queue"),
    ),
    AtariPreprocessing: ("lives", "game_over", "obs_buffer"),
    FrameStackObservation: ("obs_queue",),
    NormalizeObservation: (
        *("obs_rms.mean", "obs_rms.var", "obs_rms.count"),
        "update_running_mean",
    ),
    NormalizeReward: (
        *("return_rms.mean", "return_rms.var", "return_rms.count"),
        *("discounted_reward", "update_running_mean"),
    ),
    TimeAwareObservation: (),
    DelayObservation: (),
    MaxAndSkipObservation: (),
    RepeatAction: (),
    StickyAction: (),
    TransformObservation: (),
    TransformAction: (),
    TransformReward: (),
    HumanRendering: (),
    PassiveEnvChecker: (),  # it has checked already what it has seen; numbers do not change
}
# What these remember of earlier episodes does not change what the next one looks like.
WITHOUT_INFLUENCE = (TimeLimit, OrderEnforcing, RecordEpisodeStatistics, FrameStackObservation)


class ResumableEnv(gym.Wrapper[Any, Any, Any, Any]):
    """A wrapper that can save and restore all that lies inside it, itself included.

    A subclass knows how to bring the simulator back. The wrappers around the simulator are
    restored after that, from the names that each declares: see `kept_by`.
    """

    kept: tuple[str, ...] = ()

    fresh_obs: Any = None
    """The first observation of the episode that `load_state_dict` began where the simulator did
    not come back to the saved one; else None."""

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

    def restore_simulator(self, state: dict[str, Any]) -> bool:
        """Brings a freshly made simulator to where `simulator_state` was called.

        Returns:
            Whether it is there, as far as it can be seen.
        """
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """Returns a state tree from which `load_state_dict` continues this environment exactly."""
        wrappers = [remembered(wrapper) for wrapper in self.wrappers()]
        state = {
            "simulator": self.simulator_state(),
            "wrappers": wrappers,
            "random": self.action_space.np_random.bit_generator.state,
        }
        return copy.deepcopy(state)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Brings a freshly made environment to where `state_dict` was called.

        Where the simulator does not come back, a fresh episode begins: see `fresh_obs`.
        """
        is_there = self.restore_simulator(state["simulator"])
        for wrapper, saved in zip(self.wrappers(), state["wrappers"], strict=True):
            for name, value in saved.items():
                restore(wrapper, name, value)
        self.action_space.np_random.bit_generator.state = state["random"]
        self.fresh_obs = None if is_there else self.reset()[0]


class SeededResets(ResumableEnv):
    """Seeds episode k with the k-th draw from one seed, and remembers the actions taken in it.

    So the present state can be reached again exactly, in another process, without knowing what
    the simulator hides: begin the same episode, and act the same. If the observation is another
    one then, the simulator hides something from its seed, and cannot be brought back.

    `reset(seed=...)` must come first.
    """

    seed_of_run, episode = 0, 0
    actions: list[np.ndarray]
    newest: Any = None
    """The newest observation."""

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        """Wraps an environment."""
        super().__init__(env)
        # Wrappers such as NormalizeObservation: an episode looks as it did only if they begin it
        # with what they knew then.
        self.influential = [
            wrapper
            for wrapper in self.wrappers()[1:]
            if kept_by(wrapper) and not isinstance(wrapper, WITHOUT_INFLUENCE)
        ]
        self.known_before: list[dict[str, Any]] = []

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begins the next episode; with a seed, the first of that seed."""
        if seed is not None:
            self.seed_of_run, self.episode = seed, 0
        draw = np.random.SeedSequence([self.seed_of_run, self.episode]).generate_state(1)
        self.episode += 1
        self.actions = []
        self.known_before = [copy.deepcopy(remembered(wrapper)) for wrapper in self.influential]
        self.newest, info = self.env.reset(seed=int(draw[0]), options=options)
        return self.newest, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps, and remembers the action and where it led."""
        self.actions.append(np.array(action))
        result = self.env.step(action)
        self.newest = result[0]
        return result

    def simulator_state(self) -> dict[str, Any]:
        """Returns which episode this is, the actions taken in it, and what was seen last."""
        return {
            "seed_of_run": self.seed_of_run,
            "episode": self.episode,
            "actions": self.actions,
            "newest": np.asarray(self.newest),
            "known_before": self.known_before,
        }

    def restore_simulator(self, state: dict[str, Any]) -> bool:
        """Begins the same episode, and acts the same; returns whether that led to the same."""
        self.seed_of_run, self.episode = state["seed_of_run"], state["episode"] - 1
        for wrapper, known in zip(self.influential, state["known_before"], strict=True):
            for name, value in known.items():
                restore(wrapper, name, value)
        self.reset()
        ended = False
        for action in state["actions"]:
            if ended:  # sooner than it did
                return False
            _, _, terminated, truncated, _ = self.step(action)
            ended = terminated or truncated
        return np.array_equal(np.asarray(self.newest), state["newest"], equal_nan=True)


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


def remembered(wrapper: gym.Wrapper[Any, Any, Any, Any]) -> dict[str, Any]:
    """Returns what a wrapper remembers, by the names of `kept_by`."""
    return {name: state_of(attrgetter(name)(wrapper)) for name in kept_by(wrapper) or ()}


def within(env: Any, kind: type) -> Any:
    """Returns the outermost wrapper of a class; what lies inside all wrappers if there is none.

    Environments side by side have no wrappers: they save themselves, and count their episodes.
    """
    while isinstance(env, gym.Wrapper) and not isinstance(env, kind):
        env = env.env
    return env
