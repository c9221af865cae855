"""What each mistake leads to, for one seed: predicted once, and kept on disk as numbers alone.

`core.cache` keeps them by what they were made from, so that a whole class shares them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
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
    found: dict[tuple[Any, ...], Outcome] = {}
    entries = []
    for choice in choices(question, seed, wrong):
        for files in variants.written(question, choice):
            key = tuple(sorted(files.items()))
            if key not in found:
                found[key] = outcome_of(variants.run(question, files, seed, brief=bool(wrong)))
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

    def make() -> Any:
        packer = Packer()
        entries = [packer.pack(entry) for entry in predict(question, seed, wrong)]
        return {"entries": entries, "arrays": packer.arrays}

    plain = cache.kept(question, f"{question.blank}-{seed}-{wrong}", make)
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
    plain = {**answer_of(question).told, "seeds": kept, "arrays": packer.arrays}
    return json.dumps(plain, separators=(",", ":")) + "\n"


def tables(homework: str, seeds: Mapping[int, int]) -> dict[str, str]:
    """Returns the table of each question of a homework, by path; see `table_of`."""
    found = {}
    for question in questions(homework):
        path = table_file(question.blank).relative_to(ROOT).as_posix()
        found[path] = table_of(question, seeds)
    return found
