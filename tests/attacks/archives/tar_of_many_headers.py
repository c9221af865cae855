"""A tar of two megabytes in which thousands of files have a header of nearly a megabyte each."""

from __future__ import annotations

import gzip
import tarfile
from pathlib import Path

from tests.attacks.suite import Files

EXPECT = "refused"
MEMBERS = 2_500


def hand_in(files: Files, place: Path) -> None:
    info = tarfile.TarInfo("cs285/a.py")
    info.pax_headers = {"comment": "x" * 900_000}
    member = gzip.compress(info.tobuf(tarfile.PAX_FORMAT))
    Path(f"{place}.tar.gz").write_bytes(member * MEMBERS)
