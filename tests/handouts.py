"""The five pages of each homework, and the facts about its blanks that are made from the source.

python -m tests.handouts     # brings the pages up to date, after a blank has moved, for instance
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.base import checks as homeworks
from autograder.source.blanks import find_regions
from tests.running import ROOT

HOMEWORKS = ("hw2", "hw3", "hw4", "hw5", "hw6")
PARTS = ("background", "blanks", "questions", "reference")
TABLE = re.compile(r"^\| # \| id \|.*\n(?:\|.*\n)+", re.MULTILINE)
HEAD = "| # | id | file (in `cs285/`) | points |\n|---|---|---|---|\n"
SECTION = re.compile(r"^## (\d+)\. (hw\d\.[\w.]+)\n\n(.*)\n(?:(?!## ).*\n)*", re.MULTILINE)


@dataclass(frozen=True)
class Blank:
    """Where a blank is, and what it counts.

    Attributes:
        id: Such as "hw3.dqn.act".
        file: Its path within `cs285`.
        place: The function around it, after its class and a dot if it is a method.
        title: The title of its check.
        points: The points of its check.
        page: What the page says of it: `write`, `ask` and `read`.
    """

    id: str
    file: str
    place: str
    title: str
    points: int
    page: Mapping[str, str]


def page(homework: str, part: str = "") -> Path:
    """Returns the path of a page; of the first one, Start, without a part."""
    return ROOT / "docs" / (f"{homework}/{part}.md" if part else f"{homework}.md")


def text(homework: str) -> str:
    """Returns all pages of a homework, one after another."""
    return "\n".join(page(homework, part).read_text(encoding="utf-8") for part in ("", *PARTS))


def commands(homework: str) -> str:
    """Returns all pages of a homework with each command in one line, as a shell reads it."""
    return text(homework).replace(",\\\n", ",").replace("\\\n", " ")


def blanks(homework: str) -> list[Blank]:
    """Returns the blanks of a homework in the order of the board."""
    checks = {check.id: check for check in homeworks.checks(homework)}
    places = places_of(homework)
    folder = homeworks.HOMEWORKS / homework / "blanks"
    files = [homeworks.parsed(file) for file in sorted(folder.glob("*.toml"))]
    pages = {tables["blank"]["id"]: tables["page"] for tables in files if "page" in tables}
    return [
        Blank(id, *places[id], checks[id].title, checks[id].points, pages[id])
        for id in homeworks.table_of(homework)
    ]


def places_of(homework: str) -> Mapping[str, tuple[str, str]]:
    """Returns the file and the function of each blank by id."""
    found = {}
    for file in sorted((ROOT / "cs285").rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        for region in find_regions(source, file.name):
            if region.homework == homework:
                path = file.relative_to(ROOT / "cs285").as_posix()
                found[region.id] = path, function_at(source, region.first)
    return found


def function_at(source: str, line: int) -> str:
    """Returns the name of the innermost function around a line, with its class before it."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    around = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, kinds) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return ".".join(node.name for node in sorted(around, key=lambda node: node.lineno))


def table(homework: str) -> str:
    """Returns the list of a homework's blanks."""
    rows = [
        f"| {number} | `{blank.id}` | `{blank.file}` | {blank.points} |\n"
        for number, blank in enumerate(blanks(homework), 1)
    ]
    return HEAD + "".join(rows)


def facts(blank: Blank) -> str:
    """Returns the line below the heading of a blank's section."""
    points = f"{blank.points} point{'s' if blank.points != 1 else ''}"
    return f"`cs285/{blank.file}`, `{blank.place}` · check: *{blank.title}* · {points}"


def sections(homework: str) -> list[tuple[str, str, str]]:
    """Returns number, id and line of facts of each section that a homework's page has."""
    return SECTION.findall(page(homework, "blanks").read_text(encoding="utf-8"))


def section(number: int, blank: Blank) -> str:
    """Returns the section of a blank."""
    said = blank.page
    return (
        f"## {number}. {blank.id}\n\n{facts(blank)}\n\n**Write** {said['write']}\n\n"
        f"**Ask yourself** {said['ask']}\n\n**Read** {said['read']}\n\n"
    )


def up_to_date(homework: str) -> str:
    """Returns the page of blanks, with its table and its sections as the blanks' files are now."""
    text = page(homework, "blanks").read_text(encoding="utf-8")
    text = TABLE.sub(lambda _: table(homework), text)
    found = list(SECTION.finditer(text))
    every = "".join(section(number, one) for number, one in enumerate(blanks(homework), 1))
    rest = text[found[-1].end() :]
    return text[: found[0].start()] + (every + rest if rest else every.rstrip("\n") + "\n")


def write_facts() -> None:
    """Brings the pages of all homeworks up to date."""
    for homework in HOMEWORKS:
        page(homework, "blanks").write_text(up_to_date(homework), encoding="utf-8")


if __name__ == "__main__":
    write_facts()
