"""Writes the tree that students are given: everything they need, and no answers."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.base import checks as homeworks
from autograder.base.text import UsageError
from autograder.misconceptions import catalogue
from autograder.misconceptions.live_oracle import tables
from autograder.misconceptions.oracle import NAMED_SEED, PUBLIC_SEEDS
from autograder.release import ahead, notebooks, papers
from autograder.source import ROOT
from autograder.source.handout_files import (
    GIVEN,
    blank_tables,
    given_files,
    modules,
    probe_modules,
    scripts_of,
    write,
)
from autograder.source.reference import is_earlier

AT_ONCE = {**dict.fromkeys(PUBLIC_SEEDS, 0), NAMED_SEED: 2}
"""Misconceptions at once that a tree knows, by seed: two for the one that everybody uses."""
DATA = (
    "autograder/diagnose/agents.json",
    "autograder/diagnose/illnesses.json",
    "autograder/evidence/misconceptions.json",
    "autograder/misconceptions/general_crashes.json",
    "autograder/misconceptions/general_misconceptions.json",
    "autograder/source/wrong_handout.json",
    "cs285/infrastructure/base/other_words.json",
    "cs285/infrastructure/logging/columns.json",
    "cs285/infrastructure/logging/random_play.json",
    "cs285/infrastructure/logging/run_page.html",
    "cs285/infrastructure/logging/run_panels.json",
)
OWN_DATA = ("checks.json", "runs/evidence_rules.json")  # of the homework
ALL_TIMES = (1980, 1, 1, 0, 0, 0)  # the same source makes the same zip


def write_tree(homework: str, folder: Path) -> None:
    """Writes the whole tree into a folder.

    Raises:
        OSError: If it cannot be written.
    """
    given = given_files(homework)
    written = texts(homework, given)
    for path, text in written.items():
        write(folder / path, text)
    papers.copy_pictures(written, folder)
    ahead.predict(homework, AT_ONCE)
    for path, table in tables(homework, AT_ONCE).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(table)


def texts(homework: str, given: dict[str, str]) -> dict[str, str]:
    """Returns all text files of the tree, by path; `given` are those of cs285."""
    found = {f"cs285/{path}": text for path, text in given.items()}
    found |= {f"{GIVEN}/{path}": text for path, text in given.items()}
    found |= grader_files(homework) | blank_tables(homework)
    own = [f for name in OWN_DATA for f in (ROOT / "autograder/homeworks" / homework).glob(name)]
    for path in (*scripts_of(homework), *(ROOT / path for path in DATA), *own):
        found[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
    found |= papers.papers(homework, given, set(found))
    if homework in notebooks.homeworks():
        there = {*found, *papers.pictures(found)}
        found[f"{notebooks.FOLDER}/{homework}.ipynb"] = notebooks.build(homework, there)
    return found


def grader_files(homework: str) -> dict[str, str]:
    """Returns the modules of a student's commands, by path: no file of data, no mutation."""
    checks = catalogue.checks_so_far(homework)
    commands = [f"autograder.commands.{name}" for name in ("check", "runs", "diagnose", "pack")]
    roots = ["autograder.__main__", *commands, "autograder.running.worker"]
    roots += ["autograder.student.notebook", "autograder.student.cell"]
    roots += probe_modules(homework) if checks else []
    if checks:  # pytest finds them
        roots += [
            "autograder.homeworks.conftest",
            f"autograder.homeworks.{homework}.test_{homework}",
        ]
    files = modules(roots)
    return {path: files[path] for path in sorted(files) if path.startswith("autograder/")}


def solved_in(homework: str) -> list[str]:
    """Returns the earlier homeworks whose solutions lie in the files of a homework's handout."""
    files, names = set(given_files(homework)), homeworks.names()
    return [
        name
        for name in names
        if is_earlier(name, homework) and files & {*catalogue.blanks(name).values()}
    ]


@contextmanager
def in_the_making(out: Path) -> Iterator[Path]:
    """Makes a folder beside `out` that is gone in the end, whatever becomes of it.

    Raises:
        UsageError: If `out` is there already, and not an empty folder.
        OSError: If nothing can be written there.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already: name a folder that is not, or remove it")
    parent = out.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=parent) as made:
        yield Path(made) / out.name


def publish(folder: Path, out: Path, zipped: bool) -> None:
    """Moves a finished tree to its place; its zip file first, which then lies beside it.

    Raises:
        OSError: If that is not possible.
    """
    folder.chmod(0o755)
    if zipped:
        archive = folder.with_name(f"{out.name}.zip")
        write_zip(folder, archive)
        archive.replace(out.absolute().with_name(f"{out.name}.zip"))
    if out.exists():
        out.rmdir()
    shutil.move(folder, out)


def write_zip(folder: Path, archive: Path) -> None:
    """Packs a tree, under one folder at the top."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as stream:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                name = f"{folder.name}/{file.relative_to(folder).as_posix()}"
                info = zipfile.ZipInfo(name, ALL_TIMES)
                info.external_attr = 0o644 << 16
                info.compress_type = zipfile.ZIP_DEFLATED
                stream.writestr(info, file.read_bytes())
