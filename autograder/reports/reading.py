"""Turns what a misconception asks to be read into links: pages of the handout, and papers."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from markupsafe import Markup, escape

from autograder.base.files import read_data
from autograder.reports.text import clean
from autograder.source import ROOT

PAGE = re.compile(r"docs/([\w/]+)\.md(?:, '?([^;']+)'?)?")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
PLACEHOLDER = "{page}"


def read_link(reference: str, handout: str) -> Markup:
    """Returns a reference with links.

    Args:
        reference: What to read, its parts separated by semicolons.
        handout: The address below which the handout's pages are; "" if there is none. Where it has
            `{page}`, that is replaced, such as by "hw3/blanks"; else the page's path is added.
    """
    parts = clean(reference).split("; ")
    return Markup("; ").join(_linked(part, handout) for part in parts)


def _linked(part: str, handout: str) -> Markup:
    address = paper_of(part) or (handout and _page_of(part, handout))
    if not address:
        return escape(part)
    return Markup('<a href="{}" rel="noreferrer">{}</a>').format(address, part)


def paper_of(part: str) -> str:
    """Returns the address of a paper that is named by author and year, if it is known."""
    for name, year, address in read_data("reports/papers.json"):
        if name in part and str(year) in part:
            return str(address)
    return ""


def _page_of(part: str, handout: str) -> str:
    match = PAGE.search(part)
    if not match:
        return ""
    page, heading = match[1], (match[2] or "").split(" (")[0]
    for own in [heading, heading.rpartition(": ")[2], heading.partition(", ")[0]]:
        if found := headings(page.partition("/")[0]).get(slug(own)):
            return f"{_address(found, handout)}#{slug(own)}"
    return _address(page, handout)


def _address(page: str, handout: str) -> str:
    if PLACEHOLDER in handout:
        return handout.replace(PLACEHOLDER, page)
    return f"{handout.rstrip('/')}/docs/{page}.md"


@functools.cache
def headings(homework: str) -> Mapping[str, str]:
    """Returns on which page of a homework's handout each heading is, by its anchor."""
    docs = ROOT / "docs"
    pages = [docs / f"{homework}.md", *sorted(docs.glob(f"{homework}/*.md"))]
    found: dict[str, str] = {}
    for file in filter(Path.is_file, pages):
        page = file.relative_to(docs).with_suffix("").as_posix()
        for heading in HEADING.findall(file.read_text(encoding="utf-8")):
            found.setdefault(slug(heading), page)
    return found


def slug(heading: str) -> str:
    """Returns a heading's anchor, as most sites make it."""
    text = unicodedata.normalize("NFC", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
