"""How flags may be written: which one was meant, further forms of a value, and what help adds."""

from __future__ import annotations

import argparse
import dataclasses
import difflib
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from cs285.infrastructure.base.errors import UserError

SIMILAR = 0.75  # of 1: how like a flag an unknown word must be to be taken for a slip


def nearest(option: str, known: Sequence[str]) -> str:
    """Returns the flag that was probably meant; empty where none is similar enough.

    That is one that goes on as the option does, or differs from it by a slip of the keyboard. The
    dashes that all flags begin with make none of them similar.
    """
    longer = [name for name in known if name.startswith(option)]
    if longer:
        return longer[0]
    word = option.lstrip("-").replace("-", "_")
    if not option.startswith("--"):  # -n5: the value stands too near
        word = word.rstrip("0123456789.") or word
    by_word = {name.lstrip("-"): name for name in reversed(known)}
    close = difflib.get_close_matches(word, by_word, n=1, cutoff=SIMILAR)
    return by_word[close[0]] if close else ""


def default_text(field: dataclasses.Field[Any]) -> str:
    """Returns what `--help` adds about a default; nothing where its text names one already."""
    shown = field.metadata["shown"]
    if not shown and "default:" in field.metadata["help"]:
        return ""
    if not shown:
        shown = "none" if field.default in (None, ()) else str(field.default)
    return f" (default: {shown})"


def one_minus(text: str) -> str:
    """Returns 1 minus a number, exactly: 0.995 is 0.005."""
    return str(1 - Decimal(text))


def as_whole(text: str) -> str:
    """Returns a whole number without its decimals: 8.0 is 8. Others stay as they are."""
    number = Decimal(text)
    return str(int(number)) if number.is_finite() and number == int(number) else text


MEANINGS = {one_minus: "1 minus --{}", as_whole: "the same as --{}; 8.0 is 8"}
"""What `--help` says of an option that gives another one's value in such a form."""


def add_forms(
    parser: argparse.ArgumentParser, field: dataclasses.Field[Any], convert: Callable[[str], Any]
) -> list[str]:
    """Adds the options that give a field's value in another form, and returns them.

    Args:
        parser: Gets the options.
        field: Its `forms` are their names -> what makes the text of the value of such a text.
        convert: Makes the value of its text.
    """
    forms: dict[str, Callable[[str], str]] = field.metadata["forms"]

    def reader(option: str, form: Callable[[str], str]) -> Callable[[str], Any]:
        def read(text: str) -> Any:
            try:
                plain = form(text)
            except ArithmeticError:  # decimal's errors
                raise UserError(f"{option} takes a finite number, not {text!r}") from None
            return convert(plain)

        return read

    for option, form in forms.items():
        meaning = MEANINGS[form].format(field.name)
        read = reader(option, form)
        parser.add_argument(option, type=read, dest=field.name, help=meaning, metavar="NUMBER")
    return list(forms)
