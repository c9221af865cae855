"""Judges what a probe saw, and puts that into a student's words."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from autograder.base.checks import Check
from autograder.base.results import BLANK, FAILED, PASSED, Difference, Judgement, Verdict
from autograder.base.seen import PROBE, Seen
from autograder.misconceptions import explain, stories
from autograder.misconceptions.crash_names import judge_crash
from autograder.misconceptions.question import question
from autograder.misconceptions.wording import crash_message, in_words

EXHAUSTED = ("Too many open files", "can't start new thread", "Cannot allocate memory")
"""Where these are raised, the student's code has taken what a process has: ours needs little."""
TAKES_ALL = "the code takes all files, threads or memory that a process may have"


class GraderError(Exception):
    """A probe failed by itself: our fault, never the student's."""


Judge = Callable[[Seen, int], Judgement]


def judge_of(check: Check) -> Judge:
    """Returns what judges what the probe of a check saw."""
    return functools.partial((stories if check.beside else explain).judge, question(check))


def judge_seen(check: Check, seen: Seen, seed: int) -> Judgement:
    """Judges what the probe saw."""
    try:
        return judge_of(check)(seen, seed)
    except Exception as error:
        what = strange(seen, error)
        if what is None:
            raise  # nothing is odd about it, so the fault is ours
        return Judgement([], [Difference(remark=what)])


def strange(seen: Seen, error: Exception) -> str | None:
    """Says what may have made a judge raise; None if nothing is odd about what was seen."""
    if isinstance(error, KeyError):
        return f"nothing was recorded of {error}"
    for name, array in seen.arrays.items():
        if array.dtype == bool and array.shape == (0,):
            return f"{name.replace('/', ': ', 1)} is not numbers"
        if array.dtype.kind == "f" and not np.all(np.isfinite(array)):
            return f"{name.replace('/', ': ', 1)} has numbers that are not finite"
    return None


def judged(check: Check, seen: Seen, seed: int) -> Judgement:
    """Judges what a probe saw.

    Raises:
        GraderError: If the probe itself failed.
    """
    crash = seen.crashes.get(PROBE)
    if crash and not crash.file:
        if any(reason in crash.text for reason in EXHAUSTED):
            return Judgement([], [Difference(remark=TAKES_ALL)])
        raise GraderError(crash_message(crash))
    if crash is None:
        judgement = judge_seen(check, seen, seed)
        if not judgement.passed:  # a file that cannot be imported explains all else
            crash = next((c for c in seen.crashes.values() if c.on_import and c.file), None)
    if crash:
        judgement = judge_crash(crash, Judgement())
    return judgement


def worded(check: Check, judgement: Judgement, answers: bool = True) -> Verdict:
    """Puts a judgement into a student's words.

    Args:
        check: What was judged.
        judgement: What was found.
        answers: Whether the student may read what numbers should be.
    """
    if judgement.blank:
        return Verdict(check.id, check.title, 0, check.points, BLANK, (), "not filled yet")
    verdict = PASSED if judgement.passed else FAILED
    points = check.points if judgement.passed else 0
    found = [in_words(difference, answers) for difference in judgement.unknown]
    message, named = "\n".join([*found, *judgement.notes]), tuple(judgement.misconceptions)
    return Verdict(check.id, check.title, points, check.points, verdict, named, message)
