"""Reads an answer: a blank's sites, their ways, and the words of its mistakes, from a TOML file.

    prefix = "double_q"                  # stands before the ids of mistakes that hold no dot
    alone = ["clipped"]                  # not looked for beside others, see `Way.alone`
    calls = {gather = "unsqueeze"}       # see `Way.calls`
    flags = ["shared"]                   # arrays that are true where this mistake is made; true:
                                         # one for each mistake below that no site makes
    drawn = ["glued"]                    # flags that are read first, see `Answer.drawn`
    together = [["clipped", "online"]]   # which do together what neither does alone
    hides = ["wrong_shape"]              # beside which others may leave no trace
    everywhere = false                   # ways go into the usual solution alone, unless they say so
    given = ["infrastructure/envs.py"]   # files that sites are looked for in, of what is given

    [names]                              # code that comes again, written $PICKED below
    PICKED = "..."
    [read]                               # what to read, by a short name; goes before a family's,
                                         # and before those of families/reading.toml
    DOUBLE = "van Hasselt et al. 2016, equation 4"
    [solutions."within the update"]      # another whole solution, as blank -> its lines
    "hw3.dqn.double_q" = ""              # left empty

    [generic]                            # quantities that any change may be made of, see `generic`
    values = {array = "qa_tp1_values", is = "the values of the next state"}

    [at]                                 # a piece of the solution, a mistake, and how it is written
    "self.q_net(".target_selects = "self.q_net_target("
    "self.q_net(".negated = "-$AT"                   # the piece itself, and more
    "self.q_net(".right = ["...", "..."]             # other right forms
    "(1)".shape = {in = "within the update", code = "..."}  # only in that solution

    [[site]]                             # also with `at`, where a piece is long, or comes again
    family = "td_target"                 # the sites of families/td_target.toml, whose $end is ...
    end = "terminals"
    without = ["shape"]                  # these mistakes aside

    [words]
    target_selects = ["title", "text", "DOUBLE"]     # see `Mistake`

`in` beside ways is meant for all ways of a site.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Any

from autograder.core import generic
from autograder.core.question import Question
from autograder.core.sites import Answer, Bodies, Site, Way
from autograder.mistakes import Mistake

FAMILIES = Path(__file__).parent.parent / "families"
READING = tomllib.loads((FAMILIES / "reading.toml").read_text(encoding="utf-8"))
Plain = Mapping[str, Any]


class Reader:
    """Reads one file, and the families it names."""

    def __init__(
        self, plain: Plain, prefix: str, names: Mapping[str, str], read: Mapping[str, str]
    ) -> None:
        """Takes a file's content, what `$name` stands for in it, and what is to be read instead."""
        self.plain, self.prefix, self.names = plain, prefix, dict(names)
        self.read = {**plain.get("read", {}), **read}
        for name, text in plain.get("names", {}).items():
            self.names.setdefault(name, self.filled(text))
        self.families = [Reader.of_family(item, self) for item in self.items if "family" in item]
        self.words: dict[str, Mistake] = {}
        self.alone, self.calls = set[str](), dict[str, str]()
        for family in self.families:
            self.words |= family.words
            self.alone |= family.alone
            self.calls |= family.calls
        self.alone |= {self.id(key) for key in plain.get("alone", ())}
        self.calls |= {self.id(key): name for key, name in plain.get("calls", {}).items()}
        known = {**READING, **self.read}
        for key, (title, text, source) in plain.get("words", {}).items():
            self.words[self.id(key)] = Mistake(title, text, known.get(source, source))

    @classmethod
    def of_family(cls, item: Plain, parent: Reader) -> Reader:
        """Returns the reader of a family's file."""
        names = {key: parent.filled(text) for key, text in item.items() if key != "without"}
        file = FAMILIES / f"{item['family']}.toml"
        plain = tomllib.loads(file.read_text(encoding="utf-8"))
        return cls(plain, parent.prefix, names, parent.read)

    @property
    def items(self) -> list[Plain]:
        """The sites, as they stand in the file."""
        named = [{"at": text, **ways} for text, ways in self.plain.get("at", {}).items()]
        return [*self.plain.get("site", ()), *named]

    @property
    def reference(self) -> str:
        """What is to be read of any mistake: the first of the file's own sources, or the page."""
        return str(next(iter(self.plain.get("read", {}).values()), ""))

    def filled(self, text: str) -> str:
        """Returns a text with what its names stand for."""
        return Template(text).substitute(self.names)

    def id(self, key: str) -> str:
        """Returns the whole id of a mistake."""
        return key if "." in key else f"{self.prefix}.{key}"

    def sites(self) -> Iterator[Site]:
        """Yields the sites, a family's where it is named."""
        families = iter(self.families)
        for item in self.items:
            if "family" in item:
                without = {self.id(key) for key in item.get("without", ())}
                for site in next(families).sites():
                    ways = tuple(way for way in site.ways if way.mistake not in without)
                    if ways:
                        yield Site(site.text, ways)
            else:
                yield Site(self.filled(item["at"]), tuple(self._ways(item)))

    def _ways(self, item: Plain) -> Iterator[Way]:
        names = {**self.names, "AT": self.filled(item["at"])}
        for key, value in item.items():
            if key in ("at", "in"):
                continue
            options = value if isinstance(value, dict) else {"code": value}
            base, texts = options.get("in", item.get("in")), options["code"]
            mistake = None if key == "right" else self.id(key)
            said, calls = self.words.get(mistake or ""), self.calls.get(mistake or "", "")
            for text in [texts] if isinstance(texts, str) else texts:
                yield Way(
                    Template(text).substitute(names),
                    mistake,
                    said,
                    base,
                    calls,
                    mistake in self.alone,
                )


def opened(file: Path) -> Reader:
    """Returns the reader of an answer's file."""
    plain = tomllib.loads(file.read_text(encoding="utf-8"))
    return Reader(plain, plain["prefix"], {}, {})


def file_of(question: Question) -> Path:
    """Returns where the answer of a question is."""
    return FAMILIES.parent / question.homework / "answers" / f"{question.name}.toml"


@functools.cache
def answer_of(question: Question) -> Answer:
    """Returns what is known about a question's blank.

    Raises:
        KeyError, ValueError: If it is not of the form above.
        OSError: If it cannot be read.
    """
    reader = opened(file_of(question))
    solutions: dict[str, Bodies] = {
        name: {blank: reader.filled(lines) or None for blank, lines in bodies.items()}
        for name, bodies in reader.plain.get("solutions", {}).items()
    }
    together = [frozenset(map(reader.id, ids)) for ids in reader.plain.get("together", ())]
    hides = frozenset(map(reader.id, reader.plain.get("hides", ())))
    everywhere, given = reader.plain.get("everywhere", True), reader.plain.get("given", ())
    sites, words = list(reader.sites()), reader.words
    made, keys = {way.mistake for site in sites for way in site.ways}, reader.plain.get("flags", ())
    if keys is True:
        keys = [key for key in reader.plain["words"] if reader.id(key) not in made]
    drawn = reader.plain.get("drawn", ())
    any_site = generic.sites(
        reader.plain.get("generic", {}), reader.prefix, reader.reference, reader.names
    )
    flags = {key: reader.id(key) for key in [*drawn, *keys]}
    return Answer(
        sites, solutions, flags, words, together, hides, everywhere, given, drawn, any_site
    )
