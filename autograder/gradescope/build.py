"""Builds the zip that an instructor uploads to Gradescope. It contains the answers."""

from __future__ import annotations

import ast
import json
import secrets
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from autograder.base import checks as homeworks
from autograder.base.checks import names
from autograder.base.files import write_zip
from autograder.base.results import PASSED
from autograder.gradescope.scripts import RUN_AUTOGRADER, setup_script
from autograder.gradescope.settings import Settings
from autograder.grading.grader import Grader
from autograder.misconceptions.live_oracle import tables
from autograder.running.session import Session
from autograder.source import PACKAGE, ROOT
from autograder.source.handout_files import blank_tables, given_files, scripts_of
from autograder.source.reference import ARCHIVE
from autograder.source.submission import GIVEN

PUBLIC_SEEDS = (0, 1, 2)
SEEDS = range(1000, 10**6)
TRIES = 5
KINDS = ("*.py", "*.json")  # code, and the tables that it reads
PROGRAMS = ("setup.sh", "run_autograder")


class BuildError(Exception):
    """The zip cannot be built; one line reports why, and what to do."""


def choose_seed(homework: str, seed: int | None) -> int:
    """Returns a seed with which the solution passes every check; it is tried out.

    Args:
        homework: Such as "hw3".
        seed: The instructor's choice; None: any that students do not know.

    Raises:
        BuildError: If the seed is known to students, or the solution fails.
    """
    if seed in PUBLIC_SEEDS:
        raise BuildError(f"--seed {seed}: students have the numbers of this seed; choose another")
    with closing(Session(None)) as session:
        for _ in range(TRIES):
            tried = secrets.choice(SEEDS) if seed is None else seed
            wrong = _failed(homework, session, tried)
            if not wrong:
                return tried
            if seed is not None:
                break
    raise BuildError(f"seed {tried}: this checkout's own {PACKAGE}/ fails {', '.join(wrong)}")


def _failed(homework: str, session: Session, seed: int) -> list[str]:
    """Returns the checks that this checkout's own solution does not pass."""
    found = Grader(session, seed).judge(homeworks.checks(homework))
    return [verdict.id for verdict in found if verdict.verdict != PASSED]


def build(settings: Settings, file: Path, index: str | None = None) -> None:
    """Writes the zip; the one before stays until the new one is complete.

    Args:
        settings: How submissions are graded.
        file: Where to.
        index: A further index of packages for setup.sh.

    Raises:
        BuildError: If this copy of the project has no answers.
        OSError: If it cannot be written.
    """
    write_zip(file, contents(settings, index), PROGRAMS)


def contents(settings: Settings, index: str | None = None) -> dict[str, str | bytes]:
    """Returns the files of the zip, by path: the whole grader, and cs285 as it is given out.

    Raises:
        BuildError: If this copy of the project has no answers.
    """
    if GIVEN.is_dir():
        raise BuildError("this is a student's copy, without answers; build from the instructors'")
    found: dict[str, str | bytes] = {
        "setup.sh": setup_script(index),
        "run_autograder": RUN_AUTOGRADER,
        "settings.json": json.dumps(asdict(settings), indent=2) + "\n",
        "constraints.txt": _text(ROOT / "constraints.txt"),
        "requirements.txt": "".join(f"{line}\n" for line in requirements()),
    }
    sources = [file for kind in KINDS for file in sorted((ROOT / "autograder").rglob(kind))]
    sources += scripts_of(settings.homework)
    texts = {source.relative_to(ROOT).as_posix(): _text(source) for source in sources}
    texts |= {path: text for name in names() for path, text in blank_tables(name).items()}
    found |= {f"grader/{path}": text for path, text in texts.items()}
    found[f"grader/{ARCHIVE.relative_to(ROOT).as_posix()}"] = ARCHIVE.read_bytes()
    for path, table in tables(settings.homework, {settings.seed: 1}).items():
        found[f"grader/{path}"] = table
    for path, text in given_files(settings.homework).items():
        found[f"grader/{PACKAGE}/{path}"] = text
        found[f"grader/autograder/{GIVEN.name}/{path}"] = text
    return found


def requirements() -> list[str]:
    """Returns what the project needs by its setup.py, which is read and not run.

    Raises:
        BuildError: If there is no plain list in it.
    """
    for node in ast.walk(ast.parse(_text(ROOT / "setup.py"))):
        if isinstance(node, ast.keyword) and node.arg == "install_requires":
            return [str(line) for line in ast.literal_eval(node.value)]
    raise BuildError("setup.py has no plain list install_requires")


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
