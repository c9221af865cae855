"""A zip with several spellings of one path, each with another content."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.archives._writing import as_zip
from tests.attacks.suite import Files

EXPECT = "blank"
SPELLINGS = (
    "cs285//policies/argmax_policy.py",
    "./cs285/policies/./argmax_policy.py",
    "cs285\\policies\\argmax_policy.py",
)


def hand_in(files: Files, place: Path) -> None:
    first = {name: b"raise SystemExit(%d)\n" % n for n, name in enumerate(SPELLINGS)}
    as_zip({**first, **files}, place)
