"""Everything is two folders deeper than asked for, beside data of all kinds."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.archives._writing import as_zip
from tests.attacks.suite import Files


def hand_in(files: Files, place: Path) -> None:
    deep = {f"homework 3 (final)/hw3/{path}": data for path, data in files.items()}
    as_zip({**deep, "homework 3 (final)/hw3/data/run/log.csv": b"1,2"}, place)
