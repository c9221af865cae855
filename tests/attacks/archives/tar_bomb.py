"""A .tar.gz of a megabyte that unpacks to a gigabyte."""

from __future__ import annotations

import gzip
import tarfile
from pathlib import Path

from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    info = tarfile.TarInfo("cs285/zeros.py")
    info.size = 2**30
    head, zeros = info.tobuf(), bytes(2**20)
    with gzip.open(f"{place}.tar.gz", "wb", compresslevel=1) as stream:
        stream.write(head)
        for _ in range(2**10):
            stream.write(zeros)
