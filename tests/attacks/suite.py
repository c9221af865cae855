"""Attacks and oddities: one idea each, and its expected verdict.

Each module below this folder is a submission, or has several: whatever in it is a `HandIn`, mostly
a function with the decorator `handed_in`. The first line of the docstring is the idea. In `benign`
all blanks are solved, and each must pass; elsewhere the blanks that an attack touches must fail,
and all others stay as they were given out. Its names define the rest:

    EXPECT     The verdict where it is another one: "blank"; or "refused": nothing of the submission
               is judged, and a line reports why.
    SAYS       A pattern for a message of the gradebook: proof that the trick ran to its end.
    EVERYWHERE A body for every blank.
    RETURNS    An expression that every blank answers with.
    BODIES     Bodies for some blanks, by id.
    AT_IMPORT  Code at the end of the files that have blanks: of all, or of some, by path.
    FILES      More files, by their path in what is handed in; bytes are written as they are.
    HONEST     Ids of blanks that are solved, and keep their points.
    COPIES     How many students hand it in; "@COPY@" in its code is the number of the copy.
    hand_in    A function of the files and of the place: writes what is handed in, such as a zip.

Where AT_IMPORT defines a function `loot`, and there are no BODIES, a body reports what it found:
nothing, if all is well. "@PORT@" in the code is a number of the class's own: a port on which the
machine outside listens, and a name to leave marks under.
"""

from __future__ import annotations

import importlib
import pkgutil
import textwrap
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace

from autograder.base.checks import Check
from autograder.source.blanks import Region, find_regions
from autograder.source.reference import fill, strip
from tests.autograder.corpus import homes, reference_files
from tests.autograder.judging import FORMULA
from tests.running import ALL

ARGMAX = "hw3.argmax.action"
ARGMAX_FILE = "policies/argmax_policy.py"
TARGETS = "hw3.dqn.targets"
BLANKS = tuple(check.id for check in FORMULA)
OWNED = tuple(sorted({path for path, _ in homes().values()}))

# A body that reports what the function `loot` could get hold of.
REPORT = {
    ARGMAX: """
import sys
sys.loot = getattr(sys, "loot", None) or str(loot())  # once, for all of the probe's cases
raise RuntimeError(f"read: {sys.loot}")
"""
}
NOTHING = r"read: \[\]"

Files = dict[str, bytes]


class HandIn(SimpleNamespace):
    """One of several submissions of a module: its attributes are what a module's names are."""


def handed_in(expect: str) -> Callable[[Callable[[Files, Path], None]], HandIn]:
    """Makes a submission of a function that writes what is handed in; its docstring is the idea."""

    def made(hand_in: Callable[[Files, Path], None]) -> HandIn:
        return HandIn(__doc__=hand_in.__doc__, EXPECT=expect, hand_in=hand_in)

    return made


