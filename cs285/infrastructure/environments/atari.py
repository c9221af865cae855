"""Atari games: their usual preprocessing, lives as episodes, and their state for exact resume."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import (
    AtariPreprocessing,
    ClipReward,
    FrameStackObservation,
    RecordEpisodeStatistics,
    TimeLimit,
)

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.environments import env_by_id, env_state, envs
from cs285.infrastructure.environments.checked_task import CheckedTask

NOOP, FIRE = 0, 1  # actions; a game without FIRE has another action in its place
REPEAT = "repeat_action_probability"  # as ALE calls it


def make_env(  # noqa: PLR0913  (all but the first are given by name)
    env_name: str,
    *,
    ep_len: int | None = None,
    discount: float = 1.0,
    time_limit: str = "auto",
    training: bool = True,
    own_skip: bool = False,
    sticky: float | None = None,
    frames: int = 1,
    render: str | None = None,
    kwargs: Mapping[str, Any] | None = None,
) -> gym.Env[Any, Any]:
    """Makes a game with the preprocessing of Mnih et al.: 84 x 84 grey pixels, 4 frames a step.

    Args:
        env_name: Id of ALE.
        ep_len: Longest game, in agent steps; the environment's own limit may be shorter.
        discount: gamma, on which the rule "auto" depends.
        time_limit: "terminal", "bootstrap" or "auto": see `envs.with_time_limit`.
        training: Each life an episode, rewards clipped to [-1, 1]. False for whole games' scores.
        own_skip: Whether the game skips frames by itself too: see `OwnSkip`.
        sticky: Chance that a frame repeats the action of the one before; None: as the id has it.
        frames: The newest frames of a life that are stacked into an observation.
        render: "rgb_array" if `env.render()` must return pictures, "human" for a window.
        kwargs: What the game itself is made with besides, of --env_kwargs.

    Raises:
        UserError: If there is no such environment, or a package that it needs is missing.
    """
    # The preprocessing skips frames, so the game must not; and it never looks at colours.
    fixed: dict[str, Any] = {"frameskip": 1, "obs_type": "grayscale"}
    if sticky is not None:
        fixed[REPEAT] = sticky
    env = env_by_id.make(env_name, render, kwargs, **fixed)
    if own_skip:
        env = OwnSkip(env)
    env = AtariPreprocessing(env, noop_max=30, frame_skip=4, screen_size=84)
    env.metadata = env.metadata | {"render_fps": 5 if own_skip else 15}  # of 60, one a step
    env = CheckedTask(env, copy=False)  # each picture is an array of its own already
    if ep_len is not None:
        env = TimeLimit(env, ep_len)
    env = RecordEpisodeStatistics(env, buffer_length=100, stats_key=envs.STATISTICS)
    if has_fire(env):
        env = FireReset(env)
    if training:
        env = ClipReward(EpisodicLife(env), -1.0, 1.0)
    if frames > 1:
        env = StackWithinLife(FrameStackObservation(env, frames, padding_type="zero"))
    return SavedGame(envs.with_time_limit(env, discount, time_limit))


def make_any(
    env_name: str,
    *,
    training: bool,
    own_skip: bool,
    sticky: float | None,
    images: int,
    frames: int = 1,
    **rule: Any,
) -> gym.Env[Any, Any]:
    """Makes a game as `make_env` does, or another task as `envs.make_env` does.

    Args:
        env_name: Id of Gymnasium, or `module:id`.
        training: See `make_env`, as for the next two.
        own_skip: Of games.
        sticky: Of games.
        images: The newest frames that are stacked into an observation, of games too.
        frames: The same where the task shows vectors.
        rule: What both take.
    """
    if envs.is_atari(env_name):
        game: dict[str, Any] = {"training": training, "own_skip": own_skip, "sticky": sticky}
        return make_env(env_name, frames=images, **game, **rule)
    return envs.make_env(env_name, images=images, frames=frames, **rule)


def has_fire(env: gym.Env[Any, Any]) -> bool:
    """Returns whether a game has the action FIRE; where it has, its number is always the same."""
    meanings: list[str] = env.unwrapped.get_action_meanings()  # type: ignore[attr-defined]
    return len(meanings) > FIRE and meanings[FIRE] == "FIRE"


class OwnSkip(gym.Wrapper[np.ndarray, int, np.ndarray, int]):
    """Repeats each action for 2 to 4 frames at random, as Gym's own `MsPacman-v0` did in 2020.

    The course wrapped that game so that a step took four of *its* steps: about 12 frames.
    """

    kept = ()

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps 2 to 4 frames; rewards add up."""
        total = 0.0
        for _ in range(self.unwrapped.np_random.integers(2, 5)):
            obs, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            if terminated or truncated:
                break
        return obs, total, terminated, truncated, info


