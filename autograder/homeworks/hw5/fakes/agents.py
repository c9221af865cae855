"""PPO's agent over small linear networks, without an environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical, MultivariateNormal

from autograder.running.probing import Student
from autograder.running.scripted import Unplayed

OBS, CHOICES, COMPONENTS = 3, 4, 2
STEP_SIZE = 0.5  # times the gradient


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


def ppo_agent(student: Student, discrete: bool, **settings: Any) -> Any:
    """Builds the student's agent with its own critic, which is linear too."""
    environments: Any = Unplayed(OBS, CHOICES if discrete else COMPONENTS, discrete)
    environments.num_envs, environments.reset = 1, lambda: np.zeros((1, OBS), np.float32)
    own = student.module("configs.ppo").PPOConfig(batch_size=4, **settings)
    agent = student.module("agents.ppo_agent").PPOAgent(environments, own)
    agent.critic.critic_network = nn.Linear(OBS, 1)
    return agent


def with_plain_steps(student: Student, discrete: bool, **settings: Any) -> Any:
    """Builds the agent with a linear actor, fixed weights, and steps as long as the gradient."""
    agent = ppo_agent(student, discrete, **settings)
    agent.actor = LinearPolicy(discrete)
    agent.weights = [*agent.actor.parameters(), *agent.critic.parameters()]
    fill(agent.weights, np.sin(1.0 + np.arange(sum(w.numel() for w in agent.weights))))
    agent.optimizer = torch.optim.SGD(agent.weights, STEP_SIZE)
    return agent


@torch.no_grad()
def fill(weights: Any, numbers: np.ndarray) -> None:
    """Writes numbers into the first weights, as many as there are."""
    torch.nn.utils.vector_to_parameters(torch.as_tensor(numbers).float(), weights)
