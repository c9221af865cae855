"""The gradebook of a class: an SQLite file that has every verdict before the next check starts.

A verdict belongs to what was handed in, by content, and to the grader and the seed that judged it,
so the same files are never judged twice, and two gradings can be compared.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from autograder.base.results import FAILED, Misconception, Verdict
from autograder.base.text import UsageError
from autograder.classroom.notes import Notes
from autograder.evidence.curves import Curve

FILE = "gradebook.sqlite"
VERSION = "3"
OLDER = ("1", "2")  # layouts that are brought up to date when they are opened
BUSY_SECONDS = 60.0  # how long one writer waits for another
SCHEMA = Path(__file__).with_name("gradebook.sql").read_text(encoding="utf-8")
# Older gradings have a level. Verdicts of level tiny counted no points, and their checks are gone.
UPDATE = f"""
BEGIN IMMEDIATE;
ALTER TABLE gradings RENAME TO older;
{SCHEMA}
INSERT INTO gradings SELECT id, grader, seed, began, finished FROM older;
DROP TABLE older;
DELETE FROM verdicts WHERE verdict = 'skipped' OR check_id LIKE '%.learn.%';
UPDATE facts SET value = '{VERSION}' WHERE key = 'schema';
COMMIT;
"""


@dataclass(frozen=True)
class Grading:
    """One grader with one seed: what verdicts are comparable under."""

    id: int
    grader: str
    seed: int
    began: str
    finished: str | None


@dataclass(frozen=True)
class Submission:
    """One thing that was handed in."""

    source: str
    """Its path below the folder of submissions."""
    student: str
    received: str | None
    """ISO time; None if it is unknown."""
    digest: str | None
    """The hash of the files that are judged; None if they cannot be read."""
    problem: str | None
    """The problem with it as a whole, in one line."""
    counts: bool
    """Whether it is the one that is graded for this student."""


class Gradebook(Notes):
    """A gradebook on disk; every method that changes it has done so when it returns."""

    def __init__(self, folder: Path, create: bool = False) -> None:
        """Opens the gradebook in a folder.

        Raises:
            UsageError: If there is none (and none is to be made), or it cannot be used.
        """
        file = folder / FILE
        if not create and not file.is_file():
            raise UsageError(f"no gradebook in {folder}: {FILE} is missing")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.connection = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None)
            self.connection.row_factory = sqlite3.Row
            self.connection.execute("PRAGMA journal_mode = WAL")
            # Whatever is killed, nothing is lost; a power cut takes the last seconds, judged again.
            self.connection.execute("PRAGMA synchronous = NORMAL")
            if create:
                self.connection.executescript(SCHEMA)
                self.connection.execute(
                    "INSERT OR IGNORE INTO facts VALUES ('schema', ?)", (VERSION,)
                )
            found = self.fact("schema")
            if found in OLDER:  # what is new is empty in them
                self.connection.executescript(UPDATE)
                found = VERSION
            if found == VERSION:
                self.add_missing_tables(SCHEMA)
        except (sqlite3.Error, OSError) as error:
            if hasattr(self, "connection"):
                self.connection.close()
            raise UsageError(f"{file} cannot be used: {error}") from error
        if found != VERSION:
            self.connection.close()
            raise UsageError(
                f"{file} has layout {found}, and this release reads {VERSION}: use the release "
                "that wrote it, or grade into a new folder"
            )
        self.folder = folder

    def close(self) -> None:
        """Closes the file."""
        self.connection.close()

    def fact(self, key: str) -> str | None:
        """Returns a fact about the whole gradebook, such as its homework."""
        row = self.connection.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row["value"])

    def set_fact(self, key: str, value: str) -> None:
        """Notes a fact."""
        self.connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (key, value))

    def begin(self, grader: str, seed: int, now: str) -> Grading:
        """Opens a grading, or goes on with it."""
        known = [g for g in self.gradings() if (g.grader, g.seed) == (grader, seed)]
        if not known:
            self.connection.execute(
                "INSERT INTO gradings (grader, seed, began) VALUES (?, ?, ?)", (grader, seed, now)
            )
            return self.gradings()[-1]
        self.connection.execute("UPDATE gradings SET finished = NULL WHERE id = ?", (known[-1].id,))
        return replace(known[-1], finished=None)

    def finish(self, grading: Grading, now: str) -> None:
        """Notes that a grading has seen every submission."""
        self.connection.execute("UPDATE gradings SET finished = ? WHERE id = ?", (now, grading.id))

    def gradings(self) -> list[Grading]:
        """Returns the gradings, oldest first."""
        rows = self.connection.execute("SELECT * FROM gradings ORDER BY id")
        return [Grading(**row) for row in rows]

    def set_current(self, grading: Grading) -> None:
        """Notes which grading is the one that counts: what reports and exports show."""
        self.set_fact("current", str(grading.id))

    def current(self) -> Grading | None:
        """Returns the grading that counts: the newest, unless one has been chosen."""
        chosen = self.fact("current")
        gradings = self.gradings()
        fitting = [g for g in gradings if chosen is None or g.id == int(chosen)]
        return fitting[-1] if fitting else None

    def set_students(
        self,
        students: Iterable[tuple[str, str | None, str | None]],
        roster: Collection[str] | None = None,
    ) -> None:
        """Adds students, each with name and email, if known.

        Those there stay; if a `roster` of ids is given, only those who are on this or an earlier
        one: whoever was known by what they handed in alone is gone when that is.
        """
        if roster is not None:
            kept = {*json.loads(self.fact("roster") or "[]"), *roster}
            self.set_fact("roster", json.dumps(sorted(kept)))
            here = self.connection.execute("SELECT student FROM students")
            gone = [(row["student"],) for row in here if row["student"] not in kept]
            self.write("DELETE FROM students WHERE student = ?", gone)
        self.write("INSERT OR REPLACE INTO students VALUES (?, ?, ?)", students)

    def students(self) -> dict[str, tuple[str, str]]:
        """Returns each student's name and email, empty where they are unknown."""
        rows = self.connection.execute("SELECT student, name, email FROM students")
        return {row["student"]: (row["name"] or "", row["email"] or "") for row in rows}

    def set_submissions(self, submissions: Iterable[Submission]) -> None:
        """Replaces the list of what was handed in."""
        rows = [tuple(asdict(submission).values()) for submission in submissions]
        self.write("INSERT INTO submissions VALUES (?, ?, ?, ?, ?, ?)", rows, "submissions")

    def submissions(self) -> list[Submission]:
        """Returns what was handed in, by student and source."""
        rows = self.connection.execute("SELECT * FROM submissions ORDER BY student, source")
        return [Submission(**{**row, "counts": bool(row["counts"])}) for row in rows]

    def begin_check(self, digest: str, grading: Grading, check: str) -> int:
        """Notes that a check starts; returns how often it has, this time included."""
        key = (digest, grading.grader, grading.seed, check)
        rows = self.connection.execute(
            "INSERT INTO attempts VALUES (?, ?, ?, ?, 1) ON CONFLICT "
            "DO UPDATE SET times = times + 1 RETURNING times",
            key,
        )
        return int(rows.fetchone()["times"])

    def add_verdict(
        self, digest: str, grading: Grading, verdict: Verdict, anew: bool = False
    ) -> None:
        """Writes a verdict down, for good.

        The first one stays, unless it is an error of ours, or the check was judged `anew`.
        """
        row = asdict(verdict)
        row |= {"digest": digest, "grader": grading.grader, "seed": grading.seed, "anew": anew}
        row["mistakes"] = json.dumps(row.pop("misconceptions"))
        self.connection.execute(
            "INSERT INTO verdicts VALUES (:digest, :grader, :seed, :id, :title, :points, "
            ":max_points, :verdict, :mistakes, :message, :seconds) ON CONFLICT DO UPDATE SET "
            "points = excluded.points, verdict = excluded.verdict, mistakes = excluded.mistakes, "
            "message = excluded.message, seconds = excluded.seconds "
            "WHERE verdicts.verdict = 'grader_error' OR :anew",
            row,
        )

    def verdicts(
        self, digest: str, grading: Grading, student: str = "", no_copies: Collection[str] = ()
    ) -> dict[str, Verdict]:
        """Returns the verdicts on what was handed in, by check.

        Whose submission it is decides about copied runs: these have no points. Questions of
        `no_copies` have runs that somebody has looked at, and are no copies.
        """
        rows = self.connection.execute(
            "SELECT * FROM verdicts WHERE digest = ? AND grader = ? AND seed = ? ORDER BY rowid",
            (digest, grading.grader, grading.seed),
        )
        found = {row["check_id"]: as_verdict(row) for row in rows}
        for copy in self.copies(digest, student):
            verdict = found.get(copy.question)
            if verdict and copy.question not in no_copies:
                found[copy.question] = replace(
                    verdict,
                    points=0,
                    verdict=FAILED,
                    misconceptions=tuple(
                        dict.fromkeys((copy.misconception, *verdict.misconceptions))
                    ),
                    message=f"{copy.line}\n{verdict.message}".strip(),
                )
        return found

    def set_sketches(self, digest: str, sketches: Iterable[Mapping[str, object]]) -> None:
        """Keeps what a submission's runs are compared with others' by, with question and name."""
        rows = [(digest, s["question"], s["name"], json.dumps(s)) for s in sketches]
        self.write("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", rows)

    def sketches(self, digest: str) -> list[dict[str, Any]]:
        """Returns what was kept of a submission's runs."""
        rows = self.connection.execute(
            "SELECT sketch FROM runs WHERE digest = ? ORDER BY question, name", (digest,)
        )
        return [json.loads(row["sketch"]) for row in rows]

    def set_curves(self, digest: str, curves: Iterable[Curve]) -> None:
        """Keeps the learning curves that came with a submission."""
        rows = [(digest, c.question, c.label, json.dumps(c.x), json.dumps(c.y)) for c in curves]
        self.write("INSERT OR REPLACE INTO curves VALUES (?, ?, ?, ?, ?)", rows)

    def curves(self, digest: str) -> list[Curve]:
        """Returns the learning curves of a submission."""
        rows = self.connection.execute(
            "SELECT * FROM curves WHERE digest = ? ORDER BY question, label", (digest,)
        )
        return [
            Curve(r["question"], r["label"], tuple(json.loads(r["x"])), tuple(json.loads(r["y"])))
            for r in rows
        ]


def as_verdict(row: Mapping[str, object] | sqlite3.Row) -> Verdict:
    """Returns the verdict in a row of the table."""
    named = [Misconception(**plain) for plain in json.loads(str(row["mistakes"]))]
    names = ("title", "points", "max_points", "verdict", "message", "seconds")
    plain = {name: row[name] for name in names}
    return Verdict(id=str(row["check_id"]), misconceptions=tuple(named), **plain)  # type: ignore[arg-type]