@dataclass(frozen=True)
class Attack:
    """One submission, and its expected verdicts."""

    name: str
    """Such as "forging/equal_to_everything"."""
    module: ModuleType | HandIn

    @property
    def idea(self) -> str:
        """Its purpose, in one line."""
        return (self.module.__doc__ or "").strip().splitlines()[0]

    @property
    def expect(self) -> str:
        """The verdict on the blanks that it touches."""
        return str(getattr(self.module, "EXPECT", "passed" if self.benign else "failed"))

    @property
    def steals(self) -> bool:
        """Whether it looks for something to steal."""
        return any("def loot" in code for code in self.at_import().values())

    @property
    def words(self) -> str | None:
        """A pattern that a message must match."""
        return getattr(self.module, "SAYS", NOTHING if self.steals else None)

    @property
    def bodies(self) -> Mapping[str, str]:
        """The code of some blanks, by id."""
        bodies: Mapping[str, str] = getattr(self.module, "BODIES", REPORT if self.steals else {})
        return bodies

    @property
    def benign(self) -> bool:
        """Whether it means no harm."""
        return self.name.startswith("benign/")

    @property
    def students(self) -> list[str]:
        """The names of the students who hand it in."""
        copies = getattr(self.module, "COPIES", 1)
        stem = self.name.replace("/", "-")
        return [stem] if copies == 1 else [f"{stem}-{copy}" for copy in range(1, copies + 1)]

    def verdicts(self) -> dict[str, str]:
        """Returns the expected verdict on each blank, by id."""
        found = dict.fromkeys(BLANKS, "passed" if self.benign else "blank")
        found |= dict.fromkeys(self.touched(), self.expect)
        return found | dict.fromkeys(getattr(self.module, "HONEST", ()), "passed")

    def judged(self, found: Mapping[str, str]) -> dict[str, str]:
        """Returns verdicts as they are compared.

        Where an attack breaks the experiment itself, it earns nothing and the instructor hears of
        it: a grader error is as good as a failure then. Never for those who mean no harm.
        """
        errors = {"grader_error": "failed"} if not self.benign else {}
        return {check: errors.get(verdict, verdict) for check, verdict in found.items()}

    def touched(self) -> set[str]:
        """Returns the ids of the blanks that the trick is in."""
        if hasattr(self.module, "EVERYWHERE") or hasattr(self.module, "RETURNS"):
            return set(BLANKS)
        files = self.at_import() if not self.bodies else {}
        inside = {blank for blank, (path, _) in homes().items() if path in files}
        return inside | set(self.bodies)

    def checks(self) -> list[Check]:
        """Returns the checks that own a file which the trick changes.

        If that is none's, one check of each file shows which file was read. Other files are as they
        always are. Of a hostile trick in every blank, `ARGMAX` and half of the others are judged:
        which half depends on its name. With CS285_ALL=1 in the environment, all checks.
        """
        extra: Mapping[str, object] = getattr(self.module, "FILES", {})
        changed = {path.removeprefix("cs285/") for path in extra} | set(self.at_import())
        changed |= {homes()[blank][0] for blank in self.touched()}
        own = [check for check in FORMULA if not changed.isdisjoint(check.owners)]
        of_each_file = {check.owners[0]: check for check in FORMULA}
        if ALL or self.benign or len(own) < len(FORMULA):
            return FORMULA if ALL else own or list(of_each_file.values())
        half = zlib.crc32(self.name.encode()) % 2
        return [c for n, c in enumerate(FORMULA) if c.id == ARGMAX or n % 2 == half]

    def at_import(self) -> dict[str, str]:
        """Returns the code that runs when a file is imported, by path."""
        code: str | Mapping[str, str] = getattr(self.module, "AT_IMPORT", {})
        return dict.fromkeys(OWNED, code) if isinstance(code, str) else dict(code)

    def files(self, copy: int = 1, port: int = 0) -> Files:
        """Returns what is handed in, by path."""
        texts = {f"cs285/{path}": self._text(path) for path in OWNED}
        found = {path: text.encode() for path, text in texts.items()}
        extra: Mapping[str, str | bytes] = getattr(self.module, "FILES", {})
        for path, content in extra.items():
            found[path] = content.encode() if isinstance(content, str) else content
        marks = ((b"@COPY@", str(copy).encode()), (b"@PORT@", str(port).encode()))
        for path, data in found.items():
            for mark, number in marks:
                data = data.replace(mark, number)
            found[path] = data
        return found

    def _text(self, path: str) -> str:
        text = reference_files()[path]
        solved = BLANKS if self.benign else ()
        honest = {*solved, *getattr(self.module, "HONEST", ())}
        bodies: dict[str, str | None] = {}
        for region in find_regions(text, path):
            code = self._body(region)
            if code is not None:
                body = textwrap.dedent(code).strip("\n")
                bodies[region.id] = textwrap.indent(body, " " * region.indent)
            elif region.id not in honest:
                bodies[region.id] = None
        text = fill(text, bodies, path) if bodies else text
        return f"{text}\n{textwrap.dedent(self.at_import().get(path, ''))}"

    def _body(self, region: Region) -> str | None:
        """Returns the code of one blank; None if the trick leaves it alone."""
        if region.id in self.bodies:
            return self.bodies[region.id]
        if hasattr(self.module, "RETURNS"):
            return returning(region, self.module.RETURNS)
        everywhere: str | None = getattr(self.module, "EVERYWHERE", None)
        return everywhere

    def hand_in(self, submissions: Path, port: int = 0) -> None:
        """Writes what each student hands in."""
        write: Callable[[Files, Path], None] = getattr(self.module, "hand_in", as_folder)
        for copy, student in enumerate(self.students, 1):
            write(self.files(copy, port), submissions / student)


def returning(region: Region, expression: str) -> str:
    """Returns a body that answers with an expression."""
    if region.outputs == ("return",):
        return f"return {expression}"
    return " = ".join([*region.outputs, expression])


def as_folder(files: Mapping[str, bytes], place: Path) -> None:
    """Hands in a plain folder."""
    for path, data in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(data)


def solved_files() -> Files:
    """Returns the right solution, as it is handed in."""
    return {f"cs285/{path}": reference_files()[path].encode() for path in OWNED}


def blank_files() -> Files:
    """Returns the handout, as it is handed in by whoever has done nothing."""
    return {f"cs285/{path}": strip(reference_files()[path], path).encode() for path in OWNED}


def attacks() -> list[Attack]:
    """Returns all of them, in order of their names."""
    return sorted(_found(), key=lambda attack: attack.name)


def _found() -> Iterator[Attack]:
    folder = Path(__file__).parent
    for kind in sorted(path for path in folder.iterdir() if path.is_dir()):
        for info in pkgutil.iter_modules([str(kind)]):
            if not info.name.startswith("_"):
                module = importlib.import_module(f"{__package__}.{kind.name}.{info.name}")
                several = {n: one for n, one in vars(module).items() if isinstance(one, HandIn)}
                for name, one in (several or {info.name: module}).items():
                    yield Attack(f"{kind.name}/{name}", one)
