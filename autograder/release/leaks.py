"""Looks for lines of solutions in what is given out.

A line is compared without its white space, and without the object before each name (`self.`,
`agent.`): so `agent.last_obs = agent.env.reset()` is found where `self.last_obs` is the solution.
A line that the given code or the comments around the blanks have too is ignored, and so is a line
that is too short to be anybody's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.source import reference
from autograder.source.blanks import find_regions, is_earlier

RECEIVER = re.compile(r"\b(self|agent|trainer|critic|policy|actor)\.")
MARKER = re.compile("(BEGIN|END) SOLUTION")
SHORTEST = 12  # characters without white space
WITHIN = 24  # from so many on, a line is also looked for within longer ones
TEXT = (".py", ".md", ".txt", ".toml", ".json", ".html")


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
        for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if blank := solved_by(normal(text), secret, long):
                yield f"{path}:{number}: a line of the solution of {blank}"
            elif MARKER.search(text) and not path.endswith("digests.py"):
                yield f"{path}:{number}: a marker of a solution"


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
    return {
        line: blank for line, blank in secret.items() if not any(line in other for other in given)
    }


def lines_inside(path: str, text: str, homework: str) -> dict[int, str]:
    """Returns the numbers of a file's lines inside a solution that a homework does not give out."""
    inside: dict[int, str] = {}
    for region in find_regions(text, path):
        if not is_earlier(region.homework, homework):
            inside |= dict.fromkeys(range(region.first, region.last + 1), region.id)
    return inside
