"""What each mistake leads to, for one seed: predicted once, and kept as numbers alone.

Predictions are kept on disk by what they were made from, so that a whole class shares them. In a
student's copy, and in what runs at Gradescope, a table is all there is: numbers and words, by the
mistake that leads to them, for the seeds that are asked there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import importlib
import json
import os
import pkgutil
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autograder.core import variants
from autograder.core.fingerprint import TRIAL
from autograder.core.question import Choice, Question
from autograder.mistakes import Mistake
from autograder.numbers import close
from autograder.probing import Observation
from autograder.submission import ROOT

PUBLIC_SEEDS = (0, 1, 2)
"""What a student's copy knows; two mistakes at once for the first alone."""
ADDRESS, NUMBER = re.compile("0x[0-9a-f]+"), re.compile(r"\d+")


class NotRecordedError(Exception):
    """This copy has tables alone, and not for the seed that was asked for."""


class Outcome(NamedTuple):
    """What a probe saw, as far as it can be compared."""

    arrays: Mapping[str, np.ndarray]
    """By "trial/array"."""
    crashes: Mapping[str, str]
    """Trial -> kind and text of what it raised."""
    fingerprint: Mapping[str, np.ndarray]
    """What depends on what, see `fingerprint`: told, and never compared; empty of a mistake."""

    def agrees(self, other: Outcome, loosely: bool = False) -> bool:
        """Tells whether two outcomes are the same, up to float32 arithmetic.

        Args:
            other: Any outcome.
            loosely: Whether numbers in the texts of exceptions may differ.
        """
        mine, its = self.crashes, other.crashes
        if loosely:
            mine, its = _without_numbers(mine), _without_numbers(its)
        if mine != its or self.arrays.keys() != other.arrays.keys():
            return False
        return all(close(array, other.arrays[name]) for name, array in self.arrays.items())

    @property
    def trials(self) -> set[str]:
        """The trials of which anything is known."""
        return {name.partition("/")[0] for name in self.arrays} | set(self.crashes)

    def shared(self, other: Outcome) -> int:
        """Returns how many arrays are the same in both."""
        both = self.arrays.keys() & other.arrays.keys()
        return sum(close(self.arrays[name], other.arrays[name]) for name in both)


def _without_numbers(crashes: Mapping[str, str]) -> dict[str, str]:
    return {trial: NUMBER.sub("#", text) for trial, text in crashes.items()}


class Entry(NamedTuple):
    """An outcome, and the mistakes that lead there."""

    mistakes: tuple[str, ...]
    outcome: Outcome
    choice: Choice = ()


def outcome_of(seen: Observation) -> Outcome:
    """Returns what can be compared of a record."""
    arrays: dict[str, np.ndarray] = {}
    crashes = {}
    for name, trial in seen.items():
        arrays |= {f"{name}/{key}": array for key, array in trial.arrays.items()}
        if trial.crash:
            crashes[name] = ADDRESS.sub("#", f"{trial.crash.kind}: {trial.crash.text}")
    crashes.pop("probe", None)
    return without_fingerprint(arrays, crashes)


def without_fingerprint(arrays: Mapping[str, np.ndarray], crashes: Mapping[str, str]) -> Outcome:
    """Returns an outcome whose fingerprint is apart."""
    compared: dict[str, np.ndarray] = {}
    fingerprint: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        (fingerprint if name.startswith(TRIAL) else compared)[name] = array
    raised = {trial: text for trial, text in crashes.items() if not trial.startswith(TRIAL)}
    return Outcome(compared, raised, fingerprint)


def predict(question: Question, seed: int, wrong: int) -> list[Entry]:
    """Runs the probe on every way to make `wrong` mistakes at once; equal texts run once.

    A way that crashes in all trials hides whatever else was done, and stands for itself alone.
    """
    found: dict[tuple[Any, ...], Entry] = {}
    loud = {one for one in question.choices(1) if wrong > 1 and _is_loud(question, one, seed)}
    for choice in question.choices(wrong):
        mistakes = tuple(way.mistake for _, way in question.ways(choice) if way.mistake)
        if len(set(mistakes)) < wrong or any((part,) in loud for part in choice):
            continue
        for files in variants.written(question, choice):
            if (key := (mistakes, *sorted(files.items()))) not in found:
                outcome = outcome_of(variants.run(question, files, seed, brief=bool(wrong)))
                found[key] = Entry(mistakes, outcome, choice)
    return list(found.values())


