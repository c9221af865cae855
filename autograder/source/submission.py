"""A student's `cs285` folder: where it is, what it has, and when it is saved."""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import time
import tokenize
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from autograder.base.files import python_files, read_if_there
from autograder.source import PACKAGE, ROOT
from autograder.source.blanks import EMPTY, Place, lines_of

GIVEN = ROOT / "autograder" / "given"  # in a handout: cs285 as it was given out
POLL = 0.1  # seconds between looks at the files
QUIET = 0.1  # seconds without a change, after which files that are Python are taken as they are
PATIENCE = 1.0  # the same for files that are not: somebody may still be writing
Stamps = set[tuple[str, int, int]]


def find_package(folder: Path) -> Path:
    """Finds the `cs285` folder of what was handed in: there, one level down, or the folder itself.

    Raises:
        FileNotFoundError: If there is none.
    """
    candidates = [folder / PACKAGE, *sorted(folder.glob(f"*/{PACKAGE}")), folder]
    for candidate in candidates:
        if candidate.is_dir() and any(
            (candidate / part).is_dir() for part in ("agents", "critics", "policies")
        ):
            return candidate
    if (folder / PACKAGE).is_dir():
        return folder / PACKAGE
    raise FileNotFoundError(f"no {PACKAGE}/ folder in {folder}")


def own_package() -> tuple[Path, str]:
    """Returns what is judged where nothing was handed in, and a remark on it, mostly empty.

    It is the `cs285` beside the grader. Where pip has installed both, it is the folder of that name
    in which somebody works, if there is one.
    """
    if (ROOT / "setup.py").is_file():
        return ROOT / PACKAGE, ""
    with contextlib.suppress(FileNotFoundError):
        return find_package(Path.cwd()), ""
    installed = f"no {PACKAGE}/ folder is here, so the installed one is judged"
    return ROOT / PACKAGE, f"{installed}; --submission DIR names another"


def files_in(package: Path) -> dict[str, bytes]:
    """Returns the Python files of a `cs285` folder, by path within it."""
    found = {f.relative_to(package).as_posix(): read_if_there(f) for f in python_files(package)}
    return {path: data for path, data in found.items() if data is not None}


def text_in(package: Path, path: str) -> str | None:
    """Returns the text of a file in a `cs285` folder; None if it is not there.

    Raises:
        SyntaxError: If it is not text.
    """
    data = read_if_there(package / path)
    return None if data is None else read_source(data)


def read_source(data: bytes) -> str:
    """Decodes a source file as Python does, with line feeds alone.

    Raises:
        SyntaxError: If it is not text.
    """
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(data).readline)
        text = data.decode(encoding)
    except (UnicodeError, LookupError) as error:
        raise SyntaxError(f"not a text file: {error}") from error
    return text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")


@functools.cache
def given_texts(homework: str) -> Mapping[str, str]:
    """Returns the files of `cs285` as they were given out with a homework, by path, sorted.

    A handout has a folder of them. Elsewhere they come from the reference, never from the `cs285`
    folder beside the grader: a learner may have filled in, or changed, what is there.

    Args:
        homework: Blanks of earlier ones are solved; of none, where it is "".
    """
    if GIVEN.is_dir():
        files = {f.relative_to(GIVEN).as_posix(): f for f in python_files(GIVEN)}
        return {path: files[path].read_text(encoding="utf-8") for path in sorted(files)}
    reference = importlib.import_module("autograder.source.reference")  # a handout has none
    given: Mapping[str, str] = reference.given_out(homework)
    return given


def places(homework: str, package: Path) -> dict[str, Place]:
    """Returns the place of each blank of a homework in a student's `cs285` folder, by id."""
    found = dict[str, Place]()
    for path, given in given_texts(homework).items():
        ids = [id for id in EMPTY.findall(given) if id.startswith(f"{homework}.")]
        try:
            own = text_in(package, path) if ids else None
        except SyntaxError:
            own = None
        for id in ids:
            lines = (0, 0) if own is None else lines_of(id, given.splitlines(), own.splitlines())
            found[id] = Place(path, *lines, empty=own is None or f'TODO("{id}")' in own)
    return found


def stamps(package: Path) -> Stamps:
    """Returns path, time of the last change and size of each of the student's files."""
    found = set()
    for file in python_files(package):
        with contextlib.suppress(OSError):  # it is being saved at this moment
            status = file.stat()
            path = file.relative_to(package).as_posix()
            found.add((path, status.st_mtime_ns, status.st_size))
    return found


def await_save(package: Path, before: Stamps) -> set[str]:
    """Waits until something is saved, and no file of it is half-written; returns the paths.

    An editor may empty a file, or take it away, before it writes. What is no Python, or nothing at
    all, may be on its way. It is taken as it is if nobody writes for a while.
    """
    while stamps(package) == before:
        time.sleep(POLL)
    last, since = stamps(package), time.monotonic()
    while True:
        time.sleep(QUIET / 2)
        now = stamps(package)
        if now != last:
            last, since = now, time.monotonic()
        saved = {path for path, _, _ in last ^ before}
        wanted = QUIET if all(_is_whole(package / path) for path in saved) else PATIENCE
        if time.monotonic() - since >= wanted:
            return saved


def _is_whole(file: Path) -> bool:
    """Returns whether a file has content that is valid Python."""
    try:
        return bool(ast.parse(read_source(read_if_there(file) or b"")).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
