"""Finds how wrong results are made of the pieces that a probe notes: in words, at most two parts.

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
TWO = 10  # by so much two parts are odder than one
Arrays = Mapping[str, np.ndarray]
Explanation = tuple[int, tuple[str, ...]]
"""How odd it is, and a phrase for each part that differs."""


class Change(NamedTuple):
    """What may be done to a piece, and to the results as a last step: in words, "" if it is not."""

    of_piece: str
    of_results: str
    make: Callable[[np.ndarray], np.ndarray]
    """Takes the rows of one case on the last axis."""


class Piece(NamedTuple):
    """What may stand at a place: its words ("" where nothing does), numbers, and oddity."""

    words: str
    numbers: np.ndarray
    cost: int


def _mean(x: np.ndarray) -> np.ndarray:
    return np.asarray(x.mean(-1, keepdims=True))


def _standardized(x: np.ndarray, ddof: int = 0) -> np.ndarray:
    return np.asarray((x - _mean(x)) / (x.std(-1, keepdims=True, ddof=ddof) + 1e-8))


def _cut(where: str, low: float | None, high: float | None) -> Change:
    words = f"cut off at {where}"
    return Change(f"{{}}, {words}", f"they are {words}", lambda x: x.clip(low, high))


CHANGES = (
    Change("the negative of {}", "they are negated", np.negative),
    Change("the absolute value of {}", "their absolute values are taken", np.abs),
    _cut("0 from below", 0, None),
    _cut("0 from above", None, 0),
    _cut("-1 and 1", -1, 1),
    _cut("-10 and 10", -10, 10),
    Change("the sign of {}", "their sign alone is left", np.sign),
    Change("{}, rounded", "they are rounded", np.round),
    Change(
        "{} without what stands after the point",
        "they lose what stands after the point",
        np.trunc,
    ),
    Change("the square of {}", "they are squared", np.square),
    Change("{} times 2", "", lambda x: 2 * x),
    Change("half of {}", "", lambda x: x / 2),
    Change("{} of the row before", "they are one row too late", lambda x: np.roll(x, 1, -1)),
    Change("{} of the row below", "they are one row too early", lambda x: np.roll(x, -1, -1)),
    Change(
        "the mean of {} over the batch",
        "their mean over the batch stands for each of them",
        lambda x: 0 * x + _mean(x),
    ),
    Change("the largest {} of the batch", "", lambda x: 0 * x + x.max(-1, keepdims=True)),
    Change(
        "{} minus its mean over the batch",
        "their mean over the batch is subtracted",
        lambda x: x - _mean(x),
    ),
    Change(
        "{}, standardized over the batch",
        "they are standardized over the batch",
        _standardized,
    ),
    Change("{}, standardized over the batch (n - 1)", "", functools.partial(_standardized, ddof=1)),
    Change("", "they stand in the opposite order", lambda x: x[..., ::-1]),
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
        plain = {place: [Piece("", np.full(len(case), NEUTRAL[place]), 0)] for place in PLACES}
        for name, numbers in arrays.items():
            place, between, words = name.partition(BETWEEN)
            if between and place in plain:
                plain[place].append(Piece(words, numbers.astype(np.float64), 0))
        return cls(arrays[YOURS].astype(np.float64), case, bool(arrays["scale"]), plain)

    def rows(self) -> Iterator[np.ndarray]:
        """Yields which rows belong to each case."""
        return (self.case == number for number in np.unique(self.case))

    def changed(self, change: Change, numbers: np.ndarray) -> np.ndarray:
        """Applies a change to the rows of each case by themselves."""
        made = np.empty_like(numbers)
        for rows in self.rows():
            made[..., rows] = change.make(numbers[..., rows])
        return made

    def composed(self, pieces: Mapping[str, np.ndarray]) -> np.ndarray:
        """Returns reward + discount * mask * value - baseline."""
        future = pieces["discount"] * pieces["mask"] * pieces["value"]
        return np.asarray(pieces["reward"] + future - pieces["baseline"])

    def fits(self, made: np.ndarray) -> np.ndarray:
        """Tells of each row of numbers whether it is what was observed."""
        fits = np.ones(made.shape[:-1], np.bool_)
        for rows in self.rows():
            mine, yours = made[..., rows], self.yours[rows]
            if self.scale:  # of a loss, which may be a mean or a sum
                times = (mine * yours).sum(-1) / np.maximum((mine * mine).sum(-1), 1e-30)
                mine = mine * np.where(times > 0, times, 0.0)[..., None]
            fits &= np.abs(mine - yours).max(-1) <= NEAR * max(np.abs(yours).max(), 1e-3)
        return fits

    def right(self) -> dict[str, Piece] | None:
        """Returns the pieces of which our own results are made; None if that is not one form."""
        every = itertools.product(*(self.plain[place] for place in PLACES))
        forms = [dict(zip(PLACES, pieces, strict=True)) for pieces in every]
        found = [form for form in forms if self.fits(self.composed(numbers_of(form)))]
        # A factor of nothing counts for nothing: the form with the most pieces left out is meant.
        return min(found, key=lambda form: sum(bool(p.words) for p in form.values()), default=None)

    def others(self, place: str, right: Mapping[str, Piece]) -> list[Piece]:
        """Returns what may stand at a place instead: the likeliest first, equal numbers once."""
        found = [piece for piece in self.plain[place] if piece.words != right[place].words]
        plain = self.plain[place][1:]
        for piece in plain:
            if len(plain) <= FEW or piece.words == right[place].words:
                cost = 1 if piece.words == right[place].words else 2
                changed = self._changed(place, piece, right)
                found += (Piece(words, numbers, cost) for words, numbers in changed)
        for c in CONSTANTS if place == "discount" else ():
            found.append(Piece(f"{c:g}, whatever the setting says", np.full(len(self.case), c), 1))
        kept = [right[place]]
        for piece in found:
            if not any(np.allclose(piece.numbers, other.numbers) for other in kept):
                kept.append(piece)
        return kept[1:]

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

    def explanations(self, right: Mapping[str, Piece]) -> Iterator[Explanation]:
        """Yields what explains the results by one part, and by two: places, or a last step."""
        numbers, steps = numbers_of(right), [change for change in CHANGES if change.of_results]
        others = {place: self.others(place, right) for place in PLACES}
        stacked = {place: np.stack([p.numbers for p in others[place]]) for place in PLACES}

        def at(place: str, number: int) -> tuple[int, str]:
            return others[place][number].cost, phrase(place, others[place][number], right)

        for step in steps:
            if self.fits(self.changed(step, self.composed(numbers))):
                yield 1, (step.of_results,)
        for place in PLACES:
            made = self.composed({**numbers, place: stacked[place]})
            for i in np.flatnonzero(self.fits(made)):
                cost, words = at(place, i)
                yield cost, (words,)
            for step in steps:
                for i in np.flatnonzero(self.fits(self.changed(step, made))):
                    cost, words = at(place, i)
                    yield TWO + 1 + cost, (words, step.of_results)
        for one, two in itertools.combinations(PLACES, 2):
            made = self.composed({**numbers, one: stacked[one][:, None], two: stacked[two][None]})
            for i, j in np.argwhere(self.fits(made)):
                (cost, words), (more, others_words) = at(one, i), at(two, j)
                yield TWO + cost + more, (words, others_words)


def numbers_of(form: Mapping[str, Piece]) -> dict[str, np.ndarray]:
    """Returns the numbers at each place."""
    return {place: piece.numbers for place, piece in form.items()}


def phrase(place: str, yours: Piece, right: Mapping[str, Piece]) -> str:
    """Returns what differs at one place."""
    if not yours.words:
        return f"{right[place].words} is missing"
    if not right[place].words:
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
    found: dict[tuple[str, ...], list[str]] = {}
    yours, ours = _by_results(record), _by_results(expected)
    for results, arrays in ours.items():
        phrases = _of_one(yours.get(results, {}), arrays)
        if phrases is None:
            return []
        found.setdefault(phrases, []).append(f"your {results}")
    right = " and ".join(found.pop((), []))
    wrong = [
        f"{' and '.join(names)} are right but for {('one thing', 'two things')[len(phrases) - 1]}: "
        f"{'; and '.join(phrases)}"
        for phrases, names in found.items()
    ]
    return [*wrong, f"{right} are right"] if wrong and right else wrong


def _of_one(yours: Arrays, ours: Arrays) -> tuple[str, ...] | None:
    """Returns phrases for the parts in which results differ; None if that is no short list.

    It is the least odd explanation; none if two pairs of parts are as odd.
    """
    if yours.keys() != ours.keys() or yours[YOURS].shape != ours[YOURS].shape:
        return None
    known, made = Made.of(ours), Made.of({**ours, YOURS: yours[YOURS]})
    right = known.right()
    if right is None or made.fits(known.yours):
        return () if right else None
    every = sorted(made.explanations(right), key=lambda one: one[0])
    least = [phrases for cost, phrases in every if cost == every[0][0]]
    return least[0] if least and (len(least[0]) == 1 or len(least) == 1) else None


def _by_results(record: Arrays) -> dict[str, dict[str, np.ndarray]]:
    found: dict[str, dict[str, np.ndarray]] = {}
    for name, array in record.items():
        trial, _, key = name.partition("/")
        if trial.startswith(PIECES):
            found.setdefault(trial.removeprefix(PIECES), {})[key] = array
    return found
