"""The two Atari wrappers that Gymnasium lacks: lives as episodes, and FIRE to begin."""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium as gym
import numpy as np

StepResult = tuple[np.ndarray, SupportsFloat, bool, bool, dict[str, Any]]


class EpisodicLife(gym.Wrapper[np.ndarray, int, np.ndarray, int]):
    """Ends the agent's episode with each life; the game goes on until its last life is lost.

    That teaches a player to value its life. Scores are counted below this wrapper, a game a time.

    Source: Mnih et al., 2015, "Training details" in Methods.
    """

    def __init__(self, env: gym.Env[np.ndarray, int]) -> None:
        """Wraps an Atari environment."""
        super().__init__(env)
        self.lives = 0
        self.game_over = True

    def step(self, action: int) -> StepResult:
        """Steps the game; `terminated` is true after a lost life too."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.game_over = terminated or truncated
        lives = info["lives"]
        # Some games show 0 lives for a few frames before they end: then wait for the end itself.
        terminated = terminated or 0 < lives < self.lives
        self.lives = lives
        return obs, reward, terminated, truncated, info

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Starts a new game if the last one is over, else goes on with the next life."""
        if self.game_over or seed is not None:
            obs, info = self.env.reset(seed=seed, options=options)
        else:
            obs, _, terminated, truncated, info = self.env.step(0)  # action 0 does nothing
            if terminated or truncated:
                obs, info = self.env.reset(options=options)
        self.lives = info["lives"]
        self.game_over = False
        return obs, info


class FireReset(gym.Wrapper[np.ndarray, int, np.ndarray, int]):
    """Presses FIRE at the start of each life, in games that wait for it.

    An agent that is never rewarded for FIRE may not find out; evaluated on whole games, it would
    wait for ever after its first lost life.
    """

    def __init__(self, env: gym.Env[np.ndarray, int]) -> None:
        """Wraps an Atari environment that has the action FIRE at index 1."""
        super().__init__(env)
        self.lives = 0

    def step(self, action: int) -> StepResult:
        """Steps the game; the step that loses a life presses FIRE for the next one as well."""
        result = self.env.step(action)
        terminated, truncated, lives = result[2], result[3], result[4]["lives"]
        lost_life, self.lives = lives < self.lives, lives
        if not lost_life or terminated or truncated:
            return result
        obs, reward, terminated, truncated, info = self.env.step(1)
        return obs, float(result[1]) + float(reward), terminated, truncated, info

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Resets, then presses FIRE."""
        self.env.reset(seed=seed, options=options)
        obs, _, _, _, info = self.env.step(1)
        self.lives = info["lives"]
        return obs, info
