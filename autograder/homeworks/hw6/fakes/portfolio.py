"""Members of a portfolio that note their steps, and whose batches they learn from."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from autograder.running.probing import number_in

MIXED = -2  # stands for a batch that no member has drawn
Arrays = tuple[np.ndarray, ...]


def drawn(who: int, nth: int) -> Arrays:
    """Returns somebody's nth batch, in the order of `train`; the given one, of -1, is smaller."""
    rng, rows = np.random.default_rng([285, 67, 1 + who, nth]), 6 if who >= 0 else 4
    obs, next_obs = rng.normal(size=(2, rows, 3))
    return obs, rng.normal(size=(rows, 2)), rng.normal(size=rows), next_obs, np.eye(rows)[2]


def whose(batch: Sequence[Any]) -> int:
    """Returns who drew a batch."""
    every = ((who, nth) for who in range(-1, 4) for nth in range(9))
    return next((one[0] for one in every if all(map(np.array_equal, batch, drawn(*one)))), MIXED)


def builders(size: int, made: Callable[..., Any], log: Any = None) -> list[Callable[[Any], Member]]:
    """Returns what builds each member; they note their steps in a log, by their numbers."""
    return [functools.partial(Member, number=k, made=made, log=log) for k in range(size)]


class Member:
    """An agent that steps, draws and learns."""

    kept = ("replay_buffer",)

    def __init__(self, env: Any, number: int, made: Callable[..., Any], log: Any) -> None:
        """Begins anew; `made` makes a batch of five arrays."""
        self.env, self.number, self.made, self.log = env, number, made, log
        self.replay_buffer = SimpleNamespace(sample=lambda batch_size: made(*drawn(99, 0)))
        self.last_obs, self.t, self.acted_on = np.zeros(3), 0, -1.0
        self.without_gradients = False
        self.sizes: list[float] = []
        self.learned: list[int] = []

    def step_env(self) -> None:
        """Steps the environment it was given."""
        self.log.append(self.number)
        self.acted_on = number_in(np.asarray(self.last_obs)[0])
        self.last_obs = self.env.step(0)[0]

    def updates_due(self) -> int:
        """Returns that it is to learn after each step that it learns from."""
        return 1

    def sample(self, batch_size: int) -> Any:
        """Returns another batch each time."""
        self.sizes.append(number_in(batch_size, -1.0))
        return self.made(*drawn(self.number, len(self.sizes)))

    def train(
        self, ob_no: Any, ac_na: Any, re_n: Any, next_ob_no: Any, terminal_n: Any
    ) -> Mapping[str, float]:
        """Notes whose batch it is; returns a log of its own."""
        self.without_gradients |= not torch.is_grad_enabled()
        self.learned.append(whose((ob_no, ac_na, re_n, next_ob_no, terminal_n)))
        return {"Critic_Loss": self.number}
