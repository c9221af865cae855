"""Collects what a student hands in, and what is open about it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.base.checks import table_of
from autograder.base.files import python_files
from autograder.base.text import one_line
from autograder.evidence import judging
from autograder.evidence.files import UnreadableError
from autograder.evidence.rules import questions
from autograder.evidence.run_folder import WEIGHTS, read_run
from autograder.evidence.settings import setting_faults
from autograder.source import PACKAGE, altered
from autograder.source.blanks import Place
from autograder.source.submission import given_texts, places, read_source
from autograder.student.made_with import changed_since

RUN_FILES = ("config.json", "log.csv", WEIGHTS)
"""What `runs` reads of a run's folder."""
OWN, CHANGED = "your own", "changed: your version runs"
MOST_NAMED = 3


@dataclass
class HandIn:
    """The files of a zip, and what is open."""

    files: dict[str, Path] = field(default_factory=dict)
    """Path in the zip -> where it is read."""
    remarks: dict[str, str] = field(default_factory=dict)
    """Path of a file or a run's folder -> why it is in the zip."""
    open: list[str] = field(default_factory=list)
    """What is missing, broken or stale; a line each."""


def collect(homework: str, package: Path, data: Path | None) -> HandIn:
    """Returns what a student hands in.

    Args:
        homework: Such as "hw3".
        package: The student's `cs285` folder.
        data: The folder of the runs, if they are handed in too.

    Raises:
        UnreadableError: If the folder of the runs cannot be listed.
    """
    found = HandIn()
    blanks = places(homework, package)
    add_code(found, homework, package, blanks)
    found.open += empty_blanks(homework, blanks)
    for path, file in found.files.items():
        found.open += broken(path, file, package.parent)
    if data:
        add_runs(found, homework, data, package, sorted({one.file for one in blanks.values()}))
    return found


def add_code(found: HandIn, homework: str, package: Path, blanks: dict[str, Place]) -> None:
    """Adds the files with blanks, given files that were changed, and the student's own ones."""
    given = given_texts(homework)
    with_blanks = {path: [id for id, one in blanks.items() if one.file == path] for path in given}
    described = altered.given_out(homework)
    for path in given:
        file = package / path
        if not file.is_file():
            continue
        if ids := with_blanks[path]:
            remark = f"{len(ids)} blank{'s' * (len(ids) > 1)}"
        elif path in described and altered.changed_parts(described[path], file.read_bytes()):
            remark = CHANGED
        else:
            continue
        add(found, package, file, remark)
    for file in python_files(package):
        path = file.relative_to(package).as_posix()
        if path not in given and "__pycache__" not in path:
            add(found, package, file, OWN)


def add(found: HandIn, package: Path, file: Path, remark: str) -> None:
    """Adds a file of the package."""
    path = f"{PACKAGE}/{file.relative_to(package).as_posix()}"
    found.files[path] = file
    found.remarks[path] = remark


def empty_blanks(homework: str, blanks: dict[str, Place]) -> Iterator[str]:
    """Yields the blanks that nobody has filled in, in the order of the handout's table."""
    table = table_of(homework)
    for id in sorted(blanks, key=lambda id: table.index(id) if id in table else len(table)):
        one = blanks[id]
        if not one.first:
            yield f"{id}: {PACKAGE}/{one.file} is missing, or is no text"
        elif one.empty:
            yield f"{id} is empty: {one}"


def broken(path: str, file: Path, tree: Path) -> Iterator[str]:
    """Yields why a file does not run where it is graded: it does not parse, or lacks a module."""
    try:
        nodes = list(ast.walk(ast.parse(read_source(file.read_bytes()))))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        yield f"{path}{line} does not parse: {one_line(str(getattr(error, 'msg', error)))}"
        return
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(n.module) for n in nodes if isinstance(n, ast.ImportFrom) and not n.level}
    for top in sorted({name.split(".")[0] for name in names} - {PACKAGE}):
        if (tree / f"{top}.py").is_file() or (tree / top / "__init__.py").is_file():
            yield f"{path} imports {top}, which is not in {PACKAGE}/: it is missing in class"


def add_runs(found: HandIn, homework: str, data: Path, package: Path, coded: Sequence[str]) -> None:
    """Adds the runs that a homework asks for, and what is open about each."""
    asked = questions(homework)
    for question, folders in zip(asked, judging.find_runs(asked, data).values(), strict=True):
        runs = []
        for folder in folders:
            add_run(found, folder, question.id)
            try:
                run = read_run(folder)
            except UnreadableError as error:
                found.open.append(f"{one_line(folder.name)}: {error}")
                continue
            runs.append(run)
            found.open += about_run(folder, package, coded)
            found.open += (f"{run.name}: {line}" for _, line in setting_faults(question, run))
        if (count := question.count([run.seed for run in runs])) < question.runs:
            wanted = f"{count} of {question.runs} {question.kinds}"
            found.open.append(f"{question.id}: {wanted}, in {' or '.join(question.folders)}")


def add_run(found: HandIn, folder: Path, question: str) -> None:
    """Adds the files of a run that are read, as far as they are there."""
    there = {f"data/{folder.name}/{name}": folder / name for name in RUN_FILES}
    found.files |= {path: file for path, file in there.items() if file.is_file()}
    found.remarks[f"data/{folder.name}"] = question


def about_run(folder: Path, package: Path, coded: Sequence[str]) -> Iterator[str]:
    """Yields why a run that can be read may not count: it is not finished, or its code is newer."""
    if not (folder / WEIGHTS).is_file():
        yield f"{one_line(folder.name)}: {WEIGHTS} is not there, so it is not finished"
    newer = changed_since(folder, package.parent, coded)
    if newer:
        more = [f"{len(newer) - MOST_NAMED} more"] if len(newer) > MOST_NAMED else []
        names = ", ".join([*newer[:MOST_NAMED], *more])
        yield f"{one_line(folder.name)} is older than the code it was made with: {names}"
