"""The questions of a homework: what the grader asks about each blank; and which blanks it has."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from autograder.base.checks import Check, checks, names
from autograder.source.submission import given_texts

EMPTY = re.compile(r'TODO\("(hw\d+\.\w+\.\w+)"\)')


@dataclass(frozen=True)
class Question:
    """What the grader asks about one blank.

    Its answer lies in `blanks/`, by its name: points in a TOML file, of which a student's copy
    has a table instead.
    """

    blank: str  # its id
    name: str  # what its probe and its answer are called

    @property
    def homework(self) -> str:
        """The homework it belongs to."""
        return self.blank.partition(".")[0]

    @property
    def probe(self) -> str:
        """The probe's place below `autograder`."""
        return f"homeworks.{self.homework}.probes.{self.name}"


@functools.cache
def question(check: Check) -> Question:
    """Returns what a check asks about its blank."""
    return Question(check.id, check.probe.partition(":")[0].rpartition(".")[2])


def questions(homework: str) -> list[Question]:
    """Returns the questions about single blanks."""
    return [question(check) for check in checks_so_far(homework) if not check.beside]


def beside_questions(homework: str) -> list[Question]:
    """Returns the questions of a homework whose records are whole trainings of ours."""
    return [question(check) for check in checks_so_far(homework) if check.beside]


def checks_so_far(homework: str) -> list[Check]:
    """Returns a homework's checks, of which there may be none yet.

    Raises:
        UnknownHomeworkError: If there is no such homework.
    """
    return [] if homework not in names() and blanks(homework) else checks(homework)


@functools.cache
def blanks(homework: str) -> dict[str, str]:
    """Returns the file of each of a homework's blanks, by id; the path is within `cs285`."""
    every = {id: path for path, text in given_texts("").items() for id in EMPTY.findall(text)}
    return {id: path for id, path in every.items() if id.startswith(f"{homework}.")}


def ungraded(homework: str) -> list[str]:
    """Returns the blanks of a homework that no check with points judges yet."""
    graded = {check.id for check in checks_so_far(homework) if check.points}
    return [id for id in blanks(homework) if id not in graded]
