"""Where the solution of one blank can be written otherwise, rightly or wrongly.

A *site* is a piece of the solution's text, a *way* another text for it: a mistake, with the words
that a student is told, or another right form. One way is at once the example of a mistake, the
prediction of what it leads to (the same probe runs on it) and its documentation.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.base.results import Misconception
from autograder.base.seen import Choice

Bodies = Mapping[str, str | None]
"""Id of a blank -> the lines that stand there; None where it is left empty."""


@dataclass(frozen=True)
class Mutation:
    """One text for a site.

    Attributes:
        text: The code.
        misconception: Its id; None for a right form.
        words: What a student is told of it.
        base: The name of the whole solution that it is written into, where no other can hold it,
            or tells it from other mistakes; "" is the usual one; None: into any.
        line_contains: Where it raises something: a name that the student's line must have, too.
        no_pairs: Whether it is not looked for beside others: few make it.
    """

    text: str
    misconception: str | None = None
    words: Misconception | None = None
    base: str | None = None
    line_contains: str = ""
    no_pairs: bool = False


@dataclass(frozen=True)
class MutationPoint:
    """A piece of a solution, and what may stand in its place. Only the first of its kind is meant.

    A site that is gone from the text, since a larger one was rewritten, is left alone.
    """

    text: str
    mutations: tuple[Mutation, ...]


def wrong_mutations(point: MutationPoint) -> list[int]:
    """Returns the numbers of the ways that are mistakes."""
    return [number for number, mutation in enumerate(point.mutations) if mutation.misconception]


def paired_mutations(point: MutationPoint) -> list[int]:
    """Returns the numbers of the ways that are looked for beside others."""
    first = {
        mutation.misconception: number
        for number, mutation in reversed(list(enumerate(point.mutations)))
    }
    return [
        n
        for n in wrong_mutations(point)
        if n == first[point.mutations[n].misconception] and not point.mutations[n].no_pairs
    ]


@dataclass(frozen=True)
class MutationSet:
    """What is known about a blank: its sites, and further whole solutions by name.

    A probe may see a mistake by itself, and say so by a flag: an array that is true. Flags are read
    where no way explains a record.
    """

    points: Sequence[MutationPoint]
    solutions: Mapping[str, Bodies]
    flags: Mapping[str, str]
    """Name of an array, in any trial -> mistake."""
    words: Mapping[str, Misconception]
    interacts: Sequence[frozenset[str]]
    """Mistakes that do together what none of them does alone: looked for with single ones."""
    masks: frozenset[str]
    """Mistakes beside which others may leave no trace."""
    in_all_solutions: bool
    """Whether ways that name no solution are written into the further ones, too."""
    files: Sequence[str]
    """Files of `cs285` that sites are looked for in, where a whole agent is judged."""
    flags_first: Sequence[str] = ()
    """Flags that are read first: what is drawn at random, or counted, is predicted by nobody."""
    generic: Sequence[MutationPoint] = ()
    """Sites that stand for any mistake's kind, see `generic`: looked for where no other fits,
    one at a time."""
    students: frozenset[str] | None = None
    """Mistakes that were found in students' work; None where nobody has looked yet."""
    pairs: Sequence[frozenset[str]] = ()
    """Further pairs that a handout knows."""

    @property
    def every_point(self) -> list[MutationPoint]:
        """Its own sites, and the generic ones after them: what a choice's numbers count."""
        return [*self.points, *self.generic]

    def generic_choices(self) -> Iterator[Choice]:
        """Yields the generic mistakes, one at a time."""
        for s, point in enumerate(self.generic, len(self.points)):
            yield from (((s, w),) for w in wrong_mutations(point))

    def choices(self, wrong: int, every: bool = False) -> Iterator[Choice]:
        """Yields the ways to make `wrong` mistakes at once, each at another site.

        One mistake can be written in any of its ways, several each in its first unless `every` way
        is asked for. Without any, the right forms come, one at a time. Among single ones are those
        that need each other.
        """
        pick = wrong_mutations if wrong < 2 or every else paired_mutations
        options = [[(s, w) for w in pick(point)] for s, point in enumerate(self.points)]
        for chosen in itertools.combinations(options, wrong):
            for choice in itertools.product(*chosen):
                if len(set(self.misconceptions_of(choice))) == wrong:
                    yield choice
        if wrong == 1 and self.interacts:
            pairs = (
                (choice, frozenset(self.misconceptions_of(choice))) for choice in self.choices(2)
            )
            yield from (choice for choice, made in pairs if made in self.interacts)
        if not wrong:  # the product above has yielded what nothing is changed in
            for s, point in enumerate(self.points):
                yield from (
                    ((s, w),)
                    for w, mutation in enumerate(point.mutations)
                    if not mutation.misconception
                )

    def in_handout(self, choice: Choice) -> bool:
        """Tells whether a handout knows several mistakes at once: those that students make.

        A pair costs as much time as a mistake alone, and nearly all pairs are never seen.
        """
        made = frozenset(self.misconceptions_of(choice))
        return self.students is None or made <= self.students or made in self.pairs

    def mutations(self, choice: Choice) -> list[tuple[MutationPoint, Mutation]]:
        """Returns what a choice stands for."""
        every = self.every_point
        return [(every[s], every[s].mutations[w]) for s, w in choice]

    def misconceptions_of(self, choice: Choice) -> tuple[str, ...]:
        """Returns the ids of the mistakes that a choice makes."""
        return tuple(
            mutation.misconception
            for _, mutation in self.mutations(choice)
            if mutation.misconception
        )

    def bases_of(self, choice: Choice) -> list[str]:
        """Returns the names of the solutions that a choice is written into; "" is the usual one.

        Several mistakes at once go into that alone, if they can.
        """
        named = {
            mutation.base for _, mutation in self.mutations(choice) if mutation.base is not None
        }
        if named:
            return sorted(named) if len(named) == 1 else []
        in_all_solutions = self.in_all_solutions and len(choice) < 2 or not choice
        return ["", *self.solutions] if in_all_solutions else [""]

    def misconceptions(self) -> dict[str, Misconception]:
        """Returns the misconceptions of its mutations and flags, by id.

        Those that any blank may have, whose ids it names too, have their words elsewhere.
        """
        of_generic = [mutation.words for point in self.generic for mutation in point.mutations]
        mutations = [mutation for point in self.points for mutation in point.mutations]
        ids = {mutation.misconception for mutation in mutations} | {*self.flags.values()}
        named = {words.id: words for words in of_generic if words}
        return {id: words for id, words in self.words.items() if id in ids} | named

    def line_contains(self) -> dict[str, str]:
        """Returns which name must stand on a line that raises, by mistake."""
        mutations = [mutation for point in self.points for mutation in point.mutations]
        return {
            mutation.misconception: mutation.line_contains
            for mutation in mutations
            if mutation.misconception and mutation.line_contains
        }

    @functools.cached_property
    def as_table(self) -> dict[str, Any]:
        """What is told beside outcomes, as plain values: a copy has it in its table."""
        words = {name: dataclasses.astuple(words) for name, words in self.misconceptions().items()}
        flags, flags_first = dict(self.flags), list(self.flags_first)
        return {
            "words": words,
            "line_contains": self.line_contains(),
            "flags": flags,
            "flags_first": flags_first,
        }
