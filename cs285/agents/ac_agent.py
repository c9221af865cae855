"""Actor-critic: a policy improved by the advantages that a learned value function estimates."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch

from cs285.critics.bootstrapped_continuous_critic import BootstrappedContinuousCritic
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.path_buffer import Batch, PathBuffer
from cs285.infrastructure.rollouts import PathDict
from cs285.policies.MLP_policy import MLPPolicyAC


class ACAgent:
    """One iteration: fit V(s) to fresh data, estimate advantages with it, improve the policy.

    Source: Konda and Tsitsiklis, 2000, "Actor-Critic Algorithms"; Sutton and Barto, 2018,
    "Reinforcement Learning", chapter 13.5.
    """

    def __init__(self, env: gym.Env[Any, Any], agent_params: Mapping[str, Any]) -> None:
        """Builds actor, critic and storage.

        Args:
            env: The environment; kept for whoever inspects the agent, never stepped here.
            agent_params: What `BootstrappedContinuousCritic` reads, and
                standardize_advantages: whether advantages get mean 0 and spread 1;
                num_critic_updates_per_agent_update, num_actor_updates_per_agent_update: calls
                of `critic.update` and of `actor.update` in each `train`.
        """
        self.env = env
        self.agent_params = agent_params
        self.gamma = agent_params["gamma"]
        self.standardize_advantages = agent_params["standardize_advantages"]
        self.actor = MLPPolicyAC(
            agent_params["ac_dim"],
            agent_params["ob_dim"],
            agent_params["n_layers"],
            agent_params["size"],
            agent_params["discrete"],
            agent_params["learning_rate"],
        )
        self.critic = BootstrappedContinuousCritic(agent_params)
        self.eval_policy = self.actor
        self.replay_buffer = PathBuffer()

    def train(
        self,
        ob_no: np.ndarray,
        ac_na: np.ndarray,
        re_n: np.ndarray,
        next_ob_no: np.ndarray,
        terminal_n: np.ndarray,
    ) -> dict[str, float]:
        """Updates the critic, then the actor, on one batch of fresh transitions.

        Args:
            ob_no: s. Shape (n, ob_dim).
            ac_na: Actions taken. Shape (n,) if discrete, else (n, ac_dim).
            re_n: Rewards. Shape (n,).
            next_ob_no: s'. Shape (n, ob_dim).
            terminal_n: 1.0 where nothing counts after this step. Shape (n,).

        Returns:
            "Critic_Loss" and "Actor_Loss", each the last one that its update returned.
        """
        # Update the critic num_critic_updates_per_agent_update times; then estimate advantages;
        # then update the actor num_actor_updates_per_agent_update times with them. Both numbers
        # are in `self.agent_params`. `loss` is the dict to return.
        # HINT: critic.update takes its arguments in another order than this method.
        # BEGIN SOLUTION hw3.ac.train -> loss
        loss = OrderedDict()
        for _ in range(self.agent_params["num_critic_updates_per_agent_update"]):
            loss["Critic_Loss"] = self.critic.update(ob_no, ac_na, next_ob_no, re_n, terminal_n)
        adv_n = self.estimate_advantage(ob_no, next_ob_no, re_n, terminal_n)
        for _ in range(self.agent_params["num_actor_updates_per_agent_update"]):
            loss["Actor_Loss"] = self.actor.update(ob_no, ac_na, adv_n)
        # END SOLUTION
        return loss

    def estimate_advantage(
        self,
        ob_no: np.ndarray,
        next_ob_no: np.ndarray,
        re_n: np.ndarray,
        terminal_n: np.ndarray,
    ) -> np.ndarray:
        """Estimates how much better each action was than the policy's average in that state.

        A_i = r_i + gamma * (1 - terminal_i) * V(s'_i) - V(s_i)
        With `standardize_advantages`: (A_i - mean(A)) / (std(A) + 1e-8)

        Args:
            ob_no: s. Shape (n, ob_dim).
            next_ob_no: s'. Shape (n, ob_dim).
            re_n: Rewards. Shape (n,). Left as they are.
            terminal_n: 1.0 where nothing counts after this step. Shape (n,).

        Returns:
            Advantages. Shape (n,), reward units (without unit if standardized).

        Source: Schulman et al., 2016, https://arxiv.org/abs/1506.02438, section 3.
        """
        # One-step advantages, an array of shape (n,), from the critic's values of s and of s'.
        # HINT: self.critic.forward_np takes an array and returns an array.
        # BEGIN SOLUTION hw3.ac.advantage -> adv_n
        next_v_n = self.critic.forward_np(next_ob_no)
        q_n = re_n + self.gamma * (1.0 - terminal_n) * next_v_n
        adv_n: np.ndarray = q_n - self.critic.forward_np(ob_no)
        # END SOLUTION
        ptu.check_shape("adv_n", adv_n, (len(re_n),))
        if self.standardize_advantages:
            adv_n = (adv_n - np.mean(adv_n)) / (np.std(adv_n) + 1e-8)
        return adv_n

    def add_to_replay_buffer(self, paths: Sequence[PathDict]) -> None:
        """Stores the paths of this iteration in place of those of the last."""
        self.replay_buffer.add_rollouts(paths)

    def sample(self, batch_size: int) -> Batch:
        """Returns this iteration's transitions, at least `batch_size`, in `train`'s order."""
        return self.replay_buffer.sample_recent_data(batch_size)

    def scalars(self) -> dict[str, float]:
        """Returns the policy's mean entropy in the states of this iteration, in nats."""
        ob_no, *_ = self.replay_buffer.sample_recent_data(1)
        with torch.no_grad():
            return {"Entropy": self.actor(ptu.from_numpy(ob_no)).entropy().mean().item()}

    def policy_state_dict(self) -> dict[str, torch.Tensor]:
        """Returns the actor's weights by name: all that acting needs."""
        return dict(self.actor.state_dict())

    def state_dict(self) -> dict[str, Any]:
        """Returns all that training needs to go on exactly, as a state tree.

        The tensors are the live ones: write them or copy them before training on.
        """
        return {
            "actor": dict(self.actor.state_dict()),
            "actor_optimizer": self.actor.optimizer.state_dict(),
            "critic": dict(self.critic.state_dict()),
            "critic_optimizer": self.critic.optimizer.state_dict(),
            "replay_buffer": self.replay_buffer.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores what `state_dict` returned."""
        self.actor.load_state_dict(state["actor"])
        self.actor.optimizer.load_state_dict(state["actor_optimizer"])
        self.critic.load_state_dict(state["critic"])
        self.critic.optimizer.load_state_dict(state["critic_optimizer"])
        self.replay_buffer.load_state_dict(state["replay_buffer"])
