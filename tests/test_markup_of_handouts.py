"""The handouts are read on a phone, and by Python-Markdown, which is stricter than GitHub."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import handouts

DISPLAY = re.compile(r"^\$\$\n(.*?)\n\$\$$", re.MULTILINE | re.DOTALL)
WIDEST = 34  # characters of about 10 pixels each, on a screen of 400 with its margins
STYLE = r"\\(text|mathrm|mathbb|mathcal|overline|widehat|hat|bar|tilde|begin|end)\b(\{aligned\})?"
SPACES = r"\\(quad|qquad|,|;|Big|big|left|right)"
SPACE = r"[{}&_^ \n]"
GROUP = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
ITEM = re.compile(r" *([-*]|\d+\.) ")
PAGES = [handouts.page(h, part) for h in handouts.HOMEWORKS for part in ("", *handouts.PARTS)]


def width(formula: str) -> int:
    """Returns about how many characters wide a formula is: a command is one, a fraction its top."""
    text = re.sub(STYLE, "", formula)
    text = re.sub(r"\\frac" + GROUP * 2, lambda m: max(m[1], m[2], key=len), text)
    text = re.sub(r"[_^]" + GROUP, lambda m: f" {m[1][: max(1, len(m[1]) * 3 // 5)]}", text)
    text = re.sub(r"\\(log|max|min|arg|tanh|exp)(?![a-z])", r"\1", text)
    text = re.sub(SPACES, "", text)
    return len(re.sub(SPACE, "", re.sub(r"\\[a-zA-Z]+", "X", text)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_no_display_is_wider_than_a_phone(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count("$$") == 2 * len(DISPLAY.findall(text)), "a $$ is not in a line of its own"
    for display in DISPLAY.findall(text):
        for line in display.split("\\\\"):
            assert width(line) <= WIDEST, line
    parts = text.split("$$\n")
    assert all(f"\n{part}".endswith("\n\n") for part in parts[:-1:2]), "no blank line before it"


def misread(text: str) -> list[str]:
    """Returns the lines that Python-Markdown would not read as they look."""
    text = re.sub(DISPLAY, "", re.sub(r"(?ms)^( *```).*?^\1$", r"\1", text))
    found, in_list, before = [], False, ""
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        item, table = bool(ITEM.match(line)), line.startswith("|")
        if line and not before and not item:
            in_list = in_list and indent > 0
        new = bool(line and before)
        of_item = in_list and not before and line and not item and indent < 4
        wrong = (new and item and not in_list) or (new and table != before.startswith("|"))
        found += [line] if wrong or of_item else []
        in_list, before = in_list or item, line
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_lists_and_tables_are_read_as_they_look(page: Path) -> None:
    assert misread(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("words\n- item\n", ["- item"]),
        ("words\n\n- item\n  goes on\n- item\n\nwords\n", []),
        ("- item\n\n  of the item\n", ["  of the item"]),
        ("- item\n\n    of the item\n", []),
        ("words\n| a |\n|---|\n", ["| a |"]),
        ("| a |\n|---|\nwords\n", ["words"]),
    ],
)
def test_what_would_be_misread_is_caught(text: str, lines: list[str]) -> None:
    assert misread(text) == lines


def test_a_wide_formula_is_caught() -> None:
    assert width(r"a = \frac{1}{n} \sum_i x_i") == 7
    assert width(" + ".join(["x_{12}"] * 20)) > WIDEST
