"""Answers about `DQNAgent.train`: the call to the critic, and the target network's turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autograder.hw3.train_world import (
    LEARNING_FREQ,
    OTHER,
    STARTS,
)
from autograder.judge import Judgement, judge_crash
from autograder.probing import Observation, Trial


@dataclass(frozen=True)
class Tape:
    """What each call of `train` did: arrays with one entry a call."""

    t: np.ndarray  # the time before it
    clock: np.ndarray  # the agent's own clock after it
    updates: np.ndarray  # of the critic, in it
    online: np.ndarray  # smallest and largest weight after it, shape (n, 2)
    target: np.ndarray
    alias: np.ndarray  # whether both networks are one, or have weights in one place

    @classmethod
    def of(cls, trial: Trial) -> Tape:
        """Reads the probe's record."""
        c = trial.arrays["calls"]
        return cls(c[:, 0], c[:, 1], c[:, 2], c[:, 3:5], c[:, 5:7], c[:, 7] > 0)

    @property
    def learning(self) -> np.ndarray:
        """Whether a call is one of those in which the agent is to learn."""
        return np.asarray((self.t >= STARTS) & (self.t % LEARNING_FREQ == 0))


def judge_update(seen: Observation, seed: int) -> Judgement:
    """Judges how often the critic is called, and with what."""
    trial, verdict = seen["update"], Judgement()
    if trial.crash:
        verdict.blank = trial.crash.blank == "hw3.dqn.update"
        known = "update.missing_argument" if "update() takes" in trial.crash.text else None
        return verdict if verdict.blank else judge_crash(trial.crash, known, verdict)
    tape, roles = Tape.of(trial), trial.arrays["roles"]
    _judge_times(tape, verdict)
    if trial.arrays["stood_in"] > 0:
        verdict.unknown.append("the critic was not called; something else was, in its place")
    if np.any(roles == OTHER):
        verdict.name("update.other_data")
    elif np.any(roles != np.arange(5)):
        swapped = all(sorted(row) == [0, 1, 2, 3, 4] for row in roles.tolist())
        verdict.name("update.arguments_swapped" if swapped else "update.argument_twice")
    return verdict


def _judge_times(tape: Tape, verdict: Judgement) -> None:
    """The critic is called once in each learning step, and time passes with every call."""
    passed = tape.clock - tape.t
    if np.any(passed != 1):
        verdict.name("update.time_stands" if np.any(passed == 0) else "update.time_runs")
    due = tape.learning & (tape.t > STARTS)  # older handouts began one step later
    if not tape.updates.any():
        verdict.name("update.never")
    elif np.any(tape.updates[tape.t < STARTS] > 0):
        verdict.name("update.before_start")
    elif np.any(tape.updates[~tape.learning] > 0):
        verdict.name("update.every_step")
    elif np.any(tape.updates[due] == 0):
        verdict.name("update.too_rare")
    elif np.any(tape.updates[due] > 1):
        verdict.name("update.too_often")
