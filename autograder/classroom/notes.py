"""What a gradebook notes besides verdicts: what needs the instructor, who had what when, copies."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass

from autograder.base.results import Misconception

LATENESS = "late"
"""In the place of a check: a platform marks a submission as late, and nobody knows by how much."""


@dataclass(frozen=True)
class Need:
    """Something that a person has to decide: "needs you" on pages and in tables."""

    student: str
    reason: str
    """One line."""
    check: str = ""
    """The check that it is about; "" for the whole submission, whose points are open then."""
    kind: str = "reading"
    """Who noted it: the reading of submissions, or the comparison of runs ("copy")."""


@dataclass(frozen=True)
class Copy:
    """A question whose run somebody else handed in before."""

    digest: str
    question: str
    misconception: Misconception
    line: str
    """For the student: names nobody."""
    message: str
    """For the instructor: who with whom."""
    student: str = ""
    """Whose copy it is; "" for all who have the digest, in gradebooks of older releases."""


@dataclass(frozen=True)
class Held:
    """One thing that a student handed in at some time, whether it counts or not."""

    student: str
    digest: str
    received: str
    """ISO time; "" if it is unknown."""
    origin: str
    """What it was read from: partners have one origin."""


class Notes:
    """The part of a gradebook that has these tables."""

    connection: sqlite3.Connection

    def write(
        self, statement: str, rows: Iterable[Sequence[object]], emptied: str | None = None
    ) -> None:
        """Runs a statement for each row, all or none; empties a table before, if one is given."""
        with self.connection:
            self.connection.execute("BEGIN IMMEDIATE")
            if emptied:
                self.connection.execute(f"DELETE FROM {emptied}")
            self.connection.executemany(statement, list(rows))

    def add_missing_tables(self, schema: str) -> None:
        """Gives a gradebook of an older release the tables and columns that it lacks."""
        self.connection.executescript(schema)
        columns = {row["name"] for row in self.connection.execute("PRAGMA table_info(copies)")}
        if "student" not in columns:
            self.connection.execute(
                "ALTER TABLE copies ADD COLUMN student TEXT NOT NULL DEFAULT ''"
            )

    def set_needs(self, kind: str, needs: Iterable[Need]) -> None:
        """Replaces what needs the instructor, of one kind."""
        rows = [(n.student, n.check, n.reason, kind) for n in dict.fromkeys(needs)]
        self.write("INSERT INTO needs VALUES (?, ?, ?, ?)", rows, f"needs WHERE kind = '{kind}'")

    def needs(self, student: str) -> list[Need]:
        """Returns what about a student needs the instructor."""
        rows = self.connection.execute(
            'SELECT student, reason, "check", kind FROM needs WHERE student = ? ORDER BY rowid',
            (student,),
        )
        return [Need(**row) for row in rows]

    def add_held(self, held: Iterable[Held]) -> None:
        """Adds to what was ever handed in, each once."""
        rows = map(astuple, held)
        self.write("INSERT OR IGNORE INTO hand_ins VALUES (?, ?, ?, ?)", rows)

    def held(self) -> list[Held]:
        """Returns what was ever handed in."""
        rows = self.connection.execute("SELECT student, digest, received, origin FROM hand_ins")
        return [Held(**row) for row in rows]

    def set_copies(self, copies: Iterable[Copy]) -> None:
        """Replaces the list of runs that several students handed in."""
        rows = [
            (
                c.digest,
                c.question,
                json.dumps(asdict(c.misconception)),
                c.line,
                c.message,
                c.student,
            )
            for c in dict.fromkeys(copies)
        ]
        self.write("INSERT INTO copies VALUES (?, ?, ?, ?, ?, ?)", rows, "copies")

    def copies(self, digest: str, student: str) -> list[Copy]:
        """Returns which runs of a student's submission somebody else handed in before."""
        rows = self.connection.execute(
            "SELECT digest, question, mistake, line, told, student FROM copies "
            "WHERE digest = ? AND student IN (?, '')",
            (digest, student),
        )
        return [
            Copy(r["digest"], r["question"], Misconception(**json.loads(r["mistake"])), r["line"],
                 r["told"], r["student"])
            for r in rows
        ]  # fmt: skip
