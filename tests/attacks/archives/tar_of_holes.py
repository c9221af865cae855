"""A tar with a file of exabytes that is said to be all holes."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("cs285/policies/argmax_policy.py")
        holes = {"major": "1", "minor": "0", "realsize": str(2**60), "name": info.name}
        info.pax_headers = {f"GNU.sparse.{key}": value for key, value in holes.items()}
        table = b"1\n1152921504606846975\n1\n".ljust(512, b"\0")
        info.size = 1024
        archive.addfile(info, io.BytesIO(table + bytes(512)))
    Path(f"{place}.tar.gz").write_bytes(gzip.compress(stream.getvalue()))
