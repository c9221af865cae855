"""Q(s, a) for continuous actions: one network or two, and slow copies of them for targets."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from cs285.infrastructure import networks
from cs285.infrastructure import pytorch_util as ptu


class QNetworks(nn.Module):
    """k perceptrons of one shape, side by side: a layer of all of them is one batched product."""

    def __init__(
        self, num_networks: int, input_size: int, hidden: Sequence[int], activation: str = "relu"
    ) -> None:
        """Draws the weights as nn.Linear does; no two networks get the same.

        Args:
            num_networks: k.
            input_size: Components of an observation and an action together.
            hidden: Units of each hidden layer.
            activation: After each of them, "relu" or "tanh".
        """
        super().__init__()
        self.activate = {"relu": torch.relu_, "tanh": torch.tanh_}[activation]
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        for fan_in, fan_out in itertools.pairwise([input_size, *hidden, 1]):
            bound = fan_in**-0.5
            for parameters, rows in ((self.weights, fan_in), (self.biases, 1)):
                values = torch.empty(num_networks, rows, fan_out).uniform_(-bound, bound)
                parameters.append(nn.Parameter(values.to(ptu.device)))
        # A plain list of the same: nn.ParameterList looks each of them up by name, every time.
        self.layers = list(zip(self.weights, self.biases, strict=True))

    def forward(
        self, ob_no: torch.Tensor, ac_na: torch.Tensor, only_first: bool = False
    ) -> torch.Tensor:
        """Returns Q_k(s, a) of all networks, or of the first. Shape (k, n), reward units."""
        layers: Sequence[tuple[torch.Tensor, torch.Tensor]] = self.layers
        if only_first:
            layers = [(weight[:1], bias[:1]) for weight, bias in layers]
        units = torch.cat([ob_no, ac_na], dim=1).expand(len(layers[0][0]), -1, -1)
        for weight, bias in layers[:-1]:
            units = self.activate(torch.baddbmm(bias, units, weight))
        weight, bias = layers[-1]
        return torch.baddbmm(bias, units, weight).squeeze(2)


def soft_copy(source: Iterable[torch.Tensor], target: Iterable[torch.Tensor], tau: float) -> None:
    """Moves the target's parameters a little towards the source's.

    target <- (1 - tau) * target + tau * source

    Args:
        source: Parameters theta that are being learned; they stay as they are.
        target: Parameters theta' of a network of the same shape.
        tau: How far, from 0 (not at all) to 1 (all the way).

    Source: Lillicrap et al., 2016, https://arxiv.org/abs/1509.02971, section 3.
    """
    with torch.no_grad():
        # The step above for each pair of parameters, in place.
        # HINT: target + tau * (source - target) is the same; torch._foreach_lerp_ does a whole
        # list of tensors in one call, a loop over the pairs is as right.
        # BEGIN SOLUTION hw4.critic.soft_copy
        torch._foreach_lerp_(list(target), list(source), tau)
        # END SOLUTION


class QCritic:
    """k estimates of Q(s, a), with target networks and an optimizer; its user has the equations."""

    def __init__(
        self,
        ob_dim: int,
        ac_dim: int,
        hidden: Sequence[int],
        num_networks: int,
        learning_rate: float,
        tau: float,
        activation: str = "relu",
    ) -> None:
        """Builds both sets of networks, equal at first.

        Args:
            ob_dim: Components of an observation.
            ac_dim: Components of an action.
            hidden: Units of each hidden layer.
            num_networks: k.
            learning_rate: Adam's step size.
            tau: How far a soft copy moves the target networks.
            activation: After each hidden layer, "relu" or "tanh".
        """
        self.tau = tau
        self.q_net = QNetworks(num_networks, ob_dim + ac_dim, hidden, activation)
        self.q_net_target = QNetworks(num_networks, ob_dim + ac_dim, hidden, activation)
        self.q_net_target.load_state_dict(self.q_net.state_dict())
        self.q_net_target.requires_grad_(False)
        self.weights = list(self.q_net.parameters())
        self.target_weights = list(self.q_net_target.parameters())
        self.optimizer = ptu.LeanAdam(self.weights, learning_rate)

    def descend(self, loss: torch.Tensor) -> torch.Tensor:
        """Takes one gradient step on a loss; returns the length of the gradient."""
        self.optimizer.zero_grad()
        loss.backward(inputs=self.weights)  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return networks.grad_norm(self.weights)

    def update_target_network(self) -> None:
        """Lets the target networks follow."""
        soft_copy(self.weights, self.target_weights, self.tau)

    def _parts(self) -> Iterable[tuple[str, Any]]:
        """Yields what has state, by name."""
        for name in ("q_net", "q_net_target", "optimizer"):
            yield name, getattr(self, name)

    def state_dict(self) -> dict[str, Any]:
        """Returns a state tree; its tensors are the live ones."""
        return {name: part.state_dict() for name, part in self._parts()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores what `state_dict` returned."""
        for name, part in self._parts():
            part.load_state_dict(state[name])
