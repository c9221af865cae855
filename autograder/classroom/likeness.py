"""Code that is more alike than two independent solutions of this class are.

A blank of a few lines has few right forms, so most pairs of students share some. How often that
happens is counted in the class itself, blank by blank. Two students stand out if they are alike in
many blanks in which few others are. Where most wrote one text, being alike says nothing, and
`departures` counts who left it for the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from autograder.classroom.code import changes
from autograder.classroom.departures import Departures
from autograder.classroom.winnow import likeness, marks, names, tokens
from autograder.source.submission import given_texts

STEP = 0.02  # of surprise, in powers of ten
KINDS = 2  # of likeness that are looked for, so chance leads to twice as many pairs
FEWEST = 4  # hand-ins of a class in which anything can be counted
ELSEWHERE = "outside of the blanks: "


@dataclass(frozen=True)
class HandIn:
    """What one student, or one group, handed in.

    Attributes:
        students: Whose it is.
        texts: Each piece of code, by its blank's id; or by its file, for code elsewhere.
    """

    students: tuple[str, ...]
    texts: Mapping[str, str]


@dataclass(frozen=True)
class Pair:
    """Two hand-ins that are alike.

    Attributes:
        one: The first.
        other: The second.
        alike: How alike each piece is, from 0 to 1, by its name.
        rarity: The share of pairs of this class that are as alike in that piece; where these two
            left what most wrote, of pairs that did so too.
        expected: How many such pairs chance alone leads to one expect in a class of this size.
    """

    one: HandIn
    other: HandIn
    alike: Mapping[str, float]
    rarity: Mapping[str, float]
    expected: float


def pieces(homework: str, files: Mapping[str, str]) -> dict[str, str]:
    """Returns what a student wrote, blank by blank, and outside of them file by file."""
    found: dict[str, str] = {}
    for change in changes(homework, files):
        for name in change.blanks or (f"{ELSEWHERE}{change.file}",):
            found[name] = f"{found[name]}\n{change.text}" if name in found else change.text
    return {name: text for name, text in found.items() if text.strip()}


def alike(homework: str, hand_ins: Sequence[HandIn]) -> list[Pair]:
    """Returns all pairs, the least likely by chance first; none of a class that is too small."""
    if len(hand_ins) < FEWEST:
        return []
    given = set().union(*map(names, given_texts(homework).values()))
    every = sorted({name for one in hand_ins for name in one.texts})
    marked = {
        name: [marks(tokens(one.texts.get(name, ""), given)) for one in hand_ins] for name in every
    }
    tables = {name: Table(marked[name]) for name in every}
    departures = Departures([marked[name] for name in every])
    tail = tail_of(tables.values())
    number = len(hand_ins) * (len(hand_ins) - 1) // 2
    found = []
    for pair in combinations(range(len(hand_ins)), 2):
        shares = {name: table.between(*pair) for name, table in tables.items()}
        steps = sum(tables[name].steps(share) for name, share in shares.items())
        common = {name: share for name, share in shares.items() if share}
        rarity = {name: tables[name].rarity(share) for name, share in common.items()}
        rarity |= departures.rarities(every, pair, common)
        expected = KINDS * min(number * float(tail[steps]), departures.expected(pair))
        found.append(Pair(hand_ins[pair[0]], hand_ins[pair[1]], common, rarity, expected))
    return sorted(found, key=lambda pair: (pair.expected, pair.one.students, pair.other.students))


def tail_of(tables: Iterable[Table]) -> NDArray[np.float64]:
    """Returns the chance that two independent hand-ins have a surprise or more, in steps."""
    total = np.ones(1)
    for table in tables:
        total = np.convolve(total, table.masses)
    return np.minimum(np.cumsum(total[::-1])[::-1], 1.0)


class Table:
    """How alike the hand-ins of a class are in one piece of code."""

    def __init__(self, marked: Sequence[frozenset[int]]) -> None:
        """Compares all of them, each text that several have once."""
        times = Counter(marked)
        different = list(times)
        self.numbers = [different.index(one) for one in marked]
        self.shares: dict[tuple[int, int], float] = {}
        pairs: Counter[float] = Counter()
        for i, one in enumerate(different):
            for j in range(i, len(different)):
                share = round(likeness(one, different[j]), 4)
                self.shares[i, j] = self.shares[j, i] = share
                own = times[one] - 1
                number = times[one] * own // 2 if i == j else times[one] * times[different[j]]
                if number:
                    pairs[share] += number
        self.tails: dict[float, float] = {}
        above, every = 0, sum(pairs.values())
        for share in sorted(pairs, reverse=True):
            above += pairs[share]
            self.tails[share] = above / every
        steps = {share: self.steps(share) for share in pairs}
        self.masses = np.zeros(1 + max(steps.values()))
        for share, times_of_it in pairs.items():
            self.masses[steps[share]] += times_of_it / every

    def between(self, left: int, right: int) -> float:
        """Returns how alike two hand-ins are."""
        return self.shares[self.numbers[left], self.numbers[right]]

    def rarity(self, share: float) -> float:
        """Returns the share of pairs that are at least so alike, the pair itself among them."""
        return self.tails[share]

    def steps(self, share: float) -> int:
        """Returns how surprising a likeness is, in steps of `STEP`."""
        return int(-np.log10(self.tails[share]) / STEP)
