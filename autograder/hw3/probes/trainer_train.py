"""Lets the trainer train its agent: what that learns from, how often, and what is kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from autograder.hw3.trainer_world import MANY_CALLS, RunawayError, build, number_or_nan, settings
from autograder.hw3.value_case import TRAIN_ORDER, odd_or_last, stand_in
from autograder.probing import Student, plain_array

SMALL, EMPTY = 1, 2  # the batch, from 1, of one row; and one as of agents that may not learn yet
DRAWS = ("sample", "sample_recent_data", "sample_random_data")
LOG = 100  # and the number of a training: what it logs; the one numbered `EMPTY` logs nothing


def drawn(seed: int, number: int) -> tuple[np.ndarray, ...]:
    """Returns a batch in `train`'s order: other numbers backwards, rounded, clipped or unsigned."""
    if number == EMPTY:
        return (np.empty(0),) * 5
    rng = np.random.default_rng([285, 34, seed, number])

    def some(size: int) -> np.ndarray:
        signs, sizes = np.resize([1, -1], size), np.linspace(0.37, 19.3, size)
        return np.asarray(signs * rng.permutation(sizes), np.float32)

    ends = np.array([0, 1, 0, 0, 1, 1, 0], np.float32)[: 1 if number == SMALL else None]
    rows = len(ends)
    obs, next_obs = some(6 * rows).reshape(2, rows, 3)
    return obs, some(2 * rows).reshape(rows, 2), some(rows), next_obs, ends


def own_train(student: Student) -> Any:
    """Returns `train` of an agent of the student's, for what it takes."""
    for file, name in (("agents.ac_agent", "ACAgent"), ("agents.dqn_agent", "DQNAgent")):
        try:
            return getattr(student.module(file), name).train
        except Exception:  # noqa: BLE001  (the student's file may raise anything on import)
            continue

    def course(ob_no: Any, ac_na: Any, re_n: Any, next_ob_no: Any, terminal_n: Any) -> None: ...

    return course


class Agent:
    """An agent that notes what it is asked, and learns nothing."""

    on_policy = at_episode_start = True

    def __init__(self, student: Student, seed: int) -> None:
        """Takes what the student's own agent takes."""
        self.seed = seed
        self.sizes: list[float] = []
        self.calls = dict.fromkeys(("trainings", "samples", "samples_past", "updates_past"), 0)
        self.notes: list[tuple[str, np.ndarray, np.ndarray]] = []
        self.train = stand_in(own_train(student), TRAIN_ORDER, self.learn)
        self.actor = self.critic = SimpleNamespace(update=partial(self.count, "updates_past"))
        past = dict.fromkeys(DRAWS, partial(self.sample, past=True))
        self.replay_buffer = SimpleNamespace(**past)

    def count(self, what: str, *_: Any, **__: Any) -> dict[str, float]:
        """Counts a call; an update of a part logs nothing."""
        self.calls[what] += 1
        if sum(self.calls.values()) > MANY_CALLS:
            raise RunawayError("training goes on and on")
        return {}

    def sample(self, batch_size: int, past: bool = False) -> tuple[np.ndarray, ...]:
        """Returns a fresh batch; `past`: to whoever goes past the agent."""
        if past:
            self.count("samples_past")
        self.count("samples")
        self.sizes.append(number_or_nan(batch_size))
        return drawn(self.seed, self.calls["samples"])

    def learn(self, given: Mapping[str, Any]) -> dict[str, float]:
        """Notes the arguments beside the last batch; returns a log."""
        self.count("trainings")
        wanted = drawn(self.seed, self.calls["samples"])
        for role, array in zip(TRAIN_ORDER, wanted, strict=True):
            self.notes.append((f"train_gets_{role}", plain_array(given.get(role, array)), array))
        number = self.calls["trainings"]
        return {} if number == EMPTY else {"Critic_Loss": float(LOG + number), "Actor_Loss": -1.0}


def told(log: Any) -> float:
    """Returns the number that tells which log something is; a negative one for what is none."""
    if isinstance(log, Mapping):
        return float(log.get("Critic_Loss", 0))
    return -1.0 if isinstance(log, str) else -2.0


def probe(student: Student, seed: int) -> None:
    """Trains for one iteration; notes what was asked, and of whom, however it ends."""

    def train(seen: dict[str, Any]) -> None:
        agent, module = Agent(student, seed), student.module("infrastructure.rl_trainer")
        trainer = build(module, params=settings(seed), agent=agent)
        try:
            logs = trainer.train_agent()
        finally:
            seen |= agent.calls
            seen["batch_sizes"] = np.unique(agent.sizes)
            seen |= odd_or_last(agent.notes)
        kinds = [isinstance(logs, list | tuple), isinstance(logs, Mapping), True]
        seen["what_is_returned"] = kinds.index(True)
        seen["logs"] = [told(log) for log in logs] if kinds[0] else []

    student.try_out("train", train)
