"""Answers about `DQNAgent.train`: the call to the critic, and the target network's turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autograder.hw3.train_world import (
    LEARNING_FREQ,
    OTHER,
    STARTS,
    TARGET_AT_FIRST,
    TARGET_FREQ,
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


def judge_sync(seen: Observation, seed: int) -> Judgement:
    """Judges when the target network becomes what the online network is."""
    trial, verdict = seen["sync"], Judgement()
    if trial.crash:
        verdict.blank = trial.crash.blank == "hw3.dqn.sync"
        attribute = trial.crash.kind == "AttributeError" and "update_target" in trial.crash.text
        known = "sync.no_such_method" if attribute else None
        return verdict if verdict.blank else judge_crash(trial.crash, known, verdict)
    tape = Tape.of(trial)
    if np.any(tape.alias):
        verdict.name("sync.alias")
        return verdict
    if _went_back(tape):
        verdict.name("sync.reversed")
        return verdict
    before = np.vstack([[TARGET_AT_FIRST] * 2, tape.target[:-1]])
    changed = np.any(tape.target != before, axis=1)
    if not changed.any():
        _judge_never(trial, verdict)
        return verdict
    if _is_mixture(tape, changed, verdict):
        return verdict
    _judge_rhythm(tape, changed, verdict)
    if trial.arrays["counter"] == 0:
        verdict.name("sync.counter_stands")
    return verdict


def _went_back(tape: Tape) -> bool:
    """Tells whether the online network was overwritten in a call."""
    return bool(np.any(tape.online != tape.t[:, None] + 1))


def _judge_never(trial: Trial, verdict: Judgement) -> None:
    """The target never moved: says what was tried."""
    if trial.arrays["own_state"] > 0:
        verdict.name("sync.self_copy")
    elif trial.arrays["looked"] > 0 and trial.arrays["called"] == 0:
        verdict.name("sync.not_called")
    else:
        verdict.name("sync.never")


def _is_mixture(tape: Tape, changed: np.ndarray, verdict: Judgement) -> bool:
    """Names it if the target became something else than a copy of the online network."""
    if np.all(tape.target[changed] == tape.online[changed]):
        return False
    parts = np.any(tape.target[changed, 0] != tape.target[changed, 1])
    verdict.name("sync.in_part" if parts else "sync.blended")
    return True


def _judge_rhythm(tape: Tape, changed: np.ndarray, verdict: Judgement) -> None:
    """The copy is due at every TARGET_FREQ-th update; at which of them first does not matter."""
    number = np.cumsum(tape.learning) - 1  # of the update that is due in a call, or was last
    at = np.unique(number[changed]).astype(int)
    last = int(number[-1])
    gaps = np.diff(at)
    steps_per_sync = TARGET_FREQ // LEARNING_FREQ  # updates between copies if env steps count
    due = set(range(0, last + 1, TARGET_FREQ))
    if len(at) > 1 and np.all(gaps == TARGET_FREQ):
        return
    if len(at) >= last or (len(at) > 2 and np.all(gaps == 1)):
        verdict.name("sync.every_update")
    elif set(at) == set(range(last + 1)) - due:
        verdict.name("sync.inverted")
    elif len(at) == 1:
        verdict.name("sync.once")
    elif len(at) > 1 and np.all(gaps == steps_per_sync):
        verdict.name("sync.counts_steps")
    else:
        verdict.unknown.append(
            f"the target network was copied at updates {at.tolist()} of {last}, "
            f"where target_update_freq is {TARGET_FREQ}"
        )
