"""A tar of less than a kilobyte whose first header says that gigabytes of zeros follow."""

from __future__ import annotations

import bz2
import tarfile
from pathlib import Path

from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    info = tarfile.TarInfo("pax_header")
    info.type, info.size = tarfile.XHDTYPE, 2**30
    Path(f"{place}.tar.bz2").write_bytes(bz2.compress(info.tobuf() + bytes(2**26)))
