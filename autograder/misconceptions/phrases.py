"""What recorded quantities are called in messages: names of a record are for those who write it."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("phrases.toml")


@functools.cache
def phrases() -> Mapping[str, str]:
    """Returns the phrases by name; one that ends with a period is a whole sentence."""
    return {name: text for name, text in _file().items() if isinstance(text, str)}


@functools.cache
def _file() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def trial_in_words(name: str) -> str:
    """Returns when a trial was, as the end of a sentence; "" where its name says it."""
    return str(_file()["trials"].get(name, ""))


def sentence_of(name: str) -> str:
    """Returns what is said where a flag of a record is wrong; "" for what is no flag."""
    phrase = phrases().get(name, "")
    return phrase if phrase.endswith(".") else ""


def noun_of(name: str) -> str:
    """Returns what a quantity of a record is called."""
    phrase = phrases().get(name, name)
    return name.replace("_", " ") if phrase.endswith(".") else phrase
