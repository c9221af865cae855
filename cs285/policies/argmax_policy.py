"""The greedy policy of a Q-function."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch  # noqa: F401  (for bodies from older handouts)

from cs285.infrastructure import pytorch_util as ptu  # noqa: F401


class ArgMaxPolicy:
    """Takes the action that its critic values most."""

    def __init__(self, critic: Any) -> None:
        """Keeps `critic`, which has `qa_values(obs)` and `ob_dim`, the shape of one observation."""
        self.critic = critic

    def get_action(self, obs: np.ndarray) -> np.ndarray:
        """Chooses greedily.

        Args:
            obs: One observation, shape ob_dim, or a batch of them, shape (n, *ob_dim).

        Returns:
            The best action of each observation. Shape (n,), where one observation is a batch of 1.
        """
        observation = obs if obs.ndim > len(self.critic.ob_dim) else obs[None]
        # The index of the largest action value in each row of the batch, shape (n,).
        # BEGIN SOLUTION hw3.argmax.action -> action
        action: np.ndarray = self.critic.qa_values(observation).argmax(axis=1)
        # END SOLUTION
        return action
