"""Finds how wrong results are made of the pieces that a probe notes, in words: one part differs.

Our own results show which pieces are right. Yours may have another piece at a place, a changed one,
or a last step too many. What is said is true of all rows of all cases that were noted.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from autograder.base.seen import PIECES
from autograder.running.made_of import BETWEEN, CASE, PLACES, YOURS

NEAR = 3e-4  # of the largest number of a case: float32 arithmetic is far closer
FEW = 4  # pieces; of more of them, only the right one is tried with changes too
NEUTRAL = {"reward": 0.0, "discount": 1.0, "mask": 1.0, "value": 0.0, "baseline": 0.0}
NOUNS = {
    "reward": "the reward",
    "discount": "the discount",
    "mask": "the mask of ended episodes",
    "value": "the value of the next state",
    "baseline": "what is subtracted",
}
CONSTANTS = (0.99, 0.95, 0.9, 0.5, 0.0)
Arrays = Mapping[str, np.ndarray]


class Change(NamedTuple):
    """What may be done to a piece, or to the results as a last step: in words, "" if it is not."""

    of_piece: str
    of_results: str
    make: Callable[[np.ndarray], np.ndarray]
    """Takes the rows of one case."""


class Piece(NamedTuple):
    """What may stand at a place: its words ("" where nothing does), numbers, and oddity."""

    words: str
    numbers: np.ndarray
    cost: int = 0


def _standardized(x: np.ndarray, ddof: int = 0) -> np.ndarray:
    return np.asarray((x - x.mean()) / (x.std(ddof=ddof) + 1e-8))


def _both(words: str, make: Callable[[np.ndarray], np.ndarray]) -> Change:
    return Change(f"{{}}, {words}", f"they are {words}", make)


CHANGES = (
    Change("the negative of {}", "they are negated", np.negative),
    Change("the absolute value of {}", "their absolute values are taken", np.abs),
    _both("cut off at 0 from below", lambda x: x.clip(min=0)),
    _both("cut off at 0 from above", lambda x: x.clip(max=0)),
    _both("cut off at -1 and 1", lambda x: x.clip(-1, 1)),
    _both("cut off at -10 and 10", lambda x: x.clip(-10, 10)),
    Change("the sign of {}", "their sign alone is left", np.sign),
    _both("rounded", np.round),
    Change("{} without what stands after the point", "", np.trunc),
    Change("", "they lose what stands after the point", np.trunc),
    Change("the square of {}", "they are squared", np.square),
    Change("{} times 2", "", lambda x: 2 * x),
    Change("half of {}", "", lambda x: x / 2),
    Change("{} of the row before", "they are one row too late", lambda x: np.roll(x, 1)),
    Change("{} of the row below", "they are one row too early", lambda x: np.roll(x, -1)),
    Change("the mean of {} over the batch", "", lambda x: 0 * x + x.mean()),
    Change("", "their mean over the batch stands for each of them", lambda x: 0 * x + x.mean()),
    Change("the largest {} of the batch", "", lambda x: 0 * x + x.max()),
    Change("{} minus its mean over the batch", "", lambda x: x - x.mean()),
    Change("", "their mean over the batch is subtracted", lambda x: x - x.mean()),
    _both("standardized over the batch", _standardized),
    Change("{}, standardized over the batch (n - 1)", "", functools.partial(_standardized, ddof=1)),
    Change("", "they stand in the opposite order", lambda x: x[::-1]),
)


@dataclass
class Made:
    """What was noted of one kind of results, and what may stand at each place of their form."""

    yours: np.ndarray
    case: np.ndarray
    scale: bool
    plain: Mapping[str, Sequence[Piece]]  # as they were noted, and nothing

    @classmethod
    def of(cls, arrays: Arrays) -> Made:
        """Reads the arrays of a trial."""
        case = arrays[CASE].astype(int)
        plain = {place: [Piece("", np.full(len(case), NEUTRAL[place]))] for place in PLACES}
        for name, numbers in arrays.items():
            place, between, words = name.partition(BETWEEN)
            if between and place in plain:
                plain[place].append(Piece(words, numbers.astype(np.float64)))
        return cls(arrays[YOURS].astype(np.float64), case, bool(arrays["scale"]), plain)

    def rows(self) -> Iterator[np.ndarray]:
        """Yields which rows belong to each case."""
        return (self.case == number for number in np.unique(self.case))

    def changed(self, change: Change, numbers: np.ndarray) -> np.ndarray:
        """Applies a change to the rows of each case by themselves."""
        made = np.empty_like(numbers)
        for rows in self.rows():
            made[rows] = change.make(numbers[rows])
        return made

    def fits(self, made: np.ndarray) -> bool:
        """Returns whether numbers are what was observed."""
        for rows in self.rows():
            mine, yours = made[rows], self.yours[rows]
            if self.scale:  # of a loss, which may be a mean or a sum
                mine = mine * max((mine * yours).sum() / max((mine * mine).sum(), 1e-30), 0.0)
            if not np.abs(mine - yours).max() <= NEAR * max(np.abs(yours).max(), 1e-3):
                return False
        return True

    def right(self) -> dict[str, Piece] | None:
        """Returns the pieces of which our own results are made; None if that is not one form."""
        every = itertools.product(*(self.plain[place] for place in PLACES))
        forms = [dict(zip(PLACES, pieces, strict=True)) for pieces in every]
        found = [form for form in forms if self.fits(composed(form))]
        # A factor of nothing counts for nothing: the form with the most pieces left out is meant.
        return min(found, key=lambda form: sum(bool(p.words) for p in form.values()), default=None)

    def explanation(self, right: Mapping[str, Piece]) -> str | None:
        """Returns in words which part differs: the least odd one that explains the results."""
        found = [(cost, words) for cost, words, made in self._every(right) if self.fits(made)]
        return min(found, key=lambda one: one[0])[1] if found else None

    def _every(self, right: Mapping[str, Piece]) -> Iterator[tuple[int, str, np.ndarray]]:
        """Yields what one part may be: how odd that is, the words, and the results then."""
        for step in CHANGES:
            if step.of_results:
                yield 1, step.of_results, self.changed(step, composed(right))
        for place in PLACES:
            for piece in self._others(place, right):
                words = phrase(place, piece, right[place])
                yield piece.cost, words, composed({**right, place: piece})

    def _others(self, place: str, right: Mapping[str, Piece]) -> Iterator[Piece]:
        """Yields what may stand at a place instead: the likeliest first."""
        yield from (piece for piece in self.plain[place] if piece.words != right[place].words)
        plain = self.plain[place][1:]
        for piece in plain:
            cost = 1 if piece.words == right[place].words else 2
            if len(plain) <= FEW or cost == 1:
                for words, numbers in self._changed(place, piece, right):
                    yield Piece(words, numbers, cost)
        for c in CONSTANTS if place == "discount" else ():
            yield Piece(f"{c:g}, whatever the setting says", np.full(len(self.case), c), 1)

    def _changed(
        self, place: str, piece: Piece, right: Mapping[str, Piece]
    ) -> Iterator[tuple[str, np.ndarray]]:
        """Yields what a piece may be made to, in words and in numbers."""
        if place == "discount":
            yield f"the square of {piece.words}", piece.numbers**2
            yield f"1 - {piece.words}", 1 - piece.numbers
            return
        discount, mask = right["discount"], right["mask"]
        for other in (discount, mask) if place in ("reward", "baseline") else ():
            if other.words:
                factor = f"({other.words})" if " " in other.words else other.words
                yield f"{piece.words} times {factor}", piece.numbers * other.numbers
        if place == "baseline" and discount.words and mask.words:
            words = f"{piece.words} times discount and mask, as the future is"
            yield words, piece.numbers * discount.numbers * mask.numbers
        for change in CHANGES:
            if change.of_piece:
                yield change.of_piece.format(piece.words), self.changed(change, piece.numbers)


def composed(form: Mapping[str, Piece]) -> np.ndarray:
    """Returns reward + discount * mask * value - baseline."""
    reward, discount, mask, value, baseline = (form[place].numbers for place in PLACES)
    return np.asarray(reward + discount * mask * value - baseline)


def phrase(place: str, yours: Piece, right: Piece) -> str:
    """Returns what differs at one place."""
    if not yours.words:
        return f"{right.words} is missing"
    if not right.words:
        done = "is a factor" if NEUTRAL[place] else "is added"
        return f"{yours.words} {'is subtracted' if place == 'baseline' else done}"
    return f"as {NOUNS[place]} they have {yours.words}"


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
    return "" if made.fits(known.yours) else made.explanation(right)


def _by_results(record: Arrays) -> dict[str, dict[str, np.ndarray]]:
    found: dict[str, dict[str, np.ndarray]] = {}
    for name, array in record.items():
        trial, _, key = name.partition("/")
        if trial.startswith(PIECES):
            found.setdefault(trial.removeprefix(PIECES), {})[key] = array
    return found
