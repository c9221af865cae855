"""A zip of two hundred thousand empty files."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tests.attacks.archives._writing import as_zip
from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    as_zip({**files, **{f"cs285/{n}.py": b"" for n in range(200_000)}}, place, zipfile.ZIP_STORED)
