"""Executes the notebooks of homeworks in trees of their own: with empty blanks, and solved.

    python benchmarks/notebooks.py              # all, both ways
    python benchmarks/notebooks.py hw3 --keep DIR

It prints seconds and what is wrong with the outputs. With --keep the executed notebooks stay there.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbclient
import nbformat

from autograder.release import notebooks
from autograder.source import ROOT, reference
from autograder.source.blanks import find_regions

BLANK = re.compile(r"%%blank (\S+)")
EMPTY = "is not filled yet"
SHOWN = ("image/png", "image/gif", " points", "_hand_in.zip")  # pictures, films, the board, the zip
UNSOLVED = (EMPTY, "There is no run", "wrong</span>", "not filled yet</span>")
REPORTED = ("not filled yet", "There is no run", "No run has", "open:")
MOST_SECONDS = 180  # of two processors; a busy machine takes longer on the wall's clock


def solutions(homework: str) -> dict[str, str]:
    """Returns the solution of each blank of a homework."""
    found = {}
    for path, text in reference.texts().items():
        lines = text.splitlines()
        for region in find_regions(text, path):
            if region.homework == homework:
                body = "\n".join(lines[region.first : region.last - 1])
                found[region.id] = textwrap.dedent(body)
    return found


def make_tree(homework: str, folder: Path) -> None:
    """Makes a learner's tree, as `start` does."""
    command = [sys.executable, "-m", "autograder", "start", homework, str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


def execute(homework: str, tree: Path, solved: bool) -> tuple[Any, float]:
    """Executes a tree's notebook; returns it with its outputs, and the seconds of processors.

    Raises:
        nbclient.exceptions.CellExecutionError: If a cell raises.
    """
    file = tree / notebooks.FOLDER / f"{homework}.ipynb"
    book = nbformat.reads(file.read_text(encoding="utf-8"), as_version=4)
    bodies = solutions(homework)
    for cell in book.cells:
        blank = BLANK.match(cell.source) if cell.cell_type == "code" else None
        if solved and blank:
            cell.source = f"%%blank {blank[1]}\n{bodies[blank[1]]}"
    before = processor_seconds()
    place = {"metadata": {"path": str(file.parent)}}
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    client = nbclient.NotebookClient(book, timeout=600, resources=place)
    client.execute(env=environment)
    return book, processor_seconds() - before


def processor_seconds() -> float:
    """Returns the processor time of all children that have ended, the kernel's own ones too."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def outputs(cell: Any) -> str:
    """Returns all that a cell shows, as one text."""
    return json.dumps(cell.get("outputs", []))


def faults(book: Any, homework: str, solved: bool) -> Iterator[str]:
    """Yields what is wrong with the outputs of an executed notebook, a line each."""
    filled = set()
    for cell in [cell for cell in book.cells if cell.cell_type == "code"][1:]:
        what, found = cell.source.splitlines()[0], outputs(cell)
        blank = BLANK.match(what)
        if blank:
            filled.add(blank[1])
            wanted = (" passed</span>",) if solved else (f"{blank[1]} {EMPTY}",)
        else:
            wanted = SHOWN if solved else REPORTED
        unwanted = UNSOLVED if solved else ()
        if not any(word in found for word in wanted) or any(word in found for word in unwanted):
            yield f"{what}: {found[:600]}"
    yield from (f"{blank} has no cell" for blank in solutions(homework).keys() - filled)


def main() -> int:
    """Executes; returns 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("homeworks", nargs="*", default=notebooks.homeworks())
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where executed notebooks go")
    args = parser.parse_args()
    status = 0
    for homework in args.homeworks:
        with tempfile.TemporaryDirectory() as made:
            tree = Path(made) / homework
            make_tree(homework, tree)
            for solved in (False, True):
                began = time.monotonic()
                book, seconds = execute(homework, tree, solved)
                wall = time.monotonic() - began
                wrong = list(faults(book, homework, solved))
                wrong += [f"more than {MOST_SECONDS} s"] if seconds > MOST_SECONDS else []
                name = f"{homework}_{'solved' if solved else 'empty'}"
                size = len(nbformat.writes(book)) / 2**20
                print(
                    f"{name}: {seconds:.0f} s of processors, {wall:.0f} s in all, {size:.1f} MB, "
                    f"{len(wrong)} wrong",
                    flush=True,
                )
                for line in wrong:
                    print(f"  {line}")
                status |= bool(wrong)
                if args.keep:
                    args.keep.mkdir(parents=True, exist_ok=True)
                    nbformat.write(book, args.keep / f"{name}.ipynb")
    return status


if __name__ == "__main__":
    sys.exit(main())
