"""Playing handed-in weights in the judge's own environment, for a bounded number of steps."""

from __future__ import annotations

import time
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import FrameStackObservation, RescaleAction

from autograder.evidence.policies import ACTORS, FRAMES, Policy
from autograder.evidence.rules import RunQuestion
from cs285.infrastructure.environments import atari, envs

GRACE, A_STEP, A_STEP_ON_IMAGES = 20.0, 0.005, 0.05  # seconds of the processor, for playing


class TooSlowError(Exception):
    """Weights take far more time to play than any network that is asked for; one line says so."""


@dataclass(frozen=True)
class Played:
    """Episodes that the judge has seen: a return and a length each, shape (n,)."""

    returns: np.ndarray
    lengths: np.ndarray

    @property
    def mean(self) -> float:
        """The mean return."""
        return float(self.returns.mean())

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return float(self.returns.std(ddof=1) / np.sqrt(len(self.returns)))


class Player:
    """Plays one policy, episode after episode; the same seed plays the same episodes."""

    def __init__(
        self, question: RunQuestion, policy: Policy, seed: int, across_lives: bool = False
    ) -> None:
        """Makes the environment.

        Args:
            question: Names the task.
            policy: Plays it.
            seed: Of the episodes.
            across_lives: Whether a stack of a game's frames shows those of earlier lives too.

        Raises:
            cs285.infrastructure.base.config.UserError: If a package for it is missing here.
        """
        self.question = question
        self.policy = policy
        self.rng = np.random.default_rng([seed, 1])
        self.env = _make(question, across_lives)
        self.env.reset(seed=seed)
        self.seconds = A_STEP_ON_IMAGES if question.task.images else A_STEP
        self.took, self.steps = 0.0, 0
        self.returns: list[float] = []
        self.lengths: list[int] = []

    def play(self, episodes: int) -> Played:
        """Plays until there are so many episodes in all, or the question's steps are used up.

        There are at least two.
        """
        most = self.question.play.steps
        while len(self.returns) < 2 or (len(self.returns) < episodes and sum(self.lengths) < most):
            self._episode()
        return Played(np.array(self.returns), np.array(self.lengths))

    def close(self) -> None:
        """Closes the environment."""
        self.env.close()

    def _episode(self) -> None:
        obs, _ = self.env.reset()
        score, length, done = 0.0, 0, False
        began = time.process_time()
        # Weights that nobody trained may compute numbers too large; they play badly all the same.
        with np.errstate(all="ignore"):
            while not done and length < self.question.task.longest:
                action = self.policy(obs, self.rng)
                obs, reward, terminated, truncated, _ = self.env.step(action)
                score += float(reward)
                length += 1
                done = terminated or truncated
                self._limit(time.process_time() - began, length)
        self.took += time.process_time() - began
        self.steps += length
        self.returns.append(score)
        self.lengths.append(length)

    def _limit(self, seconds: float, steps: int) -> None:
        """Ends the play of what takes for ever.

        Raises:
            TooSlowError: If it has.
        """
        most = GRACE + self.seconds * (self.steps + steps)
        if self.took + seconds > most:
            raise TooSlowError(f"its weights take more than {most:.0f} s to play")


def _make(question: RunQuestion, across_lives: bool) -> gym.Env[np.ndarray, object]:
    """Makes the environment by the rules' settings, never by those of the run."""
    task = question.task
    if task.images:
        game = atari.make_env(task.env_name, training=False, frames=1 if across_lives else FRAMES)
        if not across_lives:
            return game
        return FrameStackObservation(game, FRAMES, padding_type="zero")
    if question.dqn:
        return envs.make_env(task.env_name)
    env = envs.make_env(task.env_name, ep_len=task.longest)
    if question.agent in ACTORS or (question.portfolio and not task.discrete):
        return RescaleAction(env, np.float32(-1), np.float32(1))
    return env
