"""Links between the pages about misconceptions and the handout's, which lie in one folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.grading.next_step import PAGES
from autograder.reports.reading import read_link, slug
from autograder.source import ROOT

HANDOUT = "../{page}.html"
START = re.compile(r"\[Start\]\((?P<up>(?:\.\./)?)(?P<homework>hw\d+)\.md\) · ")
BLANK = re.compile(r"## \d+\. (?P<id>(?P<homework>hw\d+)\.[\w.]+)$")


def linked(homework: str, content: dict[str, Any]) -> dict[str, Any]:
    """Returns the content of a page with links to the handout's pages.

    Args:
        homework: Such as "hw3".
        content: As `symptoms.page` makes it, of a blank, of a list or of a quiz.
    """
    blank = content.get("blank", "")
    links = [["Home", "../index.html"], [f"Homework {homework.removeprefix('hw')}", _to(homework)]]
    if heading := heading_of(blank):
        links.append(["This blank", f"{_to(f'{homework}/blanks')}#{slug(heading)}"])
    if "quiz" not in content:  # no list
        links.append(["All its mistakes", f"{homework}.html"])
    changed = {**content, "links": links}
    if blank:
        changed["misconceptions"] = [
            {**one, "read_html": str(read_link(one["read"], HANDOUT))}
            for one in content["misconceptions"]
        ]
    return changed


def _to(page: str) -> str:
    return HANDOUT.format(page=page)


def heading_of(blank: str) -> str:
    """Returns the heading of a blank in its handout, such as "5. hw3.dqn.targets"; or ""."""
    file = ROOT / "docs" / blank.partition(".")[0] / "blanks.md"
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
        found = BLANK.match(line)
        if found and found["id"] == blank:
            return line.removeprefix("## ")
    return ""


def with_links(lines: list[str], folder: Path = ROOT / PAGES) -> Iterator[str]:
    """Yields the lines of a handout's page with links to those pages that are in a folder.

    The line below a blank's heading leads to the blank's page. The line with the handout's parts
    leads to the list.
    """
    waiting = ""
    for line in lines:
        if found := BLANK.match(line):
            waiting = f"../{folder.name}/{found['id']}.html"
        elif start := START.match(line):
            list_page = folder / f"{start['homework']}.html"
            address = f"{start['up']}{folder.name}/{list_page.name}"
            line += f" · [Mistakes]({address})" if list_page.is_file() else ""
        elif waiting and line.strip():
            is_made = (folder / Path(waiting).name).is_file()
            line += f" · [what goes wrong]({waiting})" if is_made else ""
            waiting = ""
        yield line
