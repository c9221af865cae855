"""Finds the fewest mistakes that lead to what a probe saw.

No mistake and single ones are known beforehand. Of several at once there are thousands: they are
tried in the order in which what each does alone makes them likely, and only so many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from autograder.core.known import Known
from autograder.core.outcomes import Entry, Fact, Outcome
from autograder.core.question import Choice
from autograder.numbers import ABS, REL
from autograder.probing import Observation

TRIES = 60  # of pairs, and of each number of mistakes above: 19 of 20 that can be told come sooner
OPEN = 0.01  # what a number weighs of which nothing can be said
NEAR = 3  # sets of mistakes to which one more is added: those that explain most


def search(known: Known, seen: Observation, observed: Outcome) -> Entry | None:
    """Returns the fewest mistakes that lead to what was observed; None if nothing does."""
    # What crashes everywhere hides all else; and no mistakes lead to a record with trials missing.
    trials, calls = known.right.trials, known.calls
    hidden = observed.crashes.keys() >= trials or observed.trials != trials
    tried = Tries(known, observed)
    for loosely in (False, True) if observed.crashes else (False,):
        ways: list[Iterable[Entry]] = [] if loosely else [known.with_mistakes(0)]
        ways += [tried.alone] if hidden or known.question.most < 2 else [tried.alone, tried]
        for entries in ways:
            fitting = (entry for entry in entries if fits_lines(entry, calls, seen))
            found = explaining(observed, fitting, loosely)
            if found is not None:
                return found
    return None


def explaining(observed: Outcome, entries: Iterable[Entry], loosely: bool) -> Entry | None:
    """Returns the first of the outcomes that is what was observed."""
    return next((entry for entry in entries if entry.outcome.agrees(observed, loosely)), None)


def fits_lines(entry: Entry, calls: Mapping[str, str], seen: Observation) -> bool:
    """Tells whether lines that raised something have the names that an entry's mistakes want."""
    names = [calls[mistake] for mistake in entry.mistakes if mistake in calls]
    lines = [trial.crash.source for trial in seen.values() if trial.crash]
    return not lines or all(any(name in line for line in lines) for name in names)


class Tries:
    """The outcomes of several mistakes at once: the fewest first, then the likeliest."""

    def __init__(self, known: Known, observed: Outcome) -> None:
        """Tries nothing yet."""
        self.known, self.observed = known, observed
        self.alone = known.with_mistakes(1)

    def __iter__(self) -> Iterator[Entry]:
        """Yields them, each made when it is wanted."""
        pairs = self.known.pairs()
        effects = Effects(self.known.right, self.observed, self.alone)
        single = {entry.choice: effects.of(entry.outcome) for entry in reversed(self.alone)}
        parts = [part for part in single if any(part[0] in pair for pair in pairs)]
        sets = [(p, single[p[:1]], single[p[1:]]) for p in pairs if {p[:1], p[1:]} <= single.keys()]
        least = min((effects.strangeness(effect) for effect in single.values()), default=0)
        for _ in range(1, self.known.question.most):
            made = []
            for choice in effects.likeliest(sets):
                for entry in self.known.several(choice):
                    made.append((effects.of(entry.outcome), entry.choice))
                    yield entry
            near = sorted(made, key=lambda one: effects.strangeness(one[0]))[:NEAR]
            sets = [
                (tuple(sorted(choice + part)), effect, single[part])
                for effect, choice in near
                if effects.strangeness(effect) < least
                for part in parts
                if part[0][0] not in dict(choice)
            ]


class Effect(NamedTuple):
    """The numbers of an outcome, and for each whether it is not our solution's, or the record's."""

    values: np.ndarray
    changed: np.ndarray
    strange: np.ndarray


class Effects:
    """Compares outcomes, number by number, with that of our solution and with what was observed."""

    def __init__(self, right: Outcome, observed: Outcome, others: Sequence[Entry]) -> None:
        """Takes the names of all facts that any of them has."""
        facts = [one.facts for one in (observed, right, *(entry.outcome for entry in others))]
        self.right, self.observed = right.facts, observed.facts
        self.sizes = {name: np.size(fact) for one in reversed(facts) for name, fact in one.items()}
        weights = [np.full(size, 1 / size) for size in self.sizes.values() if size]
        self.weights = np.concatenate(weights) if weights else np.empty(0)
        self.known: dict[tuple[int, int, int], np.ndarray] = {}
        self.none = self.of(right)
        self.goal = self.of(observed).values

    def of(self, outcome: Outcome) -> Effect:
        """Returns what an outcome is like."""
        facts = outcome.facts
        values = [self._values(facts.get(name), size) for name, size in self.sizes.items()]
        found = [np.concatenate(values) if values else np.empty(0)]
        for others in (self.right, self.observed):
            parts = [
                self._differs(facts.get(name), others.get(name), size)
                for name, size in self.sizes.items()
            ]
            found.append(np.concatenate(parts) if parts else np.empty(0, np.bool_))
        return Effect(*found)

    def strangeness(self, effect: Effect) -> float:
        """Returns how much of an outcome is not what was observed; each fact weighs the same."""
        return float(self.weights @ effect.strange)

    def likeliest(self, sets: Sequence[tuple[Choice, Effect, Effect]]) -> list[Choice]:
        """Returns the choices worth a try, those first whose two parts agree best with the record.

        Where one part alone has an effect, that should be seen; where none has, what is right.
        Where both have one, anything may be seen: one of the two, their sum or their product more
        likely.
        """

        def misfits(one: tuple[Choice, Effect, Effect]) -> float:
            _, a, b = one
            here = np.where(b.changed, b.strange, self.none.strange)
            alone = np.where(a.changed, a.strange, here)
            both = a.changed & b.changed
            open_ = both & a.strange & b.strange
            (at,) = np.nonzero(open_)
            x, y, z, goal = a.values[at], b.values[at], self.none.values[at], self.goal[at]
            with np.errstate(all="ignore"):
                mixed = _near(x + y - z, goal) | _near(x * y / z, goal)
            return float(self.weights @ (alone & ~both) + OPEN * self.weights[at] @ ~mixed)

        return [choice for choice, _, _ in sorted(sets, key=misfits)[:TRIES]]

    def _values(self, fact: Fact | None, size: int) -> np.ndarray:
        if isinstance(fact, np.ndarray) and fact.size == size and fact.dtype.kind in "biuf":
            return fact.astype(np.float64).ravel()
        return np.full(size, np.nan)

    def _differs(self, a: Fact | None, b: Fact | None, size: int) -> np.ndarray:
        key = id(a), id(b), size  # many outcomes share an array
        if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
            return np.full(size, type(a) is not type(b) or a != b)
        if key not in self.known:
            same = a.shape == b.shape and a.size == size and a.dtype.kind in "biuf"
            self.known[key] = ~_near(a.ravel(), b.ravel()) if same else np.full(size, True)
        return self.known[key]


def _near(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(np.isclose(a, b, REL, ABS))
