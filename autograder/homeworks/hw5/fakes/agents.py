"""What the agents of PPO and TRPO are made of in cases: a small policy, and no environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical, MultivariateNormal

from autograder.homeworks.hw2.fakes.pg import weighed  # noqa: F401  (for files of blanks)
from autograder.running.scripted import Unplayed

OBS, CHOICES, COMPONENTS = 3, 4, 2


class LinearPolicy(nn.Module):
    """A policy whose logits, or means, are linear in the observation."""

    def __init__(self, discrete: bool) -> None:
        """Makes one with `CHOICES` actions, or with `COMPONENTS` in each action."""
        super().__init__()
        self.linear = nn.Linear(OBS, CHOICES if discrete else COMPONENTS)
        self.logstd = None if discrete else nn.Parameter(torch.zeros(COMPONENTS))

    def forward(self, observation: torch.Tensor) -> Any:
        """Returns a distribution with one log-probability for each row."""
        outputs = self.linear(observation)
        if self.logstd is None:
            return Categorical(logits=outputs)
        spread = torch.diag(torch.exp(self.logstd))
        return MultivariateNormal(outputs, scale_tril=spread)


def idle(discrete: bool) -> Any:
    """Returns environments for PPO's agent, which nobody steps."""
    environments: Any = Unplayed(OBS, CHOICES if discrete else COMPONENTS, discrete)
    environments.num_envs, environments.reset = 1, lambda: np.zeros((1, OBS), np.float32)
    return environments
