"""SAC: soft actor-critic, which is paid for returns and for being unpredictable."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch

from cs285.critics.q_critic import QCritic
from cs285.infrastructure import networks
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.stepper import Stepper
from cs285.infrastructure.transition_buffer import Batch, TransitionBuffer
from cs285.policies.squashed_policy import MeanAction, SquashedPolicy


@dataclasses.dataclass(frozen=True)
class SACSettings(ptu.Settings):
    """What the agent reads."""

    ob_dim: int
    ac_dim: int
    hidden: tuple[int, ...] = (256, 256)
    """Units of each hidden layer, in every network."""
    activation: str = "relu"
    """After each hidden layer."""
    discount: float = 0.99
    """gamma, per step."""
    learning_rate: float = 3e-4
    """Adam's step size, for critics, actor and temperature."""
    tau: float = 0.005
    """How far the target networks move per update."""
    q_backup: str = "clipped"
    """Which critics value s': "single", "double" or "clipped", see `SACAgent.next_values`."""
    temperature: float | None = None
    """alpha, reward per nat of entropy; None: tuned, from 1, until the entropy is the target."""
    target_entropy: float | None = None
    """Nats; None: minus the number of action components."""
    buffer_size: int = 1_000_000
    """Transitions."""
    random_steps: int = 100
    """Steps of uniformly random actions at first."""
    learning_starts: int = 100
    """Steps before the first update."""
    seed: int = 1


