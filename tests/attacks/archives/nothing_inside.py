"""A folder in which there is nothing."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    place.mkdir()
