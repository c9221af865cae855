"""DDPG: Q-learning for continuous actions, where an actor learns to find the best one."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch

from cs285.critics.q_critic import QCritic, soft_copy
from cs285.infrastructure import networks
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.stepper import Stepper
from cs285.infrastructure.transition_buffer import Batch, TransitionBuffer
from cs285.policies.deterministic_policy import DeterministicPolicy, WithoutNoise


@dataclasses.dataclass(frozen=True)
class DDPGSettings(ptu.Settings):
    """What the agent reads."""

    ob_dim: int
    ac_dim: int
    hidden: tuple[int, ...] = (256, 256)
    """Units of each hidden layer, in every network."""
    activation: str = "relu"
    """After each hidden layer."""
    discount: float = 0.99
    """gamma, per step."""
    learning_rate: float = 1e-3
    """Adam's step size, for critic and actor."""
    tau: float = 0.005
    """How far the target networks move per update."""
    exploration_noise: float = 0.1
    """Standard deviation of the noise on actions, which are in (-1, 1)."""
    buffer_size: int = 1_000_000
    """Transitions."""
    random_steps: int = 100
    """Steps of uniformly random actions at first."""
    learning_starts: int = 100
    """Steps before the first update."""
    seed: int = 1


class DDPGAgent:
    """Learns Q of its own deterministic policy, and a policy that climbs Q.

    Source: Lillicrap et al., 2016, "Continuous control with deep reinforcement learning",
    https://arxiv.org/abs/1509.02971, algorithm 1.
    """

    def __init__(self, env: gym.Env[Any, Any], settings: DDPGSettings) -> None:
        """Builds networks and memory, and begins the first episode.

        Args:
            env: The environment, with actions in (-1, 1); the agent steps it itself.
            settings: See there.
        """
        self.settings = settings
        ob_dim, ac_dim, hidden = settings.ob_dim, settings.ac_dim, settings.hidden
        rate, activation = settings.learning_rate, settings.activation
        noise = settings.exploration_noise
        self.actor = DeterministicPolicy(ob_dim, ac_dim, hidden, noise, activation)
        self.actor_target = DeterministicPolicy(ob_dim, ac_dim, hidden, noise, activation)
        self.actor_target.load_state_dict(self.actor.state_dict())
        self.actor_target.requires_grad_(False)
        self.eval_policy = WithoutNoise(self.actor)
        self.actor_weights = list(self.actor.parameters())
        self.actor_target_weights = list(self.actor_target.parameters())
        self.actor_optimizer = ptu.LeanAdam(self.actor_weights, rate)
        self.critic = QCritic(ob_dim, ac_dim, hidden, 1, rate, settings.tau, activation)
        self.replay_buffer = TransitionBuffer(
            settings.buffer_size, ob_dim, ac_dim, seed=settings.seed
        )
        self.stepper = Stepper(
            env,
            self.actor,
            self.replay_buffer,
            settings.random_steps,
            settings.learning_starts,
            settings.seed,
        )
        self.num_param_updates = 0

    def train(
        self,
        ob_no: np.ndarray,
        ac_na: np.ndarray,
        re_n: np.ndarray,
        next_ob_no: np.ndarray,
        terminal_n: np.ndarray,
    ) -> dict[str, float]:
        """Updates critic, actor and target networks, once each.

        Args:
            ob_no: s. Shape (n, ob_dim).
            ac_na: Actions taken, in (-1, 1). Shape (n, ac_dim).
            re_n: Rewards. Shape (n,).
            next_ob_no: s'. Shape (n, ob_dim).
            terminal_n: 1.0 where nothing counts after this step. Shape (n,).

        Returns:
            Losses and other numbers of this update; empty if the batch is.
        """
        if len(re_n) == 0:
            return {}
        batch = [ptu.from_numpy(x) for x in (ob_no, ac_na, re_n, next_ob_no, terminal_n)]
        log = self.update_critic(*batch)
        log |= self.update_actor(batch[0])
        self.critic.update_target_network()
        soft_copy(self.actor_weights, self.actor_target_weights, self.settings.tau)
        self.num_param_updates += 1
        return {name: value.item() for name, value in log.items()}

    def update_critic(
        self,
        ob_no: torch.Tensor,
        ac_na: torch.Tensor,
        re_n: torch.Tensor,
        next_ob_no: torch.Tensor,
        terminal_n: torch.Tensor,
    ) -> dict[str, torch.Tensor]:
        """Takes one gradient step on the critic; arguments as those of `train`.

        loss = mean_i (Q(s_i, a_i) - y_i)^2
        """
        with torch.no_grad():
            target_n = self.targets(re_n, next_ob_no, terminal_n)
        q_n = self.critic.q_net(ob_no, ac_na)[0]
        ptu.check_shape("target_n", target_n, q_n.shape)
        loss = (q_n - target_n).square().mean()
        norm = self.critic.descend(loss)
        q_mean, q_max = q_n.mean(), q_n.max()
        return {"Critic_Loss": loss, "Critic_Gradient_Norm": norm, "Q_Mean": q_mean, "Q_Max": q_max}

    def targets(
        self, re_n: torch.Tensor, next_ob_no: torch.Tensor, terminal_n: torch.Tensor
    ) -> torch.Tensor:
        """Computes what the critic should say.

        y_i = r_i + gamma * (1 - terminal_i) * Q_target(s'_i, mu_target(s'_i))

        Args:
            re_n: Rewards. Shape (n,).
            next_ob_no: s'. Shape (n, ob_dim).
            terminal_n: 1.0 where nothing counts after this step. Shape (n,).

        Returns:
            y. Shape (n,), reward units.

        Source: Lillicrap et al., 2016, https://arxiv.org/abs/1509.02971, algorithm 1.
        """
        # The targets y, shape (n,), from the target networks of actor and critic.
        # HINT: self.critic.q_net_target returns a row for each critic, and here there is one.
        # BEGIN SOLUTION hw4.ddpg.targets -> target_n
        next_ac_na = self.actor_target(next_ob_no)
        next_q_n = self.critic.q_net_target(next_ob_no, next_ac_na)[0]
        target_n: torch.Tensor = re_n + self.settings.discount * (1.0 - terminal_n) * next_q_n
        # END SOLUTION
        return target_n

    def update_actor(self, ob_no: torch.Tensor) -> dict[str, torch.Tensor]:
        """Takes one gradient step on the actor: actions move to where Q is larger.

        loss = -mean_i Q(s_i, mu(s_i))

        Args:
            ob_no: s. Shape (n, ob_dim).

        Source: Lillicrap et al., 2016, https://arxiv.org/abs/1509.02971, equation 6.
        """
        # The loss above, a scalar: its gradient reaches the actor through the action.
        # BEGIN SOLUTION hw4.ddpg.actor -> loss
        loss = -self.critic.q_net(ob_no, self.actor(ob_no)).mean()
        # END SOLUTION
        self.actor_optimizer.zero_grad()
        loss.backward(inputs=self.actor_weights)  # the critic gets no gradient
        self.actor_optimizer.step()
        return {"Actor_Loss": loss, "Actor_Gradient_Norm": networks.grad_norm(self.actor_weights)}

    def step_env(self) -> None:
        """Takes one step in the environment and stores it."""
        self.stepper.step_env()

    def add_to_replay_buffer(self, paths: Sequence[Any]) -> None:
        """Does nothing: `step_env` has stored the step already."""

    def sample(self, batch_size: int) -> Batch:
        """Draws transitions for `train`, in its order; empty arrays while it is too early."""
        return self.stepper.sample(batch_size)

    def scalars(self) -> dict[str, float]:
        """Returns what is worth a curve besides returns and losses."""
        return {"Num_Param_Updates": self.num_param_updates}

    def policy_state_dict(self) -> dict[str, torch.Tensor]:
        """Returns the actor's weights by name: all that acting needs."""
        return dict(self.actor.state_dict())

    def state_dict(self) -> dict[str, Any]:
        """Returns all that training needs to go on exactly, as a state tree with live tensors."""
        names = ("actor", "actor_target", "actor_optimizer", "critic", "stepper")
        state = {name: getattr(self, name).state_dict() for name in names}
        return state | {"num_param_updates": self.num_param_updates}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores what `state_dict` returned."""
        for name in ("actor", "actor_target", "actor_optimizer", "critic", "stepper"):
            getattr(self, name).load_state_dict(state[name])
        self.num_param_updates = state["num_param_updates"]
