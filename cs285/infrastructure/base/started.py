"""How a run was started: by a command line, or by Python code that says the same."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextvars import ContextVar

words_in_python: ContextVar[Sequence[str] | None] = ContextVar("words of a run", default=None)
"""What a command line would say of a run that Python code starts; None: there is a command line."""


def words_typed() -> Sequence[str]:
    """Returns the words after the name of the run's script."""
    words = words_in_python.get()
    return sys.argv[1:] if words is None else words
