"""A folder in which a source file is a FIFO, which whoever opens waits for."""

from __future__ import annotations

import os
from pathlib import Path

from tests.attacks.suite import Files, as_folder

EXPECT = "blank"


def hand_in(files: Files, place: Path) -> None:
    as_folder(files, place)
    (place / "cs285/policies/argmax_policy.py").unlink()
    os.mkfifo(place / "cs285/policies/argmax_policy.py")
    os.mkfifo(place / "cs285/notes.txt")
