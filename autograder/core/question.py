"""A question about one blank: where its solution can be written otherwise, rightly or wrongly.

A *site* is a piece of the solution's text, a *way* another text for it: a mistake, with the words
that a student is told, or another right form. One way is at once the example of a mistake, the
prediction of what it leads to (the same probe runs on it) and its documentation.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.util
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autograder import homework as homeworks
from autograder.check import Check
from autograder.judge import Judgement
from autograder.mistakes import Mistake
from autograder.probing import Observation

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


Arrays = Mapping[str, np.ndarray]
Rule = Callable[[Observation, Judgement], None]
LastRule = Callable[[Arrays, Arrays, Judgement], None]
Choice = tuple[tuple[int, int], ...]
"""The numbers of some sites, each with the number of the way that is taken there."""


class Answer(NamedTuple):
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


@dataclass(frozen=True)
class Question:
    """What the grader asks about one blank; called, it judges what the probe saw.

    Its answer lies in `answers`, by its name: sites in a TOML file, of which a student's copy has a
    table instead; rules, where there are any, in a module.

    Attributes:
        blank: Its id.
        name: What its probe and its answer are called.
    """

    blank: str
    name: str

    def __call__(self, seen: Observation, seed: int) -> Judgement:
        """Judges a record."""
        from autograder.core.judging import judge  # which imports this module

        return judge(self, seen, seed)

    @property
    def homework(self) -> str:
        """The homework it belongs to."""
        return self.blank.partition(".")[0]

    @property
    def probe(self) -> str:
        """The probe's place below `autograder`."""
        return f"{self.homework}.probes.{self.name}:probe"

    @property
    def file(self) -> Path:
        """Where its sites are."""
        return Path(__file__).parent.parent / self.homework / "answers" / f"{self.name}.toml"

    @functools.cached_property
    def answer(self) -> Answer:
        """What is known about the blank; a copy does not have it."""
        reader = importlib.import_module("autograder.core.answer_file")  # nor this
        answer: Answer = reader.read(self.file)
        return answer

    @functools.cached_property
    def _rules(self) -> object:
        name = f"autograder.{self.homework}.answers.{self.name}"
        return importlib.import_module(name) if importlib.util.find_spec(name) else None

    @property
    def facts(self) -> Sequence[Rule]:
        """Rules about a record that need no prediction; each may name mistakes."""
        return getattr(self._rules, "FACTS", ())

    @property
    def otherwise(self) -> Sequence[LastRule]:
        """Rules for a record that nothing explains: the arrays seen, and those of our solution."""
        return getattr(self._rules, "OTHERWISE", ())

    @property
    def sites(self) -> Sequence[Site]:
        """Where the solution can be written otherwise."""
        return self.answer.sites

    @property
    def solutions(self) -> Mapping[str, Bodies]:
        """Further whole solutions, by name."""
        return self.answer.solutions

    @property
    def flags(self) -> Mapping[str, str]:
        """Mistakes that the probe sees by itself, by the name of an array."""
        return self.answer.flags

    def choices(self, wrong: int) -> Iterator[Choice]:
        """Yields the ways to make `wrong` mistakes at once, each at another site.

        One mistake can be written in any of its ways, several each in its first. Without any, the
        right forms come, one at a time. Among single ones are those that need each other.
        """
        sites = self.sites
        pick = wrong_ways if wrong < 2 else combined_ways
        options = [[(s, w) for w in pick(site)] for s, site in enumerate(sites)]
        for chosen in itertools.combinations(options, wrong):
            for choice in itertools.product(*chosen):
                if len(set(self.mistakes_of(choice))) == wrong:
                    yield choice
        if wrong == 1 and self.answer.together:
            pairs = ((choice, frozenset(self.mistakes_of(choice))) for choice in self.choices(2))
            yield from (choice for choice, made in pairs if made in self.answer.together)
        if not wrong:  # the product above has yielded what nothing is changed in
            for s, site in enumerate(sites):
                yield from (((s, w),) for w, way in enumerate(site.ways) if not way.mistake)

    def ways(self, choice: Choice) -> list[tuple[Site, Way]]:
        """Returns what a choice stands for."""
        sites = self.sites
        return [(sites[s], sites[s].ways[w]) for s, w in choice]

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
        everywhere = self.answer.everywhere and len(choice) < 2 or not choice
        return ["", *self.solutions] if everywhere else [""]

    def mistakes(self) -> dict[str, Mistake]:
        """Returns the words of every mistake of its sites and flags, by id."""
        ways = [way for site in self.sites for way in site.ways]
        told = {flag: self.answer.words[flag] for flag in self.flags.values()}
        return {way.mistake: way.words for way in ways if way.mistake and way.words} | told

    def calls(self) -> dict[str, str]:
        """Returns which name must stand on a line that raises, by mistake."""
        ways = [way for site in self.sites for way in site.ways]
        return {way.mistake: way.calls for way in ways if way.mistake and way.calls}

    @functools.cached_property
    def told(self) -> dict[str, Any]:
        """What is told beside outcomes, as plain values: a copy has it in its table."""
        words = {name: dataclasses.astuple(words) for name, words in self.mistakes().items()}
        flags, drawn = dict(self.flags), list(self.answer.drawn)
        return {"words": words, "calls": self.calls(), "flags": flags, "drawn": drawn}


@functools.cache
def question(check: Check) -> Question:
    """Returns what a check asks about its blank."""
    return Question(check.id, check.probe.partition(":")[0].rpartition(".")[2])


def questions(homework: str) -> list[Question]:
    """Returns all questions of a homework."""
    return [question(check) for check in homeworks.checks(homework) if not check.answer]
