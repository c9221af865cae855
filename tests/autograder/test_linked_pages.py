"""Links between the handout's pages and the pages about misconceptions."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.base.checks import names, table_of
from autograder.reports.linked_pages import heading_of, linked, with_links
from tests.running import ROOT

BLANKS = (ROOT / "docs/hw6/blanks.md").read_text(encoding="utf-8")


def with_pages(folder: Path, *made: str) -> str:
    """Returns the page of blanks as the site has it, where some pages were made."""
    folder.mkdir()
    for name in made:
        (folder / name).touch()
    return "\n".join(with_links(BLANKS.splitlines(), folder)) + "\n"


def test_a_handout_links_to_pages_that_were_made(tmp_path: Path) -> None:
    assert with_pages(tmp_path / "none") == BLANKS
    text = with_pages(tmp_path / "some", "hw6.html", "hw6.ucb.index.html")
    assert "[Reference](reference.md) · [Mistakes](../some/hw6.html)\n" in text
    assert text.count("[what goes wrong]") == 1
    _, _, section = text.partition(". hw6.ucb.index\n\n")
    assert section.splitlines()[0].endswith(
        " points · [what goes wrong](../some/hw6.ucb.index.html)"
    )


@pytest.mark.parametrize("homework", names())
def test_each_blank_has_a_heading_to_link_to(homework: str) -> None:
    for id in table_of(homework):
        number, _, name = heading_of(id).partition(". ")
        assert number.isdigit() and name == id
    assert heading_of(f"{homework}.given.part") == heading_of("") == ""


def test_a_page_links_to_its_blank_and_to_what_is_to_be_read() -> None:
    read = "Mnih et al. 2015, algorithm 1; docs/hw3/background.md, Double DQN"
    content = {"blank": "hw3.dqn.targets", "misconceptions": [{"id": "a", "read": read}]}
    found = linked("hw3", content)
    addresses = dict(found["links"])
    assert addresses["This blank"] == "../hw3/blanks.html#5-hw3dqntargets"
    assert addresses["All its mistakes"] == "hw3.html" and addresses["Home"] == "../index.html"
    (one,) = found["misconceptions"]
    assert 'href="../hw3/background.html#double-dqn"' in one["read_html"] and one["read"] == read
    assert "read_html" not in content["misconceptions"][0]
    of_list = linked("hw3", {"quiz": "hw3.quiz.html", "blanks": []})
    assert [name for name, _ in of_list["links"]] == ["Home", "Homework 3"]