def with_one_more(question: Question, seed: int, entry: Entry) -> Iterator[Entry]:
    """Yields what an entry's mistakes lead to with each further one; nothing where that is gone."""
    if read_table(question.blank) is not None:
        return
    for more in question.choices(1):
        choice = tuple(sorted({*entry.choice, *more}))
        mistakes = tuple(way.mistake for _, way in question.ways(choice) if way.mistake)
        if len({s for s, _ in choice}) == len(choice) == len(entry.choice) + 1:
            for files in variants.written(question, choice):
                seen = variants.run(question, files, seed, brief=True)
                yield Entry(mistakes, outcome_of(seen), choice)


@functools.cache
def _is_loud(question: Question, choice: Choice, seed: int) -> bool:
    """Tells whether a way to make one mistake crashes in every trial."""
    every = (
        variants.run(question, files, seed, brief=True)
        for files in variants.written(question, choice)
    )
    return all(t.crash for seen in every for name, t in seen.items() if name != "probe")


class Outcomes:
    """The outcomes of one question for one seed: from a table, from disk, or made now."""

    def __init__(self, question: Question, seed: int) -> None:
        """Reads nothing yet."""
        self.question, self.seed = question, seed
        self.table = read_table(question.blank)

    def with_mistakes(self, number: int) -> list[Entry]:
        """Returns the outcomes of `number` mistakes at once; none where that is not known.

        Raises:
            NotRecordedError: If this copy has a table alone, and not for this seed.
        """
        if self.table is None:
            return cached(self.question, self.seed, number)
        return [entry for entry in self._recorded if len(entry.mistakes) == number]

    @functools.cached_property
    def _recorded(self) -> list[Entry]:
        """All that the table knows for the seed."""
        assert self.table is not None
        kept = self.table["seeds"].get(str(self.seed))
        if kept is None:
            raise NotRecordedError(f"seed {self.seed} is not among those this copy knows")
        return unpacked(kept, self.table["arrays"])


def table_file(blank: str) -> Path:
    """Returns where the table of a blank lies in a copy that has one."""
    homework, _, name = blank.partition(".")
    return Path(__file__).parent.parent / homework / "tables" / f"{name}.json"


def is_copy(homework: str) -> bool:
    """Tells whether this is a copy that has tables in place of what they were made from."""
    return table_file(f"{homework}.").parent.is_dir()


@functools.cache
def read_table(blank: str) -> dict[str, Any] | None:
    """Returns the table of a blank; None where predictions are made instead."""
    file = table_file(blank)
    table: dict[str, Any] | None = json.loads(file.read_text()) if file.is_file() else None
    return table


def known_mistakes(question: Question) -> dict[str, Mistake]:
    """Returns the words of each mistake that a question knows, from its table if there is one."""
    table = read_table(question.blank)
    if table is None:
        return question.mistakes()
    return {name: Mistake(*words) for name, words in table["words"].items()}


def calls_of(question: Question) -> dict[str, str]:
    """Returns which name must stand on a line that raises, by mistake; from its table too."""
    table = read_table(question.blank)
    calls: dict[str, str] = question.calls() if table is None else table["calls"]
    return calls


def flags_of(question: Question) -> Mapping[str, str]:
    """Returns the mistakes that the probe sees by itself, by flag; from a table too."""
    table = read_table(question.blank)
    flags: Mapping[str, str] = question.flags if table is None else table["flags"]
    return flags


