"""What each mistake leads to, for one seed: predicted once, and kept on disk as numbers alone.

They are kept by what they were made from, see `mutants.made_from`, so that a whole class shares
them. The tables of a handout have the same.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from filelock import FileLock

from autograder.base import VERSION
from autograder.base.packed import SMALL, pack, unpack
from autograder.base.seen import Choice, Seen, case_of
from autograder.misconceptions import mutants
from autograder.misconceptions.catalogue import Question, beside_questions, questions
from autograder.misconceptions.mutation_file import mutation_set_of
from autograder.misconceptions.oracle import (
    GENERIC,
    NAMED_SEED,
    Group,
    RecordedOracle,
    Table,
    table_file,
)
from autograder.source import ROOT

FORMER = 2  # entries made from other sources that stay: a switch between two branches costs nothing
STARTED = time.time()
"""When this code was imported: what has changed since is not what runs here."""
BEGUN = "begun-"
"""Before the name of a group: what it leads to in the first trial alone. That is a tenth of the
work, and leaves few that may lead to what a student's code does."""
FIRST = "first"
"""The first mutation of each misconception, with what its results depend on: a page shows that."""
LOOKED_FOR = (0, 1, GENERIC)
"""Groups, in the order in which they are looked for."""
BESIDE = {NAMED_SEED: 0}
"""Whole trainings have one seed, and no mistakes are known."""


class LiveOracle(RecordedOracle):
    """What is known of one question where its answer is."""

    most = 3

    def __init__(self, question: Question, seed: int) -> None:
        """Reads the words of the answer, and predicts nothing yet."""
        super().__init__(question, seed, Table(mutation_set_of(question).as_table))

    def group(self, name: Group) -> list[Seen]:
        """Returns what a group leads to."""
        return cached(self.question, self.seed, name)

    def right_forms(self) -> Iterator[Seen]:
        """Yields what right forms lead to, one by one: who equals the first needs no other."""
        for number, _ in enumerate(mutation_set_of(self.question).choices(0)):
            yield from self.group(f"right-{number}")

    def foresee(self, number: int) -> None:
        """Predicts what so many mistakes lead to, and keeps it on disk for other processes.

        Without any, what our solution leads to, and in the first trial everything.
        """
        if not number:
            _ = self.right, [self.group(f"{BEGUN}{name}") for name in LOOKED_FOR]
            return
        self.group(number)
        if number == 1:
            self.group(GENERIC)

    def likely(self, name: Group, actual: Seen) -> Iterator[Seen]:
        """Yields what leads to the same in the first trial; no generic mistake that raises."""
        if not name:
            yield self.right
        begun = [one.choice for one in self.group(f"{BEGUN}{name}") if one.begins(actual)]
        for choice in dict.fromkeys(begun):
            for entry in made(self.question, self.seed, choice):
                if name != GENERIC or not entry.raised:
                    yield entry

    def pairs(self) -> list[list[Choice]]:
        """Returns the pairs that do not hide each other: in their usual ways, then in others."""
        usual, every = ({*choices(self.question, self.seed, 2, e)} for e in (False, True))
        return [sorted(usual), sorted(every - usual)]

    def several(self, choice: Choice, trial: str = "") -> Sequence[Seen]:
        """Returns what several mistakes at once lead to: from disk, if it is there."""
        there = not trial and is_kept(self.question, self.seed, 2)
        known = super().several(choice) if there else []
        return known or made(self.question, self.seed, choice, trial)


@functools.cache
def cached(question: Question, seed: int, name: Group) -> list[Seen]:
    """Returns predictions, from disk if they have been made before, from these very sources.

    Who asks while another process makes them waits for that one.

    Args:
        question: Any.
        seed: Any.
        name: A group; or `BEGUN` and one, `FIRST`, or "right-" and the number of a right form.
    """
    if not name:
        return [*LiveOracle(question, seed).right_forms()]
    file = file_of_entry(question, seed, name)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(file.with_name(f"{_beginning(file)}.lock")):
            there = _read(file)
            return _keep(file, question, predict(question, seed, name)) if there is None else there
    except OSError:  # a disk that cannot be written costs time alone
        return predict(question, seed, name)


def is_kept(question: Question, seed: int, name: Group) -> bool:
    """Returns whether predictions have been made before, from the sources as they are."""
    if not name:  # right forms are kept one by one
        name = f"right-{len([*mutation_set_of(question).choices(0)]) - 1}"
    return file_of_entry(question, seed, name).is_file()


def file_of_entry(question: Question, seed: int, name: Group) -> Path:
    """Returns where `cached` keeps predictions that are made from the sources as they are."""
    made_from = mutants.made_from(question)
    return folder() / f"{question.blank}-{seed}-{name}-{made_from}.safetensors"