class SACAgent:
    """Maximises E[sum_t gamma^t (r_t + alpha H(pi(. | s_t)))], from samples of its memory.

    Source: Haarnoja et al., 2018, "Soft Actor-Critic Algorithms and Applications",
    https://arxiv.org/abs/1812.05905, algorithm 1.
    """

    def __init__(self, env: gym.Env[Any, Any], settings: SACSettings) -> None:
        """Builds networks and memory, and begins the first episode.

        Args:
            env: The environment, with actions in (-1, 1); the agent steps it itself.
            settings: See there.
        """
        self.settings = settings
        ob_dim, ac_dim, hidden = settings.ob_dim, settings.ac_dim, settings.hidden
        rate, activation = settings.learning_rate, settings.activation
        self.actor = SquashedPolicy(ob_dim, ac_dim, hidden, activation)
        self.eval_policy = MeanAction(self.actor)
        self.actor_weights = list(self.actor.parameters())
        self.actor_optimizer = ptu.LeanAdam(self.actor_weights, rate)
        num_critics = 1 if settings.q_backup == "single" else 2
        self.critic = QCritic(
            ob_dim,
            ac_dim,
            hidden,
            num_critics,
            settings.learning_rate,
            settings.tau,
            settings.activation,
        )
        self.tunes_temperature = settings.temperature is None
        start = 1.0 if settings.temperature is None else settings.temperature
        # The logarithm is learned, so that alpha stays above 0.
        log_temperature = torch.tensor([start], device=ptu.device).log()
        self.log_temperature = log_temperature.requires_grad_(self.tunes_temperature)
        self.temperature_optimizer = ptu.LeanAdam([self.log_temperature], settings.learning_rate)
        entropy = settings.target_entropy
        self.target_entropy = -float(ac_dim) if entropy is None else entropy
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
        """Updates critics, actor, temperature and target networks, once each.

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
        """Takes one gradient step on the critics; arguments as those of `train`.

        loss = 1/2 * sum_k mean_i (Q_k(s_i, a_i) - y_ki)^2

        Source: Haarnoja et al., 2018, https://arxiv.org/abs/1812.05905, equation 5.
        """
        with torch.no_grad():
            target_kn = self.targets(re_n, next_ob_no, terminal_n)
        q_kn = self.critic.q_net(ob_no, ac_na)
        ptu.check_shape("target_kn", target_kn, q_kn.shape)
        loss = 0.5 * (q_kn - target_kn).square().mean(dim=1).sum()
        norm = self.critic.descend(loss)
        q_mean, q_max = q_kn.mean(), q_kn.max()
        return {"Critic_Loss": loss, "Critic_Gradient_Norm": norm, "Q_Mean": q_mean, "Q_Max": q_max}

    def targets(
        self, re_n: torch.Tensor, next_ob_no: torch.Tensor, terminal_n: torch.Tensor
    ) -> torch.Tensor:
        """Computes what the critics should say, in which future entropy is paid for too.

        y_ki = r_i + gamma * (1 - terminal_i) * (V_k(s'_i, a'_i) - alpha * log pi(a'_i | s'_i))
        where a'_i ~ pi(. | s'_i) and V_k is `next_values`.

        Args:
            re_n: Rewards. Shape (n,).
            next_ob_no: s'. Shape (n, ob_dim).
            terminal_n: 1.0 where nothing counts after this step. Shape (n,).

        Returns:
            A row for each critic. Shape (k, n), reward units.

        Source: Haarnoja et al., 2018, https://arxiv.org/abs/1812.05905, equations 3 and 6.
        """
        next_ac_na, log_prob_n = self.actor.sample(next_ob_no)
        next_q_kn = self.next_values(self.critic.q_net_target(next_ob_no, next_ac_na))
        temperature = self.log_temperature.exp()
        # The targets y, shape (k, n).
        # HINT: terminal states have neither value nor entropy.
        # BEGIN SOLUTION hw4.sac.targets -> target_kn
        soft_v_kn = next_q_kn - temperature * log_prob_n
        target_kn = re_n + self.settings.discount * (1.0 - terminal_n) * soft_v_kn
        # END SOLUTION
        return target_kn

    def next_values(self, q_kn: torch.Tensor) -> torch.Tensor:
        """Chooses what each critic believes of the next state and action.

        single:   V = Q, there is one critic
        double:   V_1 = Q_2 and V_2 = Q_1
        clipped:  V_1 = V_2 = min(Q_1, Q_2)

        Args:
            q_kn: What the target networks say. Shape (k, n).

        Returns:
            A row for each critic. Shape (k, n), reward units.

        Source: van Hasselt, 2010, "Double Q-learning"; Fujimoto et al., 2018,
        https://arxiv.org/abs/1802.09477, equation 10.
        """
        # `next_q_kn` by self.settings.q_backup, one of the three names above.
        # BEGIN SOLUTION hw4.sac.backup -> next_q_kn
        next_q_kn = q_kn
        if self.settings.q_backup == "double":
            next_q_kn = q_kn.flip(0)
        if self.settings.q_backup == "clipped":
            next_q_kn = q_kn.min(dim=0, keepdim=True).values.expand_as(q_kn)
        # END SOLUTION
        return next_q_kn

    def update_actor(self, ob_no: torch.Tensor) -> dict[str, torch.Tensor]:
        """Takes one gradient step on the actor, and one on the temperature if it is tuned.

        loss = mean_i (alpha * log pi(a_i | s_i) - min_k Q_k(s_i, a_i)),  a_i ~ pi(. | s_i)

        Args:
            ob_no: s. Shape (n, ob_dim).

        Source: Haarnoja et al., 2018, https://arxiv.org/abs/1812.05905, equation 9.
        """
        temperature = self.log_temperature.detach().exp()
        ac_na, log_prob_n = self.actor.sample(ob_no)
        # The loss above, a scalar: the gradient reaches the actor through `ac_na` as well.
        # BEGIN SOLUTION hw4.sac.actor -> loss
        q_n = self.critic.q_net(ob_no, ac_na).min(dim=0).values
        loss = (temperature * log_prob_n - q_n).mean()
        # END SOLUTION
        self.actor_optimizer.zero_grad()
        loss.backward(inputs=self.actor_weights)  # the critics get no gradient
        self.actor_optimizer.step()
        if self.tunes_temperature:
            self.update_temperature(log_prob_n.detach())
        norm = networks.grad_norm(self.actor_weights)
        return {"Actor_Loss": loss, "Actor_Gradient_Norm": norm, "Entropy": -log_prob_n.mean()}

    def update_temperature(self, log_prob_n: torch.Tensor) -> None:
        """Raises alpha where the policy has less entropy than the target, lowers it where more.

        loss = mean_i -log alpha * (log pi(a_i | s_i) + target entropy)

        Args:
            log_prob_n: log pi(a | s), constants of this step. Shape (n,), nats.

        Source: Haarnoja et al., 2018, https://arxiv.org/abs/1812.05905, equation 18, with log
        alpha in place of alpha, as in the authors' code.
        """
        # The loss above, a scalar, from `self.log_temperature` and `self.target_entropy`.
        # BEGIN SOLUTION hw4.sac.temperature -> loss
        loss = -(self.log_temperature * (log_prob_n + self.target_entropy)).mean()
        # END SOLUTION
        self.temperature_optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.temperature_optimizer.step()

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
        temperature = math.exp(self.log_temperature.item())
        return {"Temperature": temperature, "Num_Param_Updates": self.num_param_updates}

    def policy_state_dict(self) -> dict[str, torch.Tensor]:
        """Returns the actor's weights by name: all that acting needs."""
        return dict(self.actor.state_dict())

    def state_dict(self) -> dict[str, Any]:
        """Returns all that training needs to go on exactly, as a state tree with live tensors."""
        return {
            "actor": self.actor.state_dict(),
            "actor_optimizer": self.actor_optimizer.state_dict(),
            "critic": self.critic.state_dict(),
            "log_temperature": self.log_temperature,
            "temperature_optimizer": self.temperature_optimizer.state_dict(),
            "stepper": self.stepper.state_dict(),
            "num_param_updates": self.num_param_updates,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores what `state_dict` returned."""
        for name in ("actor", "actor_optimizer", "critic", "temperature_optimizer", "stepper"):
            getattr(self, name).load_state_dict(state[name])
        self.log_temperature.data.copy_(state["log_temperature"])
        self.num_param_updates = state["num_param_updates"]
