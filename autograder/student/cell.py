"""Runs the code of an `%%own` cell, which it reads, and saves its figures into a folder."""

from __future__ import annotations

import sys
from pathlib import Path


def main(folder: Path, code: str) -> None:
    """Runs code as a program, then writes each figure that it left as a picture."""
    exec(compile(code, "<cell>", "exec"), {"__name__": "__main__"})
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for number in pyplot.get_fignums():
        pyplot.figure(number).savefig(folder / f"{number:03}.png", dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.stdin.read())
