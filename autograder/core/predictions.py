"""What each mistake leads to, for one seed: predicted once, and kept on disk as numbers alone.

`core.cache` keeps them by what they were made from, so that a whole class shares them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from autograder.core import cache, variants
from autograder.core.answer_file import answer_of
from autograder.core.known import Known
from autograder.core.outcomes import Entry, Outcome, outcome_of, unpacked
from autograder.core.packing import Packer
from autograder.core.question import Choice, Question, questions
from autograder.core.tables import table_file
from autograder.submission import ROOT


def predict(question: Question, seed: int, wrong: int) -> list[Entry]:
    """Runs the probe on every way to make `wrong` mistakes at once; equal texts run once."""
    return run_choices(question, seed, choices(question, seed, wrong), brief=bool(wrong))


def predict_generic(question: Question, seed: int) -> list[Entry]:
    """Runs the probe on the generic mistakes; returns those that lead somewhere of their own.

    Left out is what raises something, what is right all the same, and what leads to where a named
    mistake leads, or an earlier one of these.
    """
    known = [*cached(question, seed, 0), *cached(question, seed, 1)]
    found: list[Entry] = []
    for entry in run_choices(question, seed, answer_of(question).generic_choices(), brief=True):
        others = (other.outcome for other in [*known, *found])
        if not entry.outcome.crashes and not any(map(entry.outcome.agrees, others)):
            found.append(entry)
    return found


def run_choices(
    question: Question, seed: int, chosen: Iterable[Choice], brief: bool
) -> list[Entry]:
    """Runs the probe on each choice, in each solution that can hold it; equal texts run once."""
    found: dict[tuple[Any, ...], Outcome] = {}
    entries = []
    for choice in chosen:
        for files in variants.written(question, choice):
            key = tuple(sorted(files.items()))
            if key not in found:
                found[key] = outcome_of(variants.run(question, files, seed, brief=brief))
            entries.append(Entry(answer_of(question).mistakes_of(choice), found[key], choice))
    return entries


def choices(question: Question, seed: int, wrong: int, every: bool = False) -> Iterator[Choice]:
    """Yields the ways to make `wrong` mistakes at once, see `Answer.choices`.

    A way that crashes in all trials hides whatever else was done, and stands for itself alone.
    """
    loud = set[Choice]()
    if wrong > 1:
        alone = cached(question, seed, 1)
        silent = {e.choice for e in alone if e.outcome.trials - e.outcome.crashes.keys()}
        loud = {e.choice for e in alone} - silent
    for choice in answer_of(question).choices(wrong, every):
        if loud.isdisjoint((part,) for part in choice):
            yield choice


@functools.cache
def made(question: Question, seed: int, choice: Choice) -> tuple[Entry, ...]:
    """Returns what one choice leads to, in each solution that can hold it."""
    mistakes = answer_of(question).mistakes_of(choice)
    return tuple(
        Entry(mistakes, outcome_of(variants.run(question, files, seed, brief=True)), choice)
        for files in variants.written(question, choice)
    )


@functools.cache
def cached(question: Question, seed: int, wrong: int) -> list[Entry]:
    """Returns predictions, from disk if they have been made before.

    Who asks while another process makes them waits for that one.
    """
    return _kept(question, f"{seed}-{wrong}", lambda: predict(question, seed, wrong))


@functools.cache
def cached_generic(question: Question, seed: int) -> list[Entry]:
    """Returns what the generic mistakes lead to, from disk if that has been made before."""
    return _kept(question, f"{seed}-generic", lambda: predict_generic(question, seed))


def _kept(question: Question, name: str, make: Callable[[], list[Entry]]) -> list[Entry]:
    def pack() -> Any:
        packer = Packer()
        return {"entries": [packer.pack(e) for e in make()], "arrays": packer.arrays}

    plain = cache.kept(question, f"{question.blank}-{name}", pack)
    return unpacked(plain["entries"], plain["arrays"])


class Predicted(Known):
    """What is known of one question where its answer is."""

    most = 3

    def __init__(self, question: Question, seed: int) -> None:
        """Reads the words of the answer, and predicts nothing yet."""
        super().__init__(question, seed, answer_of(question).told)

    def with_mistakes(self, number: int) -> list[Entry]:
        """Returns the outcomes of no mistake, or of one."""
        return cached(self.question, self.seed, number)

    def generic(self) -> list[Entry]:
        """Returns the outcomes of generic mistakes."""
        return cached_generic(self.question, self.seed)

    def pairs(self) -> list[list[Choice]]:
        """Returns the pairs that do not hide each other: in their usual ways, then in others."""
        usual, every = ({*choices(self.question, self.seed, 2, e)} for e in (False, True))
        return [sorted(usual), sorted(every - usual)]

    def several(self, choice: Choice) -> Sequence[Entry]:
        """Returns what several mistakes at once lead to."""
        return made(self.question, self.seed, choice)


def table_of(question: Question, seeds: Mapping[int, int]) -> str:
    """Returns the table of a question, as JSON.

    Args:
        question: Any.
        seeds: Each seed that will be asked, and how many mistakes at once are known for it.
    """
    packer = Packer()
    kept = {
        str(seed): [[packer.pack(e) for e in cached(question, seed, n)] for n in range(most + 1)]
        for seed, most in seeds.items()
    }
    generic = {
        str(seed): [packer.pack(e) for e in cached_generic(question, seed)]
        for seed, most in seeds.items()
        if most
    }
    told = answer_of(question).told
    plain = {**told, "seeds": kept, "generic": generic, "arrays": packer.arrays}
    return json.dumps(plain, separators=(",", ":")) + "\n"


def tables(homework: str, seeds: Mapping[int, int]) -> dict[str, str]:
    """Returns the table of each question of a homework, by path; see `table_of`."""
    found = {}
    for question in questions(homework):
        path = table_file(question.blank).relative_to(ROOT).as_posix()
        found[path] = table_of(question, seeds)
    return found
