"""Environments by name, DQN's settings for each kind, and their state for exact resume."""

from __future__ import annotations

import difflib
import importlib
import warnings
from collections import deque
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.wrappers import (
    AtariPreprocessing,
    ClipReward,
    FlattenObservation,
    RecordEpisodeStatistics,
    RescaleAction,
    TimeLimit,
)

from cs285.infrastructure.atari_wrappers import EpisodicLife, FireReset
from cs285.infrastructure.config import UserError

# Ids of old handouts whose environments are gone, and what took their place.
SUCCESSORS = {"InvertedPendulum-v2": "InvertedPendulum-v5", "HalfCheetah-v2": "HalfCheetah-v5"}


# DQN's settings by kind of environment. Times are in environment steps of the agent; schedules are
# as `PiecewiseSchedule.parse` reads them; target_update_freq counts updates.
ATARI: dict[str, Any] = {
    "num_timesteps": 1_000_000,
    "learning_rate": "0:1e-4,5e6:1e-4,25e6:5e-5",
    "adam_eps": 1e-4,
    "discount": 0.99,
    "buffer_size": 1_000_000,
    "learning_starts": 50_000,
    "learning_freq": 4,
    "target_update_freq": 10_000,
    "exploration": "0:1.0,1e6:0.1,25e6:0.01",
    "frame_history_len": 4,
}
LANDER: dict[str, Any] = {
    "num_timesteps": 500_000,
    "learning_rate": "1e-3",
    "adam_eps": 1e-8,
    "discount": 1.0,
    "buffer_size": 50_000,
    "learning_starts": 1_000,
    "learning_freq": 1,
    "target_update_freq": 3_000,
    "exploration": "0:1.0,50e3:0.02",
    "frame_history_len": 1,
    "threads": 1,  # a network of 64 units is too small to share between cores
}


def dqn_preset(env_name: str) -> dict[str, Any]:
    """Returns the settings nearest to an environment: for Atari, or for small vectors."""
    return ATARI if "ale_py" in str(_spec(env_name).entry_point) else LANDER


def is_atari(env: gym.Env[Any, Any]) -> bool:
    """Tells whether `env` is a game of the Arcade Learning Environment."""
    return hasattr(env.unwrapped, "ale")


def make_env(
    env_name: str,
    *,
    ep_len: int | None = None,
    discount: float = 1.0,
    time_limit: str = "auto",
    training: bool = True,
    rescale: bool = False,
    render: str | None = None,
) -> gym.Env[Any, Any]:
    """Makes an environment as the course uses it.

    Args:
        env_name: Id of Gymnasium or ALE. Atari games get the usual preprocessing.
        ep_len: Longest episode, in agent steps; the environment's own limit may be shorter.
        discount: gamma, on which the rule "auto" depends.
        time_limit: "terminal", "bootstrap" or "auto": see `TimeLimitIsTerminal`.
        training: For Atari: each life an episode, rewards clipped to [-1, 1]. False for scores.
        rescale: Whether actions are given in (-1, 1), and scaled to the environment's bounds.
        render: "rgb_array" if `env.render()` must return pictures, "human" for a window.

    Raises:
        UserError: If there is no such environment, or a package that it needs is missing.
    """
    env = _gym_make(env_name, render, rescale)
    if is_atari(env):
        env = AtariPreprocessing(env, noop_max=30, frame_skip=4, screen_size=84)
        env.metadata = env.metadata | {"render_fps": 15}  # of 60 pictures a second, one a step
    elif len(env.observation_space.shape or ()) != 1:
        env = FlattenObservation(env)  # a discrete state becomes one-hot, a grid a vector
    if ep_len is not None:
        env = TimeLimit(env, ep_len)
    env = RecordEpisodeStatistics(env, buffer_length=100)
    if is_atari(env):
        if "FIRE" in env.unwrapped.get_action_meanings()[1:2]:  # type: ignore[attr-defined]
            env = FireReset(env)
        if training:
            env = ClipReward(EpisodicLife(env), -1.0, 1.0)
    if time_limit == "terminal" or (time_limit == "auto" and discount == 1.0):
        env = TimeLimitIsTerminal(env)
    return env if is_atari(env) else SeededResets(env)


