"""What is compared: methods on tasks, each a few seeds' curves, and what they amount to."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.logging.plotting import align, final_score
from studies import measures, verdicts
from studies.crossings import Crossing, crossing
from studies.measures import Estimate, Measure, Range

SLACK = 0.2  # as many iterations of whole episodes end so far apart, and are not cut
ROUNDING = 1e-9  # of the largest return: differences so small are none
JUDGED = {"end": "at the end", "all": "over all evaluations"}
"""What verdicts may be about, and what they call it."""
Curve = tuple[np.ndarray, np.ndarray]
"""Steps, ascending, and returns; shape (rows,) each."""


@dataclass(frozen=True)
class Entry:
    """One method on one task.

    Attributes:
        method: Its name.
        task: The environment.
        x: Steps at which all its runs are known, shape (n,).
        y: Returns, shape (seeds, n).
        final: The last number of each run, as plots and tables show it; shape (seeds,).
        area: The mean over all steps, which is the area under the curve by its length.
    """

    method: str
    task: str
    x: np.ndarray
    y: np.ndarray
    final: np.ndarray
    area: np.ndarray

    @property
    def seeds(self) -> int:
        """How many runs there are."""
        return len(self.final)


@dataclass(frozen=True)
class Pair:
    """Two methods on the tasks that both have, the one with the higher mean first.

    Attributes:
        method: The name of the one that is ahead.
        other: The name of the other one.
        seeds: Task on which both have runs -> how many each has.
        measure: What they are compared by, in words: one of `JUDGED`.
        difference: Of their mean scores by that measure, and its interval.
        chance: That a run of the first has a higher score than a run of the second.
        p: Of the two tests; None where there are too few seeds for them.
        adjusted: The same, by Holm's rule for all pairs that have one; None likewise.
        needs: Seeds of each method on each task with which there can be a verdict; 0 if there
            are enough.
    """

    method: str
    other: str
    seeds: Mapping[str, tuple[int, int]]
    measure: str
    difference: Estimate
    chance: float
    p: float | None = None
    adjusted: float | None = None
    needs: int = 0

    @property
    def better(self) -> bool:
        """Whether the first one is shown to be better, by the measure."""
        return not self.needs and self.adjusted is not None and self.adjusted <= verdicts.ALPHA

    @property
    def single(self) -> str | None:
        """A task on which one of both has a single seed."""
        return next((task for task, counts in self.seeds.items() if min(counts) < 2), None)

    @property
    def verdict(self) -> str:
        """What a reader may take from it, in a few words that name the measure."""
        if self.single is not None:
            return f"no verdict {self.measure}: one seed on {self.single}, {self.needs} needed"
        if self.needs:
            return f"no verdict {self.measure}: {self.needs} seeds needed"
        return f"{'better' if self.better else 'no difference shown'} {self.measure}"


class Comparison:
    """Methods on tasks, cut where the shortest run of each task ends."""

    def __init__(
        self,
        runs: Mapping[str, Mapping[str, Sequence[Curve]]],
        against: str | None = None,
        possible: Mapping[str, Range] | None = None,
        judge: str = "end",
    ) -> None:
        """Aligns and scores the runs.

        Args:
            runs: Task -> method -> a curve for each seed.
            against: The one method that the others are compared with; None: each with each.
            possible: Task -> the lowest and the highest value that there can be; tasks without
                one are unbounded.
            judge: What verdicts are about, a key of `JUDGED`.

        Raises:
            UserError: If the runs of a task have no steps in common, `against` is no method, or
                a value is not possible.
        """
        self.tasks = list(runs)
        self.methods = list(dict.fromkeys(name for task in runs.values() for name in task))
        if against is not None and against not in self.methods:
            raise UserError(f"there is no method {against}; there are {', '.join(self.methods)}")
        self.against, self.judge = against, judge
        self.possible = {task: (possible or {}).get(task, measures.ANY) for task in runs}
        self.cuts: dict[str, str] = {}
        """Task -> which runs are cut, and where, in words."""
        self.entries: list[Entry] = []
        for task, methods in runs.items():
            end = min(x[-1] for curves in methods.values() for x, _ in curves)
            self._note_cut(task, methods, end)
            # Where all runs have a number at that step, it is what they end at.
            same = all(end in x for curves in methods.values() for x, _ in curves)
            until = end if same else end * (1 + SLACK)
            self.entries += [_entry(task, name, c, end, until) for name, c in methods.items()]
        for entry in self.entries:
            _refuse_impossible(entry, self.possible[entry.task])
        self.pairs = list(self._judged(list(self._compared())))

    def _note_cut(self, task: str, methods: Mapping[str, Sequence[Curve]], end: float) -> None:
        ends = {name: max(x[-1] for x, _ in curves) for name, curves in methods.items()}
        longer = [name for name, last in ends.items() if last > end * (1 + SLACK)]
        if longer:
            whole = f"{max(ends.values()):,.0f}"
            self.cuts[task] = (
                f"cut at {end:,.0f} steps, where the shortest run ends, so final scores "
                f"are those at that step; {', '.join(longer)} went on, to {whole} at most"
            )

    def on(self, task: str) -> list[Entry]:
        """Returns the methods on a task."""
        return [entry for entry in self.entries if entry.task == task]

    @functools.cached_property
    def crossings(self) -> list[Crossing]:
        """Returns where the curves of compared methods cross, the latest winners first."""
        found = []
        for pair in self.pairs:
            for task in pair.seeds:
                by_name = {entry.method: entry for entry in self.on(task)}
                one, other = by_name[pair.method], by_name[pair.other]
                found.append(crossing(task, (one.method, other.method), *_difference(one, other)))
        return sorted(filter(None, found), key=lambda crossed: -crossed.shares[1])

    def on_task(self, measure: Measure, task: str, scores: np.ndarray) -> Estimate:
        """Returns a measure of a method's scores on a task, shape (seeds,), with its interval."""
        return _estimate(measure, [scores], self.possible[task])

    def over_tasks(self, measure: Measure, method: str) -> Estimate | None:
        """Returns a measure of a method's normalised scores; None where it lacks a task.

        The interval is within 0 and 1 too, because a run that is worse than the worst one here, or
        better than the best, would count as 0 or 1.
        """
        scores = self.normalised(method)
        return None if scores is None else _estimate(measure, scores, (0.0, 1.0))

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

    def _compared(self) -> Iterator[Pair]:
        """Yields each pair that has tasks in common, tested by itself."""
        name = "final" if self.judge == "end" else "area"
        by_task = {
            task: {entry.method: getattr(entry, name) for entry in self.on(task)}
            for task in self.tasks
        }
        for names in itertools.combinations(self.methods, 2):
            tasks = [task for task in self.tasks if by_task[task].keys() >= set(names)]
            if not tasks or (self.against and self.against not in names):
                continue
            left, right = ([by_task[task][name] for task in tasks] for name in names)
            found = verdicts.difference(left, right)
            if found.value < 0:
                left, right, names = right, left, names[::-1]
                found = verdicts.difference(left, right)
            low, high = self.possible[tasks[0]] if len(tasks) == 1 else (0.0, 1.0)
            yield Pair(
                *names,
                dict(zip(tasks, zip(map(len, left), map(len, right), strict=True), strict=True)),
                JUDGED[self.judge],
                Estimate(
                    found.value,
                    found.ends and measures.within(found.ends, (low - high, high - low)),
                ),
                measures.probability_of_improvement(left, right),
                found.p,
            )

    def _judged(self, pairs: Sequence[Pair]) -> Iterator[Pair]:
        """Adjusts p-values for how many pairs there are that could have a verdict at all.

        Which ones could is told by the numbers of seeds alone, so leaving the rest out of the
        adjustment favours nobody (Tarone, 1990).
        """
        least = [verdicts.least_p(list(pair.seeds.values())) for pair in pairs]
        tested = [i for i, p in enumerate(least) if p <= verdicts.ALPHA]
        values = [p for i in tested if (p := pairs[i].p) is not None]
        adjusted = dict(zip(tested, verdicts.holm(values), strict=True))
        reachable = dict(zip(tested, verdicts.holm([least[i] for i in tested]), strict=True))
        for i, pair in enumerate(pairs):
            # As many as all pairs ask for, and at least one more than the fewest that there are.
            fewest = min(map(min, pair.seeds.values()))
            needs = max(verdicts.seeds_needed(len(pair.seeds), len(pairs)), fewest + 1)
            yield replace(
                pair,
                p=pair.p if i in adjusted else None,
                adjusted=adjusted.get(i),
                needs=0 if reachable.get(i, 1.0) <= verdicts.ALPHA else needs,
            )

    def warnings(self) -> Iterator[str]:
        """Yields what a reader must know before believing any of it."""
        for task, words in self.cuts.items():
            yield f"{task}: {words}."
        measure = JUDGED[self.judge]
        if alone := [pair for pair in self.pairs if pair.single is not None]:
            yield (
                f"{_pairs(len(alone))} no verdict {measure}: a method has one seed on a task, "
                f"such as on {alone[0].single}. One run says nothing about others."
            )
        if few := [pair for pair in self.pairs if pair.needs and pair.single is None]:
            yield (
                f"{_pairs(len(few))} no verdict {measure}: with so few seeds none of their "
                f"outcomes would be significant at 5 %, however large."
            )
        better = {frozenset((pair.method, pair.other)) for pair in self.pairs if pair.better}
        for crossed in self.crossings:
            if frozenset((crossed.ahead, crossed.behind)) in better and crossed.shares[1] > 0.5:
                yield f"{crossed.task}: {crossed}"


