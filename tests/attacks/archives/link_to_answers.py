"""A folder whose files are symbolic links to files of the machine."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.suite import Files, as_folder

EXPECT = "blank"


def hand_in(files: Files, place: Path) -> None:
    as_folder(files, place)
    (place / "cs285/policies/argmax_policy.py").unlink()
    (place / "cs285/policies/argmax_policy.py").symlink_to("/etc/passwd")
    (place / "cs285/critics").rename(place / "cs285/elsewhere")
    (place / "cs285/critics").symlink_to(Path(__file__).parents[3] / "cs285/critics")
