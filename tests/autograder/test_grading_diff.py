"""What a new grading would change: who, by how much, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.base.results import BLANK, FAILED, Misconception
from autograder.base.text import UsageError
from autograder.classroom.gradebook import Gradebook
from autograder.reports import diff
from tests.autograder.mixed_class import MASK, mixed_class, verdict

SIGN = Misconception("target.sign", "Sign.", "Why.", "Where")


@pytest.fixture
def graded_again(tmp_path: Path) -> Iterator[Gradebook]:
    """The same class under a grader that was mended, with one more check."""
    book = Gradebook(mixed_class(tmp_path / "book"))
    new = book.begin("grader two", 3, "2026-10-16T00:00:00+00:00")
    verdicts = {
        "s1": [verdict("hw3.dqn.act", 5), verdict("hw3.dqn.targets", 10)],
        "s2": [verdict("hw3.dqn.act", 5), verdict("hw3.dqn.targets", 10)],
        "s3": [verdict("hw3.dqn.act", 5, BLANK), verdict("hw3.dqn.targets", 10, FAILED, MASK)],
        "s6": [verdict("hw3.dqn.act", 5), verdict("hw3.dqn.targets", 10)],
        "s7": [verdict("hw3.dqn.act", 5, FAILED)],
    }
    for who, found in verdicts.items():
        for one in [*found, verdict("hw3.given.beside_actor_critic", 0)]:
            book.add_verdict(who, new, one)
    book.finish(new, "2026-10-16T00:10:00+00:00")
    yield book
    book.close()


def test_who_changes_and_by_how_much(graded_again: Gradebook) -> None:
    changes = diff.compare(graded_again, 1, 2)
    assert [(c.student, c.old, c.new, c.gain) for c in changes] == [
        ("s3", 10, 0, -10),
        ("s7", 5, 0, -5),
        ("s6", 10, 15, 5),
        ("s2", 5, 15, 10),
    ]
    message = {c.student: [f"{b.id}: {b.old} -> {b.new}" for b in c.blanks] for c in changes}
    assert message["s3"] == ["hw3.dqn.targets: passed -> wrong (target.no_mask)"]
    assert message["s2"] == ["hw3.dqn.targets: wrong (target.no_mask) -> passed"]
    assert message["s6"] == ["hw3.dqn.act: grader error -> passed"]
    assert message["s7"] == ["hw3.dqn.act: passed -> wrong (no name)"]


def test_the_same_points_for_another_reason_is_a_change(graded_again: Gradebook) -> None:
    third = graded_again.begin("grader two", 4, "2026-10-17T00:00:00+00:00")
    graded_again.add_verdict("s3", third, verdict("hw3.dqn.act", 5, BLANK))
    graded_again.add_verdict("s3", third, verdict("hw3.dqn.targets", 10, FAILED, SIGN, MASK))
    changes = diff.compare(graded_again, 2, 3)
    (same,) = [change for change in changes if change.student == "s3"]
    assert same.gain == 0
    assert [(b.old.misconceptions, b.new.misconceptions) for b in same.blanks] == [
        (("target.no_mask",), ("target.no_mask", "target.sign"))
    ]
    gone = next(change for change in changes if change.student == "s1")
    assert [str(blank.new) for blank in gone.blanks] == ["not judged", "not judged"]
    text = diff.describe(changes)
    assert "2 keep their points; " in " ".join(text.split())


def test_nothing_changes_between_equal_gradings(graded_again: Gradebook) -> None:
    assert diff.compare(graded_again, 2, 2) == []
    assert diff.describe([]) == "nothing changes"
    with pytest.raises(UsageError, match="no grading 9 in the gradebook; there is: 1, 2"):
        diff.compare(graded_again, 1, 9)
    with pytest.raises(UsageError, match="no grading 9"):
        diff.compare(graded_again, 9, 1)


def test_changes_in_80_columns_and_as_json(graded_again: Gradebook) -> None:
    changes = diff.compare(graded_again, 1, 2)
    text = diff.describe(changes)
    assert text.isascii()
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "4 students change: 2 gain, 2 lose" in text
    assert "+0 points in all" in text
    plain = json.loads(json.dumps(diff.as_json(changes)))
    assert plain["changes"][0] == {
        "student": "s3",
        "name": '=HYPERLINK("http://example.com","grade")',
        "old": 10,
        "new": 0,
        "blanks": [
            {
                "id": "hw3.dqn.targets",
                "old": {"verdict": "passed", "points": 10, "mistakes": []},
                "new": {"verdict": "failed", "points": 0, "mistakes": ["target.no_mask"]},
            }
        ],
    }


def test_a_change_of_points_alone_is_printed(graded_again: Gradebook) -> None:
    graded_again.set_students([("s1", "Hans Groß", None)])
    third = graded_again.begin("grader three", 3, "2026-10-17T00:00:00+00:00")
    for one in (verdict("hw3.dqn.act", 8), verdict("hw3.dqn.targets", 10)):
        graded_again.add_verdict("s1", third, one)
    changes = [one for one in diff.compare(graded_again, 2, 3) if one.student == "s1"]
    text = diff.describe(changes)
    assert "Hans Groß (s1)" in text
    assert text.count("hw3.dqn.act: passed, 5 -> passed, 8 points") == 2
