"""The papers: what they link to is there, and a page of them loads quickly."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.running import ROOT

PAPERS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
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
