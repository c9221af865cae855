"""Finds what is wrong with what was seen: the misconceptions that lead there, or how it differs."""

from __future__ import annotations

import numpy as np

from autograder.base.judgement import Difference, Judgement
from autograder.base.results import Misconception
from autograder.base.seen import Crash, Seen, describes
from autograder.misconceptions.catalogue import Question
from autograder.misconceptions.crash_names import GENERAL, judge_crash, left_empty
from autograder.misconceptions.dependences import dependences
from autograder.misconceptions.differences import both_shapes, how_it_differs
from autograder.misconceptions.oracle import Oracle, oracle_for
from autograder.misconceptions.pieces import relations
from autograder.misconceptions.search import search
from autograder.misconceptions.wording import crash_message, in_words

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


def flags_up(oracle: Oracle, seen: Seen) -> dict[str, str]:
    """Returns the flags that are true in any trial, with the misconception that each stands for."""
    up = {name.rpartition("/")[2] for name, array in seen.numbers.items() if array.any()}
    return {flag: misconception for flag, misconception in oracle.flags.items() if flag in up}


def words_of(oracle: Oracle, id: str) -> Misconception:
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
