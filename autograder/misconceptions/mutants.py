"""Runs a question's probe on our own solution, written in other ways: what would be seen then.

What is seen depends on the probe with all that it imports, the answer, the families, what runs
mutations, the reference and PyTorch. So an edit of one blank changes it for no other.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, ModuleType

from autograder.base.blank_files import modules_of
from autograder.base.checks import Check
from autograder.base.seen import Choice, Seen
from autograder.misconceptions.catalogue import Question
from autograder.misconceptions.mutation_file import SHARED, file_of, mutation_set_of
from autograder.misconceptions.mutations import Bodies, MutationSet
from autograder.source import reference
from autograder.source.blanks import Region, fill, find_regions
from autograder.source.submission import ROOT, Tree
from autograder.source.syntax import BLANKS, PACKAGE

LIVE = Path(__file__).with_name("live_oracle.py")
NEEDED = ("autograder.running.declared", "autograder.misconceptions.mutants")
"""Modules that run for all questions, with all that they import."""
COMPILED: dict[tuple[str, str], CodeType] = {}  # what most variants have in common
WARM: dict[str, ModuleType] = {}
IMPORTS = re.compile(r"^[ \t]*from ([\w.]+) import (\([^)]*\)|[^\n#]*)", re.MULTILINE)


class MutantTree(Tree):
    """Our own solved files, some of them changed."""

    def __init__(self, changed: Mapping[str, str]) -> None:
        """Takes the changed files, by path within `cs285`."""
        super().__init__()
        self.changed, self.codes = changed, COMPILED
        self.affected = affected(frozenset(changed))
        self.warm = {name: one for name, one in WARM.items() if name not in self.affected}

    @property
    def given(self) -> Mapping[str, str]:
        """The solved files."""
        return reference.texts()

    def compiled(self, text: str, file: str) -> CodeType:
        """Compiles a file of ours as it is: a syntax tree between would cost more than the code."""
        if (file, text) not in self.codes:
            self.codes[file, text] = compile(text, file, "exec")
        return super().compiled(text, file)

    def keep(self, modules: Mapping[str, ModuleType]) -> None:
        """Keeps the modules that the changed files have no part in.

        A package forgets its modules: `from package import module` asks it before `sys.modules`.
        """
        if any(modules.get(name) is not one for name, one in self.warm.items()):
            WARM.clear()  # forgotten meanwhile: what is left would refer to other copies
            return
        for name, module in modules.items():
            package, _, last = name.rpartition(".")
            if package in modules:
                vars(modules[package]).pop(last, None)
            if name not in self.affected:
                WARM[name] = module

    def has(self, path: str) -> bool:
        """Returns whether there is such a file; nothing is looked for on disk."""
        return path in self.changed or path in self.given

    def student(self, path: str) -> str | None:
        """Returns a file's text."""
        return self.changed.get(path) or self.given.get(path)


@functools.cache
def affected(paths: frozenset[str]) -> frozenset[str]:
    """Returns the modules that some files are, and all that import one of them; and `BLANKS`."""
    found = {BLANKS, *map(_module, paths)}
    graph = {_module(path): imported(text) for path, text in reference.texts().items()}
    while more := {name for name, needs in graph.items() if needs & found} - found:
        found |= more
    return frozenset(found)


def _module(path: str) -> str:
    inside = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"{PACKAGE}.{inside}" if inside != "__init__" else PACKAGE


@functools.cache
def imported(text: str) -> frozenset[str]:
    """Returns the modules that a file imports from, and the names that may be modules."""
    found = set[str]()
    for module, names in IMPORTS.findall(text):
        found |= {module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))}
    return frozenset(found)


@functools.cache
def regions() -> dict[str, tuple[str, Region, str]]:
    """Returns each blank's file within `cs285`, its place there and its solution, by id."""
    found = {}
    for path, text in reference.texts().items():
        lines = text.splitlines()
        for region in find_regions(text, path):
            body = "\n".join(lines[region.first : region.last - 1])
            found[region.id] = (path, region, textwrap.dedent(body))
    return found


def written(question: Question, choice: Choice) -> Iterator[dict[str, str]]:
    """Yields the files of `cs285` that a choice leads to, for each solution that can hold it."""
    mutation_set = mutation_set_of(question)
    for base in mutation_set.bases_of(choice):
        usual = {} if mutation_set.files else {question.blank: regions()[question.blank][2]}
        files = _rewritten(mutation_set, choice, mutation_set.solutions[base] if base else usual)
        if files is not None:
            yield files


def _rewritten(mutation_set: MutationSet, choice: Choice, base: Bodies) -> dict[str, str] | None:
    """Returns the files with a solution whose sites are rewritten; None if one is not there.

    A site is looked for in the blanks that the solution fills, then in what is given around them.
    """
    bodies = dict(base)
    around = []
    for point, mutation in mutation_set.mutations(choice):
        home = next((blank for blank, text in bodies.items() if point.text in (text or "")), None)
        if home is None:
            around.append((point.text, mutation.text))
        else:
            bodies[home] = str(bodies[home]).replace(point.text, mutation.text, 1)
    files = {path: reference.texts()[path] for path in mutation_set.files}
    files |= filled(bodies)
    for old, new in around:
        path = next((path for path, text in files.items() if old in text), None)
        if path is None:
            return None
        files[path] = files[path].replace(old, new, 1)
    return files


def filled(bodies: Bodies) -> dict[str, str]:
    """Returns the files of `cs285` that hold these blanks, filled so; by path."""
    found: dict[str, str] = {}
    for blank, body in bodies.items():
        path, region, _ = regions()[blank]
        text = found.get(path) or reference.texts()[path]
        lines = textwrap.dedent(body or "").strip("\n")
        new = None if body is None else textwrap.indent(lines, " " * region.indent)
        found[path] = fill(text, {blank: new}, path)
    return found


def run(
    question: Question,
    files: Mapping[str, str],
    seed: int,
    brief: bool = False,
    trial: str = "",
) -> Seen:
    """Returns what the probe sees of our solution with these files.

    `brief`: no fingerprint. `trial`: the only one that runs.
    """
    from autograder.running.see import see  # imports torch, which what is known needs not

    tree = MutantTree(files)
    tree.brief, tree.trial = brief, trial
    return see(tree, Check(question.blank, "", 0, tuple(files), question.probe), seed)


@functools.cache
def made_from(question: Question) -> str:
    """Returns a hash of all that a question's predictions depend on."""
    digest = hashlib.sha256(importlib.metadata.version("torch").encode())
    for file in sources(question):
        digest.update(_bytes(file))
    return digest.hexdigest()[:16]


@functools.cache
def sources(question: Question) -> list[Path]:
    """Returns the files that a question's predictions depend on."""
    found = {reference.ARCHIVE, file_of(question), *SHARED.glob("*.toml"), LIVE}
    waiting = [*modules_of(f"autograder.{question.probe}"), *NEEDED]
    known = set[str]()
    while waiting:
        if (name := waiting.pop()) not in known:
            known.add(name)
            for file in _files_of(name):
                found.add(file)
                waiting += imported(_bytes(file).decode("utf-8"))
    return sorted(found)


@functools.cache
def _files_of(name: str) -> list[Path]:
    """Returns the files of ours that a dotted name stands for; those of `cs285` are the archive."""
    base = ROOT.joinpath(*name.split("."))
    files = (base / "__init__.py", base.with_suffix(".py")) if name.startswith("autograder") else ()
    return [file for file in files if file.is_file()]


@functools.cache
def _bytes(file: Path) -> bytes:
    return file.read_bytes()
