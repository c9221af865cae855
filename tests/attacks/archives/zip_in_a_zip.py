"""A zip in a zip in a zip."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.archives._writing import zip_bytes
from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    data = zip_bytes(files)
    for depth in range(20):
        data = zip_bytes({f"{depth}.zip": data})
    Path(f"{place}.zip").write_bytes(data)
