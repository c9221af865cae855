"""What was handed in: folders and archives, as students and exports of platforms leave them.

Nothing is unpacked onto the disk. Of each submission the Python files are read into memory, within
limits, wherever in it its `cs285` is; links, devices and names that lead elsewhere are left out.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from autograder.base.text import one_line
from autograder.classroom.archive_formats import UnreadableError
from autograder.classroom.exports import (
    METADATA,
    Sender,
    canvas_groups,
    export_within,
    gradescope_senders,
    original_name,
    plain_name,
)
from autograder.classroom.read_submission import ARCHIVES, is_archive, plainly_read
from autograder.running.limits import ExceededError, Limited, OurError
from autograder.source.syntax import PACKAGE

PARTS = ("agents", "critics", "infrastructure", "policies")
READING = 15.0, 2**29  # seconds and bytes that reading one submission may take, and its runs again
IGNORED = ("__MACOSX", "__pycache__", ".git", ".venv", "venv", "site-packages")


@dataclass(frozen=True)
class Found:
    """One submission."""

    source: str
    """Its path below the folder of submissions."""
    sender: Sender
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Python files, by path within `cs285`."""
    runs: Mapping[str, str] = field(default_factory=dict)
    """Files of training runs: path from the run's folder on -> hash."""
    place: Path | None = None
    """Where the runs are, in an archive or a folder."""
    problem: str | None = None
    """Why there is nothing to judge, in one line."""
    remark: str | None = None
    """Why its runs are not judged although there are some, in one line."""

    @property
    def digest(self) -> str | None:
        """Names the files by what is in them; None if there are none."""
        runs = {f"data/{path}": read_files.encode() for path, read_files in self.runs.items()}
        return digest_of({**self.files, **runs}) if self.problem is None else None


def digest_of(files: Mapping[str, bytes]) -> str:
    """Returns a hash of files, names and contents."""
    total = hashlib.sha256()
    for path, data in sorted(files.items()):
        total.update(f"{len(path.encode())}:{path}:{len(data)}:".encode() + data)
    return total.hexdigest()


def collect(folder: Path, handout: Sequence[str], runs: bool = False) -> list[Found]:
    """Finds all submissions in a folder.

    Each folder or archive in it is one; so is each entry of a Gradescope export, and all files that
    a Canvas export has of one student.

    Args:
        folder: What was downloaded or collected.
        handout: The handout's own files, as paths within `cs285`, to find single files' places.
        runs: Whether the runs that were handed in are looked at too.

    Raises:
        OSError: If the folder cannot be read.
        ExportError: If an export's own list is damaged.
    """
    folder = export_within(folder)
    senders = gradescope_senders(folder)
    entries = sorted(e for e in folder.iterdir() if not e.name.startswith((".", "__MACOSX")))
    groups = canvas_groups(entries)
    in_groups = {entry for group in groups.values() for entry in group}
    with contextlib.closing(Limited(*READING)) as limited:
        found = [
            _read(folder, sender, group, handout, runs, limited) for sender, group in groups.items()
        ]
        for entry in entries:
            if entry in in_groups or not is_submission(entry):
                continue
            first, *others = senders.get(entry.name) or [Sender(stem(entry))]
            read = _read(folder, first, [entry], handout, runs, limited)
            found.append(read)
            for sender in others:  # the rest of a group
                source = f"{read.source} [{sender.student}]"
                found.append(replace(read, sender=sender, source=source))
    return list(distinguished(found))


def passed_over(folder: Path) -> list[str]:
    """Returns the names of what lies among submissions and is not taken for one."""
    folder = export_within(folder)
    taken = {entry for group in canvas_groups([*folder.iterdir()]).values() for entry in group}
    known = {METADATA, ".DS_Store", "Thumbs.db", "__MACOSX"}
    return sorted(
        plain_name(entry.name)
        for entry in folder.iterdir()
        if entry not in taken and entry.name not in known and not is_submission(entry)
    )


def is_submission(entry: Path) -> bool:
    """Tells whether a folder or archive is taken for a submission, by its name and kind."""
    hidden = entry.name.startswith((".", "__MACOSX"))
    return not hidden and (is_archive(entry) or entry.is_dir() or entry.is_symlink())


def distinguished(found: Sequence[Found]) -> Iterator[Found]:
    """Yields submissions of which no two have one name, however strange names are on this disk."""
    times: Counter[str] = Counter()
    for one in found:
        source = one.source
        while times[source]:
            source = f"{one.source} ({times[one.source] + 1})"
            times[one.source] += 1
        times[source] += 1
        yield replace(one, source=source)


