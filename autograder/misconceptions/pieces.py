"""Finds how wrong results are made of the pieces that a probe notes: in words, at most two parts.

Our own results show which pieces are right. Yours may have another piece at a place, a changed one,
or a last step too many. What is said holds in all rows of all cases that were noted.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from autograder.base.seen import PIECES
from autograder.running.experiments import BETWEEN, CASE, PLACES, YOURS

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
Change = Callable[[np.ndarray], np.ndarray]
"""Takes the rows of one case on the last axis."""


class Piece(NamedTuple):
    """What may stand at a place: its words ("" where nothing does), numbers, and oddity."""

    words: str
    numbers: np.ndarray
    cost: int


def _standardized(x: np.ndarray, ddof: int = 0) -> np.ndarray:
    spread = x.std(-1, keepdims=True, ddof=ddof) + 1e-8
    return np.asarray((x - x.mean(-1, keepdims=True)) / spread)


CHANGES: Mapping[str, Change] = {
    "the negative of {}": np.negative,
    "the absolute value of {}": np.abs,
    "{}, cut off at 0 from below": lambda x: x.clip(min=0),
    "{}, cut off at 0 from above": lambda x: x.clip(max=0),
    "{}, cut off at -1 and 1": lambda x: x.clip(-1, 1),
    "{}, cut off at -10 and 10": lambda x: x.clip(-10, 10),
    "the sign of {}": np.sign,
    "{}, rounded": np.round,
    "{} without what stands after the point": np.trunc,
    "the square of {}": np.square,
    "{} times 2": lambda x: 2 * x,
    "half of {}": lambda x: x / 2,
    "{} of the row before": lambda x: np.roll(x, 1, -1),
    "{} of the row below": lambda x: np.roll(x, -1, -1),
    "the mean of {} over the batch": lambda x: 0 * x + x.mean(-1, keepdims=True),
    "the largest {} of the batch": lambda x: 0 * x + x.max(-1, keepdims=True),
    "{} minus its mean over the batch": lambda x: x - x.mean(-1, keepdims=True),
    "{}, standardized over the batch": _standardized,
    "{}, standardized over the batch (n - 1)": functools.partial(_standardized, ddof=1),
}
STEPS: Mapping[str, Change] = {
    "they are negated": np.negative,
    "they are squared": np.square,
    "their absolute values are taken": np.abs,
    "they are cut off at 0 from below": lambda x: x.clip(min=0),
    "they are cut off at 0 from above": lambda x: x.clip(max=0),
    "they are cut off at -1 and 1": lambda x: x.clip(-1, 1),
    "they are cut off at -10 and 10": lambda x: x.clip(-10, 10),
    "they are rounded": np.round,
    "they lose what stands after the point": np.trunc,
    "their mean over the batch is subtracted": lambda x: x - x.mean(-1, keepdims=True),
    "they are standardized over the batch": _standardized,
    "their mean over the batch stands for each of them": CHANGES["the mean of {} over the batch"],
    "their sign alone is left": np.sign,
    "they are one row too late": lambda x: np.roll(x, 1, -1),
    "they are one row too early": lambda x: np.roll(x, -1, -1),
    "they stand in the opposite order": lambda x: x[..., ::-1],
}


@dataclass
class Made:
    """What was noted of one kind of results, and what may stand at each place of their form."""

    yours: np.ndarray
    case: np.ndarray
    scale: bool
    plain: Mapping[str, Sequence[Piece]]  # as they were noted, and nothing

    @classmethod
    def of(cls, arrays: Mapping[str, np.ndarray]) -> Made:
        """Reads the arrays of a trial."""
        case = arrays[CASE].astype(int)
        plain = {place: [Piece("", np.full(len(case), NEUTRAL[place]), 0)] for place in PLACES}
        for name, numbers in arrays.items():
            place, between, words = name.partition(BETWEEN)
            if between and place in plain:
                plain[place].append(Piece(words, numbers.astype(np.float64), 0))
        return cls(arrays[YOURS].astype(np.float64), case, bool(arrays["scale"]), plain)

    def per_case(self, change: Change, numbers: np.ndarray) -> np.ndarray:
        """Applies a change to the rows of each case by themselves."""
        made = np.empty_like(numbers)
        for number in np.unique(self.case):
            rows = self.case == number
            made[..., rows] = change(numbers[..., rows])
        return made

    def composed(self, pieces: Mapping[str, np.ndarray]) -> np.ndarray:
        """Returns reward + discount * mask * value - baseline."""
        future = pieces["discount"] * pieces["mask"] * pieces["value"]
        return np.asarray(pieces["reward"] + future - pieces["baseline"])

    def fits(self, made: np.ndarray) -> np.ndarray:
        """Tells of each row of numbers whether it is what was observed."""
        fits = np.ones(made.shape[:-1], np.bool_)
        for number in np.unique(self.case):
            rows = self.case == number
            mine, yours = made[..., rows], self.yours[rows]
            if self.scale:  # of a loss, which may be a mean or a sum
                times = (mine * yours).sum(-1) / np.maximum((mine * mine).sum(-1), 1e-30)
                mine = mine * np.where(times > 0, times, 0.0)[..., None]
            fits &= np.abs(mine - yours).max(-1) <= NEAR * max(np.abs(yours).max(), 1e-3)
        return np.asarray(fits)

    def right(self) -> dict[str, Piece] | None:
        """Returns the pieces of which our own results are made; None if that is not one form."""
        found = [
            dict(zip(PLACES, pieces, strict=True))
            for pieces in itertools.product(*(self.plain[place] for place in PLACES))
            if self.fits(self.composed(dict(zip(PLACES, (p.numbers for p in pieces), strict=True))))
        ]
        # A factor of nothing counts for nothing: the form with the most pieces left out is meant.
        return min(found, key=lambda form: sum(bool(p.words) for p in form.values()), default=None)

    def others(self, place: str, right: Mapping[str, Piece]) -> list[Piece]:
        """Returns what may stand at a place instead: the likeliest first, equal numbers once."""
        found = [piece for piece in self.plain[place] if piece.words != right[place].words]
        plain = self.plain[place][1:]
        for piece in plain:
            if len(plain) <= FEW or piece.words == right[place].words:
                found += self._changed(place, piece, right)
        if place == "discount":
            found += [
                Piece(f"{c:g}, whatever the setting says", np.full(len(self.case), c), 1)
                for c in CONSTANTS
            ]
        kept: list[Piece] = []
        for piece in found:
            known = (right[place].numbers, *(other.numbers for other in kept))
            if not any(np.allclose(piece.numbers, other) for other in known):
                kept.append(piece)
        return kept

    def _changed(self, place: str, piece: Piece, right: Mapping[str, Piece]) -> Iterator[Piece]:
        cost = 1 if piece.words == right[place].words else 2
        if place == "discount":
            yield Piece(f"the square of {piece.words}", piece.numbers**2, cost)
            yield Piece(f"1 - {piece.words}", 1 - piece.numbers, cost)
            return
        for factor in ("discount", "mask") if place in ("reward", "baseline") else ():
            other = right[factor]
            if other.words:
                words = f"{piece.words} times {_bracketed(other.words)}"
                yield Piece(words, piece.numbers * other.numbers, cost)
        if place == "baseline" and right["discount"].words and right["mask"].words:
            words = f"{piece.words} times discount and mask, as the future is"
            both = right["discount"].numbers * right["mask"].numbers
            yield Piece(words, piece.numbers * both, cost)
        for words, change in CHANGES.items():
            yield Piece(words.format(piece.words), self.per_case(change, piece.numbers), cost)

    def explanations(self, right: Mapping[str, Piece]) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yields what explains the results: its oddity, and a phrase for each part that differs."""
        numbers = {place: piece.numbers for place, piece in right.items()}
        others = {place: self.others(place, right) for place in PLACES}
        plain = self.composed(numbers)
        for words, change in STEPS.items():
            if self.fits(self.per_case(change, plain)):
                yield 1, (words,)
        for place in PLACES:
            pieces = others[place]
            made = self.composed({**numbers, place: _stacked(pieces)})
            yield from self._single(place, pieces, right, made)
        for one, two in itertools.combinations(PLACES, 2):
            first, second = others[one], others[two]
            made = self.composed(
                {**numbers, one: _stacked(first)[:, None], two: _stacked(second)[None]}
            )
            for i, j in np.argwhere(self.fits(made)).tolist():
                phrases = phrase(one, first[i], right), phrase(two, second[j], right)
                yield 10 + first[i].cost + second[j].cost, phrases

    def _single(
        self, place: str, pieces: Sequence[Piece], right: Mapping[str, Piece], made: np.ndarray
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yields the explanations by one place, alone and with a last step."""
        for i in np.flatnonzero(self.fits(made)).tolist():
            yield pieces[i].cost, (phrase(place, pieces[i], right),)
        for words, change in STEPS.items():
            for i in np.flatnonzero(self.fits(self.per_case(change, made))).tolist():
                yield 11 + pieces[i].cost, (phrase(place, pieces[i], right), words)


def _stacked(pieces: Sequence[Piece]) -> np.ndarray:
    return np.stack([piece.numbers for piece in pieces])


def _bracketed(words: str) -> str:
    return f"({words})" if " " in words else words


def phrase(place: str, yours: Piece, right: Mapping[str, Piece]) -> str:
    """Returns what differs at one place."""
    noun, is_factor = NOUNS[place], NEUTRAL[place] == 1
    if not yours.words:
        return f"{right[place].words} is missing"
    if not right[place].words:
        done = {"baseline": "is subtracted", "reward": "is added"}
        return f"{yours.words} {'is a factor' if is_factor else done.get(place, 'is added')}"
    return f"as {noun} they have {yours.words}"


def relations(record: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> list[str]:
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
    wrong = [_sentence(names, phrases) for phrases, names in found.items() if phrases]
    right = found.get((), [])
    return wrong + ([f"{' and '.join(right)} are right"] if wrong and right else [])


def _sentence(names: Sequence[str], phrases: Sequence[str]) -> str:
    parts = "one thing" if len(phrases) == 1 else "two things"
    return f"{' and '.join(names)} are right but for {parts}: {'; and '.join(phrases)}"


def _of_one(
    yours: Mapping[str, np.ndarray], ours: Mapping[str, np.ndarray]
) -> tuple[str, ...] | None:
    """Returns phrases for the parts in which results differ; None if that is no short list."""
    if yours.keys() != ours.keys() or yours[YOURS].shape != ours[YOURS].shape:
        return None
    known, made = Made.of(ours), Made.of({**ours, YOURS: yours[YOURS]})
    right = known.right()
    if right is None:
        return None
    return () if made.fits(known.yours) else _likeliest(made, right)


def _likeliest(made: Made, right: Mapping[str, Piece]) -> tuple[str, ...] | None:
    """Returns the least odd explanation; None if there is none, or two pairs are as odd."""
    every = sorted(made.explanations(right), key=lambda one: one[0])
    if not every:
        return None
    least = [phrases for cost, phrases in every if cost == every[0][0]]
    return least[0] if len(least[0]) == 1 or len(least) == 1 else None


def _by_results(record: Mapping[str, np.ndarray]) -> dict[str, dict[str, np.ndarray]]:
    found: dict[str, dict[str, np.ndarray]] = {}
    for name, array in record.items():
        trial, _, key = name.partition("/")
        if trial.startswith(PIECES):
            found.setdefault(trial.removeprefix(PIECES), {})[key] = array
    return found
