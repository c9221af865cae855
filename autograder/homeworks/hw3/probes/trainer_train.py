"""Lets the trainer train its agent: what that learns from, how often, and what is kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.homeworks.hw3.fakes.trainer import Agent, build, settings
from autograder.homeworks.hw3.fakes.transitions import odd_or_last
from autograder.running.probing import Student

A_LIST, A_LOG, ANOTHER = range(3)  # kinds of what is returned


def cases(seed: int) -> Mapping[str, int]:
    """Returns one iteration, whose batches are drawn from the seed."""
    return {"train": seed}


def observe(student: Student, seed: int) -> dict[str, Any]:
    """Trains for one iteration; returns what was asked, and of whom, however it ends."""
    agent, module = Agent(student, seed), student.module("infrastructure.rl_trainer")
    trainer, logs = build(module, params=settings(seed), agent=agent), None
    with student.up_to_a_crash():
        logs = trainer.train_agent()
    record = {**agent.calls, "batch_sizes": np.unique(agent.sizes), **odd_or_last(agent.notes)}
    return record if student.crashed else record | returned(logs)


def returned(logs: Any) -> dict[str, Any]:
    """Returns the kind of what `train_agent` returns, and which logs are in it."""
    if isinstance(logs, list | tuple):
        return {"what_is_returned": A_LIST, "logs": [number_of(log) for log in logs]}
    kind = A_LOG if isinstance(logs, Mapping) else ANOTHER
    return {"what_is_returned": kind, "logs": []}


def number_of(log: Any) -> float:
    """Returns the number of a log; a negative one for what is none."""
    if isinstance(log, Mapping):
        return float(log.get("Critic_Loss", 0))
    return -1.0 if isinstance(log, str) else -2.0
