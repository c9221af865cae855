"""Environments side by side, and actions from a list, for agents that play segments."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.wrappers import RecordEpisodeStatistics

from autograder.beside.scripted import CHOICE, COMPONENTS, VECTORS, ScriptedEnv
from autograder.beside.training import Training
from autograder.running.probing import Student


def side_by_side(student: Student, case: Training, number: int) -> Any:
    """Returns scripted environments that step together, in the student's own given class."""
    actions = CHOICE if case.discrete else COMPONENTS

    def one() -> Any:
        env: Any = ScriptedEnv(VECTORS, actions, case.ends, case.pay, lambda call: None)
        return RecordEpisodeStatistics(env, buffer_length=100)

    module = student.module("infrastructure.training.rollout_collector")
    return module.VectorEnv(one, number)


class ListedActions:
    """Plays from a list, whatever is shown: one action in each environment."""

    def __init__(self, discrete: bool) -> None:
        """Draws the list."""
        rng = np.random.default_rng(11)
        shape = (997,) if discrete else (997, 2)
        self.list = rng.integers(0, 3, shape) if discrete else rng.uniform(-0.95, 0.95, shape)
        self.number = 0

    def get_action(self, obs: np.ndarray) -> np.ndarray:
        """Returns the next actions, one for each row of `obs`."""
        self.number += len(obs)
        rows = np.arange(self.number - len(obs), self.number) % len(self.list)
        return np.asarray(self.list[rows])
