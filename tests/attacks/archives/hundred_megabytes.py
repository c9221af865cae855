"""A source file of a hundred megabytes."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.suite import Files, as_folder

EXPECT = "refused"


HUGE = b"x = 1\n" * (100 * 2**20 // 6)


def hand_in(files: Files, place: Path) -> None:
    as_folder({**files, "cs285/policies/argmax_policy.py": HUGE}, place)
