"""Networks as a person may write them, for runs that use them in the place of the agent's."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributions import Categorical, Normal


def mlp(inputs: int, outputs: int, units: int) -> nn.Sequential:
    """A perceptron with an activation that no network of ours has."""
    return nn.Sequential(nn.Linear(inputs, units), nn.ELU(), nn.Linear(units, outputs))


class Values(nn.Module):
    """V(s), or Q(s, a) of two tensors; shape (n,)."""

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        self.net = mlp(inputs, 1, units)

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        return self.net(torch.cat(inputs, dim=1)).squeeze(1)


class Distribution(nn.Module):
    """pi(. | s), which returns a distribution and None, as Spinning Up's does."""

    def __init__(self, inputs: int, action_space, units: int) -> None:
        super().__init__()
        self.discrete = hasattr(action_space, "n")
        outputs = int(action_space.n) if self.discrete else action_space.shape[0]
        self.net = mlp(inputs, outputs, units)
        if not self.discrete:
            self.log_std = nn.Parameter(torch.full((outputs,), -0.5))

    def forward(self, obs: torch.Tensor, act=None):
        found = self.net(obs)
        if self.discrete:
            return Categorical(logits=found), None
        return Normal(found, self.log_std.exp()), None


class OnPolicy(nn.Module):
    """For policy gradients: pi and v."""

    def __init__(self, observation_space, action_space, units: int = 16) -> None:
        super().__init__()
        inputs = observation_space.shape[0]
        self.pi = Distribution(inputs, action_space, units)
        self.v = Values(inputs, units)


class OffPolicy(nn.Module):
    """For agents with a memory: pi, q, q1 and q2."""

    def __init__(self, observation_space, action_space, units: int = 16, gauss=False) -> None:
        super().__init__()
        inputs, outputs = observation_space.shape[0], action_space.shape[0]
        mean = nn.Sequential(mlp(inputs, outputs, units), nn.Tanh())
        self.pi = mlp(inputs, 2 * outputs, units) if gauss else mean
        self.q, self.q1, self.q2 = (Values(inputs + outputs, units) for _ in range(3))


class Actions(nn.Module):
    """For agents that value each of several actions: q."""

    def __init__(self, observation_space, action_space, units: int = 16) -> None:
        super().__init__()
        self.q = mlp(observation_space.shape[0], int(action_space.n), units)


class Shared(OnPolicy):
    """pi and v have weights in common, which an agent would move twice."""

    def __init__(self, observation_space, action_space) -> None:
        super().__init__(observation_space, action_space)
        self.v.net[0] = self.pi.net[0]
