"""Reads a student's files in Gradescope's folders, with care, and runs none of them."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

from autograder.classroom.collect import read_one
from autograder.classroom.reader import Found
from autograder.source import PACKAGE
from autograder.source.handout_files import given_files

HAND_IN = (
    f"Hand in a zip file of your {PACKAGE}/ folder, with agents/, critics/ and policies/ in it"
)


class UploadError(Exception):
    """The upload cannot be judged; one line explains why, and what to do."""


def read_upload(folder: Path, homework: str, runs: bool = False) -> Found:
    """Reads a submission as `grade` and `check` do: with limits, and following no link.

    Args:
        folder: What Gradescope has unpacked.
        homework: Such as "hw3".
        runs: Whether training runs are looked at too.

    Raises:
        UploadError: If there is nothing to judge.
    """
    found = read_one(folder, sorted(given_files(homework)), runs, descend=False)
    if found.problem:
        raise UploadError(f"Nothing was judged: {found.problem}. {HAND_IN}.")
    return found


def lateness(metadata: Path) -> str:
    """Returns a line about when the submission was received; empty if that is not known."""
    try:
        found = json.loads(metadata.read_text(encoding="utf-8"))
        received = datetime.fromisoformat(found["created_at"])
        late = received - datetime.fromisoformat(found["assignment"]["due_date"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    if late <= timedelta(0):
        return "Received in time."
    return f"Received {_in_words(late)} after the due date. Nothing is deducted for that here."


def _in_words(time: timedelta) -> str:
    """Returns a time as days, hours and minutes, rounded up."""
    minutes = -(-int(time.total_seconds()) // 60) or 1
    parts = (minutes // 1440, "day"), (minutes // 60 % 24, "hour"), (minutes % 60, "minute")
    return ", ".join(f"{number} {unit}{'s' * (number > 1)}" for number, unit in parts if number)
