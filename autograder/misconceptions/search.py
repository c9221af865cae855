"""Finds the fewest mistakes that lead to what a probe saw.

No mistake and single ones are known beforehand. Of several at once there are thousands: they are
tried in the order in which what each does alone makes them likely, and only so many.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from autograder.base.close import ABS, REL
from autograder.base.seen import Choice, Fact, Seen, case_of
from autograder.misconceptions.catalogue import Question
from autograder.misconceptions.oracle import GENERIC, RecordedOracle, read_table

TRIES = 128  # of pairs, and of each number of mistakes above: enough for nearly all
MORE = 192  # with those in unusual ways
OPEN, MIXED = 0.01, 0.005  # what an array weighs of which nothing can be said; that is a mixture
TIE = 1e-9  # below it, two sums differ by the processor's order of summation alone
LEAST = 4  # numbers of an array; fewer are a mixture of any three
LIKELY = 8  # sets of mistakes that run all trials, since they explain most of one
NEAR = 3  # of these, sets to which one more is added
Parts = tuple[Choice, Choice]
ByChoice = Mapping[Choice, Seen]
Misfit = Callable[[Choice, Choice], float]


def oracle_for(question: Question, seed: int = 0) -> RecordedOracle:
    """Returns what is known of a question."""
    if (table := read_table(question.blank)) is not None:
        return RecordedOracle(question, seed, table)
    # By its name, so that no import of it is seen: a copy does not have it.
    live = importlib.import_module("autograder.misconceptions.live_oracle")
    predicted: RecordedOracle = live.LiveOracle(question, seed)
    return predicted


def search(oracle: RecordedOracle, actual: Seen) -> Seen | None:
    """Returns the fewest mistakes that lead to what was observed; None if nothing does."""
    # What crashes everywhere hides all else; and no mistakes lead to a record with cases missing.
    cases, line_contains = oracle.right.cases, oracle.line_contains
    hidden = actual.raised.keys() >= cases or actual.cases != cases
    tried = Tries(oracle, actual)
    for loosely in (False, True) if actual.raised else (False,):
        for entries in tried.groups(hidden, loosely):
            for entry in entries:
                if fits_lines(entry, line_contains, actual) and entry.agrees(actual, loosely):
                    return entry
    return None


def fits_lines(known: Seen, line_contains: Mapping[str, str], actual: Seen) -> bool:
    """Returns whether lines that raised something have the names that known mistakes want."""
    names = [
        line_contains[misconception]
        for misconception in known.mistakes
        if misconception in line_contains
    ]
    lines = [crash.source for crash in actual.crashes.values()]
    return not lines or all(any(name in line for line in lines) for name in names)


@dataclass
class Tries:
    """What several mistakes at once lead to: the fewest first, then the likeliest."""

    oracle: RecordedOracle
    actual: Seen

    def groups(self, hidden: bool, loosely: bool) -> Iterator[Iterable[Seen]]:
        """Yields what is right, single mistakes, generic ones, and several at once.

        None of the last where they hide.
        """
        for name in (1, GENERIC) if loosely else (0, 1, GENERIC):
            yield self.oracle.likely(name, self.actual)
        if not hidden:
            yield self

    def __iter__(self) -> Iterator[Seen]:
        """Yields them, each made when it is wanted.

        Most differ in the first trial that is wrong, and run no other.
        """
        singles = self.oracle.group(1)
        single = {one.choice: one for one in reversed(singles)}
        likely = Likeliness(self.oracle.right, self.actual, single)
        parts = [part for part in single if len(part) == 1]
        stages = [
            [(p[:1], p[1:]) for p in pairs if {p[:1], p[1:]} <= single.keys()]
            for pairs in self.oracle.pairs()
        ]
        least = min((likely.weights @ strange for strange in likely.singles.strange), default=0)
        begun = single
        while any(stages):
            made, misfit = dict[Choice, float](), likely.pair_misfit(begun)
            likeliest = (best(sets, misfit, least) for sets in stages)
            for one, more in itertools.islice(itertools.chain.from_iterable(likeliest), MORE):
                choice = tuple(sorted(one + more))
                for entry in self.oracle.several(choice, likely.trial):
                    made[choice] = likely.misfit_there(entry)
                    if entry.begins(self.actual):
                        yield from self.oracle.several(choice)
            on = [choice for choice in made if len(choice) < self.oracle.most]
            whole = [
                (likely.misfit(entry), entry)
                for choice in sorted(on, key=lambda choice: made[choice])[:LIKELY]
                for entry in self.oracle.several(choice)
            ]
            near = sorted((one for one in whole if one[0] < least), key=lambda one: one[0])[:NEAR]
            begun = {entry.choice: entry for _, entry in near}
            least = near[0][0] if near else least
            stages = [[(o, p) for o in begun for p in parts if p[0][0] not in dict(o)]]


def best(sets: Iterable[Parts], misfit: Misfit, least: float) -> list[Parts]:
    """Returns the sets that are worth a try: none fits worse than `least`, the likeliest first."""
    found = ((misfit(*each), each) for each in sets)
    good = sorted((each for each in found if each[0] < least + TIE), key=lambda each: each[0])
    return [each for _, each in good[:TRIES]]


class Numbers(NamedTuple):
    """All numbers, a row for each that was seen; whether each is not right, or not observed."""

    values: np.ndarray
    changed: np.ndarray
    strange: np.ndarray


class Likeliness:
    """How well two parts, each known by what it leads to alone, together explain a record.

    Where one of them changes a number, that should be seen; where neither does, what is right.
    Where both do, anything may be seen. Best is a mixture: an array that is a sum of multiples of
    what either leads to and of what is right.
    """

    def __init__(self, right: Seen, actual: Seen, single: ByChoice) -> None:
        """Takes the names of all facts that any of them has; `single`: what parts do alone."""
        facts = [one.facts for one in (*single.values(), right, actual)]
        self.right, self.actual = right.facts, actual.facts
        self.sizes = {name: np.size(fact) for one in facts for name, fact in one.items()}
        self.sizes = {name: size for name, size in self.sizes.items() if size}
        self.weights = np.concatenate([np.full(n, 1 / n) for n in self.sizes.values()])
        self.alike = {size: np.zeros(size, np.bool_) for size in self.sizes.values()}
        self.differing: dict[tuple[int, int, int], np.ndarray] = {}
        self.ends = self.of([right, actual])
        self.single, self.singles = single, self.of(single.values())
        self.trial = self._first_wrong_trial()
        there = [np.full(n, case_of(f) == self.trial) for f, n in self.sizes.items()]
        self.weights_there = self.weights * (np.concatenate(there) if self.trial else 1)

    def of(self, every: Iterable[Seen]) -> Numbers:
        """Returns the numbers of all that was seen."""
        facts, sizes = [one.facts for one in every], self.sizes.items()
        values = [np.concatenate([_values(f.get(n), k) for n, k in sizes]) for f in facts]
        changed, strange = (
            np.array([self._apart(f, other) for f in facts]) for other in (self.right, self.actual)
        )
        return Numbers(np.array(values), changed, strange)

    def _first_wrong_trial(self) -> str:
        """Returns the first of the probe's cases that is not right; empty if all are."""
        wrong = (
            case_of(name)
            for name, size in self.sizes.items()
            if self._differ(self.right.get(name), self.actual.get(name), size).any()
        )
        return next(iter(wrong), "")

    def misfit(self, known: Seen) -> float:
        """Returns how much of it is not what was observed; each fact weighs the same."""
        return float(self.weights @ self._apart(known.facts, self.actual))

    def misfit_there(self, known: Seen) -> float:
        """Returns the same of the first case that is wrong."""
        return float(self.weights_there @ self._apart(known.facts, self.actual))

    def _apart(self, one: Mapping[str, Fact], other: Mapping[str, Fact]) -> np.ndarray:
        """Tells of each number whether it differs."""
        return np.concatenate(
            [self._differ(one.get(name), other.get(name), k) for name, k in self.sizes.items()]
        )

    def pair_misfit(self, ones: ByChoice) -> Misfit:
        """Returns how badly one of `ones` and a single part explain the record, for any two."""
        a = self.singles if ones is self.single else self.of(ones.values())
        misfits = self._misfits(a, self.singles)
        row, column = ({c: i for i, c in enumerate(group)} for group in (ones, self.single))
        return lambda one, more: misfits[row[one], column[more]]

    def _misfits(self, a: Numbers, b: Numbers) -> np.ndarray:
        """Returns how badly each of `a`, a row, explains the record with each of `b`, a column."""
        total, first = np.zeros((len(a.values), len(b.values))), 0
        for size in self.sizes.values():
            at = slice(first, first := first + size)
            (v, c, x), (w, d, y) = (Numbers(*(part[:, at] for part in one)) for one in (a, b))
            right, goal = self.ends.values[:, at]
            alone = (c & x).astype(float) @ ~d.T + (~c).astype(float) @ (d & y).T
            alone += (~c & self.ends.strange[0, at]).astype(float) @ ~d.T
            both = (c & x).astype(float) @ (d & y).T
            misfit = (alone + OPEN * both) / size
            if misfit.any():
                total += np.where(self._mixed(v, w, right, goal), misfit.clip(max=MIXED), misfit)
        return total

    @staticmethod
    def _mixed(a: np.ndarray, b: np.ndarray, right: np.ndarray, goal: np.ndarray) -> np.ndarray:
        """Tells for each row of `a` and of `b` whether they and `right` can be mixed to `goal`."""
        mixed = np.zeros((len(a), len(b)), np.bool_)
        rows, columns = (np.flatnonzero(np.isfinite(group).all(1)) for group in (a, b))
        scale = np.linalg.norm(goal)
        if len(right) <= LEAST or not np.isfinite(scale) or not np.isfinite(right).all():
            return mixed
        a, b, right, goal = (x / (scale or 1.0) for x in (a[rows], b[columns], right, goal))
        shape = len(rows), len(columns)
        gram = np.empty((*shape, 3, 3))
        gram[..., 0, 0], gram[..., 1, 1] = (a * a).sum(1)[:, None], (b * b).sum(1)
        gram[..., 2, 2] = right @ right
        gram[..., 0, 1] = gram[..., 1, 0] = a @ b.T
        gram[..., 0, 2] = gram[..., 2, 0] = (a @ right)[:, None]
        gram[..., 1, 2] = gram[..., 2, 1] = (b @ right)[None]
        onto = np.empty((*shape, 3))
        onto[..., 0], onto[..., 1], onto[..., 2] = (a @ goal)[:, None], b @ goal, right @ goal
        found = np.einsum("...i,...ij,...j", onto, np.linalg.pinv(gram, 1e-9, True), onto)
        mixed[np.ix_(rows, columns)] = goal @ goal - found < REL
        return mixed

    def _differ(self, a: Fact | None, b: Fact | None, size: int) -> np.ndarray:
        if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
            return self.alike[size] if a is b else np.full(size, type(a) is not type(b) or a != b)
        key = id(a), id(b), size  # many outcomes share an array
        if key not in self.differing:
            same = a.shape == b.shape and a.size == size and a.dtype.kind in "biuf"
            near = (
                np.isclose(a.ravel(), b.ravel(), REL, ABS, True)
                if same
                else np.zeros(size, np.bool_)
            )
            self.differing[key] = ~near
        return self.differing[key]


def _values(fact: Fact | None, size: int) -> np.ndarray:
    """Returns the numbers of a fact of the usual size; no numbers else."""
    if isinstance(fact, np.ndarray) and fact.size == size and fact.dtype.kind in "biuf":
        return fact.astype(np.float64).ravel()
    return np.full(size, np.nan)
