"""Two different cs285 folders in one submission, of which one is right."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.suite import Files, as_folder, solved_files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    as_folder({f"mine/{path}": data for path, data in files.items()}, place)
    as_folder({f"hers/{path}": data for path, data in solved_files().items()}, place)
