"""A class of every kind: right, late, hostile, absent, unreadable, owed points."""

from __future__ import annotations

from pathlib import Path

from autograder.base.results import BLANK, FAILED, GRADER_ERROR, PASSED, Misconception, Verdict
from autograder.classroom.gradebook import Gradebook, Submission

MASK = Misconception("target.no_mask", "No mask.", "Why.", "Where")
POLICY = """
deadline = 2026-10-14T12:00:00Z
late_days = 1
penalty_percent = 10
"""


def verdict(check: str, points: int, kind: str = PASSED, *misconceptions: Misconception) -> Verdict:
    return Verdict(check, "title", points if kind == PASSED else 0, points, kind, misconceptions)


def mixed_class(folder: Path) -> Path:
    """Makes its gradebook; returns the folder."""
    book = Gradebook(folder, create=True)
    book.set_fact("homework", "hw3")
    people = [
        ("s1", "Ada", "ada@example.edu"),
        ("s2", "Ben", "ben@example.edu"),
        ("s3", '=HYPERLINK("http://example.com","grade")', "+49@example.edu"),
        ("s4", "Dev", None),
        ("s5", "Eve", None),
        ("s6", "Finn", None),
        ("s7", "Grace", None),
    ]
    book.set_students(people)
    times = {"s2": "2026-10-16T12:00:00+00:00"}
    book.set_submissions(
        [
            *(
                Submission(who, who, times.get(who, "2026-10-14T12:00:00+00:00"), who, None, True)
                for who in ("s1", "s2", "s3", "s6", "s7")
            ),
            Submission("s5.zip", "s5", None, None, "the archive is damaged", True),
        ]
    )
    old = book.begin("grader one", 3, "2026-10-15T00:00:00+00:00")
    verdicts = {
        "s1": [verdict("hw3.dqn.act", 5), verdict("hw3.dqn.targets", 10)],
        "s2": [verdict("hw3.dqn.act", 5), verdict("hw3.dqn.targets", 10, FAILED, MASK)],
        "s3": [verdict("hw3.dqn.act", 5, BLANK), verdict("hw3.dqn.targets", 10)],
        "s6": [verdict("hw3.dqn.act", 5, GRADER_ERROR), verdict("hw3.dqn.targets", 10)],
        "s7": [verdict("hw3.dqn.act", 5)],
    }
    for who, found in verdicts.items():
        for one in [*found, verdict("hw3.given.beside_dqn", 0)]:
            book.add_verdict(who, old, one)
    book.finish(old, "2026-10-15T00:10:00+00:00")
    (folder / "policy.toml").write_text(POLICY)
    book.close()
    return folder
