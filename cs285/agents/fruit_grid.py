"""A grid with four fruits: small enough for tables, noisy enough that learning rates matter."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from cs285.infrastructure.environments.scaled_rewards import TASK_REWARD

SIDE = 5
MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))
CORNERS = ((0, 0), (0, SIDE - 1), (SIDE - 1, 0), (SIDE - 1, SIDE - 1))
LONGEST = 100  # steps of an episode


class FruitGrid(gym.Env[Any, Any]):
    """Begins in the middle; a fruit in each corner pays 1, once, and every reward is noisy.

    An episode is the better the fewer steps it takes: `TASK_REWARD` of a step is -1.

    A state is a number: the cell, and which fruits are left. The shortest way takes 16 steps.

    Source: Laroche and Feraud, 2018, https://arxiv.org/abs/1701.08810, section 5.1, on which this
    is modelled.
    """

    observation_space = gym.spaces.Discrete(16 * SIDE * SIDE)
    action_space = gym.spaces.Discrete(len(MOVES))

    def __init__(self, seed: int, noise: float = 1.0) -> None:
        """Keeps the deviation of the rewards' noise."""
        self.rng, self.noise = np.random.default_rng([seed, 7]), noise
        self.effect = [[self._effect(s, a) for a in range(len(MOVES))] for s in range(400)]

    def _effect(self, state: int, action: int) -> tuple[int, bool]:
        """Computes where an action leads, and whether a fruit is found there."""
        fruits, cell = divmod(state, SIDE * SIDE)
        row, column = divmod(cell, SIDE)
        down, right = MOVES[action]
        row = min(max(row + down, 0), SIDE - 1)
        column = min(max(column + right, 0), SIDE - 1)
        found = False
        if (row, column) in CORNERS:
            fruit = 2 ** CORNERS.index((row, column))  # its bit in `fruits`
            found = bool(fruits & fruit)
            fruits &= ~fruit  # now it is gone
        return fruits * SIDE * SIDE + row * SIDE + column, found

    def reset(self, **_: Any) -> tuple[int, dict[str, Any]]:
        """Begins in the middle, with all four fruits."""
        self.steps, self.state = 0, 15 * SIDE * SIDE + SIDE * SIDE // 2
        return self.state, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Moves; ends with the last fruit, and is cut after LONGEST steps."""
        self.state, found = self.effect[self.state][action]
        self.steps += 1
        reward = found + self.noise * self.rng.standard_normal()
        done = self.state < SIDE * SIDE
        return self.state, reward, done, self.steps == LONGEST and not done, {TASK_REWARD: -1.0}
