"""Imports a submission's `cs285` package: the student's files over the handout's own.

A file that is missing, or that does not even import, is replaced by the handout's, with its blanks.
So a broken file costs its own blanks and nothing else, and nobody gets credit for a file of ours.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib
import linecache
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from autograder.source import PACKAGE, ROOT
from autograder.source.submission import given_texts, text_in

BLANKS = f"{PACKAGE}.infrastructure.blanks"
ABOVE = re.compile(rf"^(\w+\.)+{PACKAGE}\b")  # a name that begins above the package
AS_GIVEN = "(as given out)"  # how the names of such files end, wherever lines are quoted
LARGE_FILE = 2**20


class BrokenFileError(Exception):
    """A student's file that does not parse or import; the cause is `__cause__`."""

    def __init__(self, path: str) -> None:
        """Keeps the file's path within the submission."""
        super().__init__(path)
        self.path = path


class Tree:
    """The files of one submission over those of the handout, by path within `cs285`."""

    def __init__(self, package: Path | None = None) -> None:
        """Takes the student's cs285 folder, or None: this checkout's."""
        self.package = package or ROOT / PACKAGE
        self.homework = ""
        """Whose handout its files are compared with: known when a probe runs."""
        self.codes: dict[tuple[str, str], CodeType] = {}
        self.refused: set[tuple[str, str]] = set()
        """Files, with their texts, that nobody tries to compile again."""
        self.warm: dict[str, ModuleType] = {}
        """Modules that stay from one import of the package to the next."""
        self.brief = False
        """Whether nothing is asked that is only reported and never compared."""
        self.trial = ""
        """The one trial that runs; empty: all do."""
        self.replaced: Mapping[str, str] = {}
        """Texts in the place of files that the student handed in."""

    @property
    def given(self) -> Mapping[str, str]:
        """Texts of the handout's files, by path."""
        return given_texts(self.homework)

    def keep(self, modules: Mapping[str, ModuleType]) -> None:
        """Keeps none of a student's modules."""

    def has(self, path: str) -> bool:
        """Returns whether the student handed in a file."""
        return path in self.replaced or (self.package / path).is_file()

    def replace(self, texts: Mapping[str, str]) -> None:
        """Puts texts in the place of files, by path; whoever quotes a line finds it there."""
        linecache.clearcache()
        self.replaced = texts
        for path, text in texts.items():
            quote(text, str(self.package / path))

    def has_folder(self, path: str) -> bool:
        """Returns whether the student, or the handout, has a folder."""
        inside = f"{path}/" if path else ""
        return (self.package / path).is_dir() or any(p.startswith(inside) for p in self.given)

    def student(self, path: str) -> str | None:
        """Returns the text of a file that the student handed in."""
        replaced = self.replaced.get(path)
        return text_in(self.package, path) if replaced is None else replaced

    def handout(self, path: str) -> str | None:
        """Returns the text of a file as it was given out."""
        return self.given.get(path)

    def libraries(self) -> list[str]:
        """Returns what the handout's files import from elsewhere when they are imported."""
        found: set[str] = set()
        for text in self.given.values():
            for node in ast.parse(text).body:
                if isinstance(node, ast.Import):
                    found |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    found.add(node.module)
        return sorted(n for n in found if n.split(".")[0] != PACKAGE and "._" not in n)

    def to_compile(self) -> list[tuple[str, str]]:
        """Returns path and text of what will be imported from the student and is not compiled."""
        found = []
        for path in self.given:
            with contextlib.suppress(SyntaxError):  # reported on import
                text = text_in(self.package, path)
                if text is not None and len(text) < LARGE_FILE:
                    found.append((str(self.package / path), text))
        known = self.codes.keys() | self.refused
        return [one for one in found if one not in known]

    def compiled(self, text: str, file: str) -> CodeType:
        """Compiles a file, once for each text; shows `text` wherever lines of it are quoted.

        Raises:
            SyntaxError: If it is no Python, or is refused.
        """
        if (file, text) in self.refused:
            raise SyntaxError("takes too long to compile")
        key = file, text
        if key not in self.codes:
            self.codes[key] = compile(eased(ast.parse(text, file)), file, "exec")
        quote(text, file)
        return self.codes[key]


