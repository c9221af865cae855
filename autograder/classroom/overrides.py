"""What people decide over the grader: points, a penalty, or that a run is no copy.

A decision belongs to a student, not to a grading. So it outlives each regrade and each new hand-in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from autograder.classroom.gradebook import Gradebook

POINTS, PENALTY, NO_COPY, SETTLED, TOTAL = "points", "penalty", "no copy", "settled", "total"
OF_ALL = (PENALTY, SETTLED, TOTAL)
"""What is decided about a submission as a whole, without a check's name."""


@dataclass(frozen=True)
class Override:
    """One decision, which the student reads."""

    student: str
    kind: str
    """One of those above. `SETTLED` answers "needs you"; `TOTAL` sets what the homework counts."""
    check: str
    """The id of what is decided about; empty if it is the submission as a whole."""
    points: Decimal | None
    comment: str
    author: str
    made: str
    """ISO time."""
    digest: str
    """What counted when it was made; empty if nothing had been handed in."""

    @property
    def what(self) -> str:
        """The decision in a few words."""
        if self.kind == NO_COPY:
            return f"{self.check}: the run is no copy"
        if self.kind == SETTLED:
            return "the submission counts as it is"
        of = self.kind if self.kind in OF_ALL else self.check
        return f"{of}: {self.points} points" if self.points != 1 else f"{of}: 1 point"


def set_override(book: Gradebook, override: Override) -> None:
    """Writes a decision down, in the place of an earlier one about the same."""
    one = override
    points = None if one.points is None else str(one.points)
    row = (
        one.student,
        one.kind,
        one.check,
        points,
        one.comment,
        one.author,
        one.made,
        one.digest,
    )
    book.write("INSERT OR REPLACE INTO overrides VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [row])


def remove_override(book: Gradebook, student: str, kind: str, check: str) -> bool:
    """Takes a decision back; returns whether there was one."""
    cursor = book.connection.execute(
        "DELETE FROM overrides WHERE student = ? AND kind = ? AND check_id = ?",
        (student, kind, check),
    )
    return cursor.rowcount > 0


def overrides(book: Gradebook, student: str | None = None) -> Sequence[Override]:
    """Returns the decisions about a student, or about all, oldest first."""
    rows = book.connection.execute(
        "SELECT * FROM overrides WHERE student = ? OR ? IS NULL ORDER BY made, student, check_id",
        (student, student),
    )
    return [
        Override(
            row["student"],
            row["kind"],
            row["check_id"],
            None if row["points"] is None else Decimal(row["points"]),
            row["comment"],
            row["author"],
            row["made"],
            row["digest"],
        )
        for row in rows
    ]
