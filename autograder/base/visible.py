"""Names that people chose, as one form of each: so that equal ones are equal, and none hides."""

from __future__ import annotations

import unicodedata

BLANKS = "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5"
"""Characters that count as letters or marks, and show nothing."""
SELECTORS = ("VARIATION SELECTOR", "MONGOLIAN FREE VARIATION SELECTOR")


def visible(text: str) -> str:
    """Returns a name without what nobody sees, in NFC, with single spaces.

    Without zero-width characters, control characters and such, which would make two names of one,
    or show on a page as what they are not.
    """
    spaced = "".join(" " if c.isspace() else c for c in unicodedata.normalize("NFC", text))
    shown = "".join(c for c in spaced if c.isprintable() and not is_hidden(c))
    return " ".join(unicodedata.normalize("NFC", shown).split())


def is_hidden(character: str) -> bool:
    """Returns whether a character that counts as printable shows nothing."""
    if character.isascii():
        return False
    return character in BLANKS or unicodedata.name(character, "").startswith(SELECTORS)


def folded(text: str) -> str:
    """Returns a name for comparisons, whatever its case, and however its accents are written."""
    return unicodedata.normalize("NFC", visible(text).casefold())
