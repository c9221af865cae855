"""A zip whose data is not what its checksums were made from."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.archives._writing import zip_bytes
from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    data = bytearray(zip_bytes(files))
    data[200:4000:100] = bytes(38)
    Path(f"{place}.zip").write_bytes(data)
