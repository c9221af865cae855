"""TRPO: the largest step along the natural gradient that keeps the new policy near the old one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import distributions

from cs285.agents.returns import generalized_advantages
from cs285.agents.segment_agent import SegmentAgent
from cs285.configs.trpo import TRPOConfig
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.training.rollout_collector import VectorEnv


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


def surrogate(
    log_prob_n: torch.Tensor, old_log_prob_n: torch.Tensor, adv_n: torch.Tensor
) -> torch.Tensor:
    """Estimates by how much a policy is better than the old one, whose actions these are.

    L = 1/n * sum_i pi(a_i | s_i) / pi_old(a_i | s_i) * A_i

    Args:
        log_prob_n: log pi(a | s). Shape (n,).
        old_log_prob_n: log pi_old(a | s). Shape (n,).
        adv_n: A. Shape (n,).

    Returns:
        L, a scalar, to be maximised.

    Source: Schulman et al., 2015, https://arxiv.org/abs/1502.05477, equation 14.
    """
    # The mean of the docstring, a scalar tensor.
    # HINT: a quotient is a difference of logarithms.
    # BEGIN SOLUTION hw5.trpo.surrogate -> objective
    ratio_n = torch.exp(log_prob_n - old_log_prob_n)
    objective = (ratio_n * adv_n).mean()
    # END SOLUTION
    return objective


def mean_kl(old_pi: distributions.Distribution, pi: distributions.Distribution) -> torch.Tensor:
    """Computes the mean over the states of KL(pi_old(. | s) || pi(. | s)), a scalar, in nats."""
    kl_n: torch.Tensor = distributions.kl_divergence(old_pi, pi)
    return kl_n.mean()


def fisher_product(
    kl_gradient: torch.Tensor, vector: torch.Tensor, weights: Sequence[torch.Tensor], damping: float
) -> torch.Tensor:
    """Multiplies the Fisher matrix, the second derivative of `mean_kl`, with a vector.

    H v = d/dtheta ((d mean_kl / dtheta)' v) + damping * v

    Args:
        kl_gradient: d mean_kl / dtheta, with its graph. Shape (d,).
        vector: v. Shape (d,).
        weights: theta, d numbers together.
        damping: Added to the diagonal of H.

    Returns:
        H v. Shape (d,), without a graph.

    Source: Pearlmutter, 1994, "Fast Exact Multiplication by the Hessian"; Schulman et al., 2015,
    appendix C.1.
    """
    # The product of the docstring; H itself would have d * d entries.
    # HINT: flat_gradient differentiates a scalar.
    # BEGIN SOLUTION hw5.trpo.fisher_product -> product
    product = flat_gradient(kl_gradient @ vector, weights) + damping * vector
    # END SOLUTION
    return product


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


def scale_to_trust_region(
    direction: torch.Tensor, h_direction: torch.Tensor, max_kl: float
) -> torch.Tensor:
    """Scales a direction x so that the step reaches the trust region's edge, as H sees it.

    There 1/2 * step' H step = delta, so step = sqrt(2 * delta / (x' H x)) * x. H has the damping on
    its diagonal, which counts as curvature. So the divergence of the whole step stays below delta.

    Args:
        direction: x. Shape (d,).
        h_direction: H x. Shape (d,).
        max_kl: delta, in nats.

    Returns:
        The step. Shape (d,).

    Source: Schulman et al., 2015, https://arxiv.org/abs/1502.05477, appendix C.
    """
    # The step of the docstring. Where the gradient is 0, x is too, and so must be the step.
    # HINT: 1e-8 beside x'Hx is small enough not to matter, and large enough not to divide by 0.
    # BEGIN SOLUTION hw5.trpo.longest_step -> step
    curvature = direction @ h_direction + 1e-8
    step = torch.sqrt(2.0 * max_kl / curvature) * direction
    # END SOLUTION
    return step


def line_search(
    objective_and_kl: Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]],
    start: torch.Tensor,
    step: torch.Tensor,
    settings: TRPOConfig,
) -> tuple[torch.Tensor, float]:
    """Shortens a step until it helps: the surrogate rises, and the divergence is at most max_kl.

    Tries shrink^j of the step for j = 0, 1, ..., `line_search_steps` - 1.

    Args:
        objective_and_kl: Maps weights theta, shape (d,), to their surrogate and mean KL, scalars.
        start: theta_old. Shape (d,).
        step: The longest step. Shape (d,).
        settings: max_kl, line_search_steps, and line_search_shrink.

    Returns:
        The new weights, shape (d,), and the fraction of the step that they are away from the old
        ones; `start` and 0.0 if no fraction helps.

    Source: Schulman et al., 2015, https://arxiv.org/abs/1502.05477, appendix C.
    """
    before, _ = objective_and_kl(start)
    # The weights at the first fraction that helps, and this fraction; or `start`, and 0.0.
    # HINT: Of NaN no comparison is true.
    # BEGIN SOLUTION hw5.trpo.line_search -> return
    for j in range(settings.line_search_steps):
        fraction = settings.line_search_shrink**j
        theta = start + fraction * step
        objective, kl = objective_and_kl(theta)
        if objective > before and kl <= settings.max_kl:
            return theta, fraction
    return start, 0.0
    # END SOLUTION


class TRPOAgent(SegmentAgent):
    """One iteration: advantages of fresh segments, one step of the policy, epochs of the critic.

    Source: Schulman et al., 2015, https://arxiv.org/abs/1502.05477, appendix C.
    """

    kept = ("actor", "critic", "critic.optimizer", "collector")

    def __init__(self, env: VectorEnv, settings: TRPOConfig, own: Any = None) -> None:
        """Builds actor and critic, and begins the first episodes in `env`."""
        super().__init__(env, settings, own, settings.critic_learning_rate)
        self.settings, self.weights = settings, list(self.actor.parameters())

    def train(
        self,
        ob_no: np.ndarray,
        ac_na: np.ndarray,
        re_n: np.ndarray,
        next_ob_no: np.ndarray,
        terminal_n: np.ndarray,
        path_ends_n: np.ndarray,
    ) -> dict[str, float]:
        """Improves the policy by one step, then the critic, on a batch of segments.

        Returns:
            Losses, and what the step was like.
        """
        value_n, next_value_n = self.critic.forward_np(ob_no), self.critic.forward_np(next_ob_no)
        gamma, gae_lambda = self.settings.discount, self.settings.gae_lambda
        adv_n = generalized_advantages(
            re_n, value_n, next_value_n, terminal_n, path_ends_n, gamma, gae_lambda
        )
        target_n = adv_n + value_n
        scaled_n = (adv_n - np.mean(adv_n)) / (np.std(adv_n) + 1e-8)
        obs, acs = ptu.from_numpy(ob_no), ptu.from_numpy(ac_na)
        log = self.update(obs, acs, ptu.from_numpy(scaled_n))
        means = {name: float(number) for name, number in log.items()}
        means["Critic_Loss"] = self.fit_critic(ob_no, target_n)
        self.norm.update(obs)  # not before: all above is of one scale
        explained = 1.0 - np.var(adv_n) / np.var(target_n) if np.var(target_n) > 0 else np.nan
        return means | {"Explained_Variance": float(explained)}

    def update(
        self, ob_no: torch.Tensor, ac_na: torch.Tensor, adv_n: torch.Tensor
    ) -> dict[str, torch.Tensor | float]:
        """Takes one step of the policy: a natural gradient, as long as the trust region allows.

        g = gradient of L,  H x = g,  theta = theta_old + shrink^j * sqrt(2 delta / (x' H x)) * x

        Args:
            ob_no: s. Shape (n, ob_dim).
            ac_na: Actions taken. Shape (n,) if discrete, else (n, ac_dim).
            adv_n: Advantages, standardised. Shape (n,).

        Returns:
            What to log: the surrogate's gain as "Actor_Loss", with the sign of a loss.

        Source: Schulman et al., 2015, https://arxiv.org/abs/1502.05477, equation 14, appendix C.
        """
        settings, weights = self.settings, self.weights
        with torch.no_grad():
            theta_old = torch.cat([weight.flatten() for weight in weights])
            old_pi = self.actor(ob_no)
            old_log_prob_n = old_pi.log_prob(ac_na)

        # g: the gradient of the surrogate objective L, equation 14.
        pi = self.actor(ob_no)
        objective = surrogate(pi.log_prob(ac_na), old_log_prob_n, adv_n)
        gradient = flat_gradient(objective, weights)

        # x: the natural gradient H^-1 g, from products H v alone, appendix C.1.
        kl_gradient = flat_gradient(mean_kl(old_pi, pi), weights, create_graph=True)

        def product(vector: torch.Tensor) -> torch.Tensor:
            return fisher_product(kl_gradient, vector, weights, settings.damping)

        direction = conjugate_gradient(product, gradient, settings.cg_steps)

        # theta: along x, first to the trust region's edge, then back until the step helps.
        @torch.no_grad()
        def objective_and_kl(theta: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            set_weights(weights, theta)
            pi = self.actor(ob_no)
            return surrogate(pi.log_prob(ac_na), old_log_prob_n, adv_n), mean_kl(old_pi, pi)

        step = scale_to_trust_region(direction, product(direction), settings.max_kl)
        theta, fraction = line_search(objective_and_kl, theta_old, step, settings)
        gain, kl = objective_and_kl(theta)
        with torch.no_grad():
            entropy = self.actor(ob_no).entropy().mean()
        log = {"Actor_Loss": -gain, "KL": kl, "Entropy": entropy, "Step_Fraction": fraction}
        return log | {"Gradient_Norm": gradient.norm()}

    def fit_critic(self, ob_no: np.ndarray, target_n: np.ndarray) -> float:
        """Fits V(s) to the targets in shuffled minibatches; returns the last epoch's mean loss."""
        size, n = self.settings.minibatch_size, len(ob_no)
        for _ in range(self.settings.num_epochs):
            parts = np.split(torch.randperm(n).numpy(), range(size, n, size))
            losses = [self.critic.update(ob_no[part], target_n[part]) for part in parts]
        return float(np.mean(losses))
