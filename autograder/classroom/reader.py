"""Reads one submission, in a process with limits, whatever it is made of."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autograder.base.text import one_line
from autograder.classroom.archive_formats import (
    ARCHIVES,
    UNKNOWN,
    UnreadableError,
    unknown_archive,
)
from autograder.classroom.exports import (
    Sender,
    original_name,
    plain_name,
    time_in,
    visible_entries,
)
from autograder.classroom.mail import MAIL, sender_of
from autograder.classroom.package import (
    BESIDE,
    Package,
    own_name,
    package_files,
    places_by_name,
)
from autograder.classroom.read_submission import (
    PYTHON,
    is_archive,
    plainly_read,
)
from autograder.running.limits import ExceededError, Limited, OurError
from autograder.source import PACKAGE


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
    places: tuple[Path, ...] = ()
    """Where the runs are, in archives or folders."""
    problem: str | None = None
    """Why there is nothing to judge, in one line: somebody has to look at it."""
    remarks: tuple[str, ...] = ()
    """What was left out or put right, and why its runs are not judged, a line each."""
    needs: str = ""
    """Why the course staff has to look at it although there is something to judge."""

    @property
    def digest(self) -> str | None:
        """A hash of the files; None if there are none."""
        runs = {f"data/{path}": of_file.encode() for path, of_file in self.runs.items()}
        return digest_of({**self.files, **runs}) if self.problem is None else None


def digest_of(files: Mapping[str, bytes]) -> str:
    """Returns a hash of files, names and contents."""
    total = hashlib.sha256()
    for path, data in sorted(files.items()):
        total.update(f"{len(path.encode())}:{path}:{len(data)}:".encode() + data)
    return total.hexdigest()


def stem(path: Path) -> str:
    """Returns a file's name without an archive's ending."""
    name = path.name
    for ending in (*ARCHIVES, MAIL, *UNKNOWN):
        if name.lower().endswith(ending):
            return plain_name(name[: -len(ending)])
    return plain_name(name)


@dataclass(frozen=True)
class Reader:
    """Reads submissions in a process with limits."""

    folder: Path
    handout: Sequence[str]
    runs: bool
    limited: Limited

    def read(self, sender: Sender, group: Sequence[Path]) -> Found:
        """Reads the entries that make up one submission.

        Of several archives the last that has code gives it, and all of them give runs.
        """
        source = plain_name(str(group[-1].relative_to(self.folder)))
        group = inner_archives(group) or group
        last_of_a_name = {original_name(entry.name).casefold(): entry for entry in group}
        group = [entry for entry in group if entry in last_of_a_name.values()]
        try:
            package, unread = self._package(group)
        except UnreadableError as error:
            return Found(source, sender, problem=str(error))
        except OSError as error:
            return Found(source, sender, problem=f"it cannot be read: {error.strerror or error}")
        remarks = tuple(package.remarks)
        found = Found(source, sender, package.files, remarks=remarks, needs=unread)
        return self._with_runs(found, group) if self.runs else found

    def _package(self, group: Sequence[Path]) -> tuple[Package, str]:
        """Reads the code; that of loose files lies beside what is in an archive or folder.

        Returns:
            The code, and why something else of the submission could not be read; "" if all was.

        Raises:
            UnreadableError: If there is no code.
        """
        loose: dict[str, bytes] = {}
        packed: list[Package] = []
        remarks: list[str] = []
        why: UnreadableError | None = None
        unread = ""
        for entry in group:
            try:
                files, left_out = self._sources(entry)
            except UnreadableError as error:
                why, unread = error, f"{one_line(original_name(entry.name))}: {error}"
                continue
            remarks += left_out
            if not (is_archive(entry) or entry.is_dir()):
                name = original_name(entry.name)
                name = name[len(before_file_name(name, self.handout)) :].lstrip(" _-")
                loose |= dict.fromkeys([name], b"".join(files.values())) if files else {}
                continue
            try:
                packed.append(package_files(files, self.handout))
            except UnreadableError as error:
                why = error
        if not packed and why and not loose:
            raise why
        found = self._joined(packed, loose)
        if len({digest_of(one.files) for one in packed}) > 1:
            remarks.append("several archives have code: that of the last counts")
        return replace(found, remarks=[*remarks, *found.remarks]), unread

    def _joined(self, packed: Sequence[Package], loose: Mapping[str, bytes]) -> Package:
        """Returns the last of some packages, with loose files in or beside it."""
        if packed and not loose:
            return packed[-1]
        within = packed[-1].files if packed else {}
        below = {f"{PACKAGE}/{path}": data for path, data in within.items()}
        return package_files(without_dots(below) | dict(loose), self.handout)

    def read_for_all(self, group: Sequence[Path], senders: Sequence[Sender] | None) -> list[Found]:
        """Reads a submission once, for each of its senders; without any, for who is called so."""
        entry = group[0]
        first, *others = senders or [self.called(entry)]
        if not first.student:
            problem = f"a single file, and nobody knows whose: call it NAME_{entry.name}"
            return [Found(plain_name(entry.name), Sender(stem(entry)), problem=problem)]
        read = self.read(first, group)
        found = [read]
        for sender in others:  # the rest of a group
            source = f"{read.source} [{sender.student}]"
            found.append(replace(read, sender=sender, source=source))
        return found

    def called(self, entry: Path) -> Sender:
        """Returns who sent an entry, by its name: NAME_dqn_critic.py is of NAME.

        An email names its sender itself.
        """
        if entry.name.lower().endswith(MAIL) and is_archive(entry):
            return self._by_mail(entry)
        name = stem(entry)
        if name.lower().endswith(PYTHON):
            name = before_file_name(name, self.handout)
        name, received = time_in(name)
        return Sender(name, received=received)

    def _by_mail(self, entry: Path) -> Sender:
        """Returns who sent an email: the name, as a roster may have no addresses; or the address.

        Where its head has neither, it is the file's name.
        """
        head: dict[str, str | None] = {}
        if entry.is_file() and not entry.is_symlink():
            with contextlib.suppress(ExceededError, OurError, OSError):
                head = self.limited.do(sender_of, entry)
        name, email = head.get("name"), head.get("email")
        return Sender(name or email or stem(entry), name, email, head.get("received"))

    def _sources(self, entry: Path) -> tuple[dict[str, bytes], list[str]]:
        """Reads Python files and their data, by path; and lines on what was left out."""
        if entry.is_symlink():
            raise UnreadableError("it is a link; hand in the folder itself")
        if (why := unknown_archive(entry.name)) and not entry.is_dir():
            raise UnreadableError(why)
        read = self._limited([entry], False)
        files = {path: base64.b64decode(text) for path, text in read["read"].items()}
        return files, read.get("remarks", [])

    def _limited(self, places: Sequence[Path], runs: bool) -> dict[str, Any]:
        """Reads folders or archives.

        Raises:
            UnreadableError: If it is damaged, or there is too much of it.
        """
        try:
            found: dict[str, Any] = self.limited.do(plainly_read, places, runs)
        except ExceededError as error:
            bounds = f"{self.limited.seconds:g} s and {self.limited.memory >> 20} MB"
            raise UnreadableError(f"it cannot be read within {bounds}") from error
        except OurError as error:
            raise UnreadableError(f"it cannot be read: {one_line(str(error))}") from error
        if "unreadable" in found:
            raise UnreadableError(found["unreadable"])
        return found

    def _with_runs(self, found: Found, group: Sequence[Path]) -> Found:
        """Returns a submission with its runs; if these are unreadable, its code counts alone."""
        places = tuple(entry for entry in group if is_archive(entry) or entry.is_dir())
        try:
            hashes = self._limited(places, True)["read"] if places else {}
        except UnreadableError as error:
            remark = f"its training runs are not judged: {error}"
            return replace(found, remarks=(*found.remarks, remark))
        return replace(found, runs=hashes, places=places) if hashes else found


def inner_archives(group: Sequence[Path]) -> list[Path]:
    """Returns the archives in a folder that has nothing else to be read, such as an email's."""
    if len(group) != 1 or group[0].is_symlink() or not group[0].is_dir():
        return []
    entries = sorted(visible_entries(group[0]))
    archives = [e for e in entries if e.is_file() and (is_archive(e) or unknown_archive(e.name))]
    others = (e for e in entries if e not in archives)
    plain = all(not e.is_dir() and not e.name.lower().endswith(PYTHON) for e in others)
    return archives if plain else []


def without_dots(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns files with the paths of those beside a folder in plain form."""
    inner = f"{PACKAGE}/{BESIDE}"
    return {path.replace(inner, "", 1): data for path, data in files.items()}


def before_file_name(name: str, handout: Sequence[str]) -> str:
    """Returns what stands before the name of one of the handout's files: who sent it; or "".

    Where the whole name is that of a file, such as ppo_agent.py, nobody's name is in it.
    """
    names = {known.casefold(): known for known in places_by_name(handout)}
    stops = [0, *(match.end() for match in re.finditer(r"[ _-]+", name))]
    for stop in stops:
        if own_name(name[stop:], names).casefold() in names:
            return name[:stop].rstrip(" _-")
    return ""
