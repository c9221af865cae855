"""What recorded quantities are called in messages: names of a record are for those who write it."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).with_name("phrases.toml")


@functools.cache
def phrases() -> Mapping[str, str]:
    """Returns the phrases by name; one that ends with a period is a whole sentence."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def sentence_of(name: str) -> str:
    """Returns what is said where a flag of a record is wrong; "" for what is no flag."""
    phrase = phrases().get(name, "")
    return phrase if phrase.endswith(".") else ""


def noun_of(name: str) -> str:
    """Returns what a quantity of a record is called."""
    phrase = phrases().get(name, name)
    return name.replace("_", " ") if phrase.endswith(".") else phrase
