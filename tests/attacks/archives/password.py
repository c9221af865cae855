"""A zip that only a password opens."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.archives._writing import zip_bytes
from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    data = bytearray(zip_bytes(files))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            data[at + offset] |= 1  # the flag that says: encrypted
            at = data.find(mark, at + 4)
    Path(f"{place}.zip").write_bytes(data)
