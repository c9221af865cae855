"""Judges part of a class again: the rest of the earlier grading is carried over.

What comes out is a grading of its own. So it can be compared with the earlier one before it counts,
and no verdict is taken for one of a grader that never gave it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from autograder.base.text import UsageError
from autograder.classroom.gradebook import Gradebook, Grading
from autograder.classroom.people import find_student
from autograder.classroom.policy_file import nearest


@dataclass(frozen=True)
class Scope:
    """What is judged again: some students, some checks, or some checks of some students."""

    old: Grading
    students: frozenset[str] = frozenset()
    """Empty: all."""
    checks: frozenset[str] = frozenset()
    """Empty: all."""

    def grader(self, digest: str) -> str:
        """Returns the name of a grader of which only this part of a grading is."""
        return f"{digest}+{self.old.id}"

    def begin(self, book: Gradebook, digest: str, now: str) -> Grading:
        """Opens the grading that has this part anew."""
        return book.begin(self.grader(digest), self.old.seed, now)

    def carry_over(self, book: Gradebook, new: Grading) -> None:
        """Copies the verdicts that are not to be judged again; takes away the others."""
        chosen = {
            one.digest
            for one in book.submissions()
            if one.counts and (not self.students or one.student in self.students)
        }
        rows = book.connection.execute(
            "SELECT digest, check_id FROM verdicts WHERE grader = ? AND seed = ?",
            (self.old.grader, self.old.seed),
        ).fetchall()
        kept = [
            (new.grader, new.seed, row["digest"], row["check_id"], self.old.grader, self.old.seed)
            for row in rows
            if row["digest"] not in chosen or (self.checks and row["check_id"] not in self.checks)
        ]
        self._forget(book, new, chosen)
        book.write(
            "INSERT OR IGNORE INTO verdicts SELECT digest, ?, ?, check_id, title, points, "
            "max_points, verdict, mistakes, message, seconds FROM verdicts "
            "WHERE digest = ? AND check_id = ? AND grader = ? AND seed = ?",
            kept,
        )

    def _forget(self, book: Gradebook, new: Grading, chosen: Iterable[str | None]) -> None:
        """Takes away what an earlier try judged of this part."""
        for table in ("verdicts", "attempts"):
            where = "digest = ? AND grader = ? AND seed = ?"
            rows: list[tuple[object, ...]] = [(one, new.grader, new.seed) for one in chosen]
            if self.checks:
                where += " AND check_id = ?"
                rows = [(*row, check) for row in rows for check in self.checks]
            book.write(f"DELETE FROM {table} WHERE {where}", rows)


def scope_of(
    book: Gradebook,
    old: Grading,
    students: Sequence[str],
    checks: Sequence[str],
    known: Collection[str],
) -> Scope | None:
    """Returns what is asked to be judged again; None if that is all.

    Raises:
        UsageError: If there is no such student or check.
    """
    if not students and not checks:
        return None
    homework = book.fact("homework") or ""
    found = set()
    for check in checks:
        id = next((i for i in (check, f"{homework}.{check}") if i in known), None)
        if id is None:
            raise UsageError(f"--check: {homework} has no {check!r}{nearest(check, known)}")
        found.add(id)
    return Scope(old, frozenset(find_student(book, who) for who in students), frozenset(found))
