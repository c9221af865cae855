"""A .tar.gz whose names begin with "./"."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.archives._writing import as_tar
from tests.attacks.suite import Files


def hand_in(files: Files, place: Path) -> None:
    as_tar({f"./{path}": data for path, data in files.items()}, place)
