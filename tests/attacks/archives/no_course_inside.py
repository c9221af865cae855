"""A zip with another homework, and no cs285 folder."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.archives._writing import as_zip
from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    as_zip({"homework/solution.py": b"print(100)\n", "report.pdf": b"%PDF"}, place)
