"""Stochastic policies pi(a | s) computed by a multilayer perceptron."""

# ruff: noqa: N999  (the course named this file)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import distributions, nn
from torch.nn import functional as F  # noqa: F401, N812  (for bodies from older handouts)

from cs285.infrastructure import fast_torch as fast
from cs285.infrastructure import pytorch_util as ptu


class MLPPolicy(nn.Module):
    """A distribution over actions for each observation.

    Discrete actions: `logits_na` maps s to the unnormalised log-probability of each action.
    Continuous actions: `mean_net` maps s to the mean of a Gaussian with independent components,
    whose standard deviations exp(`logstd`) are learned, and are the same in every state.
    """

    def __init__(
        self,
        ac_dim: int,
        ob_dim: int | tuple[int, ...],
        n_layers: int,
        size: int | Sequence[int],
        discrete: bool = False,
        learning_rate: float | None = 1e-4,
        activation: str = "tanh",
    ) -> None:
        """Builds the network and its optimizer.

        Args:
            ac_dim: Number of actions (discrete), or of action components (continuous).
            ob_dim: Number of observation components; or the shape of a stack of frames.
            n_layers: Hidden layers.
            size: Units in each hidden layer; one number, or one for each.
            discrete: Whether an action is one of `ac_dim` choices.
            learning_rate: Step size of Adam; None: an agent optimizes it by other means.
            activation: After each hidden layer, a key of `ptu.ACTIVATIONS`.
        """
        super().__init__()
        self.ac_dim = ac_dim
        self.ob_dim = ob_dim
        self.n_layers = n_layers
        self.size = size
        self.discrete = discrete
        self.learning_rate = learning_rate  # for bodies from older handouts

        self.logits_na: Any = None
        self.mean_net: Any = None
        self.logstd: Any = None
        network = ptu.build_network(ob_dim, ac_dim, n_layers, size, activation)
        if discrete:
            self.logits_na = network
        else:
            self.mean_net = network
            self.logstd = nn.Parameter(torch.zeros(ac_dim, device=ptu.device))
        self.optimizer: Any = None
        if learning_rate is not None:
            self.optimizer = fast.FusedAdam(self.parameters(), learning_rate)

    def forward(self, observation: torch.Tensor) -> distributions.Distribution:
        """Computes pi(. | s) for a batch of observations.

        Discrete: Categorical(softmax(logits_na(s))). Continuous: the components of `a` are
        independent, a_i ~ N(mean_net(s)_i, exp(logstd_i)^2), and one step has one density:
        log pi(a | s) = sum_i log N(a_i; mean_net(s)_i, exp(logstd_i)^2).

        Args:
            observation: Shape (n, ob_dim), float32.

        Returns:
            A distribution whose samples have shape (n,) if discrete, else (n, ac_dim), and whose
            `log_prob` has shape (n,) in both cases.
        """
        # The distribution over the actions of each row, as the docstring says.
        # HINT: distributions.Categorical; distributions.Normal inside distributions.Independent.
        # HINT: validate_args=False skips checks that take as long as the network itself.
        # BEGIN SOLUTION hw3.policy.forward -> return
        if self.discrete:
            return distributions.Categorical(
                logits=self.logits_na(observation), validate_args=False
            )
        mean_na = self.mean_net(observation)
        normal = distributions.Normal(mean_na, self.logstd.exp(), validate_args=False)
        return distributions.Independent(normal, 1, validate_args=False)
        # END SOLUTION

    @property
    def network(self) -> Any:
        """What maps s to logits, or to means."""
        return self.logits_na if self.discrete else self.mean_net

    def mode(self, observation: torch.Tensor) -> torch.Tensor:
        """Returns the most likely action of each row: the largest logit's, or the mean."""
        actions: torch.Tensor = self(observation).mode
        return actions

    @torch.no_grad()
    def get_action(self, obs: np.ndarray) -> np.ndarray:
        """Samples one action for each observation.

        Args:
            obs: Shape (n, ob_dim), or (ob_dim,) for a single observation, a batch of n = 1.

        Returns:
            Actions. Shape (n,), integers, if discrete; else (n, ac_dim), float32.
        """
        observation = obs if len(obs.shape) > 1 else obs[None]
        # Actions drawn from pi(. | s), one for each row of `observation`, as an array.
        # HINT: ptu.from_numpy and ptu.to_numpy; self(observation) calls forward.
        # BEGIN SOLUTION hw3.policy.get_action -> return
        action_distribution = self(ptu.from_numpy(observation))
        return ptu.to_numpy(action_distribution.sample())
        # END SOLUTION


class MLPPolicyAC(MLPPolicy):
    """The actor of actor-critic."""

    def update(self, observations: np.ndarray, actions: np.ndarray, adv_n: np.ndarray) -> float:
        """Takes one step of gradient ascent on the advantage-weighted log-probability.

        loss = -1/n * sum_i log pi(a_i | s_i) * A_i

        Args:
            observations: Shape (n, ob_dim).
            actions: The actions that were taken. Shape (n,) if discrete, else (n, ac_dim).
            adv_n: Advantages A_i, constants of this step. Shape (n,), reward units.

        Returns:
            The loss before the step.

        Raises:
            ValueError: If the actions or advantages have another shape.

        Source: Sutton et al., 2000, "Policy Gradient Methods for Reinforcement Learning with
        Function Approximation", theorem 1, with an advantage in place of Q.
        """
        batch_size = len(observations)
        action_shape = (batch_size,) if self.discrete else (batch_size, self.ac_dim)
        ptu.check_shape("actions", actions, action_shape)
        ptu.check_shape("adv_n", adv_n, (batch_size,))
        # The loss above, a scalar tensor; then one step of `self.optimizer` down its gradient.
        # HINT: the three arguments are arrays. An optimizer descends: mind the sign.
        # BEGIN SOLUTION hw3.policy.update -> loss
        action_distribution = self(ptu.from_numpy(observations))
        log_prob_n = action_distribution.log_prob(ptu.from_numpy(actions))
        loss = -(log_prob_n * ptu.from_numpy(adv_n)).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        # END SOLUTION
        return float(loss.item())
