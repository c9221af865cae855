"""A zip of no bytes at all."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    Path(f"{place}.zip").write_bytes(b"")
