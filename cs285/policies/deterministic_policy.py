"""The policy of DDPG and TD3: one action a state, and noise on it for exploration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from cs285.infrastructure import pytorch_util as ptu


class DeterministicActor(nn.Module):
    """a = mu(s), in (-1, 1); while learning it plays a plus noise."""

    def __init__(
        self,
        ob_dim: int,
        ac_dim: int,
        hidden: Sequence[int],
        exploration_noise: float,
        activation: str = "relu",
    ) -> None:
        """Builds the network.

        Args:
            ob_dim: Components of an observation.
            ac_dim: Components of an action.
            hidden: Units of each hidden layer.
            exploration_noise: Standard deviation of the noise; actions are in (-1, 1).
            activation: After each hidden layer, "relu" or "tanh".
        """
        super().__init__()
        self.exploration_noise = exploration_noise
        self.net = ptu.build_mlp(ob_dim, ac_dim, len(hidden), hidden, activation, "tanh")

    def forward(self, ob_no: torch.Tensor) -> torch.Tensor:
        """Returns mu(s). Shape (n, ob_dim) in, (n, ac_dim) out."""
        actions: torch.Tensor = self.net(ob_no)
        return actions

    def mode(self, ob_no: torch.Tensor) -> torch.Tensor:
        """Returns mu(s): the action without noise."""
        return self.forward(ob_no)

    @torch.no_grad()
    def get_action(self, obs: np.ndarray) -> np.ndarray:
        """Returns a noisy action for each observation.

        a = clip(mu(s) + noise, -1, 1),  noise ~ N(0, exploration_noise^2)

        Args:
            obs: Shape (n, ob_dim), or (ob_dim,) for a single observation, a batch of n = 1.

        Returns:
            Actions. Shape (n, ac_dim), float32, in [-1, 1].

        Source: Fujimoto et al., 2018, https://arxiv.org/abs/1802.09477, algorithm 1. Lillicrap et
        al. (2016) use noise that is correlated in time; it has proved to be no better.
        """
        mean_na = self.forward(ptu.from_numpy(np.atleast_2d(obs)))
        # The noisy action `ac_na`, shape (n, ac_dim), back within the bounds.
        # BEGIN SOLUTION hw4.policy.explore -> ac_na
        noise_na = self.exploration_noise * torch.randn_like(mean_na)
        ac_na = (mean_na + noise_na).clamp(-1.0, 1.0)
        # END SOLUTION
        return ptu.to_numpy(ac_na)
