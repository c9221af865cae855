"""Judges what a probe saw, within limits if a stranger sent it, and puts that into words."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from autograder.base.checks import Check
from autograder.base.results import (
    BLANK,
    FAILED,
    PASSED,
    Difference,
    Judgement,
    Verdict,
    judgement_of,
)
from autograder.base.seen import PROBE, Seen
from autograder.misconceptions import explain, stories
from autograder.misconceptions.catalogue import question
from autograder.misconceptions.explain import judge_crash
from autograder.misconceptions.wording import crash_message, in_words
from autograder.running.limits import ExceededError, Limited, OurError
from autograder.source.altered import altered, given_out

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


class LimitedJudge:
    """Judges records within limits: for a `Grader`, in the place of `judged`."""

    def __init__(self, limited: Limited) -> None:
        """Judges in `limited`."""
        self.limited = limited

    def __call__(self, check: Check, seen: Seen, seed: int) -> Judgement:
        """Judges what a probe saw.

        Raises:
            GraderError: If the probe itself failed, or the judge.
        """
        try:
            return judgement_of(self.limited.do(plainly_judged, check, seen, seed))
        except ExceededError as error:  # nothing that a right solution hands over does
            return Judgement([], [Difference(remark=str(error))])
        except OurError as error:
            raise GraderError(str(error)) from error


def plainly_judged(check: Check, seen: Seen, seed: int) -> dict[str, Any]:
    """Judges what a probe saw, as `judged`; returns the judgement as JSON has it."""
    return asdict(judged(check, seen, seed))


def altered_given(homework: str, files: Mapping[str, bytes], limited: Limited) -> list[str]:
    """Names the given files that were altered, which by itself costs nothing.

    Returns:
        A line for each; none if it cannot be said, because a file breaks whoever reads it.
    """
    given = given_out(homework)  # here, so that each child has it
    mine = {path: data for path, data in files.items() if path in given}
    try:
        found: list[str] = limited.do(altered, homework, mine)
    except ExceededError:
        return []
    return found
