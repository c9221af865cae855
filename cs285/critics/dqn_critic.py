"""The critic of DQN: an online Q-network, trained towards targets that a frozen copy supplies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn, optim
from torch.nn import utils  # noqa: F401  (bodies written for older handouts clip with it)

from cs285.infrastructure import pytorch_util as ptu

WITH_STATE = ("q_net", "q_net_target", "optimizer", "learning_rate_scheduler")


class OptimizerSpec(NamedTuple):
    """How to build the optimizer of a critic."""

    constructor: Callable[..., optim.Optimizer]
    optim_kwargs: dict[str, Any]
    learning_rate_schedule: Callable[[int], float]
    """Update number -> factor on the learning rate in `optim_kwargs`."""


class DQNCritic:
    """Q(s, a) for all discrete actions, learned by Q-learning with a target network.

    loss = mean_i Huber(Q(s_i, a_i) - y_i),  y_i = r_i + gamma * (1 - terminal_i) * Q_next(s'_i)
    DQN:         Q_next(s') = max_a Q_target(s', a)
    Double DQN:  Q_next(s') = Q_target(s', argmax_a Q(s', a))

    Source: Mnih et al., 2015, https://www.nature.com/articles/nature14236, equation 2 and
    "Training algorithm"; van Hasselt et al., 2016, https://arxiv.org/abs/1509.06461, equation 4.
    """

    def __init__(self, hparams: Mapping[str, Any], optimizer_spec: OptimizerSpec) -> None:
        """Builds both networks, equal at first, and the optimizer of the online one.

        Args:
            hparams: q_func, called as q_func(ob_dim, ac_dim), makes a Q-network; ob_dim; ac_dim,
                the number of actions; double_q; gamma, per step; grad_norm_clipping, the largest
                magnitude of any one gradient value.
            optimizer_spec: How to build the optimizer.
        """
        self.ob_dim = hparams["ob_dim"]
        self.ac_dim = hparams["ac_dim"]
        self.double_q = hparams["double_q"]
        self.gamma = hparams["gamma"]
        self.grad_norm_clipping = hparams["grad_norm_clipping"]

        self.q_net: nn.Module = hparams["q_func"](self.ob_dim, self.ac_dim)
        self.q_net_target: nn.Module = hparams["q_func"](self.ob_dim, self.ac_dim)
        self.q_net_target.load_state_dict(self.q_net.state_dict())

        self.weights = list(self.q_net.parameters())
        self.optimizer = optimizer_spec.constructor(self.weights, **optimizer_spec.optim_kwargs)
        self.learning_rate_scheduler = optim.lr_scheduler.LambdaLR(
            self.optimizer, optimizer_spec.learning_rate_schedule
        )
        self.loss = nn.SmoothL1Loss()  # Huber: large errors count linearly

    def update(
        self,
        ob_no: ptu.Array,
        ac_na: ptu.Array,
        next_ob_no: ptu.Array,
        reward_n: ptu.Array,
        terminal_n: ptu.Array,
    ) -> dict[str, float]:
        """Takes one gradient step on a batch of transitions.

        Args:
            ob_no: s. Shape (n, *ob_dim).
            ac_na: Actions taken, whole numbers below ac_dim. Shape (n,).
            next_ob_no: s'. Shape (n, *ob_dim).
            reward_n: Rewards. Shape (n,).
            terminal_n: 1.0 where nothing counts after this step. Shape (n,).

        Returns:
            "Training Loss", the batch's loss before the step.
        """
        ob_no = ptu.observations_from_numpy(ob_no)
        next_ob_no = ptu.observations_from_numpy(next_ob_no)
        ac_na = torch.as_tensor(ac_na, dtype=torch.long, device=ptu.device)
        reward_n, terminal_n = ptu.from_numpy(reward_n), ptu.from_numpy(terminal_n)
        (batch_size,) = reward_n.shape

        qa_t_values = self.q_net(ob_no)  # (n, num_actions)
        q_t_values = torch.gather(qa_t_values, 1, ac_na.unsqueeze(1)).squeeze(1)  # (n,)

        # Bellman targets y, shape (n,), from the target network: with `self.double_q` the next
        # values are `self.double_q_values(next_ob_no)`, else the largest over the actions.
        # HINT: no gradient may flow into the targets.
        # BEGIN SOLUTION hw3.dqn.targets -> target
        with torch.no_grad():
            if self.double_q:
                q_tp1 = self.double_q_values(next_ob_no)
            else:
                q_tp1 = self.q_net_target(next_ob_no).max(dim=1).values
            target = reward_n + self.gamma * (1.0 - terminal_n) * q_tp1
        # END SOLUTION
        ptu.check_shape("target", target, (batch_size,))

        loss = self.loss(q_t_values, target)
        self.optimizer.zero_grad()
        loss.backward()
        ptu.clip_grad_value_(self.weights, self.grad_norm_clipping)
        self.optimizer.step()
        self.learning_rate_scheduler.step()
        return {"Training Loss": loss.item()}

    def double_q_values(self, next_ob_no: torch.Tensor) -> torch.Tensor:
        """Values next states by double Q-learning.

        Args:
            next_ob_no: s'. Shape (n, *ob_dim).

        Returns:
            Q_target(s', argmax_a Q(s', a)). Shape (n,), reward units.

        Source: van Hasselt et al., 2016, https://arxiv.org/abs/1509.06461, equation 4.
        """
        # One network chooses the next action, the other says what it is worth; q_tp1, shape (n,).
        # HINT: torch.gather picks one entry of each row, as `update` does for Q(s, a).
        # BEGIN SOLUTION hw3.dqn.double_q -> q_tp1
        next_ac_n = self.q_net(next_ob_no).argmax(dim=1)
        qa_tp1_values = self.q_net_target(next_ob_no)
        q_tp1 = torch.gather(qa_tp1_values, 1, next_ac_n.unsqueeze(1)).squeeze(1)
        # END SOLUTION
        return q_tp1

    def update_target_network(self) -> None:
        """Copies the online network's parameters and buffers into the target network."""
        self.q_net_target.load_state_dict(self.q_net.state_dict())

    def qa_values(self, obs: np.ndarray) -> np.ndarray:
        """Returns Q(s, a) of the online network for each observation and action.

        Args:
            obs: Observations. Shape (n, *ob_dim).

        Returns:
            Action values. Shape (n, ac_dim), reward units.
        """
        with torch.no_grad():
            return ptu.to_numpy(self.q_net(ptu.observations_from_numpy(obs)))

    def state_dict(self) -> dict[str, Any]:
        """Returns a state tree; its tensors are the live ones."""
        return {name: getattr(self, name).state_dict() for name in WITH_STATE}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores what `state_dict` returned."""
        for name in WITH_STATE:
            getattr(self, name).load_state_dict(state[name])
