"""A tar whose names, in the manner of GNU, are sixty megabytes long."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(tarfile.TarInfo("cs285/" + "a" * (60 * 2**20)))
    Path(f"{place}.tar.gz").write_bytes(gzip.compress(stream.getvalue()))
