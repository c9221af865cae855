"""Answers about what the trainer lets its agent learn from, how often, and what it keeps of it.

Every array and log tells by its value what it is, so calls are judged one by one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from autograder.hw3.answer_collect import (
    MISSING,
    SETTING,
    UNPACK,
    judge_collect,
    why,
)
from autograder.hw3.trainer_world import (
    EMPTY_LOG,
    OTHER_SAMPLE,
    OTHER_TRAIN,
    PLACE,
    SAMPLE,
    TRAIN,
    TRAIN_STEPS,
    TUPLE,
    UNITS,
    settings,
)
from autograder.judge import Judgement, judge_crash
from autograder.probing import Crash, Observation

__all__ = ["judge_collect", "judge_train"]

BLANK = "hw3.trainer.train"
TOO_OFTEN, LOG_TYPE = "trainer_train.too_often", "trainer_train.log_type"
WRONG_ARGUMENTS = "trainer_train.wrong_arguments"
PART = 5  # arguments of `train`


def judge_train(seen: Observation, seed: int) -> Judgement:
    """Judges what the agent is given to learn from, how often, and what is kept of its logs."""
    verdict = Judgement()
    trial = seen.get("train")
    if trial is None:
        verdict.unknown.append(f"could not be judged: {why(seen)}")
        return verdict
    arrays = trial.arrays
    if trial.crash and trial.crash.blank == BLANK:
        verdict.blank = True
        return verdict
    calls = arrays.get("calls", np.empty((0, 8)))
    orders = [*arrays.get("own_orders", np.empty((0, PART))).reshape(-1, PART).tolist()]
    _judge_samples(calls, settings(seed)["train_batch_size"], verdict)
    _judge_arguments(calls[calls[:, 0] == TRAIN], [list(range(PART)), *orders], verdict)
    if trial.crash:
        _judge_train_crash(trial.crash, verdict)
        return verdict
    _judge_trainings(calls, verdict)
    _judge_logs(arrays, int(np.sum(calls[:, 0] == TRAIN)), verdict)
    return verdict


def _judge_samples(calls: np.ndarray, size: int, verdict: Judgement) -> None:
    """Judges where batches come from, and how large they are."""
    samples = calls[(calls[:, 0] == SAMPLE) | (calls[:, 0] == OTHER_SAMPLE)]
    if np.any(samples[:, 0] == OTHER_SAMPLE):
        verdict.name("trainer_train.sampled_elsewhere")
    if np.any(samples[:, 1] != size):
        verdict.name("trainer_train.batch_size")


def _judge_arguments(trainings: np.ndarray, orders: list[list[float]], verdict: Judgement) -> None:
    """Judges what `train` is given: the five arrays of one batch, in their order."""
    for row in trainings:
        parts = row[2 : 2 + PART]
        if parts[0] == TUPLE:
            verdict.name("trainer_train.not_unpacked")
            continue
        if row[1] != PART or np.any(parts < 0) or np.any(np.isnan(parts)):
            verdict.name(WRONG_ARGUMENTS)
            continue
        if len(set(parts // UNITS)) > 1:
            verdict.name("trainer_train.glued_batches")
        places = (parts % UNITS).tolist()
        if places in orders:
            continue
        permuted = sorted(places) == list(range(PART))
        verdict.name("trainer_train.argument_order" if permuted else WRONG_ARGUMENTS)


def _judge_trainings(calls: np.ndarray, verdict: Judgement) -> None:
    """Judges how often the agent is trained, and whether on a fresh batch each time."""
    what = calls[:, 0]
    trainings = int(np.sum(what == TRAIN))
    samples = int(np.sum((what == SAMPLE) | (what == OTHER_SAMPLE)))
    if trainings == 0:
        others = bool(np.any(what == OTHER_TRAIN))
        verdict.name("trainer_train.parts_trained" if others else "trainer_train.not_trained")
        return
    if trainings != TRAIN_STEPS:
        verdict.name("trainer_train.too_few" if trainings < TRAIN_STEPS else TOO_OFTEN)
    if samples < min(trainings, TRAIN_STEPS):
        verdict.name("trainer_train.batch_reused")
    elif samples > trainings and "trainer_train.glued_batches" not in verdict.mistakes:
        verdict.name("trainer_train.sampled_twice")


def _judge_logs(seen: Mapping[str, np.ndarray], trainings: int, verdict: Judgement) -> None:
    """Judges the list that is returned: each training's log, an empty one included."""
    if trainings == 0:
        return
    if not seen["is_list"]:
        verdict.name("trainer_train.log_overwritten" if seen["is_log"] else LOG_TYPE)
        return
    numbers = range(1, trainings + 1)
    expected = [float(PLACE + n) if n != EMPTY_LOG else 0.0 for n in numbers]
    logs = seen["logs"].tolist()
    every = max(1, trainings // TRAIN_STEPS)  # too many trainings are no fault of the list
    known = {
        "": logs in (expected, expected[::every], expected[every - 1 :: every]),
        "trainer_train.not_logged": not logs,
        "trainer_train.log_keys": bool(seen["texts"]),
        "trainer_train.empty_log_dropped": logs == [log for log in expected if log],
        LOG_TYPE: bool(np.any(np.isnan(logs))),
        "trainer_train.logs_lost": logs == expected[-len(logs) :],
    }
    found = next((name for name, fits in known.items() if fits), None)
    if found is None:
        verdict.unknown.append(f"the logs returned are {logs}, expected {expected}")
    elif found:
        verdict.name(found)


def _judge_train_crash(crash: Crash, verdict: Judgement) -> None:
    """Translates an exception of `train_agent` into the mistake behind it, where known."""
    mistake = None
    if UNPACK.search(crash.text):
        mistake = "trainer_train.unpacking"
    elif crash.kind == "RunawayError":
        mistake = TOO_OFTEN
    elif crash.kind == "TypeError" and MISSING.search(crash.text):
        mistake = WRONG_ARGUMENTS
    elif crash.kind == "KeyError" and "params" not in crash.source:
        mistake = LOG_TYPE
    elif crash.kind == "KeyError" or SETTING.search(crash.text):
        mistake = "trainer_train.no_such_setting"
    judge_crash(crash, mistake, verdict)
