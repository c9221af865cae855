"""Reads an answer: a blank's sites, their ways, and the words of its mistakes, from a TOML file.

    prefix = "double_q"                  # stands before the ids of mistakes that hold no dot
    no_pairs = ["clipped"]               # not looked for beside others, see `Mutation.no_pairs`
    students = ["negated"]               # found in students' work: a handout knows pairs of these
    pairs = [["negated", "shape"]]       # further pairs that it knows; without both: all pairs
    line_contains = {gather = "unsqueeze"}# see `Mutation.line_contains`
    flags_last = ["shared"]              # arrays that are true where this mistake is made; true:
                                         # one for each mistake below that no site makes
    flags_first = ["glued"]              # flags that are read first, see `MutationSet.flags_first`
    interacts = [["clipped", "online"]]  # which do together what neither does alone
    masks = ["wrong_shape"]              # beside which others may leave no trace
    in_all_solutions = false             # ways go into the usual solution alone, unless they say so
    files = ["infrastructure/rl_trainer.py"]   # of whole agents: where points are looked for

    [names]                              # code that comes again, written $PICKED below
    PICKED = "..."
    [read]                               # what to read, by a short name; goes before a family's,
                                         # and before those of shared_mutations/reading.toml
    DOUBLE = "van Hasselt et al. 2016, equation 4"
    [solutions."within the update"]      # another whole solution, as blank -> its lines
    "hw3.dqn.double_q" = ""              # left empty

    [generic]                            # quantities that any change may be made of, see `generic`
    values = {array = "qa_tp1_values", is = "the values of the next state"}

    [at]                                 # a piece of the solution, a mistake, and how it is written
    "self.q_net(".target_selects = "self.q_net_target("
    "self.q_net(".negated = "-$AT"       # the piece itself, and more
    "self.q_net(".right = ["...", "..."] # other right forms
    "(1)".shape = {solution = "within the update", code = "..."}# only in that solution

    [[point]]                            # also with `at`, where a piece is long, or comes again
    shared_file = "td_target"            # those of shared_mutations/td_target.toml; its $end is ...
    end = "terminals"
    without = ["shape"]                  # these mistakes aside

    [words]
    target_selects = ["title", "text", "DOUBLE"]# see `Misconception`

`solution` beside ways is meant for all ways of a site.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Any

from autograder.base.checks import HOMEWORKS, parsed
from autograder.base.results import Misconception
from autograder.misconceptions import generic
from autograder.misconceptions.mutations import Bodies, Mutation, MutationPoint, MutationSet
from autograder.misconceptions.question import Question

SHARED = HOMEWORKS / "shared_mutations"
READING = parsed(SHARED / "reading.toml")
ANSWERS = (
    "prefix", "no_pairs", "students", "pairs", "line_contains", "flags_last", "flags_first",
    "interacts", "masks", "in_all_solutions", "files", "names", "read", "solutions", "generic",
    "at", "point", "words", "page",
)  # fmt: skip
"""The tables and keys that only this side reads; `page` is what the handout's page says."""
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
        self.shared_readers = [
            Reader.of_shared(item, self) for item in self.items if "shared_file" in item
        ]
        self.words: dict[str, Misconception] = {}
        self.no_pairs, self.line_contains = set[str](), dict[str, str]()
        for shared in self.shared_readers:
            self.words |= shared.words
            self.no_pairs |= shared.no_pairs
            self.line_contains |= shared.line_contains
        self.no_pairs |= {self.id(key) for key in plain.get("no_pairs", ())}
        self.line_contains |= {
            self.id(key): name for key, name in plain.get("line_contains", {}).items()
        }
        sources = {**READING, **self.read}
        for key, (title, text, source) in plain.get("words", {}).items():
            self.words[self.id(key)] = Misconception(
                self.id(key), title, text, sources.get(source, source)
            )

    @classmethod
    def of_shared(cls, item: Plain, parent: Reader) -> Reader:
        """Returns the reader of a family's file."""
        names = {key: parent.filled(text) for key, text in item.items() if key != "without"}
        file = SHARED / f"{item['shared_file']}.toml"
        plain = parsed(file)
        return cls(plain, parent.prefix, names, parent.read)

    @property
    def items(self) -> list[Plain]:
        """The sites, as they stand in the file."""
        named = [{"at": text, **mutations} for text, mutations in self.plain.get("at", {}).items()]
        return [*self.plain.get("point", ()), *named]

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

    def points(self) -> Iterator[MutationPoint]:
        """Yields the sites, a family's where it is named."""
        shared_readers = iter(self.shared_readers)
        for item in self.items:
            if "shared_file" in item:
                without = {self.id(key) for key in item.get("without", ())}
                for point in next(shared_readers).points():
                    mutations = tuple(
                        mutation
                        for mutation in point.mutations
                        if mutation.misconception not in without
                    )
                    if mutations:
                        yield MutationPoint(point.text, mutations)
            else:
                yield MutationPoint(self.filled(item["at"]), tuple(self._mutations(item)))

    def _mutations(self, item: Plain) -> Iterator[Mutation]:
        names = {**self.names, "AT": self.filled(item["at"])}
        for key, value in item.items():
            if key in ("at", "solution"):
                continue
            options = value if isinstance(value, dict) else {"code": value}
            base, texts = options.get("solution", item.get("solution")), options["code"]
            misconception = None if key == "right" else self.id(key)
            words, line_contains = (
                self.words.get(misconception or ""),
                self.line_contains.get(misconception or "", ""),
            )
            for text in [texts] if isinstance(texts, str) else texts:
                yield Mutation(
                    Template(text).substitute(names),
                    misconception,
                    words,
                    base,
                    line_contains,
                    misconception in self.no_pairs,
                )


