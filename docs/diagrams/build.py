"""Draws the diagrams of the documents into docs/images/diagrams.

python docs/diagrams/build.py            # all of them
python docs/diagrams/build.py --check    # names those that differ from what is drawn here; status 1
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import curves  # noqa: E402
import grader  # noqa: E402
import timelines  # noqa: E402
import updates  # noqa: E402

FOLDER = HERE.parent / "images" / "diagrams"
PICTURES = updates.PICTURES | timelines.PICTURES | curves.PICTURES | grader.PICTURES


def drawn() -> dict[str, str]:
    """Returns the text of each file, by its name."""
    return {f"{name}.svg": draw().svg() for name, draw in PICTURES.items()}


def stale(folder: Path = FOLDER) -> Iterator[str]:
    """Yields the names of files that differ from what is drawn here, or that nothing draws."""
    files = drawn()
    there = {path.name for path in folder.glob("*")}
    for name in sorted(files.keys() | there):
        path = folder / name
        if name not in files or name not in there or path.read_text("utf-8") != files[name]:
            yield name


def main(argv: list[str]) -> int:
    """Writes or checks; returns the exit status."""
    if argv not in ([], ["--check"]):
        print("error: the one flag is --check", file=sys.stderr)
        return 2
    if not argv:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name, text in drawn().items():
            (FOLDER / name).write_text(text, encoding="utf-8")
    old = list(stale())
    for name in old:
        print(f"differs from its script: {name}", file=sys.stderr)
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
