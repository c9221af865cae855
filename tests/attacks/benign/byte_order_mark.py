"""Begins its files with a byte order mark, as some editors do."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.suite import Files, as_folder


def hand_in(files: Files, place: Path) -> None:
    as_folder({path: b"\xef\xbb\xbf" + data for path, data in files.items()}, place)
