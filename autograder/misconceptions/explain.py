"""Finds what is wrong with a record: the misconceptions that lead there, or how it differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from autograder.base.results import Difference, Judgement, Misconception
from autograder.base.seen import Crash, Seen, close, describes
from autograder.misconceptions.contrast import Arrays, exactly_where, sizes
from autograder.misconceptions.crash_names import GENERAL, judge_crash, left_empty
from autograder.misconceptions.dependences import dependences
from autograder.misconceptions.differences import comparable, difference, relation
from autograder.misconceptions.lookup import oracle_for
from autograder.misconceptions.oracle import RecordedOracle
from autograder.misconceptions.phrases import noun_of, sentence_of
from autograder.misconceptions.pieces import relations
from autograder.misconceptions.question import Question
from autograder.misconceptions.search import search
from autograder.misconceptions.wording import crash_message, in_words
from autograder.running.declared_cases import DRAWS, USUAL
from autograder.running.experiments import INPUTS

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
            judgement.notes += both_shapes(seen, oracle.right)
        return judgement
    judgement.name(*(words_of(oracle, id) for id in flags.values()))
    if judgement.passed:
        shown = [crash for case, crash in seen.crashes.items() if not describes(case)]
        _judge_unknown(oracle, seen, shown, judgement)
    return judgement


def flags_up(oracle: RecordedOracle, seen: Seen) -> dict[str, str]:
    """Returns the flags that are true in any trial, with the misconception that each stands for."""
    up = {name.rpartition("/")[2] for name, array in seen.numbers.items() if array.any()}
    in_order = [*oracle.flags_first, *(f for f in oracle.flags if f not in oracle.flags_first)]
    return {flag: oracle.flags[flag] for flag in in_order if flag in up}


def words_of(oracle: RecordedOracle, id: str) -> Misconception:
    """Returns a misconception of a question, or one that any blank may have."""
    return oracle.words[id] if id in oracle.words else GENERAL[id]


def _judge_unknown(
    oracle: RecordedOracle,
    seen: Seen,
    crashes: list[Crash],
    judgement: Judgement,
) -> None:
    """Judges what no misconception explains: by what was raised, or by its numbers."""
    if crashes:
        judge_crash(crashes[0], judgement)
        return
    described = seen.sensitivity, oracle.right.sensitivity
    made_of = [Difference(remark=sentence) for sentence in relations(*described)]
    judgement.unknown += made_of or dependences(seen, oracle.right)
    judgement.unknown.append(how_it_differs(seen, oracle.right))


def both_shapes(actual: Seen, expected: Seen) -> list[str]:
    """Returns a line with both shapes of the first array that has another shape than ours."""
    for name, right in expected.numbers.items():
        yours = actual.numbers.get(name)
        if yours is not None and yours.shape != right.shape:
            return [in_words(difference(noun_of(name.rpartition("/")[2]), yours, right))]
    return []


def how_it_differs(actual: Seen, expected: Seen) -> Difference:
    """Returns where a record differs from that of our solution: first where nothing should be."""
    yours, right = actual.numbers, expected.numbers
    names = [n for n, array in right.items() if n not in yours or not close(yours[n], array)]
    if not names:
        more = ", ".join(noun_of(n.rpartition("/")[2]) for n in sorted(yours.keys() - right.keys()))
        return Difference(remark=f"more was done than should be: {more}")
    name = min(names, key=lambda name: _rank(yours.get(name), right[name]))
    quantity = name.rpartition("/")[2]
    if name not in yours:
        return Difference(remark=f"nothing was recorded of {noun_of(quantity)}")
    wrong_in, right_in = _trials(names, right)
    is_flag = not right[name].ndim or yours[name].dtype.kind == "b"
    if is_flag and (sentence := sentence_of(quantity)):
        return Difference(sentence.removesuffix("."), wrong_in=wrong_in, right_in=right_in)
    found = difference(noun_of(quantity), yours[name], right[name])
    return replace(
        found,
        relation=relation(_alike(name, names, yours, right)),
        remark=f"{found.remark}{exactly_where(name, yours, right)}",
        wrong_in=wrong_in,
        right_in=right_in,
        sizes=sizes(quantity, wrong_in, right_in, right),
    )


def _alike(
    name: str, names: Iterable[str], yours: Arrays, right: Arrays
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yields an array beside ours, and then its like of each other trial that is wrong."""
    quantity = name.rpartition("/")[2]
    for one in sorted(names, key=lambda one: one != name):
        if one in yours and one.rpartition("/")[2] == quantity:
            if one == name or comparable(yours[one], right[one]):
                yield yours[one], right[one]


def _rank(yours: np.ndarray | None, right: np.ndarray) -> int:
    """Returns how late an array is described: first what should be nothing, and is something."""
    if right.any() or yours is None:
        return 1
    return 0 if yours.shape == right.shape else 2


def _trials(names: Iterable[str], right: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the trials in which something is wrong, and those in which all is right."""
    wrong = dict.fromkeys(name.partition("/")[0] for name in names)
    every = dict.fromkeys(name.partition("/")[0] for name in right)
    agreeing = [trial for trial in every if trial not in wrong and trial != INPUTS]
    return _but_draws(wrong), _but_draws(agreeing)


def _but_draws(trials: Iterable[str]) -> tuple[str, ...]:
    """Returns trials without further draws of the usual case, where that one is among them."""
    found = list(trials)
    return tuple(trial for trial in found if USUAL not in found or trial not in DRAWS)
