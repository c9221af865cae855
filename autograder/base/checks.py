"""The checks of each homework: a check is one line of the score board."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograder.base.blank_files import HOMEWORKS, blanks_of, how_of, shown
from autograder.base.errors import UnknownHomeworkError
from autograder.base.files import read_data

MOST_SECONDS = 60.0  # that all trainings of an agent may take; they take some


@dataclass(frozen=True)
class Check:
    """One line of the score board."""

    id: str  # the blank's id, such as "hw3.dqn.targets"; for other checks, one in the same style
    title: str  # what the blank is for, in a few words
    points: int  # what it counts; 0 for whole agents beside ours: shown only if they fail
    # Files that must be the student's own, as paths within `cs285`; any other that is missing or
    # broken is taken from the handout.
    owners: tuple[str, ...]
    # A module below `autograder`, see `experiments`, or a name that `loading` knows; or
    # "module:function", which gets a `Student` and a seed.
    probe: str
    seconds: float = 10.0  # most time that the probe may take
    # Blanks whose bodies this check runs together: it may fail them once all have passed.
    parts: tuple[str, ...] = ()
    # Its blank's number in the handout's table, from 1; 0 if it is of no single blank.
    number: int = 0

    @property
    def homework(self) -> str:
        """The homework it belongs to."""
        return self.id.partition(".")[0]

    @property
    def full_probe(self) -> str:
        """The probe's place, from the top."""
        return f"autograder.{self.probe}"

    @property
    def beside(self) -> bool:
        """Whether it compares whole trainings with ours, whose records are kept; see `stories`.

        With `--watch` it runs after the board was printed.
        """
        return bool(self.parts)


@functools.cache
def read_checks(homework: str) -> list[Check]:
    """Returns a homework's checks, in the order of the score board.

    First come its blanks, in the order of the handout's table: `blanks` of `checks.json`. Then come
    its whole agents. The file of each has the fields of its `Check`.
    """
    numbers = {blank: number for number, blank in enumerate(table_of(homework), 1)}
    whole = len(numbers) + 1

    def place(row: dict[str, Any]) -> tuple[int, list[int]]:
        return numbers.get(row["id"], whole), [numbers[part] for part in row.get("parts", ())]

    def field(one: Any) -> Any:
        return tuple(one) if isinstance(one, list) else one

    rows = sorted(_of_blanks(homework), key=place)
    return [
        Check(number=numbers.get(row["id"], 0), **{key: field(one) for key, one in row.items()})
        for row in rows
    ]


def _of_blanks(homework: str) -> Iterator[dict[str, Any]]:
    """Yields the row of each blank or agent: what its file says in [blank], where its probe is.

    A blank's own file is the one whose function is asked, if nothing else is said. An agent's parts
    are the blanks that its story names.
    """
    for name, tables in shown(homework).items():
        row = {**tables["blank"], "probe": f"homeworks.{homework}.probes.{name}"}
        if "story" in tables:
            blanks = filter(None, blanks_of(tables["parts"]).values())
            agent = {"points": 0, "owners": [], "seconds": MOST_SECONDS}
            own = {"parts": sorted(set(blanks), key=table_of(homework).index)}
            row |= {**agent, **own, "probe": f"homeworks.{homework}.stories.{name}:probe"}
        elif module := (how_of(tables) or {}).get("module"):
            row.setdefault("owners", [f"{module.replace('.', '/')}.py"])
        yield row


def table_of(homework: str) -> list[str]:
    """Returns the ids of a homework's blanks in the order of the handout's table."""
    return [*read_data(f"homeworks/{homework}/checks.json").get("blanks", ())]


def first_run(homework: str) -> str:
    """Returns a command to try first when all blanks are right; "" if none is known."""
    return str(read_data(f"homeworks/{homework}/checks.json").get("run", ""))


def names() -> list[str]:
    """Returns the homeworks that can be judged."""
    return sorted(file.parent.name for file in HOMEWORKS.glob("hw*/checks.json"))


def checks(homework: str) -> list[Check]:
    """Returns a homework's checks, in the order of the score board.

    Raises:
        UnknownHomeworkError: If there are none.
    """
    if homework in names():
        return read_checks(homework)
    there = ", ".join(names())
    number = re.search(r"\d+", homework)
    meant = f"; did you mean hw{number[0]}?" if number and f"hw{number[0]}" in names() else ""
    raise UnknownHomeworkError(
        f"no homework {homework!r} with checks here; there is: {there}{meant}"
    )
