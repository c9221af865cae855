"""Reads an answer: a blank's pieces, their mutations, and the words of mistakes, from a TOML file.

    prefix = "double_q"                  # stands before the ids of mistakes that hold no dot
    no_pairs = ["clipped"]               # not looked for beside others, see `MutationSet`
    students = ["negated"]               # found in students' work: a handout knows pairs of these
    pairs = [["negated", "shape"]]       # further pairs that it knows; without both: all pairs
    line_contains = {gather = "unsqueeze"}# see `MutationSet`
    flags_last = ["shared"]              # arrays that are true where this mistake is made
    flags_first = ["glued"]              # flags that are read first, see `MutationSet`
    interacts = [["clipped", "online"]]  # which do together what neither does alone
    masks = ["wrong_shape"]              # beside which others may leave no trace
    in_all_solutions = false             # mutations go into the usual one alone, unless they say so
    files = ["infrastructure/rl_trainer.py"]   # of whole agents: where points are looked for

    [names]                              # code that comes again, written $PICKED below
    PICKED = "..."
    [read]                               # what to read, by a short name; goes before those of a
                                         # shared file, and of shared_mutations/reading.toml
    DOUBLE = "van Hasselt et al. 2016, equation 4"
    [solutions."within the update"]      # another whole solution, as blank -> its lines
    "hw3.dqn.double_q" = ""              # left empty

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

    [generic]                            # a quantity: what shared_mutations/generic.toml may change
    values = {array = "qa_tp1_values", is = "the values of the next state"}
    clip = {number = "self.settings.noise_clip", is = "the bound of the noise"}
    sum = {operation = "reward_n + future_n", is = "the sum of reward and future"}

`solution` beside mutations is meant for all of a piece.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Any

from autograder.base.checks import HOMEWORKS, parsed
from autograder.base.results import Misconception
from autograder.misconceptions.catalogue import Question
from autograder.misconceptions.mutations import Mutation, MutationPoint, MutationSet

SHARED = HOMEWORKS / "shared_mutations"
ANSWERS = (
    "prefix", "no_pairs", "students", "pairs", "line_contains", "flags_last", "flags_first",
    "interacts", "masks", "in_all_solutions", "files", "names", "read", "solutions", "generic",
    "at", "point", "words", "page",
)  # fmt: skip
"""The tables and keys that only this side reads; `page` is what the handout's page says."""
KINDS = ("array", "number", "operation")
OPERATION = re.compile(r"(?P<A>.+) (?P<operator>\S+) (?P<B>[\w.]+|\(.+\))")
Plain = Mapping[str, Any]


class Reader:
    """What one file says, with the shared files that it names."""

    def __init__(
        self, plain: Plain, prefix: str, names: Mapping[str, str], read: Mapping[str, str]
    ) -> None:
        """Takes a file's content, what `$name` stands for in it, and what is to be read instead."""
        self.plain, self.prefix, self.names = plain, prefix, dict(names)
        self.read = {**plain.get("read", {}), **read}
        for name, text in plain.get("names", {}).items():
            self.names.setdefault(name, self.filled(text))
        self.points = list[MutationPoint]()
        self.words, self.line_contains = dict[str, Misconception](), dict[str, str]()
        self.no_pairs = set[str]()
        named = [{"at": text, **mutations} for text, mutations in plain.get("at", {}).items()]
        for item in [*plain.get("point", ()), *named]:
            if "shared_file" in item:
                self._add_shared(item)
            else:
                self.points.append(MutationPoint(self.filled(item["at"]), tuple(self._of(item))))
        self.of_shared = {*self.words}  # misconceptions whose words are not its own
        self.no_pairs |= {self.id(key) for key in plain.get("no_pairs", ())}
        self.line_contains |= self.ids(plain.get("line_contains", {}))
        sources = {**parsed(SHARED / "reading.toml"), **self.read}
        for id, (title, text, source) in self.ids(plain.get("words", {})).items():
            self.words[id] = Misconception(id, title, text, sources.get(source, source))

    def _add_shared(self, item: Plain) -> None:
        """Adds the pieces of a shared file, but for those mistakes that an item is without."""
        names = {key: self.filled(text) for key, text in item.items() if key != "without"}
        plain = parsed(SHARED / f"{item['shared_file']}.toml")
        shared = Reader(plain, self.prefix, names, self.read)
        without = {self.id(key) for key in item.get("without", ())}
        for point in shared.points:
            kept = tuple(one for one in point.mutations if one.misconception not in without)
            if kept:
                self.points.append(MutationPoint(point.text, kept))
        self.words |= shared.words
        self.line_contains |= shared.line_contains
        self.no_pairs |= shared.no_pairs

    def _of(self, item: Plain) -> Iterator[Mutation]:
        """Yields the mutations of a piece."""
        names = {**self.names, "AT": self.filled(item["at"])}
        for key in (key for key in item if key not in ("at", "solution")):
            options = item[key] if isinstance(item[key], dict) else {"code": item[key]}
            misconception = None if key == "right" else self.id(key)
            base, texts = options.get("solution", item.get("solution")), options["code"]
            for text in [texts] if isinstance(texts, str) else texts:
                yield Mutation(Template(text).substitute(names), misconception, base)

    def filled(self, text: str) -> str:
        """Returns a text with what its names stand for."""
        return Template(text).substitute(self.names)

    def id(self, key: str) -> str:
        """Returns the whole id of a mistake."""
        return key if "." in key else f"{self.prefix}.{key}"

    def ids(self, table: Plain) -> dict[str, Any]:
        """Returns a table of mistakes by their whole ids."""
        return {self.id(key): value for key, value in table.items()}

    def sets(self, key: str) -> list[frozenset[str]]:
        """Returns lists of mistakes as sets of whole ids."""
        return [frozenset(map(self.id, ids)) for ids in self.plain.get(key, ())]


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


