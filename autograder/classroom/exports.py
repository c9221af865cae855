"""Reads from exports of Gradescope and Canvas which student handed something in, and when."""

from __future__ import annotations

import contextlib
import os
import re
import unicodedata
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.base.text import UsageError, is_hidden, visible
from autograder.classroom.archive_formats import (
    ARCHIVES,
    PACKING_PROBLEMS,
    UNKNOWN,
    Frugal,
    UnreadableError,
)
from autograder.classroom.mail import MAIL
from autograder.classroom.read_submission import PYTHON

METADATA = "submission_metadata.yml"
LARGEST_METADATA = 64 * 2**20
# doejane_LATE_12345_67890_hw3.zip: who, perhaps late, their number, the upload's number, the file;
# or doejane_12345_text.html, which is what they typed in place of a file.
CANVAS = re.compile(
    r"^(?P<name>[^_]+)_(?P<late>LATE_)?(?P<user>\d+)_"
    r"(?:(?P<upload>\d{5,})_(?P<file>.+)|(?P<text>text\.html))$"
)
# ada_2026-10-14_23-12.zip: whose, and when
TIME = re.compile(
    r"[ _-]*(?P<day>20\d\d-\d\d-\d\d)[T _-](?P<hour>\d\d)[-:h.](?P<minute>\d\d)"
    r"(?:[-:.](?P<second>\d\d))?"
)
FEWEST = 2  # submissions that make an export
HANDED_IN = (*ARCHIVES, MAIL, *UNKNOWN, *PYTHON)
"""How the names of files end that are taken for submissions."""
REPEATED = re.compile(r"-\d+(?=\.\w+$)")  # Canvas writes dqn_critic-1.py for a second upload


@dataclass(frozen=True)
class Sender:
    """The student who handed something in."""

    student: str
    """Their id in the roster or on the platform."""
    name: str | None = None
    email: str | None = None
    received: str | None = None
    """ISO time, if known."""
    late: bool = False
    """Whether the platform marks it as late; Canvas does not say by how much."""


def gradescope_senders(folder: Path) -> dict[str, list[Sender]]:
    """Reads who sent which folder of a Gradescope export, a group's every member; {} if none.

    Raises:
        UsageError: If its list is damaged.
    """
    file = folder / METADATA
    if not file.is_file():
        return {}
    import yaml

    try:
        if file.stat().st_size > LARGEST_METADATA:
            raise UsageError(f"{file.name} is larger than {LARGEST_METADATA >> 20} MB")
        # Gradescope's keys are Ruby symbols, ":name"; the safe loader reads them as text.
        entries = yaml.safe_load(file.read_text(encoding="utf-8"))
        return {str(name): _senders(str(name), entry) for name, entry in entries.items()}
    except (OSError, UnicodeDecodeError, yaml.YAMLError, AttributeError, TypeError) as error:
        text = " ".join(str(error).split())[:120]
        raise UsageError(f"{file.name} of the Gradescope export cannot be read: {text}") from error


def _senders(folder: str, entry: dict[str, Any]) -> list[Sender]:
    when = entry.get(":created_at")
    received = when.isoformat() if isinstance(when, datetime) else str(when) if when else None
    return [
        Sender(
            visible(str(one.get(":sid") or one.get(":email") or folder)) or folder,
            one.get(":name") and visible(str(one[":name"])),
            one.get(":email") and visible(str(one[":email"])),
            received,
        )
        for one in entry.get(":submitters") or [{}]
    ]


HIDDEN = (".", "__MACOSX")


def visible_entries(folder: Path) -> list[Path]:
    """Returns what lies in a folder, but for what systems leave there."""
    return [entry for entry in folder.iterdir() if not entry.name.startswith(HIDDEN)]


def is_export(names: Sequence[str]) -> bool:
    """Returns whether these names, of a folder or an archive, are those of a platform's export."""
    entries = {name.strip("/").partition("/")[0] for name in names}
    canvas = sum(bool(CANVAS.match(entry)) for entry in entries)
    return METADATA in entries or canvas >= FEWEST and 2 * canvas > len(entries)


def export_within(folder: Path) -> Path:
    """Returns the folder itself; or the only folder in it, as deep as that is an export.

    Raises:
        UsageError: If the only thing in it is an export that is zipped still.
    """
    inner = folder
    while True:
        entries = visible_entries(inner)
        names = [entry.name for entry in entries]
        if is_export(names) and (METADATA not in names or _lists_some(inner, names)):
            return inner
        # A roster, or a note of the instructor's, may lie beside the export.
        weighty = [e for e in entries if e.is_dir() or e.name.lower().endswith(HANDED_IN)]
        if len(weighty) != 1:
            return folder
        (inner,) = weighty
        _refuse_zipped(inner)
        if not inner.is_dir() or inner.is_symlink():
            return folder


def _lists_some(folder: Path, names: Sequence[str]) -> bool:
    """Returns whether an export's list names anything beside it; a student may have one alone."""
    try:
        return not gradescope_senders(folder).keys().isdisjoint(names)
    except UsageError:  # it is damaged, which whoever reads the export reports
        return len(names) > 1


def _refuse_zipped(entry: Path) -> None:
    if entry.suffix.lower() == ".zip" and entry.is_file():
        names = zipped_names(entry)
        if is_export(names) or is_export(_below(names)):
            raise UsageError(f"{entry.name} is an export that is zipped still: unzip it")


def zipped_names(file: Path) -> list[str]:
    """Returns the names in a .zip that anybody may have handed in; none where it cannot be read."""
    with contextlib.suppress(*PACKING_PROBLEMS, UnreadableError), Frugal(file, "rb") as stream:
        with zipfile.ZipFile(stream) as archive:
            return archive.namelist()
    return []


def _below(names: Sequence[str]) -> list[str]:
    """Returns names without their first folder."""
    return [rest for name in names if (rest := name.partition("/")[2])]


def canvas_groups(entries: Sequence[Path]) -> dict[Sender, list[Path]]:
    """Returns the files of a Canvas export by student, oldest upload first; empty if it is none."""
    groups: dict[str, list[tuple[int, Path]]] = {}
    names: dict[str, str] = {}
    late: dict[str, bool] = {}
    for entry in entries:
        match = CANVAS.match(entry.name)
        if match and entry.is_file():
            groups.setdefault(match["user"], []).append((int(match["upload"] or 0), entry))
            names[match["user"]] = visible(match["name"])
            late[match["user"]] = bool(match["late"])
    return {
        Sender(user, names[user], late=late[user]): [entry for _, entry in sorted(group)]
        for user, group in groups.items()
    }


def plain_name(name: str) -> str:
    """Returns a file's name as text that can be shown and stored; different ones stay different."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    shown = "".join(c if c.isprintable() and not is_hidden(c) else ascii(c)[1:-1] for c in text)
    return unicodedata.normalize("NFC", shown)


def time_in(name: str) -> tuple[str, str | None]:
    """Returns a name without the time in it, and that time, ISO; None if there is none."""
    match = TIME.search(name)
    rest = name[: match.start()] + name[match.end() :] if match else ""
    if not match or not rest:
        return name, None
    time = f"{match['day']}T{match['hour']}:{match['minute']}:{match['second'] or '00'}"
    try:
        return rest, datetime.fromisoformat(time).isoformat()
    except ValueError:
        return name, None


def original_name(name: str) -> str:
    """Returns the student's own name of a file that Canvas renamed."""
    match = CANVAS.match(name)
    return REPEATED.sub("", match["file"] or match["text"]) if match else name
