"""Lines for people: errors that end a command, and texts from outside, made harmless."""

from __future__ import annotations

import unicodedata

MARK = "\N{REPLACEMENT CHARACTER}"
LONGEST_NAME = 100
INVISIBLE = "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5"
"""Characters that count as letters or marks, and show nothing."""
SELECTORS = ("VARIATION SELECTOR", "MONGOLIAN FREE VARIATION SELECTOR")


class UsageError(Exception):
    """A command cannot do what it is asked to; one line reports what, where, and how to fix it."""


class UnknownHomeworkError(UsageError):
    """There is no such homework here."""


def plain_text(text: str, most: int, cut: str = "") -> str:
    """Returns a text that can be shown and stored anywhere, and shows as what it is.

    Line ends stay, tabs become spaces. A mark replaces what controls a screen, turns the direction
    of writing or cannot be encoded. It has `most` characters at most, and ends in `cut`
    if something is left out.
    """
    tabless = text[: most + 1].replace("\t", "    ")
    shown = "".join(c if c == "\n" or c.isprintable() else MARK for c in tabless)
    return shown if len(shown) <= most else shown[: most - len(cut)] + cut


def one_line(name: str) -> str:
    """Returns a name from outside as one line of harmless length, for messages."""
    shown = "".join(c if c.isprintable() else "?" for c in name[: LONGEST_NAME + 1])
    return shown if len(shown) <= LONGEST_NAME else shown[: LONGEST_NAME - 3] + "..."


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
    return character in INVISIBLE or unicodedata.name(character, "").startswith(SELECTORS)


def folded(text: str) -> str:
    """Returns a name for comparisons, whatever its case, and however its accents are written."""
    return unicodedata.normalize("NFC", visible(text).casefold())


def counted(number: object, noun: str) -> str:
    """Returns how many there are of something, with the noun in its form for one or for many."""
    return f"{number} {noun}{'' if str(number) == '1' else 's'}"
