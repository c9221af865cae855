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

from autograder.core.question import Choice
from autograder.mistakes import Mistake

Bodies = Mapping[str, str | None]
"""Id of a blank -> the lines that stand there; None where it is left empty."""


@dataclass(frozen=True)
class Way:
    """One text for a site.

    Attributes:
        text: The code.
        mistake: Its id; None for a right form.
        words: What a student is told of it.
        base: The name of the whole solution that it is written into, where no other can hold it,
            or tells it from other mistakes; "" is the usual one; None: into any.
        calls: Where it raises something: a name that the student's line must have, too.
        alone: Whether it is not looked for beside others: few make it.
    """

    text: str
    mistake: str | None = None
    words: Mistake | None = None
    base: str | None = None
    calls: str = ""
    alone: bool = False


@dataclass(frozen=True)
class Site:
    """A piece of a solution, and what may stand in its place. Only the first of its kind is meant.

    A site that is gone from the text, since a larger one was rewritten, is left alone.
    """

    text: str
    ways: tuple[Way, ...]


def wrong_ways(site: Site) -> list[int]:
    """Returns the numbers of the ways that are mistakes."""
    return [number for number, way in enumerate(site.ways) if way.mistake]


def combined_ways(site: Site) -> list[int]:
    """Returns the numbers of the ways that are looked for beside others."""
    first = {way.mistake: number for number, way in reversed(list(enumerate(site.ways)))}
    return [
        n for n in wrong_ways(site) if n == first[site.ways[n].mistake] and not site.ways[n].alone
    ]


@dataclass(frozen=True)
class Answer:
    """What is known about a blank: its sites, and further whole solutions by name.

    A probe may see a mistake by itself, and say so by a flag: an array that is true. Flags are read
    where no way explains a record.
    """

    sites: Sequence[Site]
    solutions: Mapping[str, Bodies]
    flags: Mapping[str, str]
    """Name of an array, in any trial -> mistake."""
    words: Mapping[str, Mistake]
    together: Sequence[frozenset[str]]
    """Mistakes that do together what none of them does alone: looked for with single ones."""
    hides: frozenset[str]
    """Mistakes beside which others may leave no trace."""
    everywhere: bool
    """Whether ways that name no solution are written into the further ones, too."""
    given: Sequence[str]
    """Files of `cs285` that sites are looked for in, where what is judged is given."""
    drawn: Sequence[str] = ()
    """Flags that are read first: what is drawn at random, or counted, is predicted by nobody."""
    generic: Sequence[Site] = ()
    """Sites that stand for any mistake's kind, see `core.generic`: looked for where no other fits,
    one at a time."""

    @property
    def every_site(self) -> list[Site]:
        """Its own sites, and the generic ones after them: what a choice's numbers count."""
        return [*self.sites, *self.generic]

    def generic_choices(self) -> Iterator[Choice]:
        """Yields the generic mistakes, one at a time."""
        for s, site in enumerate(self.generic, len(self.sites)):
            yield from (((s, w),) for w in wrong_ways(site))

    def choices(self, wrong: int, every: bool = False) -> Iterator[Choice]:
        """Yields the ways to make `wrong` mistakes at once, each at another site.

        One mistake can be written in any of its ways, several each in its first unless `every` way
        is asked for. Without any, the right forms come, one at a time. Among single ones are those
        that need each other.
        """
        pick = wrong_ways if wrong < 2 or every else combined_ways
        options = [[(s, w) for w in pick(site)] for s, site in enumerate(self.sites)]
        for chosen in itertools.combinations(options, wrong):
            for choice in itertools.product(*chosen):
                if len(set(self.mistakes_of(choice))) == wrong:
                    yield choice
        if wrong == 1 and self.together:
            pairs = ((choice, frozenset(self.mistakes_of(choice))) for choice in self.choices(2))
            yield from (choice for choice, made in pairs if made in self.together)
        if not wrong:  # the product above has yielded what nothing is changed in
            for s, site in enumerate(self.sites):
                yield from (((s, w),) for w, way in enumerate(site.ways) if not way.mistake)

    def ways(self, choice: Choice) -> list[tuple[Site, Way]]:
        """Returns what a choice stands for."""
        every = self.every_site
        return [(every[s], every[s].ways[w]) for s, w in choice]

    def mistakes_of(self, choice: Choice) -> tuple[str, ...]:
        """Returns the ids of the mistakes that a choice makes."""
        return tuple(way.mistake for _, way in self.ways(choice) if way.mistake)

    def bases_of(self, choice: Choice) -> list[str]:
        """Returns the names of the solutions that a choice is written into; "" is the usual one.

        Several mistakes at once go into that alone, if they can.
        """
        named = {way.base for _, way in self.ways(choice) if way.base is not None}
        if named:
            return sorted(named) if len(named) == 1 else []
        everywhere = self.everywhere and len(choice) < 2 or not choice
        return ["", *self.solutions] if everywhere else [""]

    def mistakes(self) -> dict[str, Mistake]:
        """Returns the words of every mistake of its sites and flags, by id."""
        ways = [way for site in self.every_site for way in site.ways]
        told = {flag: self.words[flag] for flag in self.flags.values()}
        return {way.mistake: way.words for way in ways if way.mistake and way.words} | told

    def calls(self) -> dict[str, str]:
        """Returns which name must stand on a line that raises, by mistake."""
        ways = [way for site in self.sites for way in site.ways]
        return {way.mistake: way.calls for way in ways if way.mistake and way.calls}

    @functools.cached_property
    def told(self) -> dict[str, Any]:
        """What is told beside outcomes, as plain values: a copy has it in its table."""
        words = {name: dataclasses.astuple(words) for name, words in self.mistakes().items()}
        flags, drawn = dict(self.flags), list(self.drawn)
        return {"words": words, "calls": self.calls(), "flags": flags, "drawn": drawn}
