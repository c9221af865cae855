"""Finds what is wrong with what was seen: the misconceptions that lead there, or how it differs."""

from __future__ import annotations

import re
import sys

import numpy as np

from autograder.base.files import read_data
from autograder.base.results import Difference, Judgement, Misconception, read_misconceptions
from autograder.base.seen import Crash, Seen, describes
from autograder.misconceptions.catalogue import Question
from autograder.misconceptions.dependences import dependences
from autograder.misconceptions.differences import both_shapes, how_it_differs
from autograder.misconceptions.oracle import RecordedOracle
from autograder.misconceptions.pieces import relations
from autograder.misconceptions.search import oracle_for, search
from autograder.misconceptions.wording import crash_message, in_words
from autograder.source import PACKAGE

CRASHES = read_data("misconceptions/general_crashes.json")
"""Kinds of exceptions, what their text matches, and the misconception: the first that fits.

`line`: what the student's line matches. `own_line`: only where a line of the student's raised it,
since it may be the grader's else.
"""
GENERAL = read_misconceptions("misconceptions/general_misconceptions.json")
"""The misconceptions that any blank may show, by id."""
NEWER = (
    ((3, 12), r"^type\s+\w+\s*(\[.*\]\s*)?=", ""),
    ((3, 12), r"^(async\s+)?(def|class)\s+\w+\s*\[", ""),
    ((3, 12), r"\b[fF][rR]?[\"']|\b[rR][fF][\"']", r"f-string|unterminated string|invalid syntax"),
    ((3, 14), r"\bt[\"']", ""),
    ((3, 14), r"^except\s+\w+\s*,", ""),
)
"""Syntax by its version of Python: what a line then matches, and what ours says of it."""
OF_SHAPE = ".shape"
"""How the id of a misconception ends that is about a shape alone."""


@np.errstate(all="ignore")  # a student's numbers may have any size
def judge(question: Question, seen: Seen, seed: int) -> Judgement:
    """Judges what was seen.

    Only what equals what a right form leads to passes, so nothing that is incomplete does.

    Raises:
        RuntimeError: If the probe fails on the solution too: then it judges nobody.
    """
    if left_empty(seen, question.blank):
        return Judgement(blank=True)
    oracle, judgement = oracle_for(question, seed), Judgement()
    if not oracle.right.numbers:  # else a crash in the probe would be right, and pass
        raise RuntimeError(f"{question.blank}: the probe records nothing of the solution")
    crashes = [*seen.crashes.values()]
    if not seen.numbers and not crashes:  # nothing passes without evidence
        judgement.remark("nothing was recorded")
        return judgement
    flags = flags_up(oracle, seen)
    first = [id for flag, id in flags.items() if flag in oracle.flags_first]
    if first:
        judgement.name(words_of(oracle, first[0]))
        return judgement
    found = search(oracle, seen)
    if found is not None:
        judgement.name(*(words_of(oracle, id) for id in found.mistakes))
        judgement.notes += list(dict.fromkeys(crash_message(crash) for crash in crashes))
        if any(id.endswith(OF_SHAPE) for id in found.mistakes):
            judgement.notes += map(in_words, both_shapes(seen, oracle.right))
        return judgement
    judgement.name(*(words_of(oracle, id) for id in flags.values()))
    if judgement.passed:
        shown = [crash for case, crash in seen.crashes.items() if not describes(case)]
        _judge_unknown(oracle.right, seen, shown, judgement)
    return judgement


def flags_up(oracle: RecordedOracle, seen: Seen) -> dict[str, str]:
    """Returns the flags that are true in any trial, with the misconception that each stands for."""
    up = {name.rpartition("/")[2] for name, array in seen.numbers.items() if array.any()}
    return {flag: misconception for flag, misconception in oracle.flags.items() if flag in up}


def words_of(oracle: RecordedOracle, id: str) -> Misconception:
    """Returns a misconception of a question, or one that any blank may have."""
    return oracle.words[id] if id in oracle.words else GENERAL[id]


def _judge_unknown(right: Seen, seen: Seen, crashes: list[Crash], judgement: Judgement) -> None:
    """Judges what no misconception explains: by what was raised, or by its numbers."""
    if crashes:
        judge_crash(crashes[0], judgement)
        return
    made_of = [Difference(remark=text) for text in relations(seen.sensitivity, right.sensitivity)]
    judgement.unknown += made_of or dependences(seen, right)
    judgement.unknown.append(how_it_differs(seen, right))


def left_empty(seen: Seen, blank: str) -> bool:
    """Returns whether a blank is empty: it says so itself."""
    return any(crash.blank == blank for crash in seen.crashes.values())


def judge_crash(crash: Crash, judgement: Judgement) -> Judgement:
    """Names the misconception behind an exception, if its kind is known."""
    if named := _by_kind(crash):
        judgement.name(named)
        judgement.notes.append(crash_message(crash))
    else:
        judgement.remark(crash_message(crash))
    if why := newer_syntax(crash) or missing_package(crash):
        judgement.notes.append(why)
    return judgement


def newer_syntax(crash: Crash, runs: tuple[int, int] = sys.version_info[:2]) -> str:
    """Returns a sentence where a newer Python than the grader's may understand a line; else ""."""
    mine = ".".join(map(str, runs))
    for (major, minor), line, text in NEWER if crash.kind == "SyntaxError" else ():
        newer = (major, minor) > runs
        if newer and re.search(line, crash.source) and re.search(text, crash.text):
            return (
                f"Python {major}.{minor} may understand this line, and the grader runs Python "
                f"{mine}: write it so that {mine} does."
            )
    return ""


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
