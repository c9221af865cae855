"""How often an agent learns, and in how large steps, where a command wants it otherwise."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from cs285.infrastructure.base.config import UserError

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import torch


class LearnsByHorizon:
    """An agent that learns many times after each `horizon_len` steps, not after each step.

    All else is the agent's own.
    """

    def __init__(self, agent: Any, horizon_len: int, repeat_times: float | None) -> None:
        """Wraps an agent that steps its environment itself, and has a replay buffer.

        Args:
            agent: The agent.
            horizon_len: Environment steps from one time to learn to the next. A DQN has its own
                rule for that, which stays: 1.
            repeat_times: How often each transition in memory is learned from at a time, on average:
                the updates are the transitions in memory times this number, divided by those of
                a batch. None: as many updates as steps were taken since the last time.
        """
        self.agent, self.horizon_len, self.repeat_times = agent, horizon_len, repeat_times

    def __getattr__(self, name: str) -> Any:
        """Returns whatever else the agent has."""
        return getattr(self.agent, name)

    def updates(self, batch_size: int) -> int:
        """Returns how many updates a call of `train` makes where it is time to learn."""
        if self.repeat_times is None:
            return self.horizon_len
        memory = self.agent.replay_buffer
        held = len(memory) if hasattr(memory, "__len__") else memory.num_in_buffer
        return max(1, int(held * self.repeat_times / batch_size))

    def sample(self, batch_size: int) -> Any:
        """Draws a batch where it is time to learn; empty arrays elsewhere."""
        import numpy as np

        if self.horizon_len > 1 and self.agent.steps % self.horizon_len:
            return (np.empty(0),) * 5
        return self.agent.sample(batch_size)

    def train(self, *batch: Any) -> Any:
        """Learns from a batch, and before that from as many others as it is time for.

        Returns:
            What the last update logs.
        """
        batch_size = len(batch[2])
        if batch_size:
            # A DQN counts steps by calls of `train`: more calls are no more steps.
            clock = {n: v for n, v in vars(self.agent).items() if n in ("t", "trains_of_step")}
            for _ in range(self.updates(batch_size) - 1):
                self.agent.train(*self.agent.sample(batch_size))
                vars(self.agent).update(clock)
        return self.agent.train(*batch)


def by_horizon(agent: Any, horizon_len: int, repeat_times: float | None) -> Any:
    """Returns an agent that learns by these two numbers; the agent itself if they change nothing.

    See `LearnsByHorizon`.
    """
    if horizon_len == 1 and repeat_times is None:
        return agent
    return LearnsByHorizon(agent, horizon_len, repeat_times)


def check_repeats(config: Any) -> None:
    """Raises UserError if two flags count the updates."""
    if config.repeat_times is not None and config.num_agent_train_steps_per_iter != 1:
        raise UserError(
            "--repeat_times and --num_agent_train_steps_per_iter both count the updates: give one"
        )


def set_step_size(optimizer: torch.optim.Optimizer, step_size: float | None) -> None:
    """Gives an optimizer another step size; None leaves it as it is."""
    if step_size is not None:
        for group in optimizer.param_groups:
            group["lr"] = step_size


def two_step_sizes(agent: Any, actor: float | None, critic: float | None, both: float) -> None:
    """Gives actor and critic step sizes of their own, where one optimizer steps both.

    Args:
        agent: Its optimizer has taken no step yet.
        actor: The actor's; None: as `both`.
        critic: The critic's; None: as `both`.
        both: The step size of one that has none of its own.
    """
    if actor is None and critic is None:
        return
    rates = ((agent.actor, actor or both), (agent.critic, critic or both))
    groups = [{"params": list(part.parameters()), "lr": rate} for part, rate in rates]
    eps = agent.optimizer.param_groups[0]["eps"]
    agent.optimizer = type(agent.optimizer)(groups, both, eps=eps)


def soften_target(critic: Any, tau: float) -> None:
    """Lets a critic's target network move towards the online one by `tau`; 1 copies it."""
    if tau < 1.0:
        critic.update_target_network = functools.partial(_move_target, critic, tau)


def _move_target(critic: Any, tau: float) -> None:
    """Moves each parameter: target <- (1 - tau) target + tau online."""
    import torch

    with torch.no_grad():
        targets, weights = critic.q_net_target.parameters(), critic.q_net.parameters()
        torch._foreach_lerp_(list(targets), list(weights), tau)
