"""An extension of Markdown: each blank links to the page about its misconceptions.

`mkdocs.yml` names it. Links appear where `python -m autograder explain all --linked` has made the
pages: elsewhere they would lead nowhere.
"""

from __future__ import annotations

from pathlib import Path

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

from autograder.grading.pages import PAGES
from autograder.reports.linked_pages import with_links
from autograder.source.submission import ROOT

AFTER_CODE = 10  # a priority below that of code, whose lines are then out of the text


class LinkBlanks(Preprocessor):  # type: ignore[misc]  # has no types
    """Adds the links to a page's lines."""

    folder = ROOT / PAGES

    def run(self, lines: list[str]) -> list[str]:
        """Returns the lines with links."""
        return list(with_links(lines, self.folder))


class BlankLinks(Extension):  # type: ignore[misc]
    """Has Markdown add the links.

    Args:
        folder: Where the pages about misconceptions are; its name is in the links.
    """

    def __init__(self, folder: Path = LinkBlanks.folder) -> None:
        self.folder = folder
        super().__init__()

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  (Markdown's name)
        """Adds the step that adds the links."""
        step = LinkBlanks(md)
        step.folder = self.folder
        md.preprocessors.register(step, "blank_links", AFTER_CODE)


def makeExtension() -> BlankLinks:  # noqa: N802  (Markdown's name)
    """Returns the extension; Markdown calls this."""
    return BlankLinks()