class EpisodicLife(gym.Wrapper[np.ndarray, int, np.ndarray, int]):
    """Ends the agent's episode with each life; the game goes on until its last life is lost.

    That teaches a player to value its life. Scores are counted below this wrapper, a game a time.

    Source: Mnih et al., 2015, "Training details" in Methods.
    """

    kept = ("lives", "game_over")
    lives, game_over = 0, True

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps the game; `terminated` is true after a lost life too."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.game_over = terminated or truncated
        lives = info["lives"]
        # Some games show 0 lives for a few frames before they end: then wait for the end itself.
        terminated = terminated or 0 < lives < self.lives
        self.lives = lives
        return obs, reward, terminated, truncated, info

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Starts a new game if the last one is over, else goes on with the next life."""
        if self.game_over or seed is not None:
            obs, info = self.env.reset(seed=seed, options=options)
        else:
            obs, _, terminated, truncated, info = self.env.step(NOOP)
            if terminated or truncated:
                obs, info = self.env.reset(options=options)
        self.lives = info["lives"]
        self.game_over = False
        return obs, info


class StackWithinLife(gym.Wrapper[np.ndarray, int, np.ndarray, int]):
    """Blanks the frames of earlier lives in a stack.

    In learning each life is an episode, so the network has seen stacks of one life only. Whole
    games must show it the same: after a lost life, the newest frame above black ones.
    """

    kept = ("lives", "age")
    lives, age = 0, 1  # age: frames of this life so far

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps the game; a life that begins here begins with one frame."""
        stack, reward, terminated, truncated, info = self.env.step(action)
        lives = info["lives"]
        self.age = 1 if 0 < lives < self.lives else self.age + 1  # as in `EpisodicLife`
        self.lives = lives
        stack[: max(0, len(stack) - self.age)] = 0  # the stack is a copy of the wrapper's own
        return stack, reward, terminated, truncated, info

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Resets; the stack has one frame."""
        stack, info = self.env.reset(seed=seed, options=options)
        self.lives, self.age = info["lives"], 1
        return stack, info


class FireReset(gym.Wrapper[np.ndarray, int, np.ndarray, int]):
    """Presses FIRE at the start of each life, in games that wait for it.

    An agent that is never rewarded for FIRE may not find out; evaluated on whole games, it would
    wait for ever after its first lost life.
    """

    kept = ("lives",)
    lives = 0

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps the game; the step that loses a life presses FIRE for the next one as well."""
        result = self.env.step(action)
        terminated, truncated, lives = result[2], result[3], result[4]["lives"]
        lost_life, self.lives = lives < self.lives, lives
        if not lost_life or terminated or truncated:
            return result
        obs, reward, terminated, truncated, info = self.env.step(FIRE)
        return obs, float(result[1]) + float(reward), terminated, truncated, info

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Resets, then presses FIRE."""
        self.env.reset(seed=seed, options=options)
        obs, _, _, _, info = self.env.step(FIRE)
        self.lives = info["lives"]
        return obs, info


class SavedGame(env_state.ResumableEnv):
    """Saves a game in the middle, by the emulator's own state, which holds its random numbers."""

    def simulator_state(self) -> dict[str, Any]:
        """Returns the emulator's state, and that of the generator that Gymnasium draws from."""
        game: Any = self.unwrapped
        return {
            "ale": game.ale.cloneSystemState().serialize(),
            "game_random": game.np_random.bit_generator.state,
        }

    def restore_simulator(self, state: dict[str, Any]) -> bool:
        """Brings a freshly made game to where `simulator_state` was called; returns True."""
        import ale_py

        self.reset(seed=0)  # Gymnasium refuses to step an environment that was never reset
        game: Any = self.unwrapped
        game.ale.restoreSystemState(ale_py.ALEState(state["ale"]))
        game.np_random.bit_generator.state = state["game_random"]
        return True


def chance_of_repeats(config: Any) -> float | None:
    """Returns what `sticky_actions` is to be recorded as: where no flag says, as the id has it.

    None where the task is no Atari game, or --env_kwargs says it.

    Source: Machado et al., 2018, section 5, "sticky actions".

    Args:
        config: Settings that have these flags.

    Raises:
        UserError: If the chance is given of another task, or twice.
    """
    asked: float | None = config.sticky_actions
    if not envs.is_atari(config.env_name):
        if asked is not None:
            raise UserError(f"--sticky_actions: {config.env_name} is no Atari game; leave it out")
        return None
    if REPEAT in (config.env_kwargs or {}):
        if asked is not None:
            raise UserError(
                f"--sticky_actions is the {REPEAT} of --env_kwargs: give one of them only"
            )
        return None
    return float(env_by_id.find_spec(config.env_name).kwargs[REPEAT]) if asked is None else asked
