"""The subcommands of `python -m autograder`, a file each with `add_parser` and `run`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = object


MOST_SEED = 2**31 - 1  # all libraries take that
MOST_SECONDS = 24 * 60 * 60.0


class UsageError(Exception):
    """What was asked for cannot be done; one line says what, where, and how to mend it."""


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
