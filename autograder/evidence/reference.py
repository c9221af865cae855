"""Makes the bands that `reference_band` shows, from the reference's own runs.

`python docs/results/reference_curves.py` writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from autograder.evidence.curves import Band, points_of
from autograder.evidence.judging import find_runs
from autograder.evidence.rules import RunQuestion, questions
from autograder.evidence.run_folder import Run, read_run

BAND_POINTS = 60


def make_bands(homework: str, data: Path) -> dict[str, Band]:
    """Makes the bands from the reference's own runs; none where settings differ on purpose.

    Raises:
        UnreadableError: If `data` cannot be listed, or a run in it cannot be read.
        autograder.base.text.UnknownHomeworkError: If there is no such homework.
    """
    asked = questions(homework)
    found = find_runs(asked, data)
    return {
        question.id: _band(question, [read_run(folder) for folder in found[question.id]])
        for question in asked
        if found[question.id] and not question.sweep
    }


def _band(question: RunQuestion, runs: Sequence[Run]) -> Band:
    """Returns the band of some runs, over the steps that all of them have."""
    points = [points_of(question, run) for run in runs]
    first, last = max(x[0] for x, _ in points), min(x[-1] for x, _ in points)
    grid = np.linspace(first, last, BAND_POINTS).round()
    values = np.stack([np.interp(grid, x, y) for x, y in points])
    lines = [grid, values.mean(axis=0), values.min(axis=0), values.max(axis=0)]
    x, mean, low, high = (tuple(round(float(v), 1) for v in line) for line in lines)
    return Band(question.column, len(runs), x, mean, low, high)
