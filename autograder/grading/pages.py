"""Where a student finds the page about the mistakes of a blank."""

from __future__ import annotations

from autograder.source import ROOT

PAGES = "docs/misconceptions"  # in a handout
MUTATIONS = "autograder/homeworks/shared_mutations"  # in a clone, which makes its pages itself


def page_of(blank: str) -> str:
    """Returns the page's path, or the command that makes it; "" where there is neither.

    A clone has the command, whether or not somebody has made pages for its site.
    """
    path = f"{PAGES}/{blank}.html"
    if not is_blank(blank):
        return ""
    if (ROOT / MUTATIONS).is_dir():
        return f"python -m autograder explain {blank}"
    return path if (ROOT / path).is_file() else ""


def in_handout(blank: str) -> str:
    """Returns the page's path in every handout; "" for what is no blank."""
    return f"{PAGES}/{blank}.html" if is_blank(blank) else ""


def is_blank(id: str) -> bool:
    """Returns whether a check is about one blank: others have no page of their own."""
    return not is_run(id) and ".given." not in id


def is_run(id: str) -> bool:
    """Returns whether a check is about training runs that are handed in."""
    return ".runs." in id
