"""A zip whose members have absolute paths, drive letters and backslashes."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.archives._writing import as_zip
from tests.attacks.suite import Files

EXPECT = "blank"


NAMES = ("/tmp/slipped-absolute", "//tmp/slipped-absolute", "C:\\slipped", "..\\..\\slipped")


def hand_in(files: Files, place: Path) -> None:
    as_zip({**files, **dict.fromkeys(NAMES, b"x")}, place)
