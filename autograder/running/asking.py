"""Asks a student's code as the tables of a blank's file say, turn by turn.

docs/authoring.md lists the tables, with two whole examples. A table is read from top to bottom: an
expression sees the names above it, the student's module, `doubles` and `WORDS`.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from autograder.base.seen import MOVED, PIECES
from autograder.running import experiments
from autograder.running.declared_cases import DRAWS, USUAL, Double, cases_of, value, values
from autograder.running.declared_words import WORDS
from autograder.running.probing import Student, plain_array


@dataclass(frozen=True)
class Options:
    """The keys of [scene], and of [probe]."""

    module: str
    call: str
    doubles: str = ""
    numpy: bool = False
    results: str = ""
    moved: Sequence[str] = ()
    places: Mapping[str, Any] = field(default_factory=dict)
    moved_in: str = ""
    pieces: tuple[str, str, str] = ("re_n", "discount", "terminal_n")
    scaled: bool = False
    finite: bool = False
    called: Mapping[str, str] = field(default_factory=dict)
    allowed: Sequence[str] = ()
    within: str = ""
    anew: bool = False


class Asking:
    """The functions of a probe, made of a blank's file."""

    def __init__(self, how: Options, tables: Mapping[str, Any]) -> None:
        """Takes [probe] or [scene], and all tables."""
        self.how, self.tables, self.drawn = how, tables, dict[int, Mapping[str, Any]]()
        where = how.doubles
        self.doubles = vars(importlib.import_module(f"autograder.{where}")) if where else {}

    def cases(self, seed: int) -> Mapping[str, Any]:
        """Returns the usual case and the others, by name."""
        if seed not in self.drawn:
            self.drawn[seed] = cases_of(self.tables, seed, self.doubles)
        return self.drawn[seed]

    def observe(self, student: Student, case: Any) -> dict[str, Any]:
        """Asks the student's code, turn by turn, and notes what it did."""
        torch.set_grad_enabled(True)  # an earlier trial may have switched gradients off for good
        names = {**vars(student.module(self.how.module)), **self.doubles, **WORDS}
        names |= {"module": student.module, **vars(case)}
        turns = values(self.tables.get("turns", {}), names)
        with self._instead(student, names):
            for nth in range(len(next(iter(turns.values()))) if turns else 1):
                names["nth"] = nth
                if nth == 0 or self.how.anew:
                    self._begin(names)
                self.take_turn(names, {name: rows[nth] for name, rows in turns.items()})
                self._before(names)
                if not self.ask(student, names):
                    break
        self.note(student, values(self.tables.get("last", {}), names))
        flags_come_last = sorted(student.notes.items(), key=lambda note: isinstance(note[1], bool))
        return dict(flags_come_last)  # the first array is the one whose inputs are moved

    def describe(self, student: Student, cases: Mapping[str, Any]) -> None:
        """Notes what results depend on, and what they are made of, if the file asks for that."""
        if results := self.how.results:
            student.try_in_time(f"{MOVED}{results}", partial(self._move, student, cases))
            if "made_of" in self.tables:
                student.try_in_time(f"{PIECES}{results}", partial(self._pieces, student, cases))

    def take_turn(self, names: dict[str, Any], turn: Mapping[str, Any]) -> None:
        """Gives a turn's values their names."""
        names |= turn

    def ask(self, student: Student, names: dict[str, Any]) -> bool:
        """Asks the student's code once, and notes it; returns whether to go on."""
        raise NotImplementedError

    def called(self, names: dict[str, Any]) -> Any:
        """Returns what the student's code returns, asked with these names."""
        with value(self.how.within, names) if self.how.within else contextlib.nullcontext():
            return value(self.how.call, names)

    def raise_flags(self, student: Student, flags: Mapping[str, bool]) -> None:
        """Notes flags that no right form raises; one that was raised before stays."""
        for flag, up in flags.items():
            if flag not in self.how.allowed:
                name = self.how.called.get(flag, flag)
                student.notes[name] = bool(up or student.notes.get(name, False))

    def note(self, student: Student, found: Mapping[str, Any], in_rows: bool = False) -> None:
        """Notes what was seen, by its names, or by those of a dict; finite, if the file wants it.

        Nothing equals nan: no mistake that leads to it would have a name.
        """
        parts = [one if isinstance(one, dict) else {name: one} for name, one in found.items()]
        seen = {name: plain_array(detached(one)) for part in parts for name, one in part.items()}
        whole = all(np.isfinite(array).all() for array in seen.values())
        if self.how.finite:
            seen = {name: np.nan_to_num(one, True, -1e6, 1e6, -1e7) for name, one in seen.items()}
        if in_rows:
            experiments.note_row(student, seen)
        else:
            student.notes.update(seen)
        if self.how.finite:
            self.raise_flags(student, {"not_finite": not whole})

    def _begin(self, names: dict[str, Any]) -> None:
        """Makes the objects of a scene."""
        for name, answers in self.tables.get("world", {}).items():
            names[name] = Double(answers, names)
        for place, text in self.tables.get("first", {}).items():
            put(place, value(text, names), names)

    def _before(self, names: dict[str, Any]) -> None:
        """Sets attributes, and takes copies."""
        for place, text in self.tables.get("before", {}).items():
            found = value(text, names)
            put(place, found if "." in place else copy.deepcopy(detached(found)), names)

    def _instead(self, student: Student, names: dict[str, Any]) -> contextlib.ExitStack:
        """Puts functions of ours in the place of other blanks', in each module that has them."""
        stack = contextlib.ExitStack()
        for place, text in self.tables.get("instead", {}).items():
            modules, _, name = place.partition(":")
            for module in map(student.module, modules.split()):
                if name in vars(module):
                    stack.enter_context(patch.object(module, name, value(text, names)))
        return stack

    def _move(self, student: Student, cases: Mapping[str, Any], record: dict[str, Any]) -> None:
        """Moves some fields of a case, each by itself; and in another draw, the other way."""
        how, rows = self.how, partial(experiments.results, self, student)
        again = {} if how.moved_in else {DRAWS[0]: (-1, experiments.AGAIN)}
        for name, (step, where) in {how.moved_in or USUAL: (1, ""), **again}.items():
            if case := cases.get(name):
                places = values(how.places, {**WORDS, **vars(case)})
                moved = experiments.each_field(case, how.moved, places, step)
                moves = {f"{what}{where}": one for what, one in moved.items()}
                experiments.note_dependence(record, rows, case, moves)

    def _pieces(self, student: Student, cases: Mapping[str, Any], record: dict[str, Any]) -> None:
        """Notes what targets may be made of: in the usual case, and in the large one."""

        def pieces(case: Any) -> experiments.Pieces:
            found = values(self.tables["made_of"], {**WORDS, **vars(case)})
            given = {name: vars(case)[name.rpartition(".")[2]] for name in self.how.pieces}
            return bellman(given, found)

        def first_turn(case: Any) -> Any:
            found = experiments.results(self, student, case)
            return found[0] if isinstance(found, list) else found

        both = [cases["usual"], cases["large"]]
        experiments.note_pieces(record, first_turn, both, pieces, self.how.scaled)


def bellman(given: Mapping[str, Any], values: Mapping[str, Any]) -> experiments.Pieces:
    """Returns the pieces of one-step targets, or of advantages.

    Given are rewards, the discount, and 1 where an episode ended, by how each is called in code.
    The future may be valued by each of `values`, and each may be subtracted.
    """
    reward, discount, end = given
    return {
        "reward": {f"`{reward}`": given[reward]},
        "discount": {f"`{discount}`": given[discount]},
        "mask": {f"1 - `{end}`": 1 - given[end], f"`{end}`": given[end]},
        "value": values,
        "baseline": values,
    }


def put(place: str, found: Any, names: dict[str, Any]) -> None:
    """Gives a value a name, or sets an attribute, such as "agent.rng"."""
    owner, dot, last = place.rpartition(".")
    if dot:
        setattr(value(owner, names), last, found)
    else:
        names[place] = found


def detached(found: Any) -> Any:
    """Returns tensors apart from their graph, in lists too."""
    if torch.is_tensor(found):
        return found.detach()
    return [*map(detached, found)] if isinstance(found, list | tuple) else found
