"""Texts from outside, made harmless: for screens, JSON and databases."""

from __future__ import annotations

MARK = "\N{REPLACEMENT CHARACTER}"
LONGEST_NAME = 100


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


def counted(number: object, noun: str) -> str:
    """Returns how many there are of something, with the noun in its form for one or for many."""
    return f"{number} {noun}{'' if str(number) == '1' else 's'}"
