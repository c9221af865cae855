"""Names for exceptions that any blank may raise."""

from __future__ import annotations

import re

from autograder.base.files import read_data
from autograder.base.judgement import Judgement
from autograder.base.record import Crash, Record
from autograder.misconceptions.wording import crash_message

CRASHES = read_data("misconceptions/general_crashes.json")
"""Kinds of exceptions, what their text matches, and the mistake behind them: the first that fits.

`own_line`: only where a line of the student's raised it, since it may be the grader's else.
"""
EMPTY = "name 'TODO' is not defined"  # what a blank of an older handout says


def left_empty(record: Record, blank: str) -> bool:
    """Tells whether a blank is empty: it says so, or an older handout's last line misses `loss`.

    That line is no proof if anything else was done: a gradient was asked for.
    """
    for trial in record.values():
        if trial.crash and trial.crash.blank == blank:
            return True
        missing = trial.crash and "name 'loss' is not defined" in trial.crash.text
        if missing and trial.arrays.get("no_backward"):
            return True
    return False


def judge_crash(crash: Crash, known: str | None, verdict: Judgement) -> Judgement:
    """Names the mistake behind an exception: `known`, or what stands behind any of its kind.

    Or says that the blank is empty, in the words of an older handout.
    """
    if crash.kind == "NameError" and EMPTY in crash.text:
        verdict.blank = True
        return verdict
    misconception = known
    for row in CRASHES:
        fits = crash.kind in row["kinds"] and re.search(row.get("text", ""), crash.text)
        if misconception is None and fits and (crash.file or not row.get("own_line")):
            misconception = row["misconception"]
    if misconception:
        verdict.name(misconception)
        verdict.notes.append(crash_message(crash))
    else:
        verdict.unknown.append(crash_message(crash))
    return verdict
