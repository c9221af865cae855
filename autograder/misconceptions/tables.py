"""Writes the tables that a handout has in place of mutations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from autograder.base.version import VERSION
from autograder.misconceptions.catalogue import beside_questions, questions
from autograder.misconceptions.live_oracle import cached, cached_generic
from autograder.misconceptions.mutation_file import mutation_set_of
from autograder.misconceptions.oracle import table_file
from autograder.misconceptions.outcomes import Packer
from autograder.misconceptions.question import Question
from autograder.misconceptions.stories import SEED
from autograder.source.submission import ROOT

BESIDE = {SEED: 0}
"""The seeds of whole trainings, and how many mistakes at once are known for each."""


def table_of(question: Question, seeds: Mapping[int, int]) -> str:
    """Returns the table of a question, as JSON.

    Args:
        question: Any.
        seeds: Each seed that will be asked, and how many mistakes at once are known for it.
    """
    packer = Packer()
    kept = {
        str(seed): [
            [packer.pack(entry) for entry in cached(question, seed, n)] for n in range(most + 1)
        ]
        for seed, most in seeds.items()
    }
    generic = {
        str(seed): [packer.pack(e) for e in cached_generic(question, seed)]
        for seed, most in seeds.items()
        if most
    }
    as_table = mutation_set_of(question).as_table
    found = {"seeds": kept, "generic": generic, "arrays": packer.arrays}
    plain = {"release": VERSION, **as_table, **found}
    return json.dumps(plain, separators=(",", ":")) + "\n"


def asked(homework: str, seeds: Mapping[int, int]) -> Iterator[tuple[Question, Mapping[int, int]]]:
    """Yields each question of a homework, with its seeds: whole trainings have their own."""
    for question in questions(homework):
        yield question, seeds
    for question in beside_questions(homework):
        yield question, BESIDE


def tables(homework: str, seeds: Mapping[int, int]) -> dict[str, str]:
    """Returns the table of each question of a homework, by path; see `table_of`."""
    found = {}
    for question, known in asked(homework, seeds):
        path = table_file(question.blank).relative_to(ROOT).as_posix()
        found[path] = table_of(question, known)
    return found
