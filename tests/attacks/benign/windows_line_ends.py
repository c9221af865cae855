"""Has line ends as on Windows."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.suite import Files, as_folder


def hand_in(files: Files, place: Path) -> None:
    as_folder({path: data.replace(b"\n", b"\r\n") for path, data in files.items()}, place)