def _spec(env_name: str) -> EnvSpec:
    """Looks an id up; old ids of the course stand for what took their place."""
    try:
        ale_py = importlib.import_module("ale_py")
        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)  # no banner before our output
        gym.register_envs(ale_py)
        return gym.spec(SUCCESSORS.get(env_name, env_name))
    except ModuleNotFoundError as error:
        raise UserError(f"{error}; run: pip install 'gymnasium[atari]'") from error
    except gym.error.Error as error:
        near = difflib.get_close_matches(env_name, gym.registry, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "see https://gymnasium.farama.org"
        raise UserError(f"--env_name {env_name}: no such environment; {hint}") from error


def _gym_make(env_name: str, render: str | None, rescale: bool) -> gym.Env[Any, Any]:
    """Calls gym.make, with its errors told in one line."""
    spec = _spec(env_name)
    settings: dict[str, Any] = {"render_mode": render} if render else {}
    if "ale_py" in str(spec.entry_point):
        # The preprocessing skips frames, so the game must not; and it never looks at colours.
        settings |= {"frameskip": 1, "obs_type": "grayscale"}
    try:
        with warnings.catch_warnings():
            # The course's ids are older than Gymnasium's newest, on purpose.
            warnings.filterwarnings("ignore", message=".*is out of date.*")
            env = gym.make(spec.id, disable_env_checker=True, **settings)
            return RescaleAction(env, np.float32(-1), np.float32(1)) if rescale else env
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
    """Seeds episode k with the k-th draw from one seed.

    So an episode can be begun again exactly, in another process, without knowing what random
    state the simulator hides: it is enough to count episodes.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        """Wraps an environment; `reset(seed=...)` must come first."""
        super().__init__(env)
        self.seed_of_run = 0
        self.episode = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins the next episode; with a seed, the first of that seed."""
        if seed is not None:
            self.seed_of_run, self.episode = seed, 0
        draw = np.random.SeedSequence([self.seed_of_run, self.episode]).generate_state(1)
        self.episode += 1
        return self.env.reset(seed=int(draw[0]), options=options)


def episode_statistics(env: gym.Env[Any, Any]) -> RecordEpisodeStatistics[Any, Any]:
    """Returns the wrapper that holds the returns and lengths of the last 100 whole episodes."""
    while not isinstance(env, RecordEpisodeStatistics):
        env = env.env  # type: ignore[attr-defined]
    return env


# What each wrapper remembers between steps. Everything else in them is fixed when they are made.
WRAPPER_STATE: dict[type, tuple[str, ...]] = {
    AtariPreprocessing: ("lives", "game_over", "obs_buffer"),
    EpisodicLife: ("lives", "game_over"),
    FireReset: ("lives",),
    RecordEpisodeStatistics: ("episode_count", "episode_returns", "episode_lengths"),
    SeededResets: ("seed_of_run", "episode"),
    TimeLimit: ("_elapsed_steps",),
}


def can_save(env: gym.Env[Any, Any], at_episode_start: bool) -> bool:
    """Tells whether `env_state` can hold all of the environment now.

    An Atari game can be saved at any frame; any other simulator only where an episode begins.
    """
    return is_atari(env) or at_episode_start


def env_state(env: gym.Env[Any, Any]) -> dict[str, Any]:
    """Returns a state tree from which `restore_env` continues the environment exactly."""
    state: dict[str, Any] = {"random": env.action_space.np_random.bit_generator.state}
    state["wrappers"] = [
        {name: _plain(getattr(layer, name)) for name in WRAPPER_STATE.get(type(layer), ())}
        for layer in _layers(env)
    ]
    statistics = episode_statistics(env)
    state["returns"] = [float(r) for r in statistics.return_queue]
    state["lengths"] = [int(n) for n in statistics.length_queue]
    if is_atari(env):
        game = env.unwrapped
        state["ale"] = game.ale.cloneSystemState().serialize()  # type: ignore[attr-defined]
        state["game_random"] = game.np_random.bit_generator.state
    return state


def restore_env(env: gym.Env[Any, Any], state: dict[str, Any]) -> None:
    """Brings a freshly made `env` to where `env_state` was called."""
    env.reset(seed=0)  # Gymnasium refuses to step an environment that was never reset
    env.action_space.np_random.bit_generator.state = state["random"]
    if is_atari(env):
        import ale_py

        game = env.unwrapped
        game.ale.restoreSystemState(ale_py.ALEState(state["ale"]))  # type: ignore[attr-defined]
        game.np_random.bit_generator.state = state["game_random"]
    else:
        _begin_episode_again(env, state)
    for layer, values in zip(_layers(env), state["wrappers"], strict=True):
        for name, value in values.items():
            setattr(layer, name, value)
    statistics = episode_statistics(env)
    statistics.return_queue.extend(state["returns"])
    statistics.length_queue.extend(state["lengths"])


def _begin_episode_again(env: gym.Env[Any, Any], state: dict[str, Any]) -> None:
    """Resets once more as the saved environment did last; its first observation is the same."""
    for layer, values in zip(_layers(env), state["wrappers"], strict=True):
        if isinstance(layer, SeededResets):
            layer.seed_of_run = values["seed_of_run"]
            layer.episode = values["episode"] - 1
    env.reset()


def _layers(env: gym.Env[Any, Any]) -> list[gym.Env[Any, Any]]:
    """Returns the wrappers of `env` from the outermost to the environment itself."""
    layers = [env]
    while isinstance(layers[-1], gym.Wrapper):
        layers.append(layers[-1].env)
    return layers


def _plain(value: Any) -> Any:
    """Copies arrays and makes deques lists, as a state tree asks for."""
    if isinstance(value, deque | list):
        return [_plain(item) for item in value]
    return value.copy() if isinstance(value, np.ndarray) else value
