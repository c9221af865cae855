"""A .tar.gz with a member whose name has 64 MB."""

from __future__ import annotations

import tarfile
from pathlib import Path

from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 2**26
    with tarfile.open(f"{place}.tar.gz", "w:gz", compresslevel=1) as archive:
        assert archive.fileobj is not None
        archive.fileobj.write(info.tobuf(tarfile.GNU_FORMAT))
        for _ in range(64):
            archive.fileobj.write(b"a" * 2**20)
