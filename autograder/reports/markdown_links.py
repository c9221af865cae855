"""An extension of Markdown: each blank links to the page about its misconceptions.

`mkdocs.yml` names it. Links appear where `python -m autograder explain all --linked` has made the
pages: elsewhere they would lead nowhere.
"""

from __future__ import annotations

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

from autograder.reports.linked_pages import with_links

AFTER_CODE = 10  # a priority below that of code, whose lines are then out of the text


class LinkBlanks(Preprocessor):  # type: ignore[misc]  # has no types
    """Adds the links to a page's lines."""

    def run(self, lines: list[str]) -> list[str]:
        """Returns the lines with links."""
        return list(with_links(lines))


class BlankLinks(Extension):  # type: ignore[misc]
    """Has Markdown add the links."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  (Markdown's name)
        """Adds the step that adds the links."""
        md.preprocessors.register(LinkBlanks(md), "blank_links", AFTER_CODE)


def makeExtension() -> BlankLinks:  # noqa: N802  (Markdown's name)
    """Returns the extension; Markdown calls this."""
    return BlankLinks()
