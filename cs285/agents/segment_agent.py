"""Play and remember segments: what PPO and TRPO do around their updates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from torch import nn

from cs285.configs.segments import SegmentConfig
from cs285.critics.value_critic import ValueCritic
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure import rollouts
from cs285.infrastructure.numpy_mlp import Sampler
from cs285.infrastructure.rollouts import PathBatch
from cs285.infrastructure.training.agent import Agent, DeterministicPolicy
from cs285.infrastructure.training.rollout_collector import RolloutCollector, VectorEnv
from cs285.policies.MLP_policy import MLPPolicy


def orthogonal_init(network: nn.Module, head_gain: float) -> None:
    """Draws orthogonal weights, of gain sqrt(2) and in the last layer `head_gain`; biases are 0.

    A small head makes a policy begin with nearly the same distribution in every state.

    Source: Saxe et al., 2014, https://arxiv.org/abs/1312.6120; gains as PPO's authors have them.
    """
    layers = [layer for layer in network.modules() if isinstance(layer, (nn.Linear, nn.Conv2d))]
    for layer in layers:
        # Drawn apart, for weights of convolutions do not lie in a row, as the draw must.
        drawn = torch.empty_like(layer.weight, memory_format=torch.contiguous_format)
        nn.init.orthogonal_(drawn, head_gain if layer is layers[-1] else 2.0**0.5)
        layer.weight.data.copy_(drawn)
        nn.init.zeros_(layer.bias)  # type: ignore[arg-type]


def build_networks(
    spaces: tuple[gym.Space[Any], gym.Space[Any]],
    settings: SegmentConfig,
    own: Any = None,
    critic_step_size: float | None = None,
) -> tuple[MLPPolicy, ValueCritic, ptu.RunningNorm]:
    """Builds actor and critic, and what scales observations for both, if they are scaled.

    Args:
        spaces: Of observations and of actions.
        settings: Sizes of layers, and whether observations are scaled.
        own: Networks of one's own, which take the places of these.
        critic_step_size: Of the critic's own optimizer; None: the agent has one for both.
    """
    ob_dim, ac_dim, discrete = rollouts.sizes(*spaces)
    sizes, activation = settings.hidden_sizes(), settings.activation
    actor = MLPPolicy(ac_dim, ob_dim, len(sizes), sizes, discrete, None, activation)
    critic = ValueCritic(ob_dim, len(sizes), sizes, critic_step_size, activation)
    norm = ptu.RunningNorm(ob_dim)
    both: Any = ((actor.network, 0.01), (critic.critic_network, 1.0))
    for network, gain in both:
        orthogonal_init(network, head_gain=gain)
        if settings.normalize_observations:
            network.insert(0, norm)
    if own:
        own.install(actor, critic)
    return actor, critic, norm


class SegmentAgent(Agent):
    """Plays segments itself, in environments side by side, and learns from each once and whole."""

    batch: PathBatch | None = None
    """What it has played and not learned from yet."""

    def __init__(
        self,
        env: VectorEnv,
        settings: SegmentConfig,
        own: Any = None,
        critic_step_size: float | None = None,
    ) -> None:
        """Builds actor and critic, and begins the first episodes in `env`.

        Observations are scaled by what earlier iterations have seen, and the first iteration sees
        them raw. Stable-Baselines3 takes each observation in as it comes.
        """
        self.env = env
        self.actor, self.critic, self.norm = build_networks(
            env.spaces, settings, own, critic_step_size
        )
        self.eval_policy = DeterministicPolicy(self.actor)
        self.collector = RolloutCollector(env, Sampler(self.actor), settings.batch_size)

    def step_env(self) -> None:
        """Plays this iteration's segments."""
        self.batch = self.collector.collect()

    def sample(self, batch_size: int) -> PathBatch:
        """Returns this iteration's transitions, one segment after the other.

        Raises:
            ValueError: If they aren't `batch_size`.
        """
        batch, self.batch = self.batch, None  # once learned from, it is stale
        if batch is None or len(batch.re_n) != batch_size:
            raise ValueError(f"wanted the latest {batch_size} transitions, which are not there")
        return batch

    def begin_episode(self, obs: Mapping[int, np.ndarray]) -> None:
        """Plays on from the first observations of fresh episodes, by the environment's number."""
        for number, first in obs.items():
            self.collector.last_obs[number] = first
