"""Runs a probe: a module that defines what is tried, and what is observed.

    def cases(seed: int) -> Mapping[str, Case]:
        "Returns what is tried, by the name of each trial: plain data, drawn from the seed."

    def observe(student: Student, case: Case) -> Mapping[str, Any]:
        "Runs the student's code on one case; returns arrays by name."

All else is done here. Each case is one trial. An exception becomes part of its record, and so do
the arrays that `observe` has put into `student.notes` before. Within `student.up_to_a_crash`, the
arrays that it returns do as well. `observe` gets copies of a case's arrays, so it can hand them to
the student as they are; `student.lend` makes copies of others. The trial "inputs" records whether
any of these was changed. A probe may have besides:

    RESULTS = "advantages"        The first array of the first case, in words: it is asked again
                                  with each field of the case moved alone (`each_field`).
    def moves(seed) -> Iterable[Moves]      The same, where fields or places are chosen by hand.
    def parts(seed) -> Iterable[Parts]      Results, and the pieces they may be made of, see
                                  `made_of`: wrong ones are then described by their pieces.

A record must hold only what every correct solution produces identically. So note counts, directions
and sets, not the scale of a loss, one random draw, ties or the type of an action.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np

from autograder.base.seen import PIECES
from autograder.running import input_sensitivity, made_of
from autograder.running.probing import Student, plain_array

INPUTS = "inputs"
"""The trial that records whether arrays were changed in place."""
STEP = 0.1  # times as far is a number alone moved as an entry of an array


@dataclass(frozen=True)
class Moves:
    """Results, and the inputs that are moved one at a time to see what they depend on.

    Attributes:
        results: What they are called in a sentence, in the plural.
        case: The usual case.
        moved: Name of an input, as in the student's code -> the case with this input moved.
        rows: Takes the student and a case, and returns the results. Shape (n,). None: the first
            array of what `observe` returns.
        where: What is special about the case, as the end of a sentence.
    """

    results: str
    case: Any
    moved: Mapping[str, Any] = field(default_factory=dict)
    rows: Callable[[Student, Any], Any] | None = None
    where: str = ""


def run(probe: Any, student: Student, seed: int) -> None:
    """Runs all trials of a probe: of a module, or of whatever has its functions."""
    cases: Mapping[str, Any] = probe.cases(seed)
    if one := student.finder.tree.trial:
        student.try_in_time(one, functools.partial(_trial, probe, student, cases[one]))
        return
    trials = {name: functools.partial(_trial, probe, student, case) for name, case in cases.items()}
    for name, once in trials.items():
        student.try_in_time(name, once)
    _note_inputs(student, cases)
    _move_inputs(probe, student, seed, cases)
    if hasattr(probe, "parts") and not student.finder.tree.brief:
        for parts in probe.parts(seed):
            note = functools.partial(made_of.note, student=student, parts=parts)
            student.try_in_time(f"{PIECES}{parts.results}", note)


def note_row(student: Student, row: Mapping[str, Any]) -> None:
    """Appends a value to each of some arrays: they stay in the record whatever is raised later."""
    for name, value in row.items():
        student.notes.setdefault(name, []).append(plain_array(value))


def _trial(probe: Any, student: Student, case: Any, notes: dict[str, Any]) -> Mapping[str, Any]:
    """Returns what is observed of one case, which joins the notes; then raises what is due.

    Each trial has a copy of the case: what one changes, no other one sees.
    """
    student.notes, student.crashed = notes, None
    its_copy = copied(case)
    if arrays := arrays_of(case):
        student.lent.append((arrays, arrays_of(its_copy)))
    record: Mapping[str, Any] = probe.observe(student, its_copy)
    notes.update(record)
    if student.crashed is not None:
        raise student.crashed
    return record


def _note_inputs(student: Student, cases: Mapping[str, Any]) -> None:
    """Records whether arrays were changed.

    Where all cases crash nothing is recorded: it would be the only one without a crash.
    """
    if not student.lent or student.seen.crashes.keys() >= cases.keys():
        return
    changed = not all(same_arrays(arrays, lent) for arrays, lent in student.lent)
    student.try_out(INPUTS, lambda record: record.update(inputs_changed=changed))


def _move_inputs(probe: Any, student: Student, seed: int, cases: Mapping[str, Any]) -> None:
    """Records how the results change with each input: all moves of one kind of results together."""
    asked = hasattr(probe, "moves"), hasattr(probe, "RESULTS")
    if not any(asked) or student.finder.tree.brief:
        return
    every: list[Moves] = list(probe.moves(seed)) if asked[0] else []
    if asked[1]:
        usual = next(iter(cases.values()))
        every.append(Moves(probe.RESULTS, usual, each_field(usual)))
    for results in dict.fromkeys(moves.results for moves in every):
        same = [moves for moves in every if moves.results == results]
        student.try_moves(results, functools.partial(_note_moves, probe, student, same))


def _note_moves(
    probe: Any, student: Student, every: Sequence[Moves], record: dict[str, Any]
) -> None:
    for moves in every:
        rows = functools.partial(moves.rows or functools.partial(_first_array, probe), student)
        input_sensitivity.note(record, rows, moves.case, moves.moved, moves.where)


def _first_array(probe: Any, student: Student, case: Any) -> np.ndarray:
    record = _trial(probe, student, case, {})
    return np.ravel(np.asarray(next(iter(record.values())), np.float64))


def arrays_of(case: Any) -> dict[str, np.ndarray]:
    """Returns the fields of a case that are arrays, by name; none if it is no dataclass."""
    if not dataclasses.is_dataclass(case):
        return {}
    values = {one.name: getattr(case, one.name) for one in dataclasses.fields(case)}
    return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}


def copied(case: Any) -> Any:
    """Returns a case with arrays of its own."""
    copies = {name: array.copy() for name, array in arrays_of(case).items()}
    return dataclasses.replace(case, **copies) if copies else case


def same_arrays(mine: Mapping[str, np.ndarray], its: Mapping[str, np.ndarray]) -> bool:
    """Returns whether arrays of the same names are the same."""
    return all(np.array_equal(mine[name], its[name], equal_nan=True) for name in mine)


def each_field(
    case: Any,
    places: Mapping[str, int] | None = None,
    without: Iterable[str] = (),
    step: int = 1,
) -> dict[str, Any]:
    """Returns a case with one field moved, for each of its fields that holds numbers.

    Args:
        case: An instance of a dataclass.
        places: Rows of an array, by their words in the sentence; the first row, without words.
        without: Fields that stay.
        step: By how much an entry of an array moves.

    Returns:
        The case with one entry moved, by the name of its field and the words for its row. A flag
        turns over, a whole number becomes another one of its array.
    """
    moved: dict[str, Any] = {}
    kept = set(without)
    for one in dataclasses.fields(case):
        value = getattr(case, one.name)
        if one.name in kept:
            continue
        if isinstance(value, np.ndarray) and value.size:
            for where, row in (places or {"": 0}).items():
                if row < len(value):
                    moved[f"{one.name}{where}"] = shifted(case, one.name, row, step=step)
        elif isinstance(value, float):
            moved[one.name] = dataclasses.replace(case, **{one.name: value + step * STEP})
    return moved


def shifted(case: Any, name: str, row: Any, value: Any = None, step: int = 1) -> Any:
    """Returns a case, of a dataclass, in which one row of an array is another one: a `value`."""
    array: np.ndarray = np.copy(getattr(case, name))
    if value is not None:
        array[row] = value
    elif array.dtype == np.bool_:
        array[row] = ~array[row]
    elif array.dtype.kind in "iu":
        others = np.setdiff1d(array, array[row])
        array[row] = others[0] if others.size else array[row] + 1
    elif np.isin(array, (0, 1)).all():
        array[row] = 1 - array[row]
    else:
        array[row] += step
    return dataclasses.replace(case, **{name: array})


@contextlib.contextmanager
def replaced(
    student: Student, modules: Iterable[str], functions: Mapping[str, Callable[..., Any]]
) -> Iterator[None]:
    """Puts functions in the place of other blanks' for a while, in each module that has them."""
    with contextlib.ExitStack() as stack:
        for module in map(student.module, modules):
            for name in functions.keys() & vars(module).keys():
                stack.enter_context(patch.object(module, name, functions[name]))
        yield
