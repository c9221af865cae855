"""Likeness where most of a class wrote one text: only those who left it can be alike beyond that.

Who left it in the same blanks is no news: weak students make many mistakes. So both departures are
taken as given. How often such pairs write the same is counted over all these blanks together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from autograder.classroom.winnow import likeness

STEP = 0.05  # of a score, in powers of ten
Marks = frozenset[int]


class Departures:
    """What the hand-ins of a class share apart from the usual texts."""

    def __init__(self, pieces: Sequence[Sequence[Marks]]) -> None:
        """Compares all pairs.

        Args:
            pieces: For each piece of code the marks of each hand-in; no marks: it has none.
        """
        self.tables = [Left(piece) for piece in pieces]
        self.scores: dict[tuple[int, int], list[int]] = {}
        for left in self.tables:
            for pair, score in left.scores.items():
                self.scores.setdefault(pair, []).append(score)
        self.pool = Counter(score for scores in self.scores.values() for score in scores)
        self.pairs = Counter(map(len, self.scores.values()))
        self.tails = self._tails(self.pool) if self.pool else []

    def expected(self, pair: tuple[int, int]) -> float:
        """Returns how many pairs chance leads to expect that share so much that is so rare.

        The pair itself is not part of what is counted, but for one likeness as large as its
        largest: what happened nowhere else is not impossible.
        """
        scores = self.scores.get(pair)
        if not scores:
            return math.inf
        found = self._expected(self.tails, sum(scores))
        if found >= 1:
            return found
        others = self.pool.copy()
        others.subtract(scores)
        others[max(scores)] += 1
        return self._expected(self._tails(others), sum(scores))

    def rarities(
        self, names: Sequence[str], pair: tuple[int, int], common: Collection[str]
    ) -> dict[str, float]:
        """Returns the rarity of what two have in common where both left the usual text."""
        tables = zip(names, self.tables, strict=True)
        found = {name: table.rarity(pair) for name, table in tables if name in common}
        return {name: rarity for name, rarity in found.items() if rarity is not None}

    def _expected(self, tails: Sequence[NDArray[np.float64]], score: int) -> float:
        """Returns how many pairs reach a score: each has a chance for each blank that both left."""
        return sum(
            float(number * tails[blanks][score])
            for blanks, number in self.pairs.items()
            if score < len(tails[blanks])
        )

    def _tails(self, pool: Counter[int]) -> list[NDArray[np.float64]]:
        """Returns the chance of each score or more, by the number of blanks that both left."""
        masses = np.zeros(1 + max(self.pool))
        for score, times in pool.items():
            masses[score] = times
        masses /= masses.sum()
        sums = [np.ones(1)]
        for _ in range(max(self.pairs)):
            sums.append(np.convolve(sums[-1], masses))
        return [np.cumsum(one[::-1])[::-1] for one in sums]


class Left:
    """Who left the usual text of one piece, and how much that is rare any two of them share."""

    def __init__(self, marked: Sequence[Marks]) -> None:
        """Finds the text that most have, and scores all pairs of others who wrote something."""
        self.marked = marked
        usual, times = Counter(marked).most_common(1)[0]
        self.most = 2 * times > len(marked)
        self.scores: dict[tuple[int, int], int] = {}
        if not self.most:
            return
        self.whose: dict[int, int] = {}  # each mark's hand-ins, as bits
        for number, marks in enumerate(marked):
            for mark in marks:
                self.whose[mark] = self.whose.get(mark, 0) | 1 << number
        others = [number for number, one in enumerate(marked) if one and one != usual]
        for pair in combinations(others, 2):
            self.scores[pair] = self._score(*pair)

    def _score(self, one: int, other: int) -> int:
        """Returns how alike two texts are, times how rare it is to have all that they share."""
        shared = self.marked[one] & self.marked[other]
        if not shared:
            return 0
        all_of_it = (1 << len(self.marked)) - 1
        for mark in shared:
            all_of_it &= self.whose[mark]
        rare = math.log10(len(self.marked) / all_of_it.bit_count())
        return int(likeness(self.marked[one], self.marked[other]) * rare / STEP + 1e-9)

    def rarity(self, pair: tuple[int, int]) -> float | None:
        """Returns the share of all pairs that left the usual text and share as much; or None."""
        if pair not in self.scores:
            return None
        as_much = sum(score >= self.scores[pair] for score in self.scores.values())
        return as_much / math.comb(len(self.marked), 2)
