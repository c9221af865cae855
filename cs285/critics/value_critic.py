"""A critic that is told what to predict: V(s), fitted to given targets by regression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: F401, N812  (for bodies from older handouts)

from cs285.infrastructure import fast_torch as fast
from cs285.infrastructure import pytorch_util as ptu


class ValueCritic(nn.Module):
    """A state-value function V(s), as a baseline for policy gradients.

    It has no opinion on units. Policy gradient lets it predict q-values normalised to mean 0 and
    standard deviation 1, and undoes that with the batch's mean and deviation; others give it
    returns as they are.
    """

    def __init__(
        self,
        ob_dim: int | tuple[int, ...],
        n_layers: int,
        size: int | Sequence[int],
        learning_rate: float | None,
        activation: str = "tanh",
    ) -> None:
        """Builds the network and its optimizer.

        Args:
            ob_dim: Number of observation components; or the shape of a stack of frames.
            n_layers: Hidden layers.
            size: Units in each hidden layer; one number, or one for each.
            learning_rate: Step size of Adam.
            activation: After each hidden layer, a key of `ptu.ACTIVATIONS`.
        """
        super().__init__()
        self.critic_network = ptu.build_network(ob_dim, 1, n_layers, size, activation)
        self.loss = nn.MSELoss()
        self.optimizer: Any = None
        if learning_rate is not None:
            self.optimizer = fast.FusedAdam(self.critic_network.parameters(), learning_rate)

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        """Computes V(s).

        Args:
            obs: Shape (n, ob_dim), float32.

        Returns:
            Values. Shape (n,), in units of the targets.
        """
        # (n, 1) minus (n,) would broadcast to (n, n): the spare axis goes here, once and for all.
        value_n: torch.Tensor = self.critic_network(obs).squeeze(1)
        return value_n

    def forward_np(self, obs: np.ndarray) -> np.ndarray:
        """Computes V(s) for arrays, with no gradient. Shapes (n, ob_dim) to (n,)."""
        with torch.no_grad():
            return ptu.to_numpy(self(ptu.observations_from_numpy(obs)))

    def update(self, ob_no: np.ndarray, target_n: np.ndarray) -> float:
        """Takes one gradient step towards the targets.

        loss = 1/n * sum_i (V(s_i) - target_i)^2

        Args:
            ob_no: s. Shape (n, ob_dim).
            target_n: What V(s) should be. Shape (n,).

        Returns:
            The loss before the step.

        Raises:
            ValueError: If there is not one target for each observation.

        Source: Greensmith et al., 2004, "Variance Reduction Techniques for Gradient Estimates in
        Reinforcement Learning", section 4 (baselines).
        """
        ptu.check_shape("target_n", target_n, (len(ob_no),))
        # The loss above, a scalar tensor; then one step of `self.optimizer` down its gradient.
        # HINT: the arguments are arrays; self(...) takes a tensor.
        # BEGIN SOLUTION hw2.value.update -> loss
        loss = self.loss(self(ptu.from_numpy(ob_no)), ptu.from_numpy(target_n))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        # END SOLUTION
        return float(loss.item())
