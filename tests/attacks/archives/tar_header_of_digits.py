"""A tar whose header is a million digits, which some versions of Python search for days."""

from __future__ import annotations

import tarfile
from pathlib import Path

from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    with tarfile.open(f"{place}.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        for path in files:
            info = tarfile.TarInfo(path)
            info.pax_headers = {"comment": "0" * 1_000_000}
            archive.addfile(info)