@functools.cache
def folder() -> Path:
    """Returns the folder of all predictions."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "cs285-autograder"


def _beginning(file: Path) -> str:
    """Returns the name of an entry, without what it was made from."""
    return file.name.rpartition("-")[0]


def _read(file: Path) -> list[Seen] | None:
    try:
        return unpack(file.read_bytes())[0]
    except Exception:  # noqa: BLE001  (there is none, or a disk was full)
        return None


def _keep(file: Path, question: Question, every: list[Seen]) -> list[Seen]:
    """Writes predictions, unless a source has changed since; returns them as they are read."""
    data = pack(every, {}, SMALL)
    if all(source.stat().st_mtime < STARTED for source in mutants.sources(question)):
        part = file.with_name(f"{file.name}.{os.getpid()}.part")  # as readable as its folder
        part.write_bytes(data)
        part.replace(file)
        of_this = file.parent.glob(f"{_beginning(file)}-*{file.suffix}")
        for old in sorted(of_this, key=lambda one: -one.stat().st_mtime)[1 + FORMER :]:
            old.unlink(missing_ok=True)
    return unpack(data)[0]


def predict(question: Question, seed: int, name: Group) -> list[Seen]:
    """Predicts what `cached` keeps.

    Raises:
        RuntimeError: If the probe records nothing of the solution: that is never kept on disk.
    """
    answer, kind = mutation_set_of(question), str(name).rpartition("-")[2]
    if str(name).startswith("right"):
        return _right_form(question, seed, int(kind))
    if name == FIRST:
        return run_choices(question, seed, sorted({*first_choices(question).values()}), whole=True)
    if name == GENERIC:
        return _of_their_own(question, seed)
    if str(name).startswith(BEGUN):
        chosen = answer.generic_choices() if kind == GENERIC else answer.choices(int(kind))
        trial = case_of(next(iter(cached(question, seed, "right-0")[0].numbers)))
        return run_choices(question, seed, chosen, trial=trial)
    # Of several at once there are thousands: only those that a handout knows.
    chosen = choices(question, seed, int(name))
    return run_choices(question, seed, (c for c in chosen if name == 1 or answer.in_handout(c)))


def _right_form(question: Question, seed: int, number: int) -> list[Seen]:
    choice = [*mutation_set_of(question).choices(0)][number]
    # Records are described by what ours depends on: other right forms need it not.
    found = run_choices(question, seed, [choice], whole=not number)
    if not number and not found[0].numbers:
        crashes = [*found[0].raised.values(), "nothing was raised either"]
        what = "the probe records nothing of the solution"
        raise RuntimeError(f"{question.blank}: {what} ({crashes[0]})")
    if any(crash.never_ends for one in found for crash in one.crashes.values()):
        raise RuntimeError(f"{question.blank}: the solution takes too long on this machine")
    return found


def _of_their_own(question: Question, seed: int) -> list[Seen]:
    """Returns what generic mistakes lead to.

    Left out is what raises something, what is right all the same, and what leads to where a named
    mistake leads, or an earlier one of these.
    """
    known = [*cached(question, seed, 0), *cached(question, seed, 1)]
    found: list[Seen] = []
    for entry in run_choices(question, seed, mutation_set_of(question).generic_choices()):
        if not entry.raised and not any(map(entry.agrees, [*known, *found])):
            found.append(entry)
    return found


def run_choices(
    question: Question,
    seed: int,
    chosen: Iterable[Choice],
    whole: bool = False,
    trial: str = "",
) -> list[Seen]:
    """Runs the probe on each choice, in each solution that can hold it; equal texts run once.

    Args:
        question: Any.
        seed: Any.
        chosen: The choices.
        whole: Whether it is recorded, too, what results depend on, in the first solution.
        trial: The only one that runs.
    """
    found: dict[tuple[Any, ...], Seen] = {}
    entries = []
    for choice in chosen:
        for nth, files in enumerate(mutants.written(question, choice)):
            brief = not whole or nth > 0
            key = (brief, *sorted(files.items()))
            if key not in found:
                found[key] = mutants.run(question, files, seed, brief, trial)
            mistakes = mutation_set_of(question).misconceptions_of(choice)
            entries.append(found[key].known_as(mistakes, choice))
    return entries


@functools.cache
def made(question: Question, seed: int, choice: Choice, trial: str = "") -> list[Seen]:
    """Returns what one choice leads to, in each solution that can hold it, maybe in one trial."""
    return run_choices(question, seed, [choice], trial=trial)


def choices(question: Question, seed: int, wrong: int, every: bool = False) -> Iterator[Choice]:
    """Yields the ways to make `wrong` mistakes at once, see `MutationSet.choices`.

    A way that crashes in all trials hides whatever else was done, and stands for itself alone.
    """
    single = cached(question, seed, 1) if wrong > 1 else []
    silent = {one.choice for one in single if one.cases - one.raised.keys()}
    loud = {one.choice for one in single} - silent
    for choice in mutation_set_of(question).choices(wrong, every):
        if loud.isdisjoint((part,) for part in choice):
            yield choice


def first_choices(question: Question) -> dict[str, Choice]:
    """Returns the first mutation of each misconception."""
    mutation_set, found = mutation_set_of(question), dict[str, Choice]()
    for choice in mutation_set.choices(1):
        misconceptions = mutation_set.misconceptions_of(choice)
        if len(misconceptions) == 1:
            found.setdefault(misconceptions[0], choice)
    return found


def asked(homework: str, seeds: Mapping[int, int]) -> Iterator[tuple[Question, Mapping[int, int]]]:
    """Yields each question of a homework, with its seeds: whole trainings have their own."""
    for question in questions(homework):
        yield question, seeds
    for question in beside_questions(homework):
        yield question, BESIDE


def tables(homework: str, seeds: Mapping[int, int]) -> dict[str, bytes]:
    """Returns the table of each question of a homework, by path; see `table_of`."""
    return {
        table_file(question.blank).relative_to(ROOT).as_posix(): table_of(question, known)
        for question, known in asked(homework, seeds)
    }


def table_of(question: Question, seeds: Mapping[int, int]) -> bytes:
    """Returns the table of a question: by seed, what is known of so many mistakes at once."""
    every, groups = list[Seen](), dict[str, dict[str, tuple[int, int]]]()
    for seed, most in seeds.items():
        for name in [*range(most + 1), *([GENERIC] if most else [])]:
            group = cached(question, seed, name)
            groups.setdefault(str(seed), {})[str(name)] = (len(every), len(every) + len(group))
            every += group
    words = mutation_set_of(question).as_table
    return pack(every, {"release": VERSION, "words": words, "groups": groups}, SMALL)
