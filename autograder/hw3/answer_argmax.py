"""Answers about the greedy policy: the best action of each state, and what it is mistaken for."""

from __future__ import annotations

import itertools
import re

import numpy as np

from autograder.hw3.probe_argmax import ACTIONS, STATES, table
from autograder.judge import (
    Choice,
    Factor,
    Judgement,
    close,
    difference,
    every,
    explain,
    judge_blank,
    judge_crash,
    mistakes_in,
    right_choice,
)
from autograder.probing import Observation
from autograder.recording import secret

WHAT = Factor(
    "what",
    {
        "index of the largest": None,
        "the largest": "argmax.value_as_action",
        "index of the smallest": "argmax.worst_action",
        "one below": "argmax.shifted",
        "one above": "argmax.shifted",
        "the mean": "argmax.value_as_action",
    },
)


@secret(lambda seed: itertools.product([table(seed)], every(WHAT)))
def predict(values: np.ndarray, choice: Choice) -> np.ndarray:
    """Returns the answer for each state, shape (STATES,)."""
    best = values.argmax(1)
    answers: dict[str, np.ndarray] = {
        "index of the largest": best,
        "the largest": values.max(1),
        "index of the smallest": values.argmin(1),
        "one below": best - 1,
        "one above": best + 1,
        "the mean": values.mean(1),
    }
    return answers[choice["what"]].astype(np.float64)


BLANK = "hw3.argmax.action"


def judge_argmax(seen: Observation, seed: int) -> Judgement:
    """Judges the actions that were chosen."""
    verdict = Judgement()
    each, again = seen["each"], seen["again"]
    for trial in (each, again):
        if trial.crash and trial.crash.blank:
            return judge_blank(trial.crash, BLANK, verdict)
        if trial.crash:
            values_asked = re.search("only one element|ambiguous", trial.crash.text)
            known = "argmax.value_as_action" if values_asked else None
            return judge_crash(trial.crash, known, verdict)
    if np.any(each.arrays["size"] != 1):
        verdict.name("argmax.not_one_action")
        return verdict
    repeated = again.arrays["action"]
    if not np.all(repeated == repeated[0]):
        verdict.name("argmax.not_repeatable")
        return verdict
    values, actions = table(seed), each.arrays["action"].astype(np.float64)
    found = explain((WHAT,), lambda c: {"a": predict(values, c)}, lambda o: close(actions, o["a"]))
    if found:
        verdict.name(*mistakes_in(found, (WHAT,)))
    elif set(actions) <= set(range(ACTIONS)) and len(set(actions)) == 1:
        verdict.name("argmax.always_the_same")
    else:
        right = predict(values, right_choice((WHAT,)))
        verdict.unknown.append(difference(f"action in {STATES} states", actions, right))
    return verdict
