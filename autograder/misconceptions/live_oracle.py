"""What each mistake leads to, for one seed: predicted once, and kept on disk as numbers alone.

`cache` keeps them by what they were made from, so that a whole class shares them.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from autograder.base.seen import Choice, Seen, case_of
from autograder.misconceptions import cache, mutants
from autograder.misconceptions.mutation_file import mutation_set_of
from autograder.misconceptions.oracle import NAMED_SEED, RecordedOracle, Table
from autograder.misconceptions.question import Question


def predict(question: Question, seed: int, wrong: int) -> list[Seen]:
    """Runs the probe on every way to make `wrong` mistakes at once; equal texts run once.

    Of several at once there are thousands: only those that a handout knows.
    """
    chosen = choices(question, seed, wrong)
    if wrong > 1:
        chosen = (choice for choice in chosen if mutation_set_of(question).in_handout(choice))
    return run_choices(question, seed, chosen)


def predict_generic(question: Question, seed: int) -> list[Seen]:
    """Runs the probe on the generic mistakes; returns those that lead somewhere of their own.

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
    whole: Collection[Choice] = (),
    trial: str = "",
) -> list[Seen]:
    """Runs the probe on each choice, in each solution that can hold it; equal texts run once.

    Of the choices in `whole` it is recorded, too, which inputs their results depend on, in the
    first solution. `trial`: the only one that runs.
    """
    found: dict[tuple[Any, ...], Seen] = {}
    entries = []
    for choice in chosen:
        for nth, files in enumerate(mutants.written(question, choice)):
            brief = choice not in whole or nth > 0
            key = (brief, *sorted(files.items()))
            if key not in found:
                found[key] = mutants.run(question, files, seed, brief, trial)
            mistakes = mutation_set_of(question).misconceptions_of(choice)
            entries.append(found[key].known_as(mistakes, choice))
    return entries


def first_of_each(question: Question) -> list[Seen]:
    """Returns what the first mutation of each misconception leads to, and depends on.

    A page shows that. It is on disk if it has been made before.
    """
    first = {*first_choices(question).values()}
    name = name_of(question, NAMED_SEED, "first")
    return cache.kept(
        question, name, lambda: run_choices(question, NAMED_SEED, sorted(first), first)
    )


def first_choices(question: Question) -> dict[str, Choice]:
    """Returns the first mutation of each misconception."""
    mutation_set, found = mutation_set_of(question), dict[str, Choice]()
    for choice in mutation_set.choices(1):
        misconceptions = mutation_set.misconceptions_of(choice)
        if len(misconceptions) == 1:
            found.setdefault(misconceptions[0], choice)
    return found


def choices(question: Question, seed: int, wrong: int, every: bool = False) -> Iterator[Choice]:
    """Yields the ways to make `wrong` mistakes at once, see `MutationSet.choices`.

    A way that crashes in all trials hides whatever else was done, and stands for itself alone.
    """
    loud = set[Choice]()
    if wrong > 1:
        single = cached(question, seed, 1)
        silent = {one.choice for one in single if one.cases - one.raised.keys()}
        loud = {e.choice for e in single} - silent
    for choice in mutation_set_of(question).choices(wrong, every):
        if loud.isdisjoint((part,) for part in choice):
            yield choice


@functools.cache
def made(question: Question, seed: int, choice: Choice, trial: str = "") -> list[Seen]:
    """Returns what one choice leads to, in each solution that can hold it, maybe in one trial."""
    return run_choices(question, seed, [choice], trial=trial)


KINDS = ("right", "single", "generic")
"""Of entries, in the order in which they are looked for."""


@functools.cache
def begun(question: Question, seed: int, kind: str) -> list[Seen]:
    """Returns what all of a kind, see `RecordedOracle.likely`, lead to in the first trial alone.

    That is a tenth of the work, and leaves few that may lead to what a student's code does.
    """

    def run() -> list[Seen]:
        answer, right = mutation_set_of(question), next(right_forms(question, seed))
        single = kind == "single"
        chosen = answer.generic_choices() if kind == "generic" else answer.choices(int(single))
        return run_choices(question, seed, chosen, trial=case_of(next(iter(right.numbers))))

    return cache.kept(question, name_of(question, seed, f"begun-{kind}"), run)


