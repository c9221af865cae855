"""Where the solution of one blank can be written otherwise, rightly or wrongly.

A mutation is another text for a piece of the solution: a mistake, with the words that a student is
told, or another right form. It is at once the example of a mistake, the prediction of what that
leads to (the same probe runs on it) and its documentation.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from autograder.base.results import Misconception
from autograder.base.seen import Choice

Bodies = Mapping[str, str | None]
"""Id of a blank -> the lines that stand there; None where it is left empty."""


class Mutation(NamedTuple):
    """One text for a piece.

    Attributes:
        text: The code.
        misconception: Its id; None for a right form.
        base: The name of the whole solution that it is written into, where no other can hold it,
            or distinguishes it from other mistakes; "" is the usual one; None: into any.
    """

    text: str
    misconception: str | None = None
    base: str | None = None


class MutationPoint(NamedTuple):
    """A piece of a solution, and what may stand in its place. Only the first of its kind is meant.

    A piece that is gone from the text, since a larger one was rewritten, is left alone.
    """

    text: str
    mutations: tuple[Mutation, ...]

    def wrong(self) -> list[int]:
        """Returns the numbers of the mutations that are mistakes."""
        return [number for number, mutation in enumerate(self.mutations) if mutation.misconception]


@dataclass(frozen=True)
class MutationSet:
    """What is known about a blank: its pieces, and further whole solutions by name.

    A probe may see a mistake by itself, and say so by a flag: an array that is true. Flags are read
    where no mutation explains a record.
    """

    points: Sequence[MutationPoint]
    generic: Sequence[MutationPoint]
    """Pieces that stand for any mistake's kind: looked for where no other fits, one at a time."""
    solutions: Mapping[str, Bodies]  # the further ones
    words: Mapping[str, Misconception]  # what a student is told of each mistake
    line_contains: Mapping[str, str]  # mistake -> a name that the line has on which it raises
    no_pairs: Collection[str]  # mistakes that are not looked for beside others: few make them
    flags: Mapping[str, str]  # name of an array, in any trial -> mistake
    flags_first: Sequence[str]  # those read first: nobody predicts what is drawn, or counted
    interacts: Sequence[frozenset[str]]
    """Mistakes that do together what none of them does alone: looked for with single ones."""
    masks: frozenset[str]  # mistakes beside which others may leave no trace
    in_all_solutions: bool  # whether what names no solution is written into further ones, too
    files: Sequence[str]  # those of `cs285` with the pieces, where a whole agent is judged
    students: frozenset[str] | None
    """Mistakes that were found in students' work; None where nobody has looked yet."""
    pairs: Sequence[frozenset[str]]  # further ones that a handout knows

    def generic_choices(self) -> Iterator[Choice]:
        """Yields the generic mistakes, one at a time: their numbers follow those of `points`."""
        for s, point in enumerate(self.generic, len(self.points)):
            yield from (((s, w),) for w in point.wrong())

    def choices(self, wrong: int, every: bool = False) -> Iterator[Choice]:
        """Yields the ways to make `wrong` mistakes at once, each at another piece.

        One mistake can be written in any of its ways, several each in its first unless `every` way
        is asked for. Without any, the right forms come, one at a time: first ours, unchanged. Among
        single ones are those that need each other.
        """
        pick = MutationPoint.wrong if wrong < 2 or every else self._paired
        options = [[(s, w) for w in pick(point)] for s, point in enumerate(self.points)]
        for chosen in itertools.combinations(options, wrong):
            for choice in itertools.product(*chosen):
                if len(set(self.misconceptions_of(choice))) == wrong:
                    yield choice
        if wrong == 1 and self.interacts:
            for choice in self.choices(2):
                if frozenset(self.misconceptions_of(choice)) in self.interacts:
                    yield choice
        for s, point in enumerate(self.points if not wrong else ()):
            right = set(range(len(point.mutations))) - set(point.wrong())
            yield from (((s, w),) for w in sorted(right))

    def _paired(self, point: MutationPoint) -> list[int]:
        """Returns the numbers of the mutations that are looked for beside others."""
        first = {point.mutations[w].misconception: w for w in reversed(point.wrong())}
        return sorted(w for name, w in first.items() if name not in self.no_pairs)

    def in_handout(self, choice: Choice) -> bool:
        """Returns whether a handout knows several mistakes at once: those that students make.

        A pair costs as much time as a mistake alone, and nearly all pairs are never seen.
        """
        made = frozenset(self.misconceptions_of(choice))
        return self.students is None or made <= self.students or made in self.pairs

    @functools.cached_property
    def _every_point(self) -> list[MutationPoint]:
        return [*self.points, *self.generic]

    def mutations(self, choice: Choice) -> list[tuple[MutationPoint, Mutation]]:
        """Returns what a choice stands for."""
        return [(self._every_point[s], self._every_point[s].mutations[w]) for s, w in choice]

    def misconceptions_of(self, choice: Choice) -> tuple[str, ...]:
        """Returns the ids of the mistakes that a choice makes."""
        made = (mutation.misconception for _, mutation in self.mutations(choice))
        return tuple(id for id in made if id)

    def bases_of(self, choice: Choice) -> list[str]:
        """Returns the names of the solutions that a choice is written into; "" is the usual one.

        Several mistakes at once go into that alone, if they can.
        """
        named = {one.base for _, one in self.mutations(choice) if one.base is not None}
        if named:
            return sorted(named) if len(named) == 1 else []
        in_all_solutions = self.in_all_solutions and len(choice) < 2 or not choice
        return ["", *self.solutions] if in_all_solutions else [""]

    @property
    def as_table(self) -> dict[str, Any]:
        """What is told beside outcomes, as plain values: a copy has it in its table."""
        return {
            "words": {name: dataclasses.astuple(words) for name, words in self.words.items()},
            "line_contains": dict(self.line_contains),
            "flags": dict(self.flags),
            "flags_first": list(self.flags_first),
        }
