"""A tar that climbs out of its folder, first through names, then through a link."""

from __future__ import annotations

import tarfile
from pathlib import Path

from tests.attacks.archives._writing import as_tar, member
from tests.attacks.suite import Files

EXPECT = "blank"


def hand_in(files: Files, place: Path) -> None:
    link = member("cs285/up", tarfile.SYMTYPE, "/tmp")
    as_tar({**files, "../../slipped-tar": b"x"}, place, (link, member("cs285/up/slipped", b"0")))
