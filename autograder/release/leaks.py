"""Looks for lines of solutions in what is given out.

A line is compared without its white space, and without the object before each name (`self.`,
`agent.`): so `agent.last_obs = agent.env.reset()` is found where `self.last_obs` is the solution.
A line that the given code or the comments around the blanks have too is ignored, and so is a line
that is too short to be anybody's own.
"""

from __future__ import annotations

import functools
import html
import json
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from autograder.base.packed import head_of
from autograder.release.notebooks import source_lines
from autograder.source import ROOT, reference
from autograder.source.blanks import find_regions
from autograder.source.reference import is_earlier

RECEIVER = re.compile(r"\b(self|agent|trainer|critic|policy|actor)\.")
TAG = re.compile("<[^>]*>")
MARKER = re.compile("(BEGIN|END) SOLUTION")
SHORTEST = 12  # characters without white space
WITHIN = 24  # from so many on, a line is also looked for within longer ones
NOTEBOOK, TABLE = ".ipynb", ".safetensors"
TEXT = (".py", ".md", ".txt", ".toml", ".json", ".html", NOTEBOOK, TABLE)


def found_in(folder: Path, homework: str = "") -> Iterator[str]:
    """Yields each place in a tree that has a line of a solution.

    Args:
        folder: The tree.
        homework: Whose handout it is: solutions of earlier ones are given out with its files.
    """
    secret = solution_lines(folder, homework)
    long = {line: blank for line, blank in secret.items() if len(line) >= WITHIN}
    for file in sorted(folder.rglob("*")):
        if not file.is_file() or file.suffix not in TEXT:
            continue
        path = file.relative_to(folder).as_posix()
        for number, text in numbered_lines(file):
            if blank := solved_by(normal(text), secret, long):
                yield f"{path}:{number}: a line of the solution of {blank}"
            elif MARKER.search(text):
                yield f"{path}:{number}: a marker of a solution"


def numbered_lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yields a file's lines with their numbers; a notebook's cells, and all texts of a page."""
    if file.suffix == TABLE:
        return iter(enumerate(_strings(head_of(file.read_bytes())), 1))
    text = file.read_text(encoding="utf-8")
    if file.suffix == NOTEBOOK:
        return source_lines(text)
    more = texts_of_page(text) if file.suffix == ".html" else []
    return iter(enumerate([*text.splitlines(), *more], 1))


def in_page(text: str, homework: str) -> str:
    """Returns the blank of which a page has a line of the solution; "" if there is none.

    Args:
        text: The page.
        homework: To which it belongs: no blank of it may be solved there.
    """
    secret = _solved_here(homework)
    long = {line: blank for line, blank in secret.items() if len(line) >= WITHIN}
    found = (solved_by(normal(line), secret, long) for line in texts_of_page(text))
    return next(filter(None, found), "")


@functools.cache
def _solved_here(homework: str) -> Mapping[str, str]:
    """Returns `solution_lines` of this tree: each page of a homework asks for them."""
    return solution_lines(ROOT, homework)


def texts_of_page(text: str) -> list[str]:
    """Returns the lines of all texts in a page: what is shown, and the strings of its data."""
    reader = _PageReader()
    reader.feed(text)
    return [line for piece in reader.texts for line in piece.splitlines()]


class _PageReader(HTMLParser):
    """Collects the texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.in_data, self.data = False, ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.in_data = tag == "script" and ("type", "application/json") in attrs
        self.texts += [value for _, value in attrs if value]

    def handle_data(self, data: str) -> None:
        if self.in_data:
            self.data += data
        else:
            self.texts.append(data)

    def handle_endtag(self, tag: str) -> None:
        if self.in_data and self.data:
            self.texts += _strings_of(self.data)
        self.in_data, self.data = False, ""


def _strings_of(data: str) -> list[str]:
    """Returns the strings of JSON; a template has none yet, and its text is one."""
    try:
        return [*_strings(json.loads(data))]
    except ValueError:
        return [data]


def _strings(plain: Any) -> Iterator[str]:
    """Yields all texts within plain values; markup within them is taken away."""
    if isinstance(plain, str):
        yield plain
        if "<" in plain:
            yield html.unescape(TAG.sub("", plain))
    elif isinstance(plain, dict):
        for key, value in plain.items():
            yield key
            yield from _strings(value)
    elif isinstance(plain, list):
        for value in plain:
            yield from _strings(value)


def solved_by(line: str, secret: Mapping[str, str], long: Mapping[str, str]) -> str:
    """Returns the blank to whose solution a line belongs, or within it a longer one; or nothing."""
    if line in secret:
        return secret[line]
    for part, blank in long.items():
        if part in line:
            return blank
    return ""


def normal(line: str) -> str:
    """Returns what is compared of a line."""
    return "".join(RECEIVER.sub("", line).split())


def solution_lines(folder: Path, homework: str) -> Mapping[str, str]:
    """Returns what is compared of each line that only a solution has, and the solution's blank."""
    secret: dict[str, str] = {}
    given: set[str] = set()
    for path, text in reference.texts().items():
        inside = lines_inside(path, text, homework if (folder / "cs285" / path).is_file() else "")
        for number, line in enumerate(text.splitlines(), 1):
            if number not in inside:
                given.add(normal(line))
            elif len(normal(line)) >= SHORTEST and not line.lstrip().startswith("#"):
                secret.setdefault(normal(line), inside[number])
    everything = "\n".join(given)
    return {line: blank for line, blank in secret.items() if line not in everything}


def lines_inside(path: str, text: str, homework: str) -> dict[int, str]:
    """Returns the numbers of a file's lines inside a solution that a homework does not give out."""
    inside: dict[int, str] = {}
    for region in find_regions(text, path):
        if not is_earlier(region.homework, homework):
            inside |= dict.fromkeys(range(region.first, region.last + 1), region.id)
    return inside
