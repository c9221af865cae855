"""Makes the bands that reports draw behind a student's curves, from the runs in docs/results/data.

python docs/results/reference_curves.py            # writes each homework's reference_curves.json
python docs/results/reference_curves.py --check    # names those that are older than their data
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from autograder.evidence.curves import FILE, points_of  # noqa: E402
from autograder.evidence.rules import RunQuestion, questions  # noqa: E402
from autograder.evidence.run_folder import read_run  # noqa: E402

DATA = ROOT / "docs" / "results" / "data"
HOMEWORKS = ("hw3",)  # whose runs are kept with their logs
POINTS = 60


def runs_of(question: RunQuestion) -> list[Path]:
    """Returns the kept runs of a question, by the names that its run folders have."""
    folders = sorted(folder for folder in DATA.iterdir() if folder.is_dir())
    return [f for f in folders if any(fnmatch(f.name, p) for p in question.folders)]


def band(question: RunQuestion) -> dict[str, Any] | None:
    """Returns where the curves of a question lie, as far as all of them go; None without runs.

    Runs whose settings differ on purpose have no band in common.
    """
    folders = [] if question.sweep else runs_of(question)
    curves = [points_of(question, read_run(folder)) for folder in folders]
    if not curves:
        return None
    first, last = max(x[0] for x, _ in curves), min(x[-1] for x, _ in curves)
    steps = np.linspace(first, last, POINTS).round()
    returns = np.array([np.interp(steps, x, y) for x, y in curves])
    lines = {"mean": returns.mean(0), "low": returns.min(0), "high": returns.max(0)}
    rounded = {name: [round(float(y), 1) for y in line] for name, line in lines.items()}
    return {"column": question.column, "runs": len(curves), "x": steps.tolist(), **rounded}


def bands(homework: str) -> Mapping[str, dict[str, Any]]:
    """Returns the bands of a homework's questions, by the question's id."""
    found = {question.id: band(question) for question in questions(homework)}
    return {id: one for id, one in found.items() if one is not None}


def text_of(homework: str) -> str:
    """Returns the file of a homework, a line for each question."""
    lines = [f"{json.dumps(id)}: {json.dumps(one)}" for id, one in bands(homework).items()]
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
