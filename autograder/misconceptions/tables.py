"""Writes the tables that a handout has in place of mutations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from autograder.base import VERSION
from autograder.base.packed import SMALL, pack
from autograder.base.seen import Seen
from autograder.misconceptions.catalogue import beside_questions, questions
from autograder.misconceptions.live_oracle import cached, cached_generic
from autograder.misconceptions.mutation_file import mutation_set_of
from autograder.misconceptions.oracle import table_file
from autograder.misconceptions.question import Question
from autograder.misconceptions.stories import SEED
from autograder.source import ROOT

BESIDE = {SEED: 0}
"""The seeds of whole trainings, and how many mistakes at once are known for each."""


def table_of(question: Question, seeds: Mapping[int, int]) -> bytes:
    """Returns the table of a question, see `oracle.Table`.

    Args:
        question: Any.
        seeds: Each seed that will be asked, and how many mistakes at once are known for it.
    """
    every, groups = list[Seen](), dict[str, dict[str, tuple[int, int]]]()
    for seed, most in seeds.items():
        known = {str(number): cached(question, seed, number) for number in range(most + 1)}
        if most:
            known["generic"] = cached_generic(question, seed)
        for name, group in known.items():
            groups.setdefault(str(seed), {})[name] = (len(every), len(every) + len(group))
            every += group
    words = mutation_set_of(question).as_table
    return pack(every, {"release": VERSION, "words": words, "groups": groups}, SMALL)


def asked(homework: str, seeds: Mapping[int, int]) -> Iterator[tuple[Question, Mapping[int, int]]]:
    """Yields each question of a homework, with its seeds: whole trainings have their own."""
    for question in questions(homework):
        yield question, seeds
    for question in beside_questions(homework):
        yield question, BESIDE


def tables(homework: str, seeds: Mapping[int, int]) -> dict[str, bytes]:
    """Returns the table of each question of a homework, by path; see `table_of`."""
    found = {}
    for question, known in asked(homework, seeds):
        path = table_file(question.blank).relative_to(ROOT).as_posix()
        found[path] = table_of(question, known)
    return found
