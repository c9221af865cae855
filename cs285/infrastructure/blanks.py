"""What stands where a student's code is to go."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


class BlankError(NotImplementedError):
    """A blank was reached that nobody has filled in yet."""

    def __init__(self, blank: str, place: str = "") -> None:
        """Keeps the id of the blank, such as "hw3.dqn.targets"; `place` is its file and line."""
        where = f" ({place})" if place else ""
        homework = blank.partition(".")[0]
        super().__init__(
            f"{blank} is not filled yet{where}: fill it, then ask "
            f"`python -m autograder check {homework}` before you train"
        )
        self.blank = blank


def TODO(blank: str) -> Any:  # noqa: N802  (meant to be seen)
    """Stands for a solution that is still to be written.

    Raises:
        BlankError: Always, and with the blank's id, so that nothing runs on silently without it.
    """
    caller = sys._getframe(1)
    file = Path(caller.f_code.co_filename)
    package = next((folder for folder in file.parents if folder.name == "cs285"), file.parent)
    raise BlankError(blank, f"{file.relative_to(package.parent)}, line {caller.f_lineno}")