def _pairs(count: int) -> str:
    return "1 pair has" if count == 1 else f"{count} pairs have"


def _entry(task: str, name: str, curves: Sequence[Curve], end: float, until: float) -> Entry:
    x, y = align(f"{name} on {task}", curves, end)
    final = np.array([final_score(curve, until) for curve in curves])
    return Entry(name, task, x, y, final, _mean_over(x, y))


def _estimate(measure: Measure, scores: measures.Scores, possible: Range) -> Estimate:
    if measure is Measure.IQM and min(map(len, scores)) < measures.IQM_SEEDS:
        return Estimate(float("nan"), needs=measures.IQM_SEEDS)
    return Estimate(measure.of(scores), measures.interval(measure, scores, possible))


def _refuse_impossible(entry: Entry, possible: Range) -> None:
    for value in (*entry.final, entry.y.min(), entry.y.max()):
        if not possible[0] <= value <= possible[1]:
            raise UserError(
                f"{entry.method} has {value:g} on {entry.task}, where {possible[0]:g} to "
                f"{possible[1]:g} was thought possible: give --possible=LOW,HIGH"
            )


def _difference(one: Entry, other: Entry) -> Curve:
    """Returns steps, and how far one mean curve is above the other at each; final scores last."""
    x = np.union1d(one.x, other.x)
    x = x[x >= max(one.x[0], other.x[0])]
    mean, others = (np.interp(x, entry.x, entry.y.mean(axis=0)) for entry in (one, other))
    mean[-1], others[-1] = one.final.mean(), other.final.mean()
    found = mean - others
    found[np.abs(found) <= ROUNDING * max(np.abs(mean).max(), np.abs(others).max())] = 0.0
    return x, found


def _mean_over(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Returns the mean of curves of shape (seeds, n) over the steps `x`, by trapezoids."""
    if len(x) < 2:
        return y[:, -1]
    found: np.ndarray = ((y[:, 1:] + y[:, :-1]) / 2 * np.diff(x)).sum(axis=1) / (x[-1] - x[0])
    return found
