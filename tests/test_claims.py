"""The lists of claims: each claim is on its page, and what carries it exists."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.running import ROOT

RESULTS = ROOT / "docs/results"
LISTS = sorted((RESULTS / "claims").glob("*.csv"))
LOGS = ("data/", "copies/", "course_game/", "films/")
SEVERAL = re.compile(
    rf"; (?=table of |section |{'|'.join(LOGS)}|compare_|benchmark |test |paper: )"
)
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)


def words(text: str) -> str:
    """Collapses white space."""
    return " ".join(text.split())


def claims(path: Path) -> list[dict[str, str]]:
    """Returns the rows of a list."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def labels(text: str) -> set[str]:
    """Returns the first cells of the rows of all tables of a text."""
    return {line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")}


def section(page: str, rest: str) -> Iterable[tuple[str, str]]:
    """Yields the text of each section whose title begins `rest`, and what follows the title."""
    for head in HEADING.finditer(page):
        if rest.startswith(f"{head[2]}: "):
            after = page[head.end() :]
            end = re.search(rf"^#{{1,{len(head[1])}}} ", after, re.MULTILINE)
            yield after[: end.start() if end else None], rest.removeprefix(f"{head[2]}: ")


def missing(source: str, page: str, results: Path = RESULTS) -> str | None:
    """Returns what a source names that does not exist, or None."""
    place, _, rest = source.partition(": ")
    if source.startswith("table of "):
        name = place.removeprefix("table of ")
        found = re.search(rf"<!-- table of {re.escape(name)} -->(.*?)<!--", page, re.DOTALL)
        if not found:
            return f"no table of {name}"
        return None if rest in labels(found[1]) else f"no row {rest} in the table of {name}"
    if source.startswith("section "):
        of_title = section(page, source.removeprefix("section "))
        return None if any(row in labels(text) for text, row in of_title) else f"no {source}"
    if source.startswith(LOGS):
        return None if rest and any(results.glob(place)) else f"no data: {source}"
    if source.startswith("compare_"):
        there = (results / place).is_file() and " against " in rest
        return None if there else f"no comparison: {source}"
    if code := re.fullmatch(r"(?:benchmark|test) ([\w./]+)(?:::(\w+))?", source):
        file, name = ROOT / code[1], code[2]
        there = file.is_file() and (not name or f"def {name}(" in file.read_text(encoding="utf-8"))
        return None if there else f"no code: {source}"
    return None if re.match(r"paper: https?://\S+, .", source) else f"unknown: {source}"


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_claims_are_on_their_page_and_carried(path: Path) -> None:
    page = path.parents[1].joinpath(f"{path.stem}.md").read_text(encoding="utf-8")
    flat, rows = words(page), claims(path)
    assert rows, f"{path.name} is empty"
    lost = [row["claim"] for row in rows if not row["claim"] or row["claim"] not in flat]
    assert not lost, f"not on {path.stem}.md, word for word: {lost}"
    sources = [one for row in rows for one in SEVERAL.split(row["carried_by"])]
    assert not (wrong := [text for one in sources if (text := missing(one, page))]), wrong


def test_there_are_lists() -> None:
    assert LISTS


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("table of ends: DDPG", None),
        ("table of ends: TD3", "no row TD3"),
        ("table of others: DDPG", "no table of others"),
        ("section q1: two: SAC", None),
        ("section q1: two: DDPG", "no section"),
        ("section q2: SAC", "no section"),
        ("data/run_*/log.csv: Eval_AverageReturn, last row", None),
        ("data/run_*/log.csv", "no data"),
        ("data/ran_*/log.csv: Eval_AverageReturn, last row", "no data"),
        ("films/run_*/log.csv: Eval_AverageReturn, last row", "no data"),
        ("compare_a.html: DDPG against TD3", None),
        ("compare_b.html: DDPG against TD3", "no comparison"),
        ("benchmark benchmarks/threads.py", None),
        ("benchmark benchmarks/thread.py", "no code"),
        ("test tests/test_claims.py::test_there_are_lists", None),
        ("test tests/test_claims.py::test_there_are_none", "no code"),
        ("paper: https://example.org/paper, table 1", None),
        ("paper: by heart", "unknown"),
        ("", "unknown"),
    ],
)
def test_a_source_that_does_not_exist_is_named(
    source: str, problem: str | None, tmp_path: Path
) -> None:
    page = "## q1: two\n| | end |\n|---|---|\n| SAC | 1 |\n## Ends\n<!-- table of ends -->\n"
    page += "| | end |\n|---|---|\n| DDPG | 2 |\n<!-- end of table -->\n"
    (tmp_path / "data/run_1").mkdir(parents=True)
    (tmp_path / "data/run_1/log.csv").touch()
    (tmp_path / "compare_a.html").touch()
    found = missing(source, page, tmp_path)
    assert found is None if problem is None else (found or "").startswith(problem)
