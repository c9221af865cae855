"""Answers about the greedy policy: the best action of each state, and what it is mistaken for."""

from __future__ import annotations

import itertools
import re

import numpy as np

from autograder.hw3.probe_argmax import ACTIONS, OTHER, STATES, table
from autograder.judge import (
    NO_AXIS,
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
from autograder.probing import Crash, Observation, Trial
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
        "of the target": "argmax.target_net",
        "of the observation": "argmax.of_observation",
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
        "of the target": (best + OTHER) % ACTIONS,
        "of the observation": np.arange(len(values)),  # one-hot
    }
    return answers[choice["what"]].astype(np.float64)


BLANK = "hw3.argmax.action"


def judge_argmax(seen: Observation, seed: int) -> Judgement:
    """Judges the actions that were chosen."""
    verdict = Judgement()
    each, again = seen["each"], seen["again"]
    crash = each.crash or again.crash
    if crash:
        return _judge_crash(crash, verdict)
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
    if verdict.passed:
        _judge_images(seen["images"], actions, verdict)
    return verdict


def _judge_crash(crash: Crash, verdict: Judgement) -> Judgement:
    """Translates an exception into the mistake behind it, where known."""
    if crash.blank:
        return judge_blank(crash, BLANK, verdict)
    known = None
    if re.search("only one element|ambiguous", crash.text):
        known = "argmax.value_as_action"
    elif re.search(NO_AXIS, crash.text):
        known = "argmax.no_batch"
    return judge_crash(crash, known, verdict)


def _judge_images(images: Trial, actions: np.ndarray, verdict: Judgement) -> None:
    """A network for images takes a batch alone: there a forgotten axis is no matter of taste."""
    crash = images.crash
    if crash:
        alone = "batch of images" in crash.text
        judge_crash(crash, "argmax.no_batch" if alone else None, verdict)
    elif not close(images.arrays["action"].astype(np.float64), actions):
        verdict.name("argmax.no_batch")
