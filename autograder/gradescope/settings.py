"""The instructor's decisions when the zip is built."""

from __future__ import annotations

from dataclasses import dataclass

MOMENTS = ("visible", "after_due_date", "after_published")
"""What Gradescope calls the moments from which students read something."""


@dataclass(frozen=True)
class Settings:
    """How submissions are graded.

    Attributes:
        homework: Such as "hw3".
        seed: Of the numbers in the checks; students do not see it.
        runs: Whether training runs in the upload are judged too.
        minutes: Most time for all checks together: less than Gradescope's own limit.
        explain: When students read explanations: one of `MOMENTS`.
    """

    homework: str
    seed: int
    minutes: float = 8.0
    runs: bool = False
    explain: str = "visible"
