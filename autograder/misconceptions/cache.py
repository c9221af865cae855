"""Keeps predictions on disk, each by what it was made from.

That is: the question's probe with all that it imports, its answer, the families, the core, the
reference and PyTorch. So an edit of one blank costs the predictions of no other.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

from autograder.base.checks import modules_of
from autograder.base.packed import SMALL, pack, unpack
from autograder.base.seen import Seen
from autograder.misconceptions.mutation_file import SHARED, file_of
from autograder.misconceptions.question import Question
from autograder.source import reference

ROOT = Path(__file__).parent.parent.parent
CORE = Path(__file__).parent
IMPORT = re.compile(r"^[ \t]*from (autograder[\w.]*) import (\([^)]*\)|[^\n#]*)", re.MULTILINE)
FORMER = 2  # entries made from other sources that stay: a switch between two branches costs nothing
STARTED = time.time()
"""When this code was imported: what has changed since is not what runs here."""


def kept(question: Question, name: str, make: Callable[[], list[Seen]]) -> list[Seen]:
    """Returns what was kept under a name, made from these very sources; else makes and keeps it.

    Whoever asks while another process makes it waits for that one. A disk that cannot be written
    costs time alone.

    Args:
        question: What it is about.
        name: Of the entry.
        make: Returns what was seen.
    """
    file = file_of_entry(question, name)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder() / f"{name}.lock"):
            there = _read(file)
            return _keep(file, name, question, make()) if there is None else there
    except OSError:
        return make()


def file_of_entry(question: Question, name: str) -> Path:
    """Returns the file of an entry, made from the sources as they are."""
    return folder() / f"{name}-{made_from(question)}.safetensors"


def is_kept(question: Question, name: str) -> bool:
    """Tells whether there is an entry of that name, made from the sources as they are."""
    return file_of_entry(question, name).is_file()


def _read(file: Path) -> list[Seen] | None:
    try:
        return unpack(file.read_bytes())[0]
    except Exception:  # noqa: BLE001  (there is none, or a disk was full)
        return None


def _keep(file: Path, name: str, question: Question, every: list[Seen]) -> list[Seen]:
    data = pack(every, {}, SMALL)
    if all(source.stat().st_mtime < STARTED for source in sources(question)):
        part = file.with_name(f"{file.name}.{os.getpid()}.part")  # as readable as its folder
        part.write_bytes(data)
        part.replace(file)
        files = sorted(folder().glob(f"{name}-*.safetensors"), key=lambda one: -one.stat().st_mtime)
        for old in files[1 + FORMER :]:
            old.unlink(missing_ok=True)
    return unpack(data)[0]


@functools.cache
def folder() -> Path:
    """Returns the folder of all predictions."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "cs285-autograder"


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
    found = {reference.ARCHIVE, file_of(question), *SHARED.glob("*.toml"), *CORE.glob("*.py")}
    needed = [*modules_of(f"autograder.{question.probe}"), "autograder.running.loading"]
    waiting = [*(f for name in needed for f in _files_of(name)), *CORE.glob("*.py")]
    while waiting:
        for file in _imported(waiting.pop()):
            if file not in found:
                found.add(file)
                waiting.append(file)
    return sorted(found)


@functools.cache
def _imported(file: Path) -> list[Path]:
    """Returns a file of ours, and the files that its imports lead to."""
    names = []
    for module, parts in IMPORT.findall(_bytes(file).decode("utf-8")):
        names += [module, *(f"{module}.{part}" for part in re.findall(r"\w+", parts))]
    return [file, *(path for name in names for path in _files_of(name))]


@functools.cache
def _files_of(name: str) -> list[Path]:
    base = ROOT.joinpath(*name.split("."))
    return [file for file in (base / "__init__.py", base.with_suffix(".py")) if file.is_file()]


@functools.cache
def _bytes(file: Path) -> bytes:
    return file.read_bytes()
