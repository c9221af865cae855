"""Writes what a new blank needs besides its own file: its number, its section and its cells."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.base.checks import HOMEWORKS, checks, table_of
from autograder.source import ROOT

WHOLE = 100  # points of a homework
CELLS = "# %% [markdown]\n# {{{{blank: {blank}}}}}\n\n# %%\n# %%blank {blank}\n\n"


def is_placed(blank: str) -> bool:
    """Returns whether a blank has a number."""
    return blank in table_of(blank.partition(".")[0])


def place(blank: str) -> Iterator[str]:
    """Gives a blank its number, after the last one of its part; yields what was written where."""
    homework = blank.partition(".")[0]
    before = predecessor(blank, table_of(homework))
    yield _in_checks(HOMEWORKS / homework / "checks.json", blank, before)
    checks.cache_clear()
    notebook = ROOT / "notebooks" / f"{homework}.py"
    if notebook.is_file():
        yield _in_notebook(notebook, blank, before)


def write_section(blank: str) -> Iterator[str]:
    """Writes what a blank's [page] says into its homework's page; yields where, if that is new."""
    homework = blank.partition(".")[0]
    handouts: Any = importlib.import_module("tests.handouts")
    page: Path = handouts.page(homework, "blanks")
    if page.read_text(encoding="utf-8") != (text := handouts.up_to_date(homework)):
        page.write_text(text, encoding="utf-8")
        yield f"{page.relative_to(ROOT)}: its row and its section"


def notes(blank: str) -> Iterator[str]:
    """Yields what an author may have forgotten: the sum of the points, and agents that run it."""
    homework = blank.partition(".")[0]
    every = checks(homework)
    if (points := sum(check.points for check in every)) != WHOLE:
        yield f"  note: the blanks of {homework} count {points} points together, not {WHOLE}"
    wholes = [check for check in every if check.parts]
    if wholes and not any(blank in check.parts for check in wholes):
        yield f"  note: no whole agent of {homework} has {blank} among its blanks, which are"
        yield "  `names` in checks.json: where the agent goes wrong, another blank pays for it"


def predecessor(blank: str, table: list[str]) -> str:
    """Returns the blank that one comes after: the last of its part, or else the last of all."""
    part = blank.rpartition(".")[0]
    return ([""] + table + [one for one in table if one.rpartition(".")[0] == part])[-1]


def _in_checks(file: Path, blank: str, before: str) -> str:
    """Adds an id to `blanks`, and leaves all other lines as they are."""
    text, new = file.read_text(encoding="utf-8"), json.dumps(blank)
    head, mark, tail = text.partition('"blanks": [')
    old = json.dumps(before)
    tail = tail.replace(old, f"{old}, {new}", 1) if before else f"{new}{tail}"
    file.write_text(f"{head}{mark}{tail}", encoding="utf-8")
    return f"{file.relative_to(ROOT)}: its number"


def _in_notebook(file: Path, blank: str, before: str) -> str:
    """Adds a blank's two cells after those of the blank before it."""
    text = file.read_text(encoding="utf-8")
    after = re.search(rf"^# %%blank {re.escape(before)}\n+", text, re.MULTILINE)
    if after is None:
        return f"{file.relative_to(ROOT)}: no cell of {before or 'any blank'}; add {CELLS.strip()}"
    cells = CELLS.format(blank=blank)
    file.write_text(text[: after.end()] + cells + text[after.end() :], encoding="utf-8")
    return f"{file.relative_to(ROOT)}: its cells"
