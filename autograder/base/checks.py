"""The checks of each homework: a check is one line of the score board."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograder.base.blank_files import HOMEWORKS, how_of, shown
from autograder.base.errors import UnknownHomeworkError
from autograder.base.files import read_data


@dataclass(frozen=True)
class Check:
    """One line of the score board."""

    id: str  # the blank's id, such as "hw3.dqn.targets"; for other checks, one in the same style
    title: str  # what the blank is for, in a few words
    points: int  # what it counts; 0 for whole agents beside ours: shown only if they fail
    # Files that must be the student's own, as paths within `cs285`; any other that is missing or
    # broken is taken from the handout.
    owners: tuple[str, ...]
    # A module below `autograder`, see `experiments`; or "module:function", which gets a `Student`
    # and a seed.
    probe: str
    # "module:name" below `autograder`, an `Agent` that trains beside ours; empty: the
    # `Question` of its id.
    judged_by: str = ""
    seconds: float = 10.0  # most time that the probe may take
    # Blanks whose bodies this check runs together: it may fail them once all have passed.
    parts: tuple[str, ...] = ()
    # Its blank's number in the handout's table, from 1; 0 if it is of no single blank.
    number: int = 0

    @property
    def full_probe(self) -> str:
        """The probe's place, from the top."""
        return f"autograder.{self.probe}"

    @property
    def beside(self) -> bool:
        """Whether it compares whole trainings with ours, whose records are kept; see `beside`.

        With `--watch` it runs after the board was printed.
        """
        return bool(self.parts)


@functools.cache
def read_checks(homework: str) -> list[Check]:
    """Returns a homework's checks, in the order of the score board.

    First come its blanks, in the order of the handout's table: `blanks` of `checks.json`. The file
    of a blank has the fields of its `Check`. Then come the rows of `checks.json`. In the lists of a
    row a name of `names` is replaced by all that is listed there, and a list by a tuple.
    """
    plain = read_data(f"homeworks/{homework}/checks.json")

    def field(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        parts = [n if isinstance(n, str) else tuple(n) for n in value]
        return tuple(part for name in parts for part in plain["names"].get(name, [name]))

    numbers = {blank: number for number, blank in enumerate(table_of(homework), 1)}
    rows = [*_of_blanks(homework), *plain["checks"]]
    rows.sort(key=lambda row: numbers.get(row["id"], len(numbers) + 1))
    return [
        Check(number=numbers.get(row["id"], 0), **{key: field(one) for key, one in row.items()})
        for row in rows
    ]


def _of_blanks(homework: str) -> Iterator[dict[str, Any]]:
    """Yields the row of each blank: what its file says in [blank], and where its probe is.

    A blank's own file is the one whose function is asked, if nothing else is said.
    """
    for name, tables in shown(homework).items():
        if "story" in tables:
            continue
        row = {**tables["blank"], "probe": f"homeworks.{homework}.probes.{name}"}
        if module := (how_of(tables) or {}).get("module"):
            row.setdefault("owners", [f"{module.replace('.', '/')}.py"])
        yield row


def stories(homework: str) -> list[Check]:
    """Returns the checks of whole agents; the parts of each are the blanks that its file names."""
    return [Check(**row) for row in _of_stories(homework)]


def _of_stories(homework: str) -> Iterator[dict[str, Any]]:
    for name, tables in shown(homework).items():
        if "story" in tables:
            every = (
                one if isinstance(one, str) else one.get("blank")
                for one in tables["parts"].values()
            )
            own = {"parts": tuple(dict.fromkeys(filter(None, every))), "owners": (), "points": 0}
            yield {**own, **tables["blank"], "probe": f"homeworks.{homework}.stories.{name}:probe"}


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