def opened(file: Path) -> Reader:
    """Returns the reader of an answer's file.

    Raises:
        UsageError: If it is no TOML.
    """
    plain = parsed(file)
    return Reader(plain, plain["prefix"], {}, {})


def file_of(question: Question) -> Path:
    """Returns where the answer of a question is."""
    folder, name = HOMEWORKS / question.homework, f"{question.name}.toml"
    story = folder / "stories" / name
    return story if story.is_file() else folder / "blanks" / name


def words_of_others(question: Question, ids: Collection[str]) -> dict[str, Misconception]:
    """Returns the words of ids that another blank's file of the homework has.

    A change of one blank may be seen by the check of another: it has one id and one text.
    """
    found: dict[str, Misconception] = {}
    for file in file_of(question).parent.glob("*.toml") if ids else ():
        words = opened(file).words
        found |= {id: words[id] for id in ids if id in words}
    return found


@functools.cache
def mutation_set_of(question: Question) -> MutationSet:
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
    interacts = [frozenset(map(reader.id, ids)) for ids in reader.plain.get("interacts", ())]
    masks = frozenset(map(reader.id, reader.plain.get("masks", ())))
    in_all_solutions, files = (
        reader.plain.get("in_all_solutions", True),
        reader.plain.get("files", ()),
    )
    points, words = list(reader.points()), dict(reader.words)
    every = [mutation.misconception for point in points for mutation in point.mutations]
    made, keys = {id for id in every if id}, reader.plain.get("flags_last", ())
    if keys is True:
        keys = [key for key in reader.plain["words"] if reader.id(key) not in made]
    flags_first = reader.plain.get("flags_first", ())
    any_point = generic.points(
        reader.plain.get("generic", {}), reader.prefix, reader.reference, reader.names
    )
    record = reader.plain.get("students")
    students = None if record is None else frozenset(map(reader.id, record))
    pairs = [frozenset(map(reader.id, ids)) for ids in reader.plain.get("pairs", ())]
    flags = {key: reader.id(key) for key in [*flags_first, *keys]}
    words |= words_of_others(question, (made | {*flags.values()}) - words.keys())
    return MutationSet(
        points,
        solutions,
        flags,
        words,
        interacts,
        masks,
        in_all_solutions,
        files,
        flags_first,
        any_point,
        students,
        pairs,
    )
