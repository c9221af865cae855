"""What is said of each illness, and which others it brings about."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

CERTAIN, LIKELY, POSSIBLE = "certain", "likely", "possible"


@dataclass(frozen=True)
class Words:
    """What a student reads of an illness."""

    title: str
    """What is wrong, in one line."""
    look: str
    """What to look at next."""
    source: str = ""
    """Where to read; empty where that is the handout."""
    brings: Sequence[str] = ()
    """Illnesses that follow from it; where both are found, this one stands above them."""


_FILE = Path(__file__).with_name("illnesses.json")
ILLNESSES: Mapping[str, Words] = {
    name: Words(**plain) for name, plain in json.loads(_FILE.read_text(encoding="utf-8")).items()
}
"""Illnesses by name, causes before what they bring about."""
