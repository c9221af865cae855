"""Policy gradient: actions are made likelier by what followed them, compared with a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch  # noqa: F401  (for bodies from older handouts)

from cs285.agents.returns import discounted_return, generalized_advantages, reward_to_go
from cs285.configs.vpg import PGConfig
from cs285.critics.value_critic import ValueCritic
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure import rollouts
from cs285.infrastructure.rollouts import PathBuffer
from cs285.infrastructure.training.agent import PathAgent
from cs285.policies.pg_policy import MLPPolicyPG


class PGAgent(PathAgent):
    """One iteration: q-values of fresh paths, advantages, a step of the policy; then the baseline.

    A path that a time limit cut has a future that nobody saw. Where a baseline has learned
    reward-to-go, the value of the state at the cut stands for it; else the sum ends there.

    Source: Sutton et al., 2000, "Policy Gradient Methods for Reinforcement Learning with Function
    Approximation"; Williams, 1992 (REINFORCE).
    """

    kept: tuple[str, ...] = ("actor", "actor.optimizer", "q_mean", "q_std", "replay_buffer")

    def __init__(self, env: gym.Env[Any, Any], settings: PGConfig, own: Any = None) -> None:
        """Builds the policy, the baseline if there is one, and storage.

        Args:
            env: The environment; its spaces say what the networks take, and it is never stepped.
            settings: See `PGConfig`.
            own: Networks of one's own, see `own_networks`.
        """
        self.env = env
        self.agent_params = settings
        self.gamma = settings.discount
        self.reward_to_go = settings.reward_to_go
        self.standardize_advantages = settings.standardize_advantages
        self.nn_baseline = settings.nn_baseline
        self.gae_lambda = settings.gae_lambda
        ob_dim, ac_dim, discrete = rollouts.sizes(env.observation_space, env.action_space)
        sizes, activation = settings.hidden_sizes(), settings.activation
        rate = settings.learning_rate
        self.actor = MLPPolicyPG(ac_dim, ob_dim, len(sizes), sizes, discrete, rate, activation)
        self.eval_policy = self.actor
        self.critic: ValueCritic | None = None
        if settings.nn_baseline:
            rate = settings.baseline_learning_rate
            self.critic = ValueCritic(ob_dim, len(sizes), sizes, rate, activation)
            self.kept = (*self.kept, "critic", "critic.optimizer")
        if own:
            own.install(*filter(None, (self.actor, self.critic)))
        self.q_mean, self.q_std = 0.0, 1.0  # of the q-values that the baseline has learned
        self.replay_buffer = PathBuffer(settings.reward_scale)

    def train(
        self,
        ob_no: np.ndarray,
        ac_na: np.ndarray,
        re_n: np.ndarray,
        next_ob_no: np.ndarray,
        terminal_n: np.ndarray,
        path_ends_n: np.ndarray,
    ) -> dict[str, float]:
        """Improves the policy, then the baseline, on a batch of whole paths.

        Returns:
            "Actor_Loss", and with a baseline "Baseline_Loss", the last one of its steps.
        """
        rewards_list = self._rewards_by_path(re_n, next_ob_no, terminal_n, path_ends_n)
        q_n = self.calculate_q_vals(rewards_list)
        # For the sums, a path that was cut is over now: its last reward holds what would follow.
        over_n = path_ends_n.astype(np.float32)
        adv_n = self.estimate_advantage(ob_no, rewards_list, q_n, over_n)
        loss = {"Actor_Loss": self.actor.update(ob_no, ac_na, adv_n)}
        if self.critic is not None:
            loss["Baseline_Loss"] = self._fit_baseline(self.critic, ob_no, q_n)
        return loss

    def calculate_q_vals(self, rewards_list: Sequence[np.ndarray]) -> np.ndarray:
        """Estimates Q(s_t, a_t) of every step from what was received.

        With `reward_to_go`: Q_t = sum_{k >= t} gamma^(k - t) * r_k
        Without: Q_t = sum_k gamma^k * r_k, the same for every step of a path

        Args:
            rewards_list: The rewards of each path; entry i has shape (length of path i,).

        Returns:
            Q of all paths, joined end to end. Shape (n,), reward units.

        Source: Sutton et al., 2000, section 2 (policy gradient theorem). With discount 1 causality
        makes both right on average, and the former varies less; below 1, each means another task.
        """
        # The q-values of the docstring; rewards of one path say nothing about another.
        # HINT: self._discounted_cumsum and self._discounted_return take the rewards of one path.
        # BEGIN SOLUTION hw2.pg.q_values -> q_n
        q_of_path = self._discounted_cumsum if self.reward_to_go else self._discounted_return
        q_n = np.concatenate([q_of_path(rewards) for rewards in rewards_list])
        # END SOLUTION
        ptu.check_shape("q_n", q_n, (sum(map(len, rewards_list)),))
        return q_n

    def estimate_advantage(
        self,
        obs: np.ndarray,
        rewards_list: Sequence[np.ndarray],
        q_values: np.ndarray,
        terminals: np.ndarray,
    ) -> np.ndarray:
        """Estimates how much better each action was than the policy's average in that state.

        Without a baseline: A = Q
        With one: A = Q - V(s), where V(s) = baseline(s) * std(Q) + mean(Q)
        With `gae_lambda`: A = GAE(lambda) of the rewards and that V
        With `standardize_advantages`, then: (A - mean(A)) / (std(A) + 1e-8)

        Args:
            obs: s. Shape (n, ob_dim).
            rewards_list: The rewards of each path, n together.
            q_values: Q. Shape (n,), reward units.
            terminals: 1.0 (or true) at the last step of each path. Shape (n,).

        Returns:
            A. Shape (n,), reward units (without unit if standardized).

        Source: Schulman et al., 2016, https://arxiv.org/abs/1506.02438, sections 2 and 3.
        """
        # The first three lines of the docstring: advantages, an array of shape (n,).
        # HINT: self.critic.forward_np(obs) is the baseline's answer, in normalised units.
        # HINT: generalized_advantages also asks for V(s'): mostly the V(s) of the next row. Both of
        # its masks are `terminals`, for what follows a cut is in the rewards already.
        # BEGIN SOLUTION hw2.pg.advantage -> adv_n
        adv_n: np.ndarray = q_values.copy()
        if self.critic is not None:
            value_n = self.critic.forward_np(obs) * np.std(q_values) + np.mean(q_values)
            adv_n = q_values - value_n
            if self.gae_lambda is not None:
                re_n, next_value_n = np.concatenate(rewards_list), np.append(value_n[1:], 0.0)
                adv_n = generalized_advantages(
                    re_n, value_n, next_value_n, terminals, terminals, self.gamma, self.gae_lambda
                )
        # END SOLUTION
        ptu.check_shape("adv_n", adv_n, (len(obs),))
        if self.standardize_advantages:
            # The last line of the docstring, over the whole batch.
            # BEGIN SOLUTION hw2.pg.standardize -> adv_n
            adv_n = (adv_n - np.mean(adv_n)) / (np.std(adv_n) + 1e-8)
            # END SOLUTION
        return adv_n

    def _fit_baseline(self, critic: ValueCritic, ob_no: np.ndarray, q_n: np.ndarray) -> float:
        """Fits the baseline to the q-values, normalised: (Q - mean(Q)) / (std(Q) + 1e-8).

        So its targets keep their size while returns grow from 10 to 1,000.

        Args:
            critic: The baseline.
            ob_no: s. Shape (n, ob_dim).
            q_n: Q. Shape (n,), reward units.

        Returns:
            The last loss.
        """
        self.q_mean, self.q_std = float(np.mean(q_n)), float(np.std(q_n))
        # `baseline_gradient_steps` updates of the baseline, all towards the normalised q-values.
        # HINT: the number of steps is in self.agent_params.
        # BEGIN SOLUTION hw2.pg.baseline -> loss
        target_n = (q_n - self.q_mean) / (self.q_std + 1e-8)
        for _ in range(self.agent_params["baseline_gradient_steps"]):
            loss = critic.update(ob_no, target_n)
        # END SOLUTION
        return loss

    def _discounted_return(self, rewards: np.ndarray) -> np.ndarray:
        """Returns the return of a path, once for each of its steps. Shapes (t,) to (t,)."""
        return np.full(len(rewards), discounted_return(rewards, self.gamma))

    def _discounted_cumsum(self, rewards: np.ndarray) -> np.ndarray:
        """Returns the reward-to-go of each step of a path. Shapes (t,) to (t,)."""
        return reward_to_go(rewards, self.gamma)

    def _rewards_by_path(
        self,
        re_n: np.ndarray,
        next_ob_no: np.ndarray,
        terminal_n: np.ndarray,
        path_ends_n: np.ndarray,
    ) -> list[np.ndarray]:
        """Splits rewards into paths; where a path was cut, gamma * V(s') joins its last reward.

        Only with reward-to-go: a baseline that has learned whole returns counts rewards from
        before s', so it is no value of s'.

        The q-values of this batch are not known yet, so the baseline's answer is taken in the
        units of the last batch's. Source: Pardo et al., 2018, https://arxiv.org/abs/1712.00378.
        """
        rewards = np.array(re_n, np.float64)
        cut_n = path_ends_n & (terminal_n == 0)
        if self.critic is not None and self.reward_to_go and cut_n.any():
            value_n = self.critic.forward_np(next_ob_no[cut_n]) * self.q_std + self.q_mean
            rewards[cut_n] += self.gamma * value_n
        return np.split(rewards, np.flatnonzero(path_ends_n)[:-1] + 1)
