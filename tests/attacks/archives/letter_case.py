"""A zip with names that differ in case alone, and with the same name twice."""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path

from tests.attacks.archives._writing import as_zip
from tests.attacks.suite import Files

EXPECT = "blank"


def hand_in(files: Files, place: Path) -> None:
    path = "cs285/policies/argmax_policy.py"
    as_zip({**files, "CS285/Policies/ARGMAX_POLICY.py": b"raise SystemExit(0)\n"}, place)
    with zipfile.ZipFile(f"{place}.zip", "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that is the idea
        archive.writestr(path, files[path])
