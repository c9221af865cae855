"""Makes the bands that reports draw behind a student's curves, from the runs in docs/results/data.

python docs/results/reference_curves.py            # writes each homework's reference_curves.json
python docs/results/reference_curves.py --check    # names those that are older than their data
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from autograder.evidence.curves import FILE  # noqa: E402
from autograder.evidence.reference import make_bands  # noqa: E402

DATA = ROOT / "docs" / "results" / "data"
HOMEWORKS = ("hw3",)  # whose runs are kept with their logs


def text_of(homework: str) -> str:
    """Returns the file of a homework, a line for each question."""
    bands = make_bands(homework, DATA)
    lines = [f"{json.dumps(id)}: {json.dumps(asdict(one))}" for id, one in bands.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def stale() -> Iterator[Path]:
    """Yields the files that are not what their runs make them."""
    for homework in HOMEWORKS:
        file = ROOT / "autograder" / "homeworks" / homework / FILE
        if not file.is_file() or file.read_text(encoding="utf-8") != text_of(homework):
            yield file


def main() -> int:
    """Runs the command line."""
    for file in stale():
        sys.stdout.write(f"{file.relative_to(ROOT)}\n")
        if "--check" in sys.argv:
            return 1
        file.write_text(text_of(file.parent.parent.name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
