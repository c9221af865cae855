"""The file of a blank: all that the grader knows about it, or the part that runs beside students.

A blank is one TOML file in `homeworks/hwN/blanks`, and a whole agent one in `stories`. Its
mutations and words are answers. A copy without answers, such as a handout or a sandbox, has
`homeworks/hwN/blanks.json` in its place: the tables of `SHOWN` alone. They say which code is
called, with what, and what is read of it.
"""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.base.errors import UsageError
from autograder.base.files import read_data

HOMEWORKS = Path(__file__).parent.parent / "homeworks"
SHOWN = (
    "blank", "probe", "scene", "given", "cases", "instead", "world", "first", "turns", "before",
    "reads", "last", "made_of", "story", "usual", "networks", "parts", "else", "trainings",
)  # fmt: skip
"""The tables that hold no answer."""
KINDS = ("probe", "scene", "story")
Tables = Mapping[str, Any]


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
    every = (
        file for shelf in ("blanks", "stories") for file in sorted(folder.glob(f"{shelf}/*.toml"))
    )
    files = {file.stem: parsed(file) for file in every}
    return {name: without_answers(tables) for name, tables in files.items() if "blank" in tables}


def without_answers(tables: Tables) -> Tables:
    """Returns what a file says of the call and its cases, and nothing of right and wrong."""
    return {name: tables[name] for name in SHOWN if name in tables}


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
    doubles = (how_of(tables) or {}).get("doubles")
    return [f"autograder.{doubles}"] if doubles else []


def declared(probe: str) -> Tables | None:
    """Returns the tables of a blank that declares its probe; None if the probe is a module."""
    *_, homework, _, name = probe.split(".")
    tables = shown(homework).get(name, {})
    return tables if how_of(tables) else None


def how_of(tables: Tables) -> Mapping[str, Any] | None:
    """Returns the table that says how the student's code is asked; None if it has none."""
    return next((tables[kind] for kind in KINDS if kind in tables), None)


def blanks_of(parts: Mapping[str, Any]) -> dict[str, str]:
    """Returns the blank of each part of a story, by the part's name; "" for given code."""
    found = {at: one if isinstance(one, str) else one.get("blank", "") for at, one in parts.items()}
    return {at.partition(":")[2]: blank for at, blank in found.items()}
