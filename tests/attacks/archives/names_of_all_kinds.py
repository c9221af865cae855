"""A folder with names that hold line feeds, escape codes and bytes that are no text."""

from __future__ import annotations

import os
from pathlib import Path

from tests.attacks.suite import Files, as_folder

EXPECT = "blank"


def hand_in(files: Files, place: Path) -> None:
    as_folder(files, place)
    for name in (
        b"a\nb.py",
        b"\x1b[2J.py",
        b"\xff\xfe.py",
        b"x" * 250 + b".py",
        b"'; DROP TABLE --.py",
    ):
        (place / "cs285" / os.fsdecode(name)).write_bytes(b"")