class PackageFinder(MetaPathFinder, Loader):
    """Imports `cs285` from a `Tree`, whatever else is installed under that name."""

    def __init__(self, tree: Tree, owners: tuple[str, ...] = (), alone: bool = False) -> None:
        """Imports from `tree`. Files in `owners` come from the student or not at all.

        `alone`: all others come from the handout.
        """
        self.tree = tree
        self.owners = owners
        self.alone = alone
        self.broken: dict[str, BaseException] = {}
        self.touched: set[str] = set()
        """Paths that were read, or looked for: what this import depends on."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Finds a module of the package."""
        if name.split(".")[0] != PACKAGE:
            return None
        inside = name.split(".")[1:]
        for file, is_package in (
            ("/".join([*inside, "__init__.py"]), True),
            ("/".join(inside) + ".py", False),
        ):
            if self._exists(file):
                spec = spec_from_loader(name, self, is_package=is_package)
                assert spec is not None
                spec.loader_state = file
                return spec
        folder = "/".join(inside)
        if self.tree.has_folder(folder):
            return spec_from_loader(name, self, is_package=True)  # without an __init__.py
        return None

    def _exists(self, file: str) -> bool:
        self.touched.add(file)
        return self._own(file) or file in self.tree.given

    def _own(self, file: str) -> bool:
        """Returns whether a file is to be the student's: all that are there, or those of `owners`.

        A module of their own has no other.
        """
        if not self.tree.has(file):
            return False
        if file in self.owners or not self.alone:
            return True
        return file not in self.tree.given

    def exec_module(self, module: ModuleType) -> None:
        """Runs the student's file; the handout's where that is missing or, if allowed, broken."""
        spec = module.__spec__
        assert spec is not None
        path: str | None = spec.loader_state
        if path is None:
            return
        clean = dict(vars(module))
        if self._own(path):
            try:
                self._run(module, self.tree.student(path), str(self.tree.package / path))
            except BaseException as error:
                if path in self.owners or self.tree.handout(path) is None:
                    raise BrokenFileError(path) from error
                self.broken[path] = error
                vars(module).clear()
                vars(module).update(clean)
            else:
                return
        self._run(module, self.tree.handout(path), f"{PACKAGE}/{path} {AS_GIVEN}")

    def _run(self, module: ModuleType, text: str | None, file: str) -> None:
        module.__file__ = file
        exec(self.tree.compiled(text or "", file), vars(module))


@contextmanager
def imported_from(
    tree: Tree, owners: tuple[str, ...] = (), alone: bool = False
) -> Iterator[PackageFinder]:
    """Lets `import cs285...` mean the submission, and forgets its modules afterwards."""
    finder = PackageFinder(tree, owners, alone)
    before = _take_modules()
    sys.modules.update(tree.warm)
    sys.meta_path.insert(0, finder)
    try:
        if tree.warm:  # else `cs285` may be missing, and what it has would stay
            importlib.import_module(PACKAGE)
        yield finder
    finally:
        sys.meta_path.remove(finder)
        tree.keep(_take_modules())
        sys.modules.update(before)


def forget_package() -> None:
    """Lets the next import run the package's files again."""
    _take_modules()


def _take_modules() -> dict[str, ModuleType]:
    """Takes every module of the package out of `sys.modules`, and returns them."""
    if PACKAGE not in sys.modules:  # looking at every name costs a fresh child 6 ms
        return {}
    inside = f"{PACKAGE}."
    names = [PACKAGE, *(name for name in sys.modules if name.startswith(inside))]
    return {name: sys.modules.pop(name) for name in names}


def quote(text: str, file: str) -> None:
    """Lets whoever quotes lines of a file find them in a text."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)


def eased(tree: ast.Module) -> ast.Module:
    """Returns a student's file with imports eased that cost nobody anything, see below.

    What is imported from above the package, as `hw3.cs285...`, comes from the package: such a file
    runs where the folder above is the student's own root, and here it is not.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level:
            node.module = ABOVE.sub(PACKAGE, node.module or "")
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:  # without one, the name of the folder above is what it binds
                    alias.name = ABOVE.sub(PACKAGE, alias.name)
    changed: ast.Module = MissingUnused(tree).visit(tree)
    return changed


class MissingUnused(ast.NodeTransformer):
    """Lets what a file imports and never uses be missing: nothing depends on it.

    An import within a `try` stays as it is: the author has thought of its failure.
    """

    def __init__(self, tree: ast.Module) -> None:
        """Notes which names the file uses."""
        self.used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}

    def visit_Try(self, node: ast.Try) -> ast.Try:  # noqa: N802  (the name that `ast` calls)
        """Leaves it as it is."""
        return node

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:  # noqa: N802
        """Splits `import a, b` into what is used and what is not."""
        return [self._alone(node, alias) for alias in node.names]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:  # noqa: N802
        """Does the same for `from a import b, c`, but for a star and for `__future__`."""
        if node.module == "__future__":
            return [node]
        return [self._alone(node, alias) for alias in node.names]

    def _alone(self, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.stmt:
        """Returns the import of one name; what may fail is in a `try` of its own."""
        part = copy.copy(node)
        part.names = [alias]
        if alias.name == "*" or (alias.asname or alias.name.split(".")[0]) in self.used:
            return part
        caught = ast.ExceptHandler(ast.Name("ImportError", ast.Load()), None, [ast.Pass()])
        may_fail = ast.copy_location(ast.Try([part], [caught], [], []), node)
        return ast.fix_missing_locations(may_fail)
