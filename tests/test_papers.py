"""The papers: what they link to is there, and a page of them loads quickly."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autograder.release import leaks
from autograder.source.blanks import find_regions
from tests.logged_numbers import HOMEWORKS, shown, table
from tests.running import ROOT

PAPERS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLANK = re.compile(r"^\| \d+ \| `(hw\d\.[\w.]+)` \| `([\w/]+\.py)` \|", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)|src=\"([^\"]+)\"")


def anchors(paper: Path) -> set[str]:
    """The names by which the headings of a page are linked to."""
    heads = re.findall(r"^#+ (.+)$", paper.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("paper", PAPERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(paper: Path) -> None:
    for link in LINK.finditer(paper.read_text()):
        target = paper.parent / (link[1] or link[3] or paper.name)
        assert target.exists(), f"{paper.name} links to {target}"
        if link[2]:
            assert link[2] in anchors(target), f"{paper.name} links to {link[0]}"


def test_films_are_small() -> None:
    films = list((ROOT / "docs").rglob("*.gif"))
    assert len(films) >= 2
    assert all(film.stat().st_size < 3_000_000 for film in films)


@pytest.mark.parametrize("homework", HOMEWORKS)
def test_handout_lists_its_blanks_and_where_they_are(homework: str) -> None:
    listed = BLANK.findall((ROOT / HOMEWORKS[homework]).read_text())
    there = [
        (region.id, path.relative_to(ROOT / "cs285").as_posix())
        for path in sorted(ROOT.glob("cs285/**/*.py"))
        for region in find_regions(path.read_text(), path.name)
        if region.id.startswith(f"{homework}.")
    ]
    assert sorted(listed) == sorted(there)


@pytest.mark.parametrize("homework", HOMEWORKS)
def test_handout_shows_what_is_logged(homework: str) -> None:
    """To mend a table: python -m tests.logged_numbers."""
    assert shown((ROOT / HOMEWORKS[homework]).read_text()) == [table(homework)]


def test_handouts_hold_no_line_of_a_solution() -> None:
    assert not [line for line in leaks.found_in(ROOT / "docs") if line.startswith("hw")]


def test_the_authors_example_is_the_probe_as_it_is() -> None:
    page = (ROOT / "docs/authoring.md").read_text()
    probe = (ROOT / "autograder/homeworks/hw4/probes/td3_smoothing.py").read_text()
    assert probe[probe.index("TIMES = ") :].rstrip() in page
    example = page.partition("## A whole example")[2].partition("\n## ")[0]
    code = "\n".join(re.findall(r"```(?:python|toml)\n(.*?)```", example, re.S))
    assert len([line for line in code.splitlines() if line.strip()]) <= 60
