"""A folder that has the name of a source file, and a file that has a folder's."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.suite import Files, as_folder

EXPECT = "blank"


def hand_in(files: Files, place: Path) -> None:
    as_folder(files, place)
    (place / "cs285/policies/argmax_policy.py").unlink()
    (place / "cs285/policies/argmax_policy.py").mkdir()
    (place / "cs285/envs").write_text("a file")
