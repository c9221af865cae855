"""TRPO: the largest step along the natural gradient that keeps the new policy near the old one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import distributions

from cs285.critics.value_critic import ValueCritic
from cs285.infrastructure import networks
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.agent import Agent
from cs285.infrastructure.returns import generalized_advantages
from cs285.infrastructure.rollout_collector import Batch, Collector, SideBySide
from cs285.policies.MLP_policy import MLPPolicy


@dataclass(frozen=True)
class TRPOSettings(ptu.Settings):
    """What `TRPOAgent` reads."""

    ob_dim: int
    """Number of observation components."""
    ac_dim: int
    """Number of actions (discrete), or of action components (continuous)."""
    discrete: bool
    """Whether an action is one of `ac_dim` choices."""
    gamma: float = 0.99
    """Discount, per step."""
    gae_lambda: float = 0.95
    """Weight of GAE in [0, 1]."""
    hidden: tuple[int, ...] = (64, 64)
    """Units of each hidden layer, in every network."""
    activation: str = "tanh"
    """After each hidden layer."""
    batch_size: int = 2048
    """Environment steps of an iteration."""
    normalize_observations: bool = False
    """Whether both networks see observations scaled by the mean and variance of all so far."""
    max_kl: float = 0.01
    """The trust region: mean divergence of the new policy from the old one, in nats."""
    cg_steps: int = 15
    """Steps of conjugate gradient."""
    damping: float = 0.1
    """Added to the Fisher matrix's diagonal, which makes it positive definite."""
    line_search_steps: int = 10
    """Step lengths tried, at most."""
    line_search_shrink: float = 0.8
    """From one step length to the next."""
    critic_learning_rate: float = 1e-3
    """Adam's step size for the critic."""
    minibatch_size: int = 128
    """Transitions of a critic update."""
    num_epochs: int = 10
    """Passes of the critic over each batch."""


def build_networks(settings: TRPOSettings) -> tuple[MLPPolicy, ValueCritic, networks.RunningNorm]:
    """Builds actor and critic, and what scales observations for both, if they are scaled."""
    layers, size, activation = len(settings.hidden), settings.hidden, settings.activation
    inputs, outputs = settings.ob_dim, settings.ac_dim
    actor = MLPPolicy(outputs, inputs, layers, size, settings.discrete, activation=activation)
    critic = ValueCritic(settings.ob_dim, layers, size, settings.critic_learning_rate, activation)
    both = (actor.logits_na or actor.mean_net, critic.critic_network)
    norm = networks.begin(*both, settings.ob_dim, settings.normalize_observations)
    return actor, critic, norm


class Played(NamedTuple):
    """What the old policy did, as far as the new one is compared with it."""

    ob_no: torch.Tensor
    ac_na: torch.Tensor
    adv_n: torch.Tensor
    old_pi: distributions.Distribution
    old_log_prob_n: torch.Tensor


