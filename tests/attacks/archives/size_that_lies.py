"""A zip whose directory says that ten gigabytes are ten bytes."""

from __future__ import annotations

import struct
from pathlib import Path

from tests.attacks.archives._writing import as_zip
from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    as_zip({**files, "cs285/zeros.py": bytes(300 * 2**20)}, place)
    data = bytearray(Path(f"{place}.zip").read_bytes())
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<L", 10)
    Path(f"{place}.zip").write_bytes(data)