@functools.cache
def cached(question: Question, seed: int, wrong: int) -> list[Seen]:
    """Returns predictions, from disk if they have been made before.

    Who asks while another process makes them waits for that one.
    """
    if not wrong:
        return list(right_forms(question, seed))
    return cache.kept(
        question, name_of(question, seed, wrong), lambda: predict(question, seed, wrong)
    )


@functools.cache
def cached_generic(question: Question, seed: int) -> list[Seen]:
    """Returns what the generic mistakes lead to, from disk if that has been made before."""
    return cache.kept(
        question, name_of(question, seed, "generic"), lambda: predict_generic(question, seed)
    )


def right_forms(question: Question, seed: int) -> Iterator[Seen]:
    """Yields what our solution and its other right forms lead to, each from disk if it is there.

    Raises:
        RuntimeError: If the probe records nothing of the solution: that is never kept on disk.
    """
    for number, choice in enumerate(choices(question, seed, 0)):
        yield from _right_form(question, seed, number, choice)


@functools.cache
def _right_form(question: Question, seed: int, number: int, choice: Choice) -> list[Seen]:
    def run() -> list[Seen]:
        # Records are described by what ours depends on: other right forms need it not.
        found = run_choices(question, seed, [choice], () if number else {choice})
        if not number and not found[0].numbers:
            crashes = [*found[0].raised.values(), "nothing was raised either"]
            what = "the probe records nothing of the solution"
            raise RuntimeError(f"{question.blank}: {what} ({crashes[0]})")
        return found

    return cache.kept(question, name_of(question, seed, f"right-{number}"), run)


def name_of(question: Question, seed: int, what: int | str) -> str:
    """Returns the name under which predictions are kept: of so many mistakes, or of a kind."""
    if what == 0:  # right forms are kept one by one
        what = f"right-{len([*choices(question, seed, 0)]) - 1}"
    return f"{question.blank}-{seed}-{what}"


class LiveOracle(RecordedOracle):
    """What is known of one question where its answer is."""

    most = 3

    def __init__(self, question: Question, seed: int) -> None:
        """Reads the words of the answer, and predicts nothing yet."""
        super().__init__(question, seed, Table(mutation_set_of(question).as_table))

    def with_misconceptions(self, number: int) -> list[Seen]:
        """Returns the outcomes of no mistake, or of one."""
        return cached(self.question, self.seed, number)

    def right_forms(self) -> Iterator[Seen]:
        """Yields the same, one by one: who equals the first needs no other."""
        yield from right_forms(self.question, self.seed)

    def foresee(self, number: int) -> None:
        """Predicts what so many mistakes lead to, and keeps it on disk for other processes.

        Without any, what our solution leads to, and in the first trial everything.
        """
        if not number:
            _ = self.right, [begun(self.question, self.seed, kind) for kind in KINDS]
            return
        cached(self.question, self.seed, number)
        if number == 1:
            cached_generic(self.question, self.seed)

    def likely(self, kind: str, actual: Seen) -> Iterator[Seen]:
        """Yields what leads to the same in the first trial; no generic mistake that raises."""
        if kind == "right":
            yield next(right_forms(self.question, self.seed))
        every = begun(self.question, self.seed, kind)
        found = [entry.choice for entry in every if entry.begins(actual)]
        for choice in dict.fromkeys(found):
            for entry in made(self.question, self.seed, choice):
                if kind != "generic" or not entry.raised:
                    yield entry

    def pairs(self) -> list[list[Choice]]:
        """Returns the pairs that do not hide each other: in their usual ways, then in others."""
        usual, every = ({*choices(self.question, self.seed, 2, e)} for e in (False, True))
        return [sorted(usual), sorted(every - usual)]

    def begun(self, choice: Choice, trial: str) -> Sequence[Seen]:
        """Returns what several mistakes at once lead to in one trial."""
        return made(self.question, self.seed, choice, trial)

    def several(self, choice: Choice) -> Sequence[Seen]:
        """Returns what several mistakes at once lead to: from disk, if it is there."""
        known = [entry for entry in self._kept_pairs if entry.choice == choice]
        return known or made(self.question, self.seed, choice)

    @property
    def _kept_pairs(self) -> list[Seen]:
        if not cache.is_kept(self.question, name_of(self.question, self.seed, 2)):
            return []
        return cached(self.question, self.seed, 2)
