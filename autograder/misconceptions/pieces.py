"""Finds how wrong results are made of the pieces that a probe notes, in words: one part differs.

Our own results show which pieces are right. Yours may have another piece at a place, one too many,
or one too few. What is said is true of all rows of all cases that were noted.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from autograder.base.seen import PIECES
from autograder.running.experiments import BETWEEN, CASE, PLACES, YOURS

NEAR = 3e-4  # of the largest number of a case: float32 arithmetic is far closer
NEUTRAL = {"reward": 0.0, "discount": 1.0, "mask": 1.0, "value": 0.0, "baseline": 0.0}
NOUNS = {
    "reward": "the reward",
    "discount": "the discount",
    "mask": "the mask of ended episodes",
    "value": "the value of the next state",
    "baseline": "what is subtracted",
}
Arrays = Mapping[str, np.ndarray]
Form = Mapping[str, str]
"""Place -> the words of the piece that stands there; "" where nothing does."""


@dataclass
class Made:
    """What was noted of one kind of results, and the numbers that may stand at each place."""

    yours: np.ndarray
    case: np.ndarray
    scale: bool
    pieces: Mapping[str, dict[str, np.ndarray]]  # by place and words

    @classmethod
    def of(cls, arrays: Arrays) -> Made:
        """Reads the arrays of a trial."""
        case = arrays[CASE].astype(int)
        pieces = {place: {"": np.full(len(case), NEUTRAL[place])} for place in PLACES}
        for name, numbers in arrays.items():
            place, between, words = name.partition(BETWEEN)
            if between and place in pieces:
                pieces[place][words] = numbers.astype(np.float64)
        return cls(arrays[YOURS].astype(np.float64), case, bool(arrays["scale"]), pieces)

    def fits(self, form: Form) -> bool:
        """Returns whether the results are reward + discount * mask * value - baseline."""
        pieces = (self.pieces[place][form[place]] for place in PLACES)
        reward, discount, mask, value, baseline = pieces
        return self.are(reward + discount * mask * value - baseline)

    def are(self, made: np.ndarray) -> bool:
        """Returns whether numbers are what was observed."""
        for number in np.unique(self.case):
            mine, yours = made[self.case == number], self.yours[self.case == number]
            if self.scale:  # of a loss, which may be a mean or a sum
                mine = mine * max((mine * yours).sum() / max((mine * mine).sum(), 1e-30), 0.0)
            if not np.abs(mine - yours).max() <= NEAR * max(np.abs(yours).max(), 1e-3):
                return False
        return True

    def right(self) -> Form | None:
        """Returns the pieces of which our own results are made; None if that is not one form."""
        every = itertools.product(*(self.pieces[place] for place in PLACES))
        found = [
            form for form in (dict(zip(PLACES, p, strict=True)) for p in every) if self.fits(form)
        ]
        # A factor of nothing counts for nothing: the form with the most pieces left out is meant.
        return min(found, key=lambda form: sum(map(bool, form.values())), default=None)

    def explanation(self, right: Form) -> str | None:
        """Returns in words which part differs; None if no single one explains the results."""
        for place in PLACES:
            for words in self.pieces[place]:
                if self.fits({**right, place: words}):
                    return phrase(place, words, right[place])
        return None


def phrase(place: str, yours: str, right: str) -> str:
    """Returns what differs at one place."""
    if not yours:
        return f"{right} is missing"
    if not right:
        done = "is a factor" if NEUTRAL[place] else "is added"
        return f"{yours} {'is subtracted' if place == 'baseline' else done}"
    return f"as {NOUNS[place]} they have {yours}"


def relations(record: Arrays, expected: Arrays) -> list[str]:
    """Returns sentences on how results differ from the right ones, by what they are made of.

    Args:
        record: Arrays of the student's trials, by "trial/array".
        expected: Those of our solution.

    Returns:
        A sentence for each way in which results differ. Empty if any differ in another way.
    """
    found: dict[str, list[str]] = {}
    yours, ours = _by_results(record), _by_results(expected)
    for results, arrays in ours.items():
        words = _of_one(yours.get(results, {}), arrays)
        if words is None:
            return []
        found.setdefault(words, []).append(f"your {results}")
    right = " and ".join(found.pop("", []))
    wrong = [
        f"{' and '.join(names)} are right but for one thing: {words}"
        for words, names in found.items()
    ]
    return [*wrong, f"{right} are right"] if wrong and right else wrong


def _of_one(yours: Arrays, ours: Arrays) -> str | None:
    """Returns in which part results differ, "" if in none; None if that is not all."""
    if yours.keys() != ours.keys() or yours[YOURS].shape != ours[YOURS].shape:
        return None
    known, made = Made.of(ours), Made.of({**ours, YOURS: yours[YOURS]})
    right = known.right()
    if right is None:
        return None
    return "" if made.are(known.yours) else made.explanation(right)


def _by_results(record: Arrays) -> dict[str, dict[str, np.ndarray]]:
    found: dict[str, dict[str, np.ndarray]] = {}
    for name, array in record.items():
        trial, _, key = name.partition("/")
        if trial.startswith(PIECES):
            found.setdefault(trial.removeprefix(PIECES), {})[key] = array
    return found
