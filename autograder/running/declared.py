"""A probe that a blank's file declares. It has the functions of a probe, see `experiments`.

docs/authoring.md lists the tables, with two whole examples. A table is read from top to bottom: an
expression sees the names above it, the student's module, `doubles` and `WORDS`.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
import torch

from autograder.running import made_of
from autograder.running.declared_cases import DRAWS, USUAL, cases_of, value, values
from autograder.running.declared_words import WORDS
from autograder.running.double import Double
from autograder.running.experiments import Moves, each_field, note_row, replaced
from autograder.running.input_sensitivity import AGAIN
from autograder.running.probing import Student, plain_array


@dataclass(frozen=True)
class Options:
    """The keys of [probe] and [scene] that both have."""

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


class Declared:
    """The functions of a probe, made of a blank's file."""

    def __init__(self, how: Options, tables: Mapping[str, Any]) -> None:
        """Takes [probe] or [scene], and all tables."""
        self.how, self.tables, self.blank = how, tables, str(tables["blank"]["id"])
        self.drawn: dict[int, Mapping[str, Any]] = {}
        if how.results:
            self.moves = self._moves
        if "made_of" in tables:
            self.parts = self._parts

    def cases(self, seed: int) -> Mapping[str, Any]:
        """Returns the usual case and the others, by name."""
        if seed not in self.drawn:
            self.drawn[seed] = cases_of(self.blank, self.tables, seed, self._doubles())
        return self.drawn[seed]

    def observe(self, student: Student, case: Any) -> dict[str, Any]:
        """Asks the student's code, turn by turn, and notes what it did."""
        torch.set_grad_enabled(True)  # an earlier trial may have switched gradients off for good
        module = student.module(self.how.module)
        names = {**vars(module), **self._doubles(), **WORDS, "module": student.module}
        names |= copy.deepcopy(vars(case))
        turns = values(self.tables.get("turns", {}), names)
        number = len(next(iter(turns.values()))) if turns else 1
        with self._instead(student, names):
            for nth in range(number):
                names["nth"] = nth
                if self.begins(nth):
                    self._begin(names)
                self.take_turn(names, {name: rows[nth] for name, rows in turns.items()})
                self._before(names)
                require(self.how.call, names, module)
                if not self.ask(student, names):
                    break
        if student.crashed is None:
            self.note(student, values(self.tables.get("last", {}), names))
        flags_come_last = sorted(student.notes.items(), key=lambda note: isinstance(note[1], bool))
        return dict(flags_come_last)  # the first array is the one whose inputs are moved

    def begins(self, nth: int) -> bool:
        """Returns whether objects are made before this turn."""
        return nth == 0

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
        """Notes what was seen, by its names; of finite numbers, if the file asks for that.

        What gives a dict is noted by the dict's names.
        """
        parts = [one if isinstance(one, dict) else {name: one} for name, one in found.items()]
        named = {name: one for part in parts for name, one in part.items()}
        arrays = {name: plain_array(detached(one)) for name, one in named.items()}
        whole = all(np.isfinite(array).all() for array in arrays.values())
        if self.how.finite:
            arrays = {name: finite(array) for name, array in arrays.items()}
        if in_rows:
            note_row(student, arrays)
        else:
            student.notes.update(arrays)
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

    def _doubles(self) -> Mapping[str, Any]:
        """Returns the names of the module of ours."""
        where = self.how.doubles
        return vars(importlib.import_module(f"autograder.{where}")) if where else {}

    @contextlib.contextmanager
    def _instead(self, student: Student, names: dict[str, Any]) -> Iterator[None]:
        """Puts functions of ours in the place of other blanks' for a while."""
        with contextlib.ExitStack() as stack:
            for place, text in self.tables.get("instead", {}).items():
                modules, _, name = place.partition(":")
                stack.enter_context(replaced(student, modules.split(), {name: value(text, names)}))
            yield

    def _moves(self, seed: int) -> Iterator[Moves]:
        """Moves some fields of a case, each alone."""
        cases = self.cases(seed)
        usual = self.how.moved_in or USUAL
        again = {} if self.how.moved_in else {DRAWS[0]: -1}  # the other way
        for name, step in {usual: 1, **again}.items():
            if case := cases.get(name):
                fields = self.how.moved or [*vars(case)]
                places = values(self.how.places, {**WORDS, **vars(case)})
                without = [name for name in vars(case) if name not in fields]
                moved = each_field(case, places, without, step)
                yield Moves(self.how.results, case, moved, where=AGAIN if step < 0 else "")

    def _parts(self, seed: int) -> Iterator[made_of.Parts]:
        """Yields what targets may be made of: in the usual case, and in the large one."""
        every, names = self.cases(seed), self.how.pieces

        def pieces(case: Any) -> made_of.Pieces:
            found = values(self.tables["made_of"], {**WORDS, **vars(case)})
            reward, discount, end = (vars(case)[one.rpartition(".")[2]] for one in names)
            return made_of.bellman(reward, discount, end, found, names)

        def rows(student: Student, case: Any) -> np.ndarray:
            student.notes = {}
            found = next(iter(self.observe(student, case).values()))
            return plain_array(found[0] if isinstance(found, list) else found)  # of the first turn

        both = [every["usual"], every["large"]]
        yield made_of.Parts(self.how.results, both, rows, pieces, self.how.scaled)


def put(place: str, found: Any, names: dict[str, Any]) -> None:
    """Gives a value a name, or sets an attribute, such as "agent.rng"."""
    owner, dot, last = place.rpartition(".")
    if dot:
        setattr(value(owner, names), last, found)
    else:
        names[place] = found


def finite(array: np.ndarray) -> np.ndarray:
    """Returns numbers in the place of nan, which equals nothing: no mistake would have a name."""
    found: np.ndarray = np.nan_to_num(array, nan=-1e6, posinf=1e6, neginf=-1e7)
    return found


def same(one: Any, other: Any) -> bool:
    """Returns whether two arrays, or two tensors, hold the same."""
    tensors = torch.is_tensor(one) and torch.is_tensor(other)
    if tensors and one.dtype == other.dtype and torch.equal(one, other):
        return True  # in most cases, and quickly
    return bool(np.array_equal(plain_array(one), plain_array(other), equal_nan=True))


def detached(found: Any) -> Any:
    """Returns tensors apart from their graph, in lists too."""
    if torch.is_tensor(found):
        return found.detach()
    return [*map(detached, found)] if isinstance(found, list | tuple) else found


def require(call: str, names: Mapping[str, Any], module: ModuleType) -> None:
    """Looks up the function or method that is called, since what is not there must not pass.

    Raises:
        AttributeError: If the student's file has it no more.
    """
    first = call.partition("(")[0].lstrip("[ ")
    owner, dot, name = first.rpartition(".")
    if dot:
        getattr(value(owner, dict(names)), name)
    elif first not in names:
        getattr(module, first)
