"""A zip that was not uploaded to its end."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.archives._writing import zip_bytes
from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    data = zip_bytes(files)
    Path(f"{place}.zip").write_bytes(data[: len(data) // 2])
