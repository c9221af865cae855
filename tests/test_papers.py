"""The papers: what they link to is there, and a page of them loads quickly."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from autograder.base import blank_files
from autograder.misconceptions.mutation_file import ANSWERS
from autograder.release import leaks
from autograder.running.declared import ProbeOptions
from tests import handouts, measured
from tests.logged_numbers import PAGES, shown, table
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


@pytest.mark.parametrize("homework", handouts.HOMEWORKS)
def test_handout_has_a_section_for_each_blank_as_the_source_has_it(homework: str) -> None:
    """To bring the pages up to date: python -m tests.handouts."""
    page = handouts.page(homework, "blanks").read_text()
    assert page == handouts.up_to_date(homework)
    ids = [blank.id for blank in handouts.blanks(homework)]
    assert [(int(n), id) for n, id, _ in handouts.sections(homework)] == list(enumerate(ids, 1))
    for section in page.split("\n## ")[1:]:
        if ". hw" in section.partition("\n")[0]:
            assert "\n**Write** " in section and "\n**Ask yourself** " in section


@pytest.mark.parametrize("homework", handouts.HOMEWORKS)
def test_each_page_of_a_handout_leads_to_the_others(homework: str) -> None:
    for here in ("", *handouts.PARTS):
        lines = handouts.page(homework, here).read_text().splitlines()
        (line,) = [line for line in lines if line.startswith("[Start](")]
        linked = {(handouts.page(homework, here).parent / link[1]) for link in LINK.finditer(line)}
        pages = {handouts.page(homework, part) for part in ("", *handouts.PARTS)}
        assert {path.resolve() for path in linked} == pages


@pytest.mark.parametrize("homework", PAGES)
def test_handout_shows_what_is_logged(homework: str) -> None:
    """To mend a table: python -m tests.logged_numbers."""
    assert shown((ROOT / PAGES[homework]).read_text()) == [table(homework)]


@pytest.mark.parametrize("homework", handouts.HOMEWORKS)
def test_handout_says_how_many_seeds_of_each_run_were_measured(homework: str) -> None:
    """To bring the tables up to date: python -m tests.measured."""
    page = measured.page_of(homework).read_text()
    assert measured.TABLE.search(page)[0] == measured.table(homework)


def test_handouts_hold_no_line_of_a_solution() -> None:
    assert not [line for line in leaks.found_in(ROOT / "docs") if line.startswith("hw")]


def test_the_authors_examples_are_blanks_as_they_are() -> None:
    page = (ROOT / "docs/authoring.md").read_text()
    examples = [tomllib.loads(text) for text in re.findall(r"```toml\n(.*?)```", page, re.S)]
    names = ("hw4/blanks/sac_targets", "hw6/blanks/exp3_update")
    for name, example in zip(names, examples, strict=True):
        real = blank_files.parsed(blank_files.HOMEWORKS / f"{name}.toml")
        assert example.keys() <= {*blank_files.SHOWN, *ANSWERS}
        for part in example.keys() & {*blank_files.SHOWN} - {"blank"}:
            assert example[part].items() <= real[part].items(), part


def test_each_table_of_a_blank_is_on_the_authors_page() -> None:
    page = (ROOT / "docs/authoring.md").read_text()
    keys = {field.name for field in fields(ProbeOptions)}
    tables = {f"[{name}]" for name in blank_files.SHOWN}
    assert not [word for word in keys | tables if f"`{word}`" not in page]
