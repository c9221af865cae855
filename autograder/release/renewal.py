"""Brings a learner's tree up to date: what was given out is renewed, what they wrote stays."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.base.files import write_whole
from autograder.base.text import UsageError
from autograder.release.merging import edits, merged
from autograder.source import PACKAGE
from autograder.source.blanks import find_regions
from autograder.source.reference import without_markers

LIST = "autograder/source/given_files.json"
OLD_REFERENCE = "autograder/source/reference.zip"
BEFORE = ".before"  # how a file ends that may be the learner's own, and gave way


@dataclass
class Renewal:
    """What an update does.

    Attributes:
        texts: New texts by path, into which the learner's changes are merged.
        copies: Paths of files that are copied from the new tree.
        gone: Paths of files that are no longer given out, and that nobody changed.
        saved: Paths of files that are kept beside the new ones.
        lines: What is reported, a line each.
        conflicts: The learner's edits that an update would overwrite.
    """

    texts: dict[str, str] = field(default_factory=dict)
    copies: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    saved: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)


def write_list(homework: str, folder: Path) -> None:
    """Notes in a learner's tree what was given out, for a later update."""
    files = {
        path: _digest(folder / path)
        for path in _files(folder)
        if not path.startswith(f"{PACKAGE}/")
    }
    text = json.dumps({"homework": homework, "files": files}, indent=1) + "\n"
    write_whole(folder / LIST, text)


def is_code(path: str) -> bool:
    """Returns whether a file is code of the homework, which is merged line by line."""
    return path.startswith(f"{PACKAGE}/") and path.endswith(".py")


def _files(folder: Path) -> Iterator[str]:
    for file in sorted(folder.rglob("*")):
        path = file.relative_to(folder).as_posix()
        if file.is_file() and "__pycache__" not in path and path != LIST:
            yield path


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def plan(homework: str, folder: Path, new: Path) -> Renewal:
    """Returns what brings a learner's tree up to date; writes nothing.

    Raises:
        UsageError: If it is no learner's tree of this homework.
    """
    base, listed = _given_before(homework, folder)
    found = Renewal()
    for path in _files(new):
        own = folder / path
        if not own.exists():
            found.copies.append(path)
            found.lines.append(f"new: {path}")
        elif own.read_bytes() != (new / path).read_bytes():
            if is_code(path):
                _merge(found, path, base.get(path), own, new / path)
            else:
                _replace(found, path, listed, own, new / path)
    there = set(_files(new))
    for path in sorted({*base, *(listed or {})} - there):
        if (folder / path).is_file():
            _leave(found, path, base, listed, folder / path)
    return found


def _given_before(homework: str, folder: Path) -> tuple[dict[str, str], dict[str, str] | None]:
    """Returns the code as it was given out, by path, and the digests of all else, if listed."""
    archive = folder / OLD_REFERENCE
    if not archive.is_file() or not (folder / PACKAGE).is_dir():
        raise UsageError(f"{folder} is no tree that `start` made: {OLD_REFERENCE} is missing")
    base = {}
    try:
        with zipfile.ZipFile(archive) as opened:
            for name in opened.namelist():
                text = opened.read(name).decode("utf-8")
                empty = {r.id for r in find_regions(text, name) if r.homework == homework}
                base[f"{PACKAGE}/{name}"] = without_markers(text, empty, name)
        file = folder / LIST
        listed = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
        files = None if listed is None else dict(listed["files"])
        known = homework if listed is None else listed["homework"]
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise UsageError(f"{folder}: what was given out cannot be read: {error}") from error
    if known != homework:
        raise UsageError(f"{folder} is a tree of {known}, not of {homework}")
    if listed is None and not any(f'TODO("{homework}.' in text for text in base.values()):
        raise UsageError(f"{folder} is no tree of {homework}")
    return base, files


def _merge(found: Renewal, path: str, base: str | None, own: Path, new: Path) -> None:
    """Merges the new handout's changes of a file of code into the learner's."""
    text, given = own.read_text(encoding="utf-8"), new.read_text(encoding="utf-8")
    if base is None:
        found.conflicts.append(f"{path}:1: the new handout has a file of this name, and so do you")
        return
    if base == given:
        return  # only the learner has changed it
    both, lines = merged(base, text, given)
    if lines:
        found.conflicts += [f"{path}:{n}: you changed what the new handout changes" for n in lines]
    elif both != text:
        found.texts[path] = both
        number = len(edits(base.splitlines(), given.splitlines()))
        found.lines.append(f"changed: {path}, {number} place{'s' if number > 1 else ''}")


def _replace(
    found: Renewal, path: str, listed: Mapping[str, str] | None, own: Path, new: Path
) -> None:
    """Replaces any other file, unless the learner has changed it."""
    if listed is None or path not in listed:
        found.saved.append(path)
        found.lines.append(f"changed: {path}; the old one is {path}{BEFORE}")
    elif _digest(own) == listed[path]:
        found.lines.append(f"changed: {path}")
    elif _digest(new) == listed[path]:
        return  # only the learner has changed it
    else:
        found.conflicts.append(f"{path}:1: you changed this file, and so does the new handout")
        return
    found.copies.append(path)


def _leave(
    found: Renewal,
    path: str,
    base: Mapping[str, str],
    listed: Mapping[str, str] | None,
    own: Path,
) -> None:
    """Takes away what is no longer given out, unless the learner has changed it."""
    as_given = (listed or {}).get(path) == _digest(own)
    if path in base:
        as_given = base[path] == own.read_text(encoding="utf-8", errors="replace")
    if as_given:
        found.gone.append(path)
        found.lines.append(f"gone: {path}")
    else:
        found.lines.append(f"no longer part of the handout, and kept, since you changed it: {path}")


def carry_out(found: Renewal, folder: Path, new: Path) -> None:
    """Does what was planned.

    Raises:
        OSError: If something cannot be written.
    """
    for path in found.saved:
        (folder / path).rename(folder / f"{path}{BEFORE}")
    for path in found.copies:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(new / path, folder / path)
    for path, text in found.texts.items():
        write_whole(folder / path, text)
    for path in found.gone:
        (folder / path).unlink()
    shutil.copyfile(new / LIST, folder / LIST)
