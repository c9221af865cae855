"""A zip with a training run whose folder's name is longer than any disk takes."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.archives._writing import as_zip
from tests.attacks.suite import Files

EXPECT = "blank"


def hand_in(files: Files, place: Path) -> None:
    run = f"data/hw3_q1_{'x' * 5000}"
    deep = "data/" + "hw3_q1/" * 100
    as_zip({**files, f"{run}/log.csv": b"Step\n1\n", f"{deep}log.csv": b"Step\n1\n"}, place)
