"""The questions of a homework, and the misconceptions that it knows by name."""

from __future__ import annotations

import functools
import re

from autograder.base.checks import Check, checks, names
from autograder.misconceptions.question import Question, question
from autograder.source.submission import given_texts

EMPTY = re.compile(r'TODO\("(hw\d+\.\w+\.\w+)"\)')


def checks_so_far(homework: str) -> list[Check]:
    """Returns a homework's checks, of which there may be none yet.

    Raises:
        UnknownHomeworkError: If there is no such homework.
    """
    if homework not in names() and blanks(homework):
        return []
    return checks(homework)


def blanks(homework: str) -> dict[str, str]:
    """Returns the file of each of a homework's blanks, by id; the path is within `cs285`."""
    return {id: path for id, path in _every_blank().items() if id.startswith(f"{homework}.")}


def ungraded(homework: str) -> list[str]:
    """Returns the blanks of a homework that no check with points judges yet."""
    graded = {check.id for check in checks_so_far(homework) if check.points}
    return [id for id in blanks(homework) if id not in graded]


@functools.cache
def _every_blank() -> dict[str, str]:
    return {id: path for path, text in given_texts("").items() for id in EMPTY.findall(text)}


def questions(homework: str) -> list[Question]:
    """Returns the questions about single blanks."""
    return [question(check) for check in checks_so_far(homework) if not check.beside]


def beside_questions(homework: str) -> list[Question]:
    """Returns the questions of a homework whose records are whole trainings of ours."""
    return [question(check) for check in checks_so_far(homework) if check.beside]