@functools.cache
def mutation_set_of(question: Question) -> MutationSet:
    """Returns what is known about a question's blank.

    Raises:
        KeyError, ValueError: If it is not of the form above.
        OSError: If it cannot be read.
    """
    reader = opened(file_of(question))
    plain, generic = reader.plain, list(_generic(reader))
    first = plain.get("flags_first", ())
    flags = {key: reader.id(key) for key in [*first, *plain.get("flags_last", ())]}
    points = [*reader.points, *generic]
    made = {one.misconception for point in points for one in point.mutations} | {*flags.values()}
    words = {id: words for id, words in reader.words.items() if id in made}
    words |= words_of_others(question, {id for id in made if id} - words.keys())
    students = plain.get("students")
    return MutationSet(
        points=reader.points,
        generic=generic,
        solutions={
            name: {blank: reader.filled(lines) or None for blank, lines in bodies.items()}
            for name, bodies in plain.get("solutions", {}).items()
        },
        words=words,
        line_contains=reader.line_contains,
        no_pairs=reader.no_pairs,
        flags=flags,
        flags_first=first,
        interacts=reader.sets("interacts"),
        masks=frozenset(map(reader.id, plain.get("masks", ()))),
        in_all_solutions=plain.get("in_all_solutions", True),
        files=plain.get("files", ()),
        students=None if students is None else frozenset(map(reader.id, students)),
        pairs=reader.sets("pairs"),
    )


def words_of_others(question: Question, ids: Collection[str]) -> dict[str, Misconception]:
    """Returns the words of ids that another blank's file of the homework has.

    A change of one blank may be seen by the check of another: it has one id and one text.
    """
    found: dict[str, Misconception] = {}
    for file in file_of(question).parent.glob("*.toml") if ids else ():
        words = opened(file).words
        found |= {id: words[id] for id in ids if id in words}
    return found


def _generic(reader: Reader) -> Iterator[MutationPoint]:
    """Yields a piece for each quantity of [generic]; the reader gets the words of its mistakes.

    Raises:
        ValueError: If a quantity has no kind, or an operation is none.
    """
    shared = parsed(SHARED / "generic.toml")
    source = next(iter(reader.plain.get("read", {}).values()), "")
    for name, quantity in reader.plain.get("generic", {}).items():
        kind = next((kind for kind in KINDS if kind in quantity), "")
        code, it = reader.filled(quantity.get(kind, "")), quantity.get("is", "")
        sides = OPERATION.fullmatch(code)
        if not code or not it or (kind == "operation" and not sides):
            raise ValueError(f"[generic] {name}: needs `is` and one of {', '.join(KINDS)}")
        parts = {"AT": code, **(sides.groupdict() if sides else {})}
        named, mutations = {"it": it, "It": it[0].upper() + it[1:]}, list[Mutation]()
        for change, text in shared[kind].items():
            title, explanation = (Template(t).substitute(named) for t in shared["words"][change])
            id = f"{reader.prefix}.{name}_{change}"
            mutations.append(Mutation(Template(text).substitute(parts), id))
            reader.words[id] = Misconception(id, title, explanation, source)
        yield MutationPoint(code, tuple(mutations))
