"""A zip that is compressed with LZMA."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tests.attacks.archives._writing import as_zip
from tests.attacks.suite import Files


def hand_in(files: Files, place: Path) -> None:
    as_zip(files, place, zipfile.ZIP_LZMA)
