"""The subcommands of `python -m autograder`, a file each with `add_parser` and `run`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.base.files import write_whole
from autograder.base.text import UsageError

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = object

MOST_SEED = 2**31 - 1  # all libraries take that
MOST_SECONDS = 24 * 60 * 60.0


def seed(text: str) -> int:
    """Reads a seed.

    Raises:
        argparse.ArgumentTypeError: If it is none.
    """
    if not text.isdecimal() or int(text) > MOST_SEED:
        raise argparse.ArgumentTypeError(f"takes a whole number up to {MOST_SEED}, not {text!r}")
    return int(text)


def seconds(text: str) -> float:
    """Reads how long something may take.

    Raises:
        argparse.ArgumentTypeError: If it is no time, or more than a day.
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"takes a number of seconds above 0, not {text!r}")
    return number


def check_report(file: Path | None) -> None:
    """Accepts a file for the verdicts that can be written, before anybody waits for them.

    Raises:
        UsageError: If it cannot be written.
    """
    if file and not file.parent.is_dir():
        raise UsageError(f"--json: {file} cannot be written: there is no folder {file.parent}")
    if file and file.is_dir():
        raise UsageError(f"--json: {file} is a folder; name a file in it")


def write_report(file: Path | None, plain: object) -> None:
    """Writes strict JSON, whole or not at all, if a file for it was named.

    Raises:
        UsageError: If it cannot be written.
    """
    try:
        if file:
            write_whole(file, json.dumps(plain, indent=2, allow_nan=False) + "\n")
    except OSError as error:
        raise UsageError(f"--json: {file} cannot be written: {error.strerror}") from error
