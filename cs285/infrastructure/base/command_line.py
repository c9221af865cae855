"""How a run was started: by a command line, or by Python code that says the same."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path

words_in_python: ContextVar[Sequence[str] | None] = ContextVar("words of a run", default=None)
"""What a command line would say of a run that Python code starts; None: there is a command line."""


def words_typed() -> Sequence[str]:
    """Returns the words after the name of the run's script."""
    words = words_in_python.get()
    return sys.argv[1:] if words is None else words


def typed_as(script: str, words: Sequence[str]) -> None:
    """Makes the command line that of a script, which messages then name."""
    typed = Path(sys.argv[0])
    if typed.suffix == ".py":  # an installed command has no script of its own
        typed = typed.with_name(f"{script}.py")
    sys.argv = [str(typed), *words]
