"""A folder with links to itself and to its parent."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.suite import Files, as_folder

EXPECT = "blank"


def hand_in(files: Files, place: Path) -> None:
    as_folder(files, place)
    (place / "cs285/again").symlink_to("..")
    (place / "cs285/self").symlink_to("self")
    (place / "cs285/agents/up").symlink_to("../..")
