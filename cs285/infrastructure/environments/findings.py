"""What a check of a task finds: one line each, with the place and the way to fix it."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Finding:
    """A fault of a task, or a fact that its author should know."""

    is_fault: bool
    """Whether runs end there, or their numbers mean nothing; else agents cope with it."""
    what: str
    where: str
    fix: str

    def __str__(self) -> str:
        """Returns it as one line."""
        return f"{'FAULT' if self.is_fault else 'note'}: {self.what} ({self.where}); {self.fix}"


def fault(what: str, where: str, fix: str) -> Finding:
    """Returns a finding where runs end, or after which their numbers mean nothing."""
    return Finding(True, what, where, fix)


def note(what: str, where: str, fix: str) -> Finding:
    """Returns a finding with which agents cope."""
    return Finding(False, what, where, fix)