class TRPOAgent(Agent):
    """One iteration: advantages of fresh segments, one step of the policy, epochs of the critic.

    Source: Schulman et al., 2015, https://arxiv.org/abs/1502.05477, appendix C.
    """

    kept = ("actor", "critic", "critic.optimizer", "collector")

    def __init__(self, env: SideBySide, settings: TRPOSettings) -> None:
        """Builds actor and critic, and begins the first episodes in `env`."""
        self.env, self.settings = env, settings
        self.actor, self.critic, self.norm = build_networks(settings)
        self.eval_policy = networks.MostLikely(self.actor)
        self.weights = list(self.actor.parameters())
        self.collector = Collector(env, networks.Sampler(self.actor), settings.batch_size)

    def train(
        self,
        ob_no: np.ndarray,
        ac_na: np.ndarray,
        re_n: np.ndarray,
        next_ob_no: np.ndarray,
        terminal_n: np.ndarray,
    ) -> dict[str, float]:
        """Improves the policy by one step, then the critic, on the batch `collector` holds.

        Args:
            ob_no: s. Shape (n, ob_dim).
            ac_na: Actions taken. Shape (n,) if discrete, else (n, ac_dim).
            re_n: Rewards, the segments joined end to end. Shape (n,).
            next_ob_no: s'. Shape (n, ob_dim).
            terminal_n: 1.0 where nothing counts after this step. Shape (n,).

        Returns:
            Losses, and what the step was like.

        Raises:
            ValueError: If the batch is not the one that `collector` holds.
        """
        value_n, next_value_n = self.critic.forward_np(ob_no), self.critic.forward_np(next_ob_no)
        path_ends_n = self.collector.path_ends_n
        ptu.check_shape("re_n", re_n, path_ends_n.shape)
        gamma, gae_lambda = self.settings.gamma, self.settings.gae_lambda
        adv_n = generalized_advantages(
            re_n, value_n, next_value_n, terminal_n, path_ends_n, gamma, gae_lambda
        )
        target_n = adv_n + value_n
        log = self.update_policy(self.played(ob_no, ac_na, adv_n))
        log["Critic_Loss"] = self.fit_critic(ob_no, target_n)
        self.norm.update(ptu.from_numpy(ob_no))  # not before: all above is of one scale
        explained = 1.0 - np.var(adv_n) / np.var(target_n) if np.var(target_n) > 0 else np.nan
        return log | {"Explained_Variance": float(explained)}

    @torch.no_grad()
    def played(self, ob_no: np.ndarray, ac_na: np.ndarray, adv_n: np.ndarray) -> Played:
        """Notes the present policy as the old one, and standardises the advantages."""
        obs, acs = ptu.from_numpy(ob_no), ptu.from_numpy(ac_na)
        scaled_n = (adv_n - np.mean(adv_n)) / (np.std(adv_n) + 1e-8)
        old_pi = self.actor(obs)
        return Played(obs, acs, ptu.from_numpy(scaled_n), old_pi, old_pi.log_prob(acs))

    def update_policy(self, played: Played) -> dict[str, float]:
        """Takes the natural gradient step, shortened until it is inside the trust region.

        Args:
            played: What the present policy did.

        Returns:
            What to log: the surrogate's gain as "Actor_Loss", with the sign of a loss.
        """
        gradient = self.flat_gradient(self.surrogate(played))
        kl_gradient = self.flat_gradient(self.mean_kl(played), create_graph=True)
        direction = conjugate_gradient(
            lambda vector: self.fisher_product(kl_gradient, vector),
            gradient,
            self.settings.cg_steps,
        )
        step = self.longest_step(direction, self.fisher_product(kl_gradient, direction))
        fraction = self.line_search(step, played)
        with torch.no_grad():
            gain, kl = self.surrogate(played).item(), self.mean_kl(played).item()
            entropy = self.actor(played.ob_no).entropy().mean().item()
        log = {"Actor_Loss": -gain, "KL": kl, "Entropy": entropy, "Step_Fraction": fraction}
        return log | {"Gradient_Norm": gradient.norm().item()}

    def surrogate(self, played: Played) -> torch.Tensor:
        """Estimates by how much the present policy is better than the old one, whose data it has.

        L = 1/n * sum_i pi(a_i | s_i) / pi_old(a_i | s_i) * A_i

        Returns:
            L, a scalar, to be maximised.

        Source: Schulman et al., 2015, equation 14.
        """
        log_prob_n = self.actor(played.ob_no).log_prob(played.ac_na)
        # The mean of the docstring, a scalar tensor.
        # HINT: played holds log pi_old(a | s); a quotient is a difference of logarithms.
        # BEGIN SOLUTION hw5.trpo.surrogate -> objective
        ratio_n = torch.exp(log_prob_n - played.old_log_prob_n)
        objective = (ratio_n * played.adv_n).mean()
        # END SOLUTION
        return objective

    def mean_kl(self, played: Played) -> torch.Tensor:
        """Computes the mean over the states of KL(pi_old(. | s) || pi(. | s)), a scalar."""
        pi = self.actor(played.ob_no)
        kl_n: torch.Tensor = distributions.kl_divergence(played.old_pi, pi)
        return kl_n.mean()

    def fisher_product(self, kl_gradient: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
        """Multiplies the Fisher matrix, the second derivative of `mean_kl`, with a vector.

        H v = d/dtheta ((d mean_kl / dtheta)' v) + damping * v

        Args:
            kl_gradient: d mean_kl / dtheta, with its graph. Shape (d,).
            vector: v. Shape (d,).

        Returns:
            H v. Shape (d,), without a graph.

        Source: Pearlmutter, 1994, "Fast Exact Multiplication by the Hessian".
        """
        # The product of the docstring; H itself would have d * d entries.
        # HINT: self.flat_gradient differentiates a scalar.
        # BEGIN SOLUTION hw5.trpo.fisher_product -> product
        product = self.flat_gradient(kl_gradient @ vector) + self.settings.damping * vector
        # END SOLUTION
        return product

    def longest_step(self, direction: torch.Tensor, h_direction: torch.Tensor) -> torch.Tensor:
        """Scales a direction x so that the step reaches the trust region's edge.

        There 1/2 * step' H step = max_kl, so step = sqrt(2 * max_kl / (x' H x)) * x.

        Args:
            direction: x. Shape (d,).
            h_direction: H x. Shape (d,).

        Returns:
            The step. Shape (d,).

        Source: Schulman et al., 2015, appendix C.
        """
        # The step of the docstring. Where the gradient is 0, x is too, and so must be the step.
        # HINT: 1e-8 beside x'Hx is small enough not to matter, and large enough not to divide by 0.
        # BEGIN SOLUTION hw5.trpo.longest_step -> step
        curvature = direction @ h_direction + 1e-8
        step = torch.sqrt(2.0 * self.settings.max_kl / curvature) * direction
        # END SOLUTION
        return step

    @torch.no_grad()
    def line_search(self, step: torch.Tensor, played: Played) -> float:
        """Shortens the step until it helps: the surrogate rises, and mean_kl is at most max_kl.

        Tries shrink^j of the step for j = 0, 1, ..., `line_search_steps` - 1. If none helps, the
        weights stay as they were.

        Args:
            step: The longest step. Shape (d,).
            played: What the old policy did.

        Returns:
            The fraction of the step that was taken; 0.0 if none was.

        Source: Schulman et al., 2015, appendix C.
        """
        settings, start = self.settings, torch.cat([w.flatten() for w in self.weights])
        before = self.surrogate(played)
        # The first fraction that helps, the weights moved by it; or 0.0, the weights as before.
        # HINT: self.set_weights takes all of them as one vector. Of NaN no comparison is true.
        # BEGIN SOLUTION hw5.trpo.line_search -> return
        for j in range(settings.line_search_steps):
            fraction = settings.line_search_shrink**j
            self.set_weights(start + fraction * step)
            if self.surrogate(played) > before and self.mean_kl(played) <= settings.max_kl:
                return fraction
        self.set_weights(start)
        return 0.0
        # END SOLUTION

    def flat_gradient(self, scalar: torch.Tensor, create_graph: bool = False) -> torch.Tensor:
        """Returns the gradient by all weights of the actor as one vector. Shape (d,)."""
        parts = torch.autograd.grad(
            scalar, self.weights, create_graph=create_graph, retain_graph=True
        )
        return torch.cat([part.flatten() for part in parts])

    @torch.no_grad()
    def set_weights(self, flat: torch.Tensor) -> None:
        """Copies a vector of shape (d,) into the weights of the actor."""
        parts = torch.split(flat, [weight.numel() for weight in self.weights])
        for weight, part in zip(self.weights, parts, strict=True):
            weight.copy_(part.view_as(weight))

    def fit_critic(self, ob_no: np.ndarray, target_n: np.ndarray) -> float:
        """Fits V(s) to the targets in shuffled minibatches; returns the last epoch's mean loss."""
        size, n = self.settings.minibatch_size, len(ob_no)
        for _ in range(self.settings.num_epochs):
            parts = np.split(torch.randperm(n).numpy(), range(size, n, size))
            losses = [self.critic.update(ob_no[part], target_n[part]) for part in parts]
        return float(np.mean(losses))

    def step_env(self) -> None:
        """Plays this iteration's segments."""
        self.collector.collect()

    def sample(self, batch_size: int) -> Batch:
        """Returns this iteration's transitions in `train`'s order, one segment after the other."""
        return self.collector.sample(batch_size)


def conjugate_gradient(
    product: Callable[[torch.Tensor], torch.Tensor],
    b: torch.Tensor,
    num_steps: int,
    tolerance: float = 1e-10,
) -> torch.Tensor:
    """Returns an approximate solution x of H x = b, for a symmetric, positive definite H.

    alpha = r'r / p'Hp;  x += alpha p;  r -= alpha Hp;  p = r + (new r'r / old r'r) p

    Args:
        product: Maps a vector v to H v. Shapes (d,) to (d,).
        b: The right side. Shape (d,).
        num_steps: Most products; d of them would solve it exactly, but for rounding.
        tolerance: Ends sooner where r'r, the squared length of b - H x, is below this.

    Returns:
        x. Shape (d,).

    Source: Hestenes and Stiefel, 1952, "Methods of Conjugate Gradients for Solving Linear
    Systems", section 3.
    """
    x, residual, direction = torch.zeros_like(b), b.clone(), b.clone()
    square = residual @ residual
    for _ in range(num_steps):
        if square < tolerance:
            break
        # One step as the docstring says: `x`, `residual`, `direction` and `square`, which is r'r,
        # move on. Each product is a pass through the network: one is enough.
        # BEGIN SOLUTION hw5.cg.step -> x, residual, direction, square
        h_direction = product(direction)
        alpha = square / (direction @ h_direction)
        x = x + alpha * direction
        residual = residual - alpha * h_direction
        new_square = residual @ residual
        direction = residual + new_square / square * direction
        square = new_square
        # END SOLUTION
    return x
