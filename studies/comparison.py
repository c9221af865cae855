"""What is compared: methods on tasks, each a few seeds' curves, and what they amount to."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from studies import measures

LAST = 0.1  # of the steps, over which a final score is averaged
Curve = tuple[np.ndarray, np.ndarray]
"""Steps, ascending, and returns; shape (rows,) each."""


@dataclass(frozen=True)
class Estimate:
    """A number, and the ends of its 95 % bootstrap interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Writes it with as many digits as the interval's width is worth; one run has none."""
        width = abs(self.high - self.low)
        if not width:
            return f"{self.value:,.1f}"
        digits = int(np.clip(1 - np.floor(np.log10(width)), 0, 2))
        value, low, high = (f"{x:,.{digits}f}" for x in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]"


@dataclass(frozen=True)
class Entry:
    """One method on one task.

    Attributes:
        method: Its name.
        task: The environment.
        seeds: How many runs.
        x: Steps at which all its runs are known, shape (n,).
        y: Returns, shape (seeds, n).
        final: Score of each run: the mean over the last tenth of the steps; shape (seeds,).
        area: The mean over all steps, which is the area under the curve by its length.
    """

    method: str
    task: str
    seeds: int
    x: np.ndarray
    y: np.ndarray
    final: np.ndarray
    area: np.ndarray


@dataclass(frozen=True)
class Improvement:
    """How likely a run of one method scores above one of another."""

    method: str
    other: str
    tasks: int
    chance: Estimate
    tellable: bool
    """Whether there are seeds enough for any difference to be significant."""

    @property
    def says(self) -> str:
        """What a reader may take from it, in a few words."""
        if not self.tellable:
            return "too few seeds"
        return "better" if self.chance.low > 0.5 else "no difference shown"


class Comparison:
    """Methods on tasks, cut where the shortest run of each task ends."""

    def __init__(self, runs: Mapping[str, Mapping[str, Sequence[Curve]]], seed: int = 0) -> None:
        """Aligns and scores the runs.

        Args:
            runs: Task -> method -> a curve for each seed.
            seed: Of the bootstrap.

        Raises:
            ValueError: If the runs of a task have no steps in common; it names the task.
        """
        self.rng = np.random.default_rng(seed)
        self.entries = [
            entry
            for task, methods in runs.items()
            for entry in _entries(task, {name: list(curves) for name, curves in methods.items()})
        ]
        self.tasks = list(runs)
        self.methods = list(dict.fromkeys(entry.method for entry in self.entries))

    def on(self, task: str) -> list[Entry]:
        """Returns the methods on a task."""
        return [entry for entry in self.entries if entry.task == task]

    def estimate(self, scores: measures.Scores, measure: measures.Measure) -> Estimate:
        """Returns a measure of scores, one array a task, with its interval."""
        return Estimate(*measures.interval(measure, scores, self.rng))

    def normalised(self, method: str) -> list[np.ndarray] | None:
        """Returns a method's final scores, one array a task; None where it lacks a task.

        0 is the worst run of any method on the task, 1 the best.
        """
        columns = []
        for task in self.tasks:
            scores = {entry.method: entry.final for entry in self.on(task)}
            if method not in scores:
                return None
            low = min(s.min() for s in scores.values())
            high = max(s.max() for s in scores.values())
            columns.append((scores[method] - low) / max(high - low, 1e-12))
        return columns

    def improvements(self) -> Iterator[Improvement]:
        """Yields each pair of methods on the tasks that both have, the better one first."""
        for names in itertools.combinations(self.methods, 2):
            finals = [{entry.method: entry.final for entry in self.on(t)} for t in self.tasks]
            both = [final for final in finals if final.keys() >= set(names)]
            if not both:
                continue
            left, right = ([final[name] for final in both] for name in names)
            if measures.probability_of_improvement(left, right) < 0.5:
                left, right, names = right, left, names[::-1]
            chance = Estimate(*measures.improvement(left, right, self.rng))
            tellable = measures.can_tell(sum(map(len, left)), sum(map(len, right)))
            yield Improvement(names[0], names[1], len(both), chance, tellable)

    def warnings(self) -> Iterator[str]:
        """Yields what a reader must know before believing any of it."""
        for task in self.tasks:
            few = [e for e in self.on(task) if not measures.can_tell(e.seeds, e.seeds)]
            if few:
                names = ", ".join(f"{e.method} ({e.seeds})" for e in few)
                yield (
                    f"{task}: too few seeds to tell methods apart: {names}. With 3 seeds each no "
                    "difference is significant at 5 %, however large; run 5 or more."
                )


def _entries(task: str, methods: Mapping[str, Sequence[Curve]]) -> Iterator[Entry]:
    end = min(x[-1] for curves in methods.values() for x, _ in curves)
    for name, curves in methods.items():
        begin = max(x[0] for x, _ in curves)
        if begin > end:
            raise ValueError(f"the runs of {name} on {task} have no steps in common with others")
        x = np.unique(np.concatenate([x for x, _ in curves] + [[begin, end]]))
        x = x[(x >= begin) & (x <= end)]
        y = np.stack([np.interp(x, *curve) for curve in curves])
        area = _mean_over(x, y)
        last = x >= end - LAST * (end - begin)
        yield Entry(name, task, len(curves), x, y, _mean_over(x[last], y[:, last]), area)


def _mean_over(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Returns the mean of curves of shape (seeds, n) over the steps `x`, by trapezoids."""
    if len(x) < 2:
        return y[:, -1]
    found: np.ndarray = ((y[:, 1:] + y[:, :-1]) / 2 * np.diff(x)).sum(axis=1) / (x[-1] - x[0])
    return found
