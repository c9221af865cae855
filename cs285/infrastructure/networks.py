"""Networks and what is done to them, for the agents of homework 5."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from cs285.infrastructure import fast
from cs285.infrastructure import pytorch_util as ptu


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


class RunningNorm(nn.Module):
    """Scales each component by the mean and variance of all that `update` has seen, to [-10, 10].

    Before the first `update` it changes nothing else.
    """

    mean: torch.Tensor
    var: torch.Tensor
    count: torch.Tensor

    def __init__(self, size: int | tuple[int, ...]) -> None:
        """Begins with mean 0 and variance 1, seen 0 times."""
        super().__init__()
        self.register_buffer("mean", torch.zeros(size, device=ptu.device))
        self.register_buffer("var", torch.ones(size, device=ptu.device))
        self.register_buffer("count", torch.zeros((), device=ptu.device))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Returns `inputs` scaled, same shape (n, size)."""
        return ((inputs - self.mean) / torch.sqrt(self.var + 1e-8)).clamp(-10.0, 10.0)

    @torch.no_grad()
    def update(self, inputs: torch.Tensor) -> None:
        """Takes `inputs`, shape (n, size), into mean and variance (Chan et al., 1979)."""
        share = len(inputs) / (self.count + len(inputs))
        var, mean = torch.var_mean(inputs, dim=0, correction=0)
        off = mean - self.mean
        self.var.lerp_(var, share).add_(off**2 * share * (1 - share))
        self.mean.lerp_(mean, share)
        self.count += len(inputs)


def init_actor_critic(
    actor: Any, critic: Any, ob_dim: int | tuple[int, ...], normalize: bool
) -> RunningNorm:
    """Draws the first weights of an actor with a small head, and of its critic.

    Returns:
        What scales observations: the first layer of both if they are to `normalize`, else unused.
    """
    norm = RunningNorm(ob_dim)
    for network, gain in ((actor, 0.01), (critic, 1.0)):
        orthogonal_init(network, head_gain=gain)
        if normalize:
            network.insert(0, norm)
    return norm


def prepare(actor: Any, critic: Any, settings: Any) -> RunningNorm:
    """Readies a policy and its critic for learning.

    Args:
        actor: An `MLPPolicy`.
        critic: A `ValueCritic`.
        settings: Those of the agent. Where they have `networks` of one's own, these take the place
            of what is there.

    Returns:
        What scales observations, see `init_actor_critic`.
    """
    network, normalize = actor.logits_na or actor.mean_net, settings.normalize_observations
    norm = init_actor_critic(network, critic.critic_network, settings.ob_dim, normalize)
    if settings.networks:
        settings.networks.install(actor, critic)
    return norm


def flat_gradient(
    scalar: torch.Tensor, weights: Sequence[torch.Tensor], create_graph: bool = False
) -> torch.Tensor:
    """Returns the gradient of `scalar` by all weights as one vector. Shape (d,)."""
    parts = torch.autograd.grad(scalar, weights, create_graph=create_graph, retain_graph=True)
    return torch.cat([part.flatten() for part in parts])


@torch.no_grad()
def set_weights(weights: Sequence[torch.Tensor], theta: torch.Tensor) -> None:
    """Copies a vector of shape (d,) into `weights`, which have d numbers together."""
    parts = torch.split(theta, [weight.numel() for weight in weights])
    for weight, part in zip(weights, parts, strict=True):
        weight.copy_(part.view_as(weight))


class NumpyMLP:
    """What a perceptron answers, computed by NumPy: for one row, in a fifth of torch's time.

    There torch is busy with bookkeeping, not with the product. The arrays are the network's own
    memory, so they are its present weights at any time.
    """

    def __init__(self, network: nn.Sequential) -> None:
        """Wraps a network of linear layers, activations of `ptu.ACTIVATIONS` and `RunningNorm`.

        Raises:
            KeyError: If there is another layer in it.
        """
        self.layers = [self._as_function(layer) for layer in network]

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """Returns what the last layer makes of `inputs`. Shapes (n, inputs) to (n, outputs)."""
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs

    @staticmethod
    def _as_function(layer: nn.Module) -> Callable[[np.ndarray], np.ndarray]:
        held = [ptu.to_numpy(tensor) for tensor in layer.state_dict().values()]
        if isinstance(layer, nn.Linear):
            weight, bias = held[0].T, held[1] if len(held) > 1 else np.float32(0.0)

            def linear(rows: np.ndarray) -> np.ndarray:
                units: np.ndarray = rows @ weight
                units += bias
                return units

            return linear
        if isinstance(layer, RunningNorm):
            return lambda x: ((x - held[0]) / np.sqrt(held[1] + 1e-8)).clip(-10.0, 10.0)
        known: dict[type, Callable[[np.ndarray], np.ndarray]]
        known = {nn.Tanh: np.tanh, nn.ReLU: lambda x: np.maximum(x, 0.0), nn.Identity: np.asarray}
        return known[type(layer)]


class Sampler:
    """Plays an `MLPPolicy` as the policy itself does, in less time: see `fast.sample_actions`."""

    def __init__(self, policy: Any) -> None:
        """Wraps `policy`, whose networks are `logits_na` or `mean_net` with `logstd`."""
        self.discrete, self.logstd = policy.discrete, policy.logstd
        self.network = policy.logits_na or policy.mean_net
        on_cpu = ptu.device.type == "cpu"
        if on_cpu and not self.discrete:  # an array is the parameter's own memory, as below
            self.logstd = ptu.to_numpy(policy.logstd)
        quick = on_cpu and isinstance(self.network, nn.Sequential)
        self.outputs = NumpyMLP(self.network) if quick else self._outputs_of_torch

    @torch.no_grad()
    def _outputs_of_torch(self, observation: np.ndarray) -> np.ndarray:
        return ptu.to_numpy(self.network(ptu.observations_from_numpy(observation)))

    def get_action(self, obs: np.ndarray) -> np.ndarray:
        """Returns an action for each row of `obs`."""
        logstd = self.logstd
        if isinstance(logstd, torch.Tensor):
            logstd = ptu.to_numpy(logstd)
        std = None if self.discrete else np.exp(logstd)
        obs = obs if obs.dtype == np.uint8 else obs.astype(np.float32, copy=False)
        return fast.sample_actions(self.outputs(obs), std)
