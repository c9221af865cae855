"""PPO: several epochs on each batch, with an objective that gains nothing from going too far."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from cs285.agents.returns import generalized_advantages
from cs285.agents.segment_agent import SegmentAgent
from cs285.configs.ppo import PPOConfig
from cs285.infrastructure import fast_torch as fast
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.training.agent import Compilable
from cs285.infrastructure.training.rollout_collector import VectorEnv, fetched


def standardize(adv_n: torch.Tensor) -> torch.Tensor:
    """Scales the advantages of a minibatch: (A - mean(A)) / (std(A) + 1e-8). Shape (n,)."""
    # Advantages of this minibatch with mean 0 and (population) standard deviation 1.
    # BEGIN SOLUTION hw5.ppo.standardize -> adv_n
    adv_n = (adv_n - adv_n.mean()) / (adv_n.std(correction=0) + 1e-8)
    # END SOLUTION
    return adv_n


def clipped_surrogate_loss(
    log_ratio_n: torch.Tensor, adv_n: torch.Tensor, clip_ratio: float
) -> torch.Tensor:
    """Computes the clipped surrogate objective as a loss.

    r_i = pi(a_i | s_i) / pi_old(a_i | s_i)
    loss = -1/n * sum_i min(r_i * A_i, clip(r_i, 1 - eps, 1 + eps) * A_i)

    Args:
        log_ratio_n: log r. Shape (n,).
        adv_n: A. Shape (n,).
        clip_ratio: eps.

    Returns:
        The loss, a scalar.

    Source: Schulman et al., 2017, https://arxiv.org/abs/1707.06347, equation 7.
    """
    # The loss of the docstring; eps is clip_ratio.
    # HINT: of two promises, the smaller one; and an optimizer descends: mind the sign.
    # BEGIN SOLUTION hw5.ppo.clipped_loss -> loss
    ratio_n, eps = log_ratio_n.exp(), clip_ratio
    clipped_n = ratio_n.clamp(1.0 - eps, 1.0 + eps)
    loss = -torch.min(ratio_n * adv_n, clipped_n * adv_n).mean()
    # END SOLUTION
    return loss


def kl_estimate(log_ratio_n: torch.Tensor) -> torch.Tensor:
    """Estimates KL(pi_old || pi) from actions of pi_old; unlike -mean(log r) it is never below 0.

    KL = 1/n * sum_i ((r_i - 1) - log r_i)

    Args:
        log_ratio_n: log r. Shape (n,).

    Returns:
        KL, a scalar, in nats.

    Source: Schulman, 2020, http://joschu.net/blog/kl-approx.html, k3.
    """
    # The mean of the docstring, a scalar tensor.
    # BEGIN SOLUTION hw5.ppo.kl -> kl
    kl = ((log_ratio_n.exp() - 1.0) - log_ratio_n).mean()
    # END SOLUTION
    return kl


def minibatches(n: int, minibatch_size: int) -> tuple[torch.Tensor, ...]:
    """Shuffles the rows 0 to n - 1 and deals them out: each row is in exactly one minibatch.

    Returns:
        Row numbers, `minibatch_size` at a time; the last ones may be fewer.
    """
    # Minibatches of an epoch; drawn with replacement, a third of the batch would be left out.
    # A remainder is a minibatch of its own here: `rows_of_all_epochs` joins it to another.
    # HINT: torch.randperm; torch.split.
    # BEGIN SOLUTION hw5.ppo.minibatches -> return
    return torch.split(torch.randperm(n), minibatch_size)
    # END SOLUTION


class PPOAgent(SegmentAgent):
    """One iteration: advantages of fresh segments, then epochs of minibatches on actor and critic.

    Source: Schulman et al., 2017, https://arxiv.org/abs/1707.06347, algorithm 1; details as
    measured by Engstrom et al., 2020, https://arxiv.org/abs/2005.12729.
    """

    kept = ("actor", "critic", "optimizer", "collector", "num_iterations")

    def __init__(self, env: VectorEnv, settings: PPOConfig, own: Any = None) -> None:
        """Builds actor, critic and their optimizer, and begins the first episodes.

        Args:
            env: Environments that step together; the agent steps them itself.
            settings: See `PPOConfig`.
            own: Networks of one's own, see `own_networks`.
        """
        super().__init__(env, settings, own)
        self.settings = settings
        # One for both networks, since their gradient is clipped as one.
        self.weights = [*self.actor.parameters(), *self.critic.parameters()]
        groups = (
            self.weights
            if settings.has_one_step_size
            else [
                {"params": list(self.actor.parameters()), "lr": settings.actor_step_size},
                {"params": list(self.critic.parameters()), "lr": settings.critic_step_size},
            ]
        )
        self.optimizer = fast.FusedAdam(groups, settings.learning_rate, eps=1e-5)
        self.num_iterations = 0  # batches learned from

    def train(
        self,
        ob_no: np.ndarray,
        ac_na: np.ndarray,
        re_n: np.ndarray,
        next_ob_no: np.ndarray,
        terminal_n: np.ndarray,
        path_ends_n: np.ndarray,
    ) -> dict[str, float]:
        """Learns from a batch of segments, for `num_epochs` or until KL stops it.

        Returns:
            Losses, entropy and so on: means over the gradient steps. "KL": of the last minibatch.
        """
        adv_n, target_n = self.estimate_advantage(ob_no, next_ob_no, re_n, terminal_n, path_ends_n)
        obs, acs = ptu.observations_from_numpy(ob_no), ptu.from_numpy(ac_na)
        with torch.no_grad():  # the policy that played, before anything moves
            old_log_prob_n = self.actor(obs).log_prob(acs)
        batch = (obs, acs, ptu.from_numpy(adv_n), ptu.from_numpy(target_n), old_log_prob_n)
        logs = []
        for minibatch in fetched(batch, self.rows_of_all_epochs(len(ob_no))):
            log, kl = self.update(*minibatch)
            if not log:  # the policy has moved too far
                break
            logs.append(log)
        self.num_iterations += 1
        if self.settings.anneal:
            left = max(0.0, 1.0 - self.num_iterations / self.settings.n_iter)
            for group in self.optimizer.param_groups:
                group["lr"] = self.settings.learning_rate * left
        if obs.dtype != torch.uint8:  # a network scales the bytes of images itself
            self.norm.update(obs)  # not before: old and new probabilities are of one scale
        names = logs[0] if logs else {}
        means = {name: float(np.mean([log[name].item() for log in logs])) for name in names}
        explained = 1.0 - np.var(adv_n) / np.var(target_n) if np.var(target_n) > 0 else np.nan
        return means | {"KL": kl.item(), "Explained_Variance": float(explained)}

    def estimate_advantage(
        self,
        ob_no: np.ndarray,
        next_ob_no: np.ndarray,
        re_n: np.ndarray,
        terminal_n: np.ndarray,
        path_ends_n: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Computes GAE(lambda), and what V(s) should be.

        target_t = A_t + V(s_t), the lambda-return of the present policy

        Args:
            ob_no: s. Shape (n, ob_dim).
            next_ob_no: s'. Shape (n, ob_dim).
            re_n: Rewards. Shape (n,).
            terminal_n: 1.0 where nothing counts after this step. Shape (n,).
            path_ends_n: True at the last step of each path. Shape (n,).

        Returns:
            Advantages and targets. Shape (n,) each, reward units.

        Source: Schulman et al., 2016, https://arxiv.org/abs/1506.02438.
        """
        gamma, gae_lambda = self.settings.discount, self.settings.gae_lambda
        # Advantages and targets, arrays of shape (n,), from the critic's values before any update.
        # HINT: self.critic.forward_np; generalized_advantages of returns.py.
        # BEGIN SOLUTION hw5.ppo.advantage -> adv_n, target_n
        value_n, next_value_n = self.critic.forward_np(ob_no), self.critic.forward_np(next_ob_no)
        adv_n = generalized_advantages(
            re_n, value_n, next_value_n, terminal_n, path_ends_n, gamma, gae_lambda
        )
        target_n = adv_n + value_n
        # END SOLUTION
        ptu.check_shape("target_n", target_n, re_n.shape)
        return adv_n, target_n

    def rows_of_all_epochs(self, n: int) -> Iterator[torch.Tensor]:
        """Yields the rows of each minibatch, for `num_epochs` epochs with a shuffle each.

        A remainder of at most half a minibatch joins the one before. By itself, mean and
        deviation of its few advantages would say nothing: two of them become +1 and -1.
        """
        for _ in range(self.settings.num_epochs):
            *parts, last = minibatches(n, self.settings.minibatch_size)
            if parts and 2 * len(last) <= self.settings.minibatch_size:
                last = torch.cat([torch.as_tensor(parts.pop()), torch.as_tensor(last)])
            yield from (*parts, last)

    def update(
        self,
        ob_no: torch.Tensor,
        ac_na: torch.Tensor,
        adv_n: torch.Tensor,
        target_n: torch.Tensor,
        old_log_prob_n: torch.Tensor,
    ) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        """Takes one gradient step on a minibatch, unless the policy has moved too far already.

        loss = clipped surrogate loss + c_1 * mean((V(s) - target)^2) - c_2 * mean entropy

        Args:
            ob_no: s. Shape (n, ob_dim).
            ac_na: Actions taken. Shape (n,) if discrete, else (n, ac_dim).
            adv_n: Advantages. Shape (n,), reward units; standardised here.
            target_n: What V(s) should be. Shape (n,), reward units.
            old_log_prob_n: log pi_old(a | s) of the policy that played. Shape (n,).

        Returns:
            What to log, scalar tensors, empty if no step was taken; and the divergence from the
            policy that played, before the step.

        Source: Schulman et al., 2017, https://arxiv.org/abs/1707.06347, equation 9.
        """
        # Whether to leave this batch is known before the step that would make it worse.
        if self.settings.target_kl is not None:
            kl = self.divergence(ob_no, ac_na, old_log_prob_n)
            if kl > 1.5 * self.settings.target_kl:
                return {}, kl
        return self.gradient_step(ob_no, ac_na, adv_n, target_n, old_log_prob_n)

    @torch.no_grad()
    def divergence(
        self, ob_no: torch.Tensor, ac_na: torch.Tensor, old_log_prob_n: torch.Tensor
    ) -> torch.Tensor:
        """Returns how far the policy has moved from the one that played, a scalar, in nats."""
        return kl_estimate(self.actor(ob_no).log_prob(ac_na) - old_log_prob_n)

    def gradient_step(
        self,
        ob_no: torch.Tensor,
        ac_na: torch.Tensor,
        adv_n: torch.Tensor,
        target_n: torch.Tensor,
        old_log_prob_n: torch.Tensor,
    ) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        """Does what `update` describes, however far the policy has moved: of tensors alone."""
        settings, pi = self.settings, self.actor(ob_no)
        log_ratio_n = pi.log_prob(ac_na) - old_log_prob_n
        kl = kl_estimate(log_ratio_n.detach())
        policy_loss = clipped_surrogate_loss(log_ratio_n, standardize(adv_n), settings.clip_ratio)
        value_n = self.critic(ob_no)
        with torch.set_grad_enabled(settings.entropy_coef > 0):  # times 0, no gradient is needed
            entropy = pi.entropy().mean()
        # The loss of the docstring, where c_1 is settings.value_coef and c_2 is
        # settings.entropy_coef. Then forget the old gradients, compute those of the loss, clip them
        # to the norm settings.max_grad_norm, and let self.optimizer take one step. `value_loss` and
        # `grad_norm`, before the clip, are logged.
        # HINT: fast.clip_grad_norm_ is torch's, only faster: it clips what self.weights have in
        # .grad, and returns the norm.
        # BEGIN SOLUTION hw5.ppo.update -> value_loss, grad_norm
        value_loss = ((value_n - target_n) ** 2).mean()
        loss = policy_loss + settings.value_coef * value_loss - settings.entropy_coef * entropy
        self.optimizer.zero_grad()
        loss.backward()
        grad_norm = fast.clip_grad_norm_(self.weights, settings.max_grad_norm)
        self.optimizer.step()
        # END SOLUTION

        beyond_n = (log_ratio_n.exp() - 1.0).abs() > settings.clip_ratio
        log = {
            "Actor_Loss": policy_loss,
            "Critic_Loss": value_loss,
            "Entropy": entropy,
            "Clip_Fraction": beyond_n.float().mean(),
            "Gradient_Norm": grad_norm,
        }
        return {name: number.detach() for name, number in log.items()}, kl

    def compilable_updates(self) -> list[Compilable]:
        """Returns what `--compile` compiles; see `Agent`."""
        updates = [Compilable(self, "gradient_step", [self.optimizer])]
        if self.settings.target_kl is not None:
            updates.append(Compilable(self, "divergence", []))
        return updates
