"""A probe's record: the arrays of each trial, and what was raised."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

MAX_NAMES = 50
MAX_TEXT = 500  # characters of a message that are kept
MODULE = "<module>"  # what Python calls the function of lines outside of all functions


@dataclass(frozen=True)
class Crash:
    """An exception that a student's code raised."""

    kind: str  # the exception's class name
    text: str
    # The student's file it came from, within the submission; empty if none of theirs.
    file: str = ""
    line: int = 0
    source: str = ""  # the student's own line
    function: str = ""
    blank: str | None = None  # the id of the blank that was reached, if that is what happened
    names: tuple[str, ...] = ()  # the local variables that had a value there

    @property
    def never_ends(self) -> bool:
        """Whether there would have been no end."""
        return self.kind == "NeverEndsError"

    @property
    def on_import(self) -> bool:
        """Whether it kept the whole file from being imported."""
        return self.function == MODULE


@dataclass
class Trial:
    """The record of one experiment of a probe: arrays by name, a crash, or both."""

    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    crash: Crash | None = None


Record = dict[str, Trial]
