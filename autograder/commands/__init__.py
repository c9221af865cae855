"""The subcommands of `python -m autograder`, a file each with `add_parser` and `run`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = object


class UsageError(Exception):
    """What was asked for cannot be done; one line says what, where, and how to mend it."""
