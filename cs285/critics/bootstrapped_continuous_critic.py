"""The critic of actor-critic: V(s), fitted to targets that it helps to compute itself."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: F401, N812  (for bodies from older handouts)

from cs285.configs.actor_critic import ACConfig
from cs285.infrastructure import fast_torch as fast
from cs285.infrastructure import pytorch_util as ptu


class BootstrappedContinuousCritic(nn.Module):
    """A state-value function V(s), the expected discounted return of the policy from s on.

    Bootstrapped: the targets hold the critic's own V(s'), so they are recomputed as it improves.
    """

    def __init__(self, ob_dim: int | tuple[int, ...], settings: ACConfig) -> None:
        """Builds the network, of observations of `ob_dim` components, and its optimizer."""
        super().__init__()
        self.gamma = settings.discount
        self.learning_rate = settings.critic_step_size  # for bodies from older handouts
        self.num_target_updates = settings.num_target_updates
        self.num_grad_steps_per_target_update = settings.num_grad_steps_per_target_update

        sizes = settings.hidden_sizes()
        self.critic_network = ptu.build_network(ob_dim, 1, len(sizes), sizes, settings.activation)
        self.loss = nn.MSELoss()
        self.optimizer = fast.FusedAdam(self.critic_network.parameters(), settings.critic_step_size)

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        """Computes V(s).

        Args:
            obs: Shape (n, ob_dim), float32.

        Returns:
            Values. Shape (n,), reward units.
        """
        # (n, 1) minus (n,) would broadcast to (n, n): the spare axis goes here, once and for all.
        value_n: torch.Tensor = self.critic_network(obs).squeeze(1)
        return value_n

    def forward_np(self, obs: np.ndarray) -> np.ndarray:
        """Computes V(s) for arrays, with no gradient. Shapes (n, ob_dim) to (n,)."""
        with torch.no_grad():
            return ptu.to_numpy(self(ptu.from_numpy(obs)))

    def update(
        self,
        ob_no: np.ndarray,
        ac_na: np.ndarray,
        next_ob_no: np.ndarray,
        reward_n: np.ndarray,
        terminal_n: np.ndarray,
    ) -> float:
        """Fits V(s) to bootstrapped targets, which stand still while it is fitted.

        target_i = r_i + gamma * (1 - terminal_i) * V(s'_i)
        loss = 1/n * sum_i (V(s_i) - target_i)^2

        The targets are computed `num_target_updates` times; each time is followed by
        `num_grad_steps_per_target_update` gradient steps on them.

        Args:
            ob_no: s. Shape (n, ob_dim).
            ac_na: Actions; V(s) does not need them.
            next_ob_no: s'. Shape (n, ob_dim).
            reward_n: r(s, a). Shape (n,).
            terminal_n: 1.0 where nothing counts after this step. Shape (n,).

        Returns:
            The loss before the last gradient step.

        Raises:
            ValueError: If rewards or terminals are not one number for each observation.

        Source: Sutton and Barto, 2018, "Reinforcement Learning", section 9.3 (semi-gradient).
        """
        ptu.check_shape("next_ob_no", next_ob_no, ob_no.shape)
        ptu.check_shape("reward_n", reward_n, (len(ob_no),))
        ptu.check_shape("terminal_n", terminal_n, (len(ob_no),))
        # The schedule of the docstring: targets, shape (n,), then gradient steps of
        # `self.optimizer` on `loss`, a scalar tensor; and so on, `num_target_updates` times.
        # HINT: the arguments are arrays. No gradient may flow into the targets.
        # BEGIN SOLUTION hw3.critic.update -> loss
        obs, next_obs = ptu.from_numpy(ob_no), ptu.from_numpy(next_ob_no)
        rewards, terminals = ptu.from_numpy(reward_n), ptu.from_numpy(terminal_n)
        for _ in range(self.num_target_updates):
            with torch.no_grad():
                target_n = rewards + self.gamma * (1.0 - terminals) * self(next_obs)
            for _ in range(self.num_grad_steps_per_target_update):
                loss = self.loss(self(obs), target_n)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
        # END SOLUTION
        return float(loss.item())
