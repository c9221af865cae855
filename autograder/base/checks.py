"""The checks of each homework, and the files that they are read from.

A check is one line of the score board. A blank is one TOML file in `homeworks/hwN/blanks`, and a
whole agent one in `stories`. Its mutations and words are answers. A copy without answers, such as a
handout or a sandbox, has `homeworks/hwN/blanks.json` in its place: the tables of `SHOWN` alone.
They say which code is called, with what, and what is read of it.
"""

from __future__ import annotations

import functools
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.base.files import read_data
from autograder.base.text import UnknownHomeworkError, UsageError

HOMEWORKS = Path(__file__).parent.parent / "homeworks"
SHOWN = (
    "blank", "probe", "scene", "given", "cases", "instead", "world", "first", "turns", "before",
    "reads", "last", "made_of", "story", "usual", "networks", "parts", "else", "trainings",
)  # fmt: skip
"""The tables that hold no answer."""
KINDS = ("probe", "scene", "story")
MOST_SECONDS = 60.0  # that all trainings of an agent may take; they take some
Tables = Mapping[str, Any]


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


def names() -> list[str]:
    """Returns the homeworks that can be judged."""
    return sorted(file.parent.name for file in HOMEWORKS.glob("hw*/checks.json"))


@functools.cache
def checks(homework: str) -> list[Check]:
    """Returns a homework's checks, in the order of the score board.

    First come its blanks, in the order of the handout's table. Then come its whole agents. The file
    of each has the fields of its `Check`.

    Raises:
        UnknownHomeworkError: If there are none.
    """
    if homework not in names():
        number = re.search(r"\d+", homework)
        meant = f"; did you mean hw{number[0]}?" if number and f"hw{number[0]}" in names() else ""
        there = f"there is: {', '.join(names())}{meant}"
        raise UnknownHomeworkError(f"no homework {homework!r} with checks here; {there}")
    numbers = {blank: number for number, blank in enumerate(table_of(homework), 1)}
    whole = len(numbers) + 1

    def place(row: dict[str, Any]) -> tuple[int, list[int]]:
        return numbers.get(row["id"], whole), [numbers[part] for part in row.get("parts", ())]

    def field(one: Any) -> Any:
        return tuple(one) if isinstance(one, list) else one

    rows = sorted(_rows(homework), key=place)
    return [
        Check(number=numbers.get(row["id"], 0), **{key: field(one) for key, one in row.items()})
        for row in rows
    ]


def _rows(homework: str) -> Iterator[dict[str, Any]]:
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
        elif module := how_of(tables).get("module"):
            row.setdefault("owners", [f"{module.replace('.', '/')}.py"])
        yield row


def table_of(homework: str) -> list[str]:
    """Returns the ids of a homework's blanks in the order of the handout's table."""
    return [*read_data(f"homeworks/{homework}/checks.json").get("blanks", ())]


def first_run(homework: str) -> str:
    """Returns a command to try first when all blanks are right; "" if none is known."""
    return str(read_data(f"homeworks/{homework}/checks.json").get("run", ""))


@functools.cache
def parsed(file: Path) -> Tables:
    """Returns all that is in a blank's file, or in one that blanks share.

    Raises:
        UsageError: If it is no TOML.
    """
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{'/'.join(file.parts[-3:])}: {error}") from error


@functools.cache
def shown(homework: str) -> dict[str, Tables]:
    """Returns the tables without answers of a homework's blanks, by the names of their files."""
    folder = HOMEWORKS / homework
    if (folder / "blanks.json").is_file():
        return dict(read_data(f"homeworks/{homework}/blanks.json"))
    shelves = ("blanks", "stories")
    files = [file for shelf in shelves for file in sorted(folder.glob(f"{shelf}/*.toml"))]
    return {
        file.stem: {name: parsed(file)[name] for name in SHOWN if name in parsed(file)}
        for file in files
        if "blank" in parsed(file)
    }


def as_json(homework: str) -> str:
    """Returns what a copy without answers has in place of the files of a homework's blanks."""
    return json.dumps(shown(homework), separators=(",", ":")) + "\n"


def modules_of(probe: str) -> list[str]:
    """Returns the modules of ours that only one probe needs.

    Args:
        probe: Its place, such as "autograder.homeworks.hw4.probes.sac_targets".
    """
    module = probe.partition(":")[0]
    tables = declared(module)
    if tables is None:
        return [module]
    doubles = how_of(tables).get("doubles")
    return [f"autograder.{doubles}"] if doubles else []


def declared(probe: str) -> Tables | None:
    """Returns the tables of a blank that declares its probe; None if the probe is a module."""
    *_, homework, _, name = probe.split(".")
    tables = shown(homework).get(name, {})
    return tables if how_of(tables) else None


def how_of(tables: Tables) -> Tables:
    """Returns the table that says how the student's code is asked; {} if it has none."""
    return next((tables[kind] for kind in KINDS if kind in tables), {})


def blanks_of(parts: Tables) -> dict[str, str]:
    """Returns the blank of each part of a story, by the part's name; "" for given code."""
    found = {at: one if isinstance(one, str) else one.get("blank", "") for at, one in parts.items()}
    return {at.partition(":")[2]: blank for at, blank in found.items()}