def stem(path: Path) -> str:
    """Returns a file's name without what tells its kind."""
    name = path.name
    for ending in ARCHIVES:
        if name.lower().endswith(ending):
            name = name[: -len(ending)]
            break
    return plain_name(name)


def _read(
    folder: Path,
    sender: Sender,
    group: Sequence[Path],
    handout: Sequence[str],
    runs: bool,
    limited: Limited,
) -> Found:
    """Reads the entries that make up one submission; of several archives the last."""
    archives = [entry for entry in group if is_archive(entry)]
    group = archives[-1:] or group
    source = plain_name(str(group[-1].relative_to(folder)))
    try:
        files: dict[str, bytes] = {}
        for entry in group:
            if entry.is_symlink():
                raise UnreadableError("it is a link; hand in the folder itself")
            if is_archive(entry) or entry.is_dir():
                files |= _sources(entry, limited)
            else:
                files |= {original_name(entry.name): d for d in _sources(entry, limited).values()}
        found = Found(source, sender, package_files(files, handout))
    except UnreadableError as error:
        return Found(source, sender, problem=str(error))
    except OSError as error:
        return Found(source, sender, problem=f"it cannot be read: {error.strerror or error}")
    return _with_runs(found, group[-1], limited) if runs else found


def _sources(place: Path, limited: Limited) -> dict[str, bytes]:
    """Reads Python files, by path."""
    read_files = _limited_read(place, False, limited)
    return {path: base64.b64decode(text) for path, text in read_files.items()}


def _limited_read(place: Path, runs: bool, limited: Limited) -> dict[str, str]:
    """Reads a folder or archive in a process with limits.

    Raises:
        UnreadableError: If it is damaged, or there is too much of it.
    """
    try:
        read_files = limited.do(plainly_read, place, runs)
    except ExceededError as error:
        bounds = f"{limited.seconds:g} s and {limited.memory >> 20} MB"
        raise UnreadableError(f"it cannot be read within {bounds}") from error
    except OurError as error:
        raise UnreadableError(f"it cannot be read: {one_line(str(error))}") from error
    if "unreadable" in read_files:
        raise UnreadableError(read_files["unreadable"])
    read: dict[str, str] = read_files["read"]
    return read


def _with_runs(found: Found, place: Path, limited: Limited) -> Found:
    """Returns a submission with its runs; if these cannot be read, its code counts all the same."""
    try:
        hashes = _limited_read(place, True, limited)
    except UnreadableError as error:
        return replace(found, remark=f"its training runs are not judged: {error}")
    return replace(found, runs=hashes, place=place) if hashes else found


def package_files(files: Mapping[str, bytes], handout: Sequence[str]) -> dict[str, bytes]:
    """Returns the files of the `cs285` folder among those handed in, by path within it.

    The folder is the one with most of the handout's files at their places. Where there is none,
    single files of the handout's are put where they belong, by their names.

    Raises:
        UnreadableError: If there is nothing of the kind.
    """
    kept = {path: data for path, data in files.items() if not ignored(path)}
    wanted = set(handout)
    scores: dict[str, int] = {}
    for path in kept:
        for top in tops(path):
            inside = path[len(top) :]
            if inside in wanted:
                scores[top] = scores.get(top, 0) + 1
    if scores:
        best = min(scores, key=lambda top: (-scores[top], top.count("/"), top))
        trees = {
            top: {p[len(top) :]: data for p, data in sorted(kept.items()) if p.startswith(top)}
            for top in sorted(scores)
            if top == best or top.endswith(f"{PACKAGE}/")
        }
        for top, tree in trees.items():
            if any(trees[best].get(path, data) != data for path, data in tree.items()):
                raise UnreadableError(
                    f"there are two different folders, {best} and {top}; hand in one of them"
                )
        return trees[best]
    by_name = {PurePosixPath(path).name: path for path in handout if "__init__" not in path}
    single = {PurePosixPath(p).name: data for p, data in sorted(kept.items())}
    placed = {by_name[name]: data for name, data in single.items() if name in by_name}
    if not placed:
        raise UnreadableError(f"no {PACKAGE}/ folder, and none of its files, is in it")
    return placed


def tops(path: str) -> Iterator[str]:
    """Yields each way to split a path before one of the package's parts; the first part's text."""
    parts = path.split("/")
    for number, part in enumerate(parts[:-1]):
        if part in PARTS:
            yield "".join(f"{p}/" for p in parts[:number])


def ignored(path: str) -> bool:
    """Tells whether a path is of no interest: what systems and tools leave behind."""
    parts = path.split("/")
    return parts[-1].startswith("._") or any(part in IGNORED for part in parts)
