"""Names for exceptions that any blank may raise."""

from __future__ import annotations

import re

from autograder.base.files import read_data
from autograder.base.results import Judgement, Misconception, read_misconceptions
from autograder.base.seen import Crash, Seen
from autograder.misconceptions.newer_python import newer_syntax
from autograder.misconceptions.wording import crash_message
from autograder.source import PACKAGE

CRASHES = read_data("misconceptions/general_crashes.json")
"""Kinds of exceptions, what their text matches, and the misconception: the first that fits.

`line`: what the student's line matches. `own_line`: only where a line of the student's raised it,
since it may be the grader's else.
"""
GENERAL = read_misconceptions("misconceptions/general_misconceptions.json")
"""The misconceptions that any blank may show, by id."""
EMPTY = "name 'TODO' is not defined"  # what a blank of an older handout says


def left_empty(seen: Seen, blank: str) -> bool:
    """Returns whether a blank is empty: it says so itself."""
    return any(crash.blank == blank for crash in seen.crashes.values())


def judge_crash(crash: Crash, judgement: Judgement) -> Judgement:
    """Names the misconception behind an exception, if its kind is known.

    An older handout's empty blank is reported as one.
    """
    if crash.kind == "NameError" and EMPTY in crash.text:
        judgement.blank = True
        return judgement
    if named := _by_kind(crash):
        judgement.name(named)
        judgement.notes.append(crash_message(crash))
    else:
        judgement.remark(crash_message(crash))
    if why := newer_syntax(crash) or missing_package(crash):
        judgement.notes.append(why)
    return judgement


def missing_package(crash: Crash) -> str:
    """Returns what to do about a package that the grader has not; "" if none is missing."""
    found = re.match(r"No module named '([\w]+)", crash.text)
    if crash.kind != "ModuleNotFoundError" or not found or found[1] == PACKAGE:
        return ""
    return (
        f"The grader has no package {found[1]}. Do without it: import it inside `try`, with "
        "`except ImportError`, or hand in the module beside your cs285/ folder if it is your own."
    )


def _by_kind(crash: Crash) -> Misconception | None:
    for row in CRASHES:
        fits = crash.kind in row["kinds"] and re.search(row.get("text", ""), crash.text)
        fits = fits and re.search(row.get("line", ""), crash.source)
        if fits and (crash.file or not row.get("own_line")):
            return GENERAL[row["misconception"]]
    return None
