"""Takes all that a gradebook holds about one student out of it, from the file's bytes as well."""

from __future__ import annotations

import json
import re
import sqlite3

from autograder.classroom.gradebook import Gradebook
from autograder.classroom.listing import CANVAS_IDS, OTHER_IDS

OF_STUDENT = ("students", "submissions", "overrides", "answers", "needs", "hand_ins", "copies")
OF_DIGEST = ("verdicts", "attempts", "curves", "runs", "sources", "copies")
SOMEBODY = "a student who was forgotten"


def forget(book: Gradebook, student: str) -> None:
    """Forgets a student; what a partner handed in as well stays, for the partner.

    Messages about others that name the student, such as about runs that both handed in, are
    rewritten: the others keep what they have.
    """
    every = [(one.student, one.digest) for one in book.submissions()]
    every += [(one.student, one.digest) for one in book.held()]
    held = {digest for who, digest in every if who == student and digest}
    others = {digest for who, digest in every if who != student}
    names = names_of(book, student)
    for table in OF_STUDENT:
        book.write(f"DELETE FROM {table} WHERE student = ?", [(student,)])
    for table in OF_DIGEST:
        book.write(f"DELETE FROM {table} WHERE digest = ?", [(one,) for one in held - others])
    _rewrite(book, names)
    roster = [one for one in json.loads(book.fact("roster") or "[]") if one != student]
    book.set_fact("roster", json.dumps(roster))
    for fact in (OTHER_IDS, CANVAS_IDS):
        ids = json.loads(book.fact(fact) or "{}")
        book.set_fact(fact, json.dumps({who: ids[who] for who in ids if who != student}))
    _erase(book.connection)


def names_of(book: Gradebook, student: str) -> list[str]:
    """Returns a student's id, name and email, as far as they are known."""
    return [student, *filter(None, book.students().get(student, ()))]


def _rewrite(book: Gradebook, names: list[str]) -> None:
    """Takes a student's names out of messages about others."""
    for table, column in (("copies", "told"), ("needs", "reason"), ("overrides", "comment")):
        rows = book.connection.execute(f"SELECT rowid, {column} AS text FROM {table}").fetchall()
        changed = []
        for row in rows:
            text = row["text"]
            for name in names:
                text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", SOMEBODY, text)
            if text != row["text"]:
                changed.append((text, row["rowid"]))
        book.write(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", changed)


def _erase(connection: sqlite3.Connection) -> None:
    """Writes the file anew: what is deleted would otherwise stay in its free pages."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
