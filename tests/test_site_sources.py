"""The documents are written so that every reader of Markdown shows them alike."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

from tests.running import ROOT

markdown = pytest.importorskip("markdown", reason="needs the extra [docs]")
markdown_it = pytest.importorskip("markdown_it")

PAGES = sorted((ROOT / "docs").rglob("*.md"))
SETTINGS = ROOT / "mkdocs.yml"
STRUCTURE = {"ul", "ol", "li", "pre", "table", "img", "h1", "h2", "h3", "h4", "blockquote"}
DISPLAY = re.compile(r"^\$\$$(.*?)^\$\$$", re.DOTALL | re.MULTILINE)


class Outline(HTMLParser):
    """Where lists, tables, code and pictures stand within each other."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open, self.found = list[str](), list[str]()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in STRUCTURE:
            return
        self.found.append(">".join([*self.open, tag]))
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in STRUCTURE and tag != "img":
            assert self.open.pop() == tag


def on_the_site(text: str) -> list[str]:
    return Outline(markdown.markdown(text, extensions=["tables", "pymdownx.superfences"])).found


def on_github(text: str) -> list[str]:
    return Outline(markdown_it.MarkdownIt().enable("table").render(text)).found


def test_a_list_that_python_markdown_reads_otherwise_is_noticed() -> None:
    text = "- a\n\n  ![x](y.svg)\n"
    assert on_the_site(text) != on_github(text)
    wider = text.replace("  ![", "    ![")
    assert on_the_site(wider) == on_github(wider)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT / "docs").as_posix())
def test_both_readers_see_the_same_lists_tables_and_pictures(page: Path) -> None:
    text = DISPLAY.sub("formula", page.read_text("utf-8"))  # both take it out first
    assert on_the_site(text) == on_github(text)


def test_the_site_needs_no_hook_and_asks_nobody() -> None:
    settings = yaml.safe_load(SETTINGS.read_text("utf-8"))
    assert "hooks" not in settings and settings["theme"]["font"] is False
    for path in (ROOT / "docs/assets").rglob("*.*"):
        if path.suffix in (".css", ".js"):
            text = path.read_text("utf-8")
            assert not re.search(r"(?:src|href|url|@import)[(=\s\"']+(?:https?:)?//", text), path
    fonts = {path.name for path in (ROOT / "docs/assets/katex/fonts").iterdir()}
    style = (ROOT / "docs/assets/katex/katex.min.css").read_text()
    assert fonts == set(re.findall(r"url\(fonts/([^)]+)\)", style))


def test_vendored_code_has_its_licence() -> None:
    for folder in (ROOT / "docs/assets").iterdir():
        if folder.is_dir():
            assert "Copyright" in (folder / "LICENSE").read_text("utf-8")
