"""Learning curves of handed-in runs, and the band that the reference's runs lie in."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # reports draw curves, and need not wait for PyTorch
    from autograder.evidence.judging import RunFolder
    from autograder.evidence.rules import RunQuestion
    from autograder.evidence.run_folder import Run

MOST_POINTS = 200
STEPS = "Train_EnvstepsSoFar"
FILE = "runs/reference_curves.json"


@dataclass(frozen=True)
class Curve:
    """One run's curve.

    Attributes:
        question: Id of the question that it was handed in for.
        label: The run folder's name, made printable; not to be trusted as HTML.
        x: Environment steps.
        y: Mean returns.
    """

    question: str
    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True)
class Band:
    """Where the reference's curves lie.

    Attributes:
        column: What is drawn, as the log calls it.
        runs: How many runs it is made of; with one, low and high are the mean.
        x: Environment steps.
        mean: Mean over the runs.
        low: The lowest run.
        high: The highest run.
    """

    column: str
    runs: int
    x: tuple[float, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def curves(run_folder: RunFolder) -> list[Curve]:
    """Returns the curves of all runs that can be drawn; those that cannot are left out.

    A drawable curve is not yet a right one: that is for `judge_each`.
    """
    drawn = []
    for question in run_folder.asked:
        for run in (one.run for one in run_folder.runs[question.id] if one.run):
            x, y = points_of(question, run)
            if len(x):
                drawn.append(Curve(question.id, run.name, _thinned(x), _thinned(y)))
    return drawn


def points_of(question: RunQuestion, run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Returns steps and returns, shape (n,) each, as far as both are possible."""
    if question.column not in run.log or STEPS not in run.log:
        return np.empty(0), np.empty(0)
    x, y = run.log[STEPS], run.log[question.column]
    low, high = question.task.returns
    with np.errstate(invalid="ignore"):
        kept = (y >= low) & (y <= high) & (x > 0) & (x < 1e9)
    kept &= x > np.concatenate([[-math.inf], np.fmax.accumulate(x)[:-1]])
    return x[kept], y[kept]


def _thinned(values: np.ndarray) -> tuple[float, ...]:
    """Returns at most `MOST_POINTS` of them, the first and the last included."""
    count = min(len(values), MOST_POINTS)
    places = np.linspace(0, len(values) - 1, count).round().astype(int)
    return tuple(float(value) for value in values[places])


def reference_band(question: str) -> Band | None:
    """Returns where the reference's curves of a question lie, for example of "hw3.runs.q1".

    None if there are none.
    """
    homework = question.partition(".")[0]
    file = Path(__file__).parent.parent / "homeworks" / homework / FILE
    if not file.is_file():
        return None
    plain = json.loads(file.read_text(encoding="utf-8")).get(question)
    if plain is None:
        return None
    lists = {name: tuple(plain[name]) for name in ("x", "mean", "low", "high")}
    return Band(plain["column"], plain["runs"], **lists)
