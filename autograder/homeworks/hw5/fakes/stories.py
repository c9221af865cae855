"""What homework 5's stories build: worlds side by side, actions and minibatches from a list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from gymnasium.wrappers import RecordEpisodeStatistics

from autograder.running.scripted import CHOICE, COMPONENTS, VECTORS, ScriptedEnv

ENVIRONMENTS = 2  # side by side


def side_by_side(module: Callable[[str], Any], case: Any) -> Any:
    """Returns scripted environments that step together, in the student's own given class."""
    actions = CHOICE if case.actions == "choice" else COMPONENTS

    def one() -> Any:
        ends = tuple((length, end) for length, end in case.ends)
        env: Any = ScriptedEnv(VECTORS, actions, ends, case.pay, lambda call: None)
        return RecordEpisodeStatistics(env, buffer_length=100)

    return module("infrastructure.training.rollout_collector").VectorEnv(one, ENVIRONMENTS)


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


def listed(agent: Any, case: Any) -> Any:
    """Lets an agent play from a list, and PPO deal out its rows in a fixed order."""
    agent.collector.actor = ListedActions(case.actions == "choice")
    size, epochs = agent.settings.minibatch_size, agent.settings.num_epochs
    if hasattr(agent, "rows_of_all_epochs"):
        original = agent.rows_of_all_epochs

        def rows_of_all_epochs(n: int) -> Iterator[torch.Tensor]:
            if size < n:  # which order a shuffle has is chance's
                for epoch in range(epochs):
                    yield from (torch.arange(n) * (5 + 2 * (epoch % 2)) % n).split(size)
            else:
                yield from (rows.sort().values for rows in original(n))

        agent.rows_of_all_epochs = rows_of_all_epochs
    return agent
