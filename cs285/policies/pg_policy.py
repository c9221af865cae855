"""The policy of plain policy gradient."""

from __future__ import annotations

import numpy as np
import torch

from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.numpy_mlp import sample_actions
from cs285.policies.MLP_policy import MLPPolicy


class MLPPolicyPG(MLPPolicy):
    """A stochastic policy, improved by the likelihood-ratio gradient."""

    @torch.no_grad()
    def get_action(self, obs: np.ndarray) -> np.ndarray:
        """Samples an action for each row of `obs`, or for a single one.

        As `MLPPolicy` does, in less time: see `sample_actions`.
        """
        observation = ptu.from_numpy(obs if len(obs.shape) > 1 else obs[None])
        std = None if self.discrete else ptu.to_numpy(self.logstd.exp())
        return sample_actions(ptu.to_numpy(self.network(observation)), std)

    def update(
        self, observations: np.ndarray, actions: np.ndarray, advantages: np.ndarray
    ) -> float:
        """Takes one step of gradient ascent on the expected return.

        gradient = 1/n * sum_i grad log pi(a_i | s_i) * A_i
        loss = -1/n * sum_i log pi(a_i | s_i) * A_i, whose gradient is the negative of that

        Args:
            observations: s. Shape (n, ob_dim).
            actions: The actions that were taken. Shape (n,) if discrete, else (n, ac_dim).
            advantages: A_i, constants of this step. Shape (n,), reward units.

        Returns:
            The loss before the step.

        Raises:
            ValueError: If the actions or advantages have another shape.

        Source: Williams, 1992, "Simple Statistical Gradient-Following Algorithms for
        Connectionist Reinforcement Learning", equation 11 (REINFORCE).
        """
        batch_size = len(observations)
        action_shape = (batch_size,) if self.discrete else (batch_size, self.ac_dim)
        ptu.check_shape("actions", actions, action_shape)
        ptu.check_shape("advantages", advantages, (batch_size,))
        # The loss above, a scalar tensor; then one step of `self.optimizer` down its gradient.
        # HINT: the three arguments are arrays. An optimizer descends: mind the sign.
        # HINT: self(...) takes observations as a tensor, and returns a distribution of torch.
        # BEGIN SOLUTION hw2.policy.update -> loss
        log_prob_n = self(ptu.from_numpy(observations)).log_prob(ptu.from_numpy(actions))
        loss = -(log_prob_n * ptu.from_numpy(advantages)).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        # END SOLUTION
        return float(loss.item())
