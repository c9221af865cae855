"""A zip whose directory holds a million names, and none of whose files."""

from __future__ import annotations

import struct
from pathlib import Path

from tests.attacks.suite import Files

EXPECT = "refused"
NAMES = 1_000_000


def hand_in(files: Files, place: Path) -> None:
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 0, 20, 0, *[0] * 4, 0, 0, 0, 4, *[0] * 6)
    directory = (entry + b"a.py") * NAMES
    ends = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, len(directory), 0, 0)
    Path(f"{place}.zip").write_bytes(directory + ends)
