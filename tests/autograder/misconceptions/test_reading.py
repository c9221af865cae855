"""Whatever a misconception sends a student to is there."""

from __future__ import annotations

import re

import pytest

from autograder.authoring.validate import HEADING, PAGE
from tests.running import ROOT

FILES = sorted(
    file
    for pattern in ("*.toml", "*.json")
    for file in (ROOT / "autograder").rglob(pattern)
    if "tables" not in file.parts
)
CODE = re.compile(r"(cs285/[\w/]+\.py), ([^\";]+)")


def pointers(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Returns each file that is pointed to, and where in it."""
    found = {pair for file in FILES for pair in pattern.findall(file.read_text(encoding="utf-8"))}
    return sorted((file, place.strip().strip("'")) for file, place in found)


@pytest.mark.parametrize(("page", "place"), pointers(PAGE))
def test_a_page_has_the_heading_and_what_is_meant_below_it(page: str, place: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    headings = sorted(HEADING.findall(text), key=len, reverse=True)
    heading = next((one for one in headings if place.replace("'", "").startswith(one)), None)
    assert heading, f"{page} has no heading of {place!r}"
    for detail in re.findall(r"\w[\w ]*\w", place.replace("'", "").removeprefix(heading)):
        section = text[text.index(f"# {heading}") :]
        assert detail.removeprefix("and ").lower() in section.lower(), f"{page}: no {detail!r}"


@pytest.mark.parametrize(("file", "name"), pointers(CODE))
def test_a_file_of_the_course_has_the_name(file: str, name: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    for part in re.findall(r"\w+", name.partition(":")[0])[:1]:
        assert re.search(rf"\b(def|class) {part}\b|^{part}\b", text, re.MULTILINE)
