"""A .tar.xz of some hundred bytes whose extended header is 64 MB of zeros."""

from __future__ import annotations

import tarfile
from pathlib import Path

from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    info = tarfile.TarInfo("././@PaxHeader")
    info.type, info.size = tarfile.XHDTYPE, 2**26
    with tarfile.open(f"{place}.tar.xz", "w:xz", preset=0) as archive:
        assert archive.fileobj is not None
        archive.fileobj.write(info.tobuf(tarfile.USTAR_FORMAT))
        for _ in range(64):
            archive.fileobj.write(bytes(2**20))
