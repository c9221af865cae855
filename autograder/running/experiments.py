"""Runs a probe: what is tried, and what is observed of it.

    def cases(seed: int) -> Mapping[str, Case]:
        "Returns what is tried, by the name of each trial: plain data, drawn from the seed."

    def observe(student: Student, case: Case) -> Mapping[str, Any]:
        "Runs the student's code on one case; returns arrays by name."

Each case is one trial, and `observe` gets a copy of it. An exception becomes part of its record,
and so do the arrays that `observe` has put into `student.notes` before. What a blank's file
declares has `describe(student, cases)` besides: it notes what results depend on, and what they are
made of.

A record must hold only what every correct solution produces identically. So note counts, directions
and sets, not the scale of a loss, one random draw, ties or the type of an action.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any, TypeVar

import numpy as np

from autograder.running.probing import Student, plain_array

STEP = 0.1  # times as far is a number alone moved as an entry of an array
SMALL = 1e-4  # times the result's largest entry: a smaller move counts as none
NOTHING = "nothing"  # is moved: what changes all the same is drawn at random
AGAIN = " in another draw"  # ends the name of an input that is moved once more, the other way
YOURS, CASE = "yours", "case"  # of pieces: the results, and the number of each row's case
BETWEEN = " | "  # the place of a piece and its words, in the name of its array
PLACES = ("reward", "discount", "mask", "value", "baseline")
Pieces = Mapping[str, Mapping[str, Any]]
"""Place in the form -> words for a piece -> its numbers, one for each row or one for all."""
Case = TypeVar("Case")


def run(probe: Any, student: Student, seed: int) -> None:
    """Runs all trials of a probe, which is a module or whatever has its functions."""
    cases: Mapping[str, Any] = probe.cases(seed)
    tree = student.finder.tree
    for name in [tree.trial] if tree.trial else cases:
        student.try_in_time(name, partial(trial, probe, student, cases[name]))
    if hasattr(probe, "describe") and not tree.trial and not tree.brief:
        probe.describe(student, cases)


def trial(probe: Any, student: Student, case: Any, notes: dict[str, Any]) -> Mapping[str, Any]:
    """Returns what is observed of a copy of a case: what one trial changes, no other one sees."""
    student.notes = notes
    record: Mapping[str, Any] = probe.observe(student, copy.deepcopy(case))
    notes.update(record)
    return record


def results(probe: Any, student: Student, case: Any) -> Any:
    """Returns the first that is observed of a case: an array, or its rows."""
    return next(iter(trial(probe, student, case, {}).values()))


def note_row(student: Student, row: Mapping[str, Any]) -> None:
    """Appends a value to each of some arrays: they stay in the record whatever is raised later."""
    for name, value in row.items():
        student.notes.setdefault(name, []).append(plain_array(value))


def arrays_of(case: Any) -> dict[str, np.ndarray]:
    """Returns the fields of a case that are arrays, by name; none if it is no dataclass."""
    fields = vars(case) if dataclasses.is_dataclass(case) else {}
    return {name: value for name, value in fields.items() if isinstance(value, np.ndarray)}


def each_field(
    case: Any,
    fields: Collection[str] = (),
    places: Mapping[str, int] | None = None,
    step: int = 1,
) -> dict[str, Any]:
    """Returns a case with one of its numbers moved, by the field's name and the words for its row.

    Args:
        case: An instance of a dataclass.
        fields: Those that are moved; all if there are none.
        places: Rows of an array, by their words in a sentence; the first row, without words.
        step: By how much an entry of an array moves.
    """
    moved: dict[str, Any] = {}
    for name, value in vars(case).items():
        if fields and name not in fields:
            continue
        if isinstance(value, np.ndarray):
            for where, row in (places or {"": 0}).items():
                if row < len(value):
                    other = _with_another_row(value, row, step)
                    moved[f"{name}{where}"] = dataclasses.replace(case, **{name: other})
        elif isinstance(value, float):
            moved[name] = dataclasses.replace(case, **{name: value + step * STEP})
    return moved


def _with_another_row(array: np.ndarray, row: int, step: int) -> np.ndarray:
    """Returns an array with one row moved: a flag turns over, a number of a set becomes another."""
    moved = array.copy()
    if array.dtype.kind in "iu":
        others = np.setdiff1d(array, array[row])
        moved[row] = others[0] if others.size else array[row] + 1
    elif np.isin(array, (0, 1)).all():
        moved[row] = 1 - array[row]
    else:
        moved[row] += step
    return moved


def note_dependence(
    record: dict[str, Any], result: Callable[[Case], Any], case: Case, moves: Mapping[str, Case]
) -> None:
    """Notes how far each row of a result rises or falls, 0 if it stays, by what was moved.

    `moves` has the case with an input moved, mostly in one row, by the input's name in code.
    """
    usual = np.ravel(np.asarray(result(case), np.float64))
    least = SMALL * np.abs(usual).max(initial=1e-3)
    for what, moved in {NOTHING: case, **moves}.items():
        now = np.ravel(np.asarray(result(moved), np.float64))
        if now.shape == usual.shape:  # else nothing is noted, which is no right record
            change = now - usual
            record[what] = np.where(np.abs(change) > least, change, 0.0).astype(np.float32)


def note_pieces(
    record: dict[str, Any],
    result: Callable[[Case], Any],
    cases: Iterable[Case],
    pieces: Callable[[Case], Pieces],
    scaled: bool = False,
) -> None:
    """Notes the results of some cases, and plain pieces that they may be made of.

    Whoever judges looks for the pieces in `reward + discount * mask * value - baseline`; what is
    missing is 0, or 1 where it is a factor. Which are right is known to nobody here: our own
    solution's results show it. Each case is asked twice: nothing is noted of results that are drawn
    at random, or kept. `scaled`: results are known only up to one positive factor.
    """
    found: dict[str, list[np.ndarray]] = {}
    for number, case in enumerate(cases):
        yours, again = (plain_array(result(case)).astype(np.float64) for _ in range(2))
        row: dict[str, Any] = {YOURS: yours, CASE: number}
        for place, each in pieces(case).items():
            row |= {f"{place}{BETWEEN}{words}": numbers for words, numbers in each.items()}
        fits = {np.size(numbers) for numbers in row.values()} <= {1, yours.size}
        kept = np.array_equal(yours, again) and np.isfinite(yours).all()
        if yours.ndim != 1 or not fits or not kept:
            return
        for name, numbers in row.items():
            found.setdefault(name, []).append(np.broadcast_to(numbers, yours.shape))
    record.update({name: np.concatenate(arrays) for name, arrays in found.items()})
    record["scale"] = np.asarray(scaled)
