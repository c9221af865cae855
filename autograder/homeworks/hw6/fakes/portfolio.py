"""What a portfolio is probed with: members, a rule and an environment that note what happens.

Each blank of the portfolio is asked alone: what another blank does is done here in its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import torch

from autograder.running.probing import Student, number_in

MANY = 1000  # calls; a right form needs a few
Arrays = tuple[np.ndarray, ...]


class RunawayError(Exception):
    """Something is asked again and again."""


def drawn(seed: int, member: int, number: int, rows: int = 6) -> Arrays:
    """Returns a batch in `train`'s order; each member's each draw is another one."""
    rng = np.random.default_rng([285, 67, seed, member, number])
    obs, next_obs = rng.normal(size=(2, rows, 3))
    return obs, rng.normal(size=(rows, 2)), rng.normal(size=rows), next_obs, np.eye(rows)[2]


class Member:
    """An agent that notes its steps, its batches and what it learns from."""

    def __init__(self, env: Any, number: int, seed: int, log: list[int]) -> None:
        """Notes its steps in `log`, by its number."""
        self.env, self.number, self.seed, self.log = env, number, seed, log
        # What is drawn past the member is nobody's batch.
        self.replay_buffer = SimpleNamespace(sample=lambda batch_size: drawn(0, MANY, 0))
        self.kept = ("replay_buffer",)
        self.last_obs, self.t, self.acted_on = np.zeros(3), 0, -1.0
        self.without_gradients = False
        self.sizes: list[float] = []
        self.learned: list[Arrays] = []

    def step_env(self) -> None:
        """Steps the environment it was given."""
        self.log.append(self.number)
        self.acted_on = number_in(np.asarray(self.last_obs)[0])
        self.last_obs = self.env.step(0)[0]

    def updates_due(self) -> int:
        """Returns that it is to learn after each step that it learns from."""
        return 1

    def sample(self, batch_size: int) -> Arrays:
        """Returns another batch each time."""
        self.sizes.append(number_in(batch_size))
        if len(self.sizes) > MANY:
            raise RunawayError("batches are drawn again and again")
        return drawn(self.seed, self.number, len(self.sizes))

    def train(
        self, ob_no: Any, ac_na: Any, re_n: Any, next_ob_no: Any, terminal_n: Any
    ) -> Mapping[str, float]:
        """Notes the batch; returns a log of its own."""
        self.without_gradients |= not torch.is_grad_enabled()
        self.learned.append((ob_no, ac_na, re_n, next_ob_no, terminal_n))
        return {"Critic_Loss": self.loss}

    @property
    def loss(self) -> float:
        """What it logs."""
        return float(np.random.default_rng([285, 68, self.seed, self.number]).uniform(1, 2))


class Rule:
    """Chooses known arms, and notes whom it is to credit."""

    frozen = False

    def __init__(self, num_arms: int, arms: Sequence[int] = ()) -> None:
        """Chooses `arms` in their turn, and then the first again and again."""
        self.num_arms, self.arms, self.asked = num_arms, list(arms), 0
        self.credited: list[tuple[float, float]] = []

    def choose(self) -> int:
        """Returns the next arm."""
        self.asked += 1
        return self.arms[self.asked - 1] if self.asked <= len(self.arms) else 0

    def rescale(self, factor: float, shift: float) -> None:
        """Has no scores of its own."""

    def update(self, arm: int, x: float) -> None:
        """Notes the arm and its score."""
        self.credited.append((number_in(arm), number_in(x)))


class Episodes(gym.Env[Any, Any]):
    """Episodes of given lengths; each observation is the number of the step."""

    def __init__(self, lengths: Sequence[int]) -> None:
        """Begins the first of them."""
        self.ends, self.time = set(np.cumsum(lengths).tolist()), 0

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Steps; every second end is a cut."""
        self.time += 1
        ended, even = self.time in self.ends, self.time % 2 == 0
        return np.full(3, self.time), 1.0, ended and even, ended and not even, {}


@dataclass(frozen=True)
class Portfolio:
    """How many members there are, who plays, and whose experience they learn from."""

    seed: int
    members: int = 5
    playing: int = 0
    own_experience: bool = False
    within_episode: bool = False  # the run goes on in the middle of an episode

    def arms(self, number: int) -> list[int]:
        """Draws whom a rule chooses."""
        rng = np.random.default_rng([285, 71, self.seed])
        return [int(arm) for arm in rng.integers(self.members, size=number)]

    def build(
        self, student: Student, arms: Sequence[int] = (), lengths: Sequence[int] = ()
    ) -> tuple[Any, list[int]]:
        """Builds the student's portfolio, whose rule chooses `arms`.

        Returns:
            The portfolio, and the list of who has stepped.
        """
        module: Any = student.module("agents.portfolio_agent")
        log: list[int] = []

        members = range(self.members)
        builders = [partial(Member, number=k, seed=self.seed, log=log) for k in members]
        rule = Rule(self.members, arms)
        agent = module.PortfolioAgent(Episodes(lengths), builders, rule, self.own_experience)
        agent.playing, agent.between_episodes = self.playing, not self.within_episode
        agent.t = 0
        return agent, log

    def let_learn(self, agent: Any) -> None:
        """Lets each member have an update to make that learns from the steps of who plays."""
        alone = self.own_experience
        agent.held = [int(k == self.playing or not alone) for k in range(self.members)]