def table_of(question: Question, seeds: Mapping[int, int]) -> str:
    """Returns the table of a question, as JSON.

    Args:
        question: Any.
        seeds: Each seed that will be asked, and how many mistakes at once are known for it.
    """
    packer = Packer()
    kept = {
        str(seed): [packer.pack(e) for n in range(most + 1) for e in cached(question, seed, n)]
        for seed, most in seeds.items()
    }
    words = {name: dataclasses.astuple(words) for name, words in question.mistakes().items()}
    told = {"words": words, "calls": question.calls(), "flags": dict(question.flags)}
    plain = {**told, "seeds": kept, "arrays": packer.arrays}
    return _json(plain)


def tables(homework: str, seeds: Mapping[int, int]) -> dict[str, str]:
    """Returns the table of each question of a homework, by path; see `table_of`."""
    found = {}
    for question in questions(homework):
        path = table_file(question.blank).relative_to(ROOT).as_posix()
        found[path] = table_of(question, seeds)
    return found


def questions(homework: str) -> list[Question]:
    """Returns all questions of a homework."""
    package = importlib.import_module(f"autograder.{homework}.answers")
    names = [info.name for info in pkgutil.iter_modules(package.__path__)]
    return [importlib.import_module(f"{package.__name__}.{name}").QUESTION for name in names]


class Packer:
    """Entries as plain values; an array that comes again is kept once."""

    def __init__(self) -> None:
        """Begins empty."""
        self.arrays: list[Any] = []
        self.places: dict[str, int] = {}

    def pack(self, entry: Entry) -> list[Any]:
        """Returns an entry's mistakes, crashes, and the place of each array in `arrays`."""
        arrays = {**entry.outcome.arrays, **entry.outcome.fingerprint}
        places = {name: self._place(array) for name, array in arrays.items()}
        return [list(entry.mistakes), dict(entry.outcome.crashes), places, entry.choice]

    def _place(self, array: np.ndarray) -> int:
        values = [float(f"{value:.6g}") for value in array.astype(np.float64).ravel()]
        plain = [list(array.shape), values]
        key = json.dumps(plain)
        if key not in self.places:
            self.places[key] = len(self.arrays)
            self.arrays.append(plain)
        return self.places[key]


def unpacked(kept: Iterable[Any], arrays: list[Any]) -> list[Entry]:
    """Returns entries as they were before `Packer.pack`."""

    def array(place: int) -> np.ndarray:
        shape, values = arrays[place]
        return np.asarray(values).reshape([int(size) for size in shape])

    return [
        Entry(
            tuple(mistakes),
            without_fingerprint({name: array(at) for name, at in places.items()}, crashes),
            tuple((s, w) for s, w in choice),
        )
        for mistakes, crashes, places, choice in kept
    ]


@functools.cache
def cached(question: Question, seed: int, wrong: int) -> list[Entry]:
    """Returns predictions, from disk if they have been made before.

    Who asks while another process makes them waits for that one.
    """
    file = cache() / f"{question.blank}-{seed}-{wrong}.json"
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, ImportError):  # without a lock they are made twice
            import fcntl  # Windows has none

            file.parent.mkdir(parents=True, exist_ok=True)
            lock = stack.enter_context(open(file.with_suffix(".lock"), "w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        with contextlib.suppress(OSError, ValueError, KeyError):
            plain = json.loads(file.read_text())
            return unpacked(plain["entries"], plain["arrays"])
        entries, packer = predict(question, seed, wrong), Packer()
        kept = _json({"entries": [packer.pack(e) for e in entries], "arrays": packer.arrays})
        with contextlib.suppress(OSError):  # a disk that cannot be written costs time alone
            file.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as stream:
                stream.write(kept)
            os.replace(stream.name, file)
        return entries


@functools.cache
def cache() -> Path:
    """Returns the folder of predictions made from this very source, by these libraries."""
    import importlib.metadata

    digest = hashlib.sha256(importlib.metadata.version("torch").encode())
    for file in _sources():
        digest.update(file.read_bytes())
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "cs285-autograder" / digest.hexdigest()[:16]


def _sources() -> Iterator[Path]:
    for folder in ("autograder", "cs285"):
        for kind in ("*.py", "*.toml"):
            yield from sorted((ROOT / folder).rglob(kind))


def _json(plain: Any) -> str:
    return json.dumps(plain, separators=(",", ":")) + "\n"
