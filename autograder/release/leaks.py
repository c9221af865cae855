"""Looks for lines of solutions in what is given out.

A line is compared without its white space, and without the object before each name (`self.`,
`agent.`): so `agent.last_obs = agent.env.reset()` is found where `self.last_obs` is the solution.
What also stands in the given code or the comments around the blanks tells nothing, nor does a line
that is too short to be anybody's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.source import reference
from autograder.source.blanks import find_regions, is_earlier

RECEIVER = re.compile(r"\b(self|agent|trainer|critic|policy|actor)\.")
SHORTEST = 12  # characters without white space
WITHIN = 24  # from so many on, a line is also looked for within longer ones
TEXT = (".py", ".md", ".txt", ".toml", ".json")


def found_in(folder: Path, homework: str = "") -> Iterator[str]:
    """Yields each place in a tree where a line of a solution stands.

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
            line = normal(text)
            blank = secret.get(line) or next((b for s, b in long.items() if s in line), None)
            if blank:
                yield f"{path}:{number}: a line of the solution of {blank}"
            elif re.search("(BEGIN|END) SOLUTION", text) and not path.endswith("digests.py"):
                yield f"{path}:{number}: a marker of a solution"


def normal(line: str) -> str:
    """Returns what is compared of a line."""
    return "".join(RECEIVER.sub("", line).split())


def solution_lines(folder: Path, homework: str) -> Mapping[str, str]:
    """Returns what is compared of each telling line of a solution, and whose it is."""
    secret: dict[str, str] = {}
    given: set[str] = set()
    for path, text in reference.texts().items():
        lines = text.splitlines()
        inside: dict[int, str] = {}
        there = (folder / "cs285" / path).is_file()
        for region in find_regions(text, path):
            if there and is_earlier(region.homework, homework):
                continue
            inside |= dict.fromkeys(range(region.first, region.last + 1), region.id)
        for number, line in enumerate(lines, 1):
            if number not in inside:
                given.add(normal(line))
            elif len(normal(line)) >= SHORTEST and not line.lstrip().startswith("#"):
                secret.setdefault(normal(line), inside[number])
    return {
        line: blank for line, blank in secret.items() if not any(line in other for other in given)
    }
