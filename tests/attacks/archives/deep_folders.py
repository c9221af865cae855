"""A zip with a folder in a folder, two thousand times."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.archives._writing import as_zip
from tests.attacks.suite import Files

EXPECT = "blank"


def hand_in(files: Files, place: Path) -> None:
    as_zip({**files, "cs285/" + "a/" * 2000 + "b.py": b""}, place)
