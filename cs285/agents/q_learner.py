"""Q-learning in a table: the smallest agent that can be a member of a portfolio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from cs285.infrastructure.base.schedules import PiecewiseSchedule
from cs285.infrastructure.base.state import Stateful

Step = tuple[int, int, float, int, bool]


class Diary(Stateful):
    """All transitions, in order; each reader goes on where it stopped."""

    kept = ("steps",)

    def __init__(self) -> None:
        """Begins with none."""
        self.steps: list[Step] = []


class QLearner(Stateful):
    """Acts epsilon-greedily by a table, and learns from each transition once, in their order.

    Q(s, a) <- Q(s, a) + alpha (r + gamma (1 - terminal) max_a' Q(s', a') - Q(s, a))

    Source: Watkins and Dayan, 1992, "Q-learning", equation 1.
    """

    kept = ("replay_buffer", "q", "read", "last_obs", "rng")

    def __init__(
        self,
        env: gym.Env[Any, Any],
        alpha: float,
        discount: float,
        exploration: PiecewiseSchedule,
        seed: int,
    ) -> None:
        """Begins with a table of zeros, and the first episode.

        Args:
            env: The environment, states and actions of which are numbers from 0 on.
            alpha: The learning rate; 0 for a member that never learns.
            discount: gamma.
            exploration: The probability of a random action at step t. Steps are the agent's own,
                or those of all members in a portfolio with one memory.
            seed: For random actions and ties.
        """
        self.env, self.alpha, self.discount, self.exploration = env, alpha, discount, exploration
        states: Any = env.observation_space
        actions: Any = env.action_space
        self.q = [[0.0] * int(actions.n) for _ in range(int(states.n))]
        self.replay_buffer: Any = Diary()
        self.t = self.read = 0  # steps so far; transitions learned from
        self.rng = np.random.default_rng([seed, 8])
        self.actor = self.eval_policy = self
        self.last_obs, _ = env.reset()

    def get_action(self, obs: int) -> list[int]:
        """Returns the greedy action, in a batch of one; ties go to the first."""
        row = self.q[obs]
        return [row.index(max(row))]

    def step_env(self) -> None:
        """Takes one step and stores it; after an episode, begins the next one."""
        state = self.last_obs
        if self.rng.random() < self.exploration.value(self.t):
            action = int(self.rng.integers(len(self.q[state])))
        else:
            action = self.get_action(state)[0]
        next_obs, reward, terminated, truncated, _ = self.env.step(action)
        self.replay_buffer.steps.append((state, action, reward, next_obs, terminated))
        self.last_obs = self.env.reset()[0] if terminated or truncated else next_obs

    def sample(self, batch_size: int) -> Any:
        """Returns all transitions that are new to this learner, however large a batch is."""
        fresh: list[Step] = self.replay_buffer.steps[self.read :]
        self.read += len(fresh)
        return tuple(zip(*fresh, strict=True)) if fresh else ((),) * 5

    def train(
        self,
        ob_n: Sequence[int],
        ac_n: Sequence[int],
        re_n: Sequence[float],
        next_ob_n: Sequence[int],
        terminal_n: Sequence[bool],
    ) -> dict[str, float]:
        """Updates the table, transition by transition."""
        q, alpha, discount = self.q, self.alpha, self.discount
        for s, a, r, s2, terminal in zip(ob_n, ac_n, re_n, next_ob_n, terminal_n, strict=True):
            target = r if terminal else r + discount * max(q[s2])
            q[s][a] += alpha * (target - q[s][a])
        return {}

    def updates_due(self) -> int:
        """Returns 1: it learns after each step."""
        return 1

    def compilable_updates(self) -> list[Any]:
        """Returns nothing that could be compiled."""
        return []

    def scalars(self) -> dict[str, float]:
        """Returns nothing further to log."""
        return {}

    def policy_state_dict(self) -> dict[str, Any]:
        """Returns the table."""
        return {"q": np.array(self.q)}
