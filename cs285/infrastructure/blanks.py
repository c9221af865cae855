"""What stands where a student's code is to go."""

from __future__ import annotations

from typing import Any


class BlankError(NotImplementedError):
    """A blank was reached that nobody has filled in yet."""

    def __init__(self, blank: str) -> None:
        """Keeps the id of the blank, such as "hw3.dqn.targets"."""
        super().__init__(f"{blank} is not filled yet")
        self.blank = blank


def TODO(blank: str) -> Any:  # noqa: N802  (meant to be seen)
    """Stands for a solution that is still to be written.

    Raises:
        BlankError: Always, and with the blank's id, so that nothing runs on silently without it.
    """
    raise BlankError(blank)
