"""Several gradebooks are a course; points are the class's; part of a class is judged again."""

from __future__ import annotations

import csv
import json
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base.results import FAILED, PASSED, Misconception, Verdict
from autograder.classroom.again import Scope, scope_of
from autograder.classroom.gradebook import Gradebook, Submission
from autograder.gradescope.contract import Results
from tests.autograder.judging import FORMULA
from tests.autograder.mixed_class import MASK, mixed_class, verdict

ACT, TARGETS = "hw3.dqn.act", "hw3.dqn.targets"


def homework(folder: Path, name: str, day: int, late: dict[str, int], points: int = 10) -> Path:
    """A gradebook of one check; students are so many days late."""
    with closing(Gradebook(folder / name, create=True)) as book:
        book.set_fact("homework", name)
        book.set_students((who, who.title(), f"{who}@x.edu") for who in late)
        grading = book.begin("g", 1, "2026-10-01T00:00:00+00:00")
        rows = []
        for who, days in late.items():
            received = datetime(2026, 10, day + days, 11, tzinfo=UTC).isoformat()
            rows.append(Submission(who, who, received, f"{name} {who}", None, True))
            book.add_verdict(f"{name} {who}", grading, verdict(f"{name}.one", points))
        book.set_submissions(rows)
        book.finish(grading, "2026-10-01T00:00:00+00:00")
    policy = f"deadline = 2026-10-{day:02d}T12:00:00Z\nlate_days = 3\npenalty_percent = 10\n"
    (folder / name / "policy.toml").write_text(policy)
    return folder / name


@pytest.fixture
def course(tmp_path: Path) -> list[Path]:
    """Ada is late by 2, 2 and 1 days, with three free ones over the course."""
    first = homework(tmp_path, "hw3", 5, {"ada": 2, "ben": 0})
    second = homework(tmp_path, "hw4", 12, {"ada": 2, "ben": 0, "cleo": 0})
    third = homework(tmp_path, "hw5", 20, {"ada": 1, "ben": 1})
    return [third, first, second]  # in any order


def table(capsys: pytest.CaptureFixture[str], *words: object) -> list[list[str]]:
    capsys.readouterr()
    assert main(["export", *map(str, words)]) == 0
    return list(csv.reader(capsys.readouterr().out.splitlines()))


def test_late_days_are_counted_over_the_course(
    course: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    head, *rows = table(capsys, *course)
    assert head[3:] == ["hw3", "hw4", "hw5", "total", "late_days", "late_days_left", "problem"]
    found = {row[0]: row[3:9] for row in rows}
    assert found["ada"] == ["10", "9", "9", "28", "5", "0"]  # of hw4's two days one is free
    assert found["ben"] == ["10", "10", "10", "30", "1", "2"]
    assert found["cleo"] == ["0", "10", "0", "10", "0", "3"]
    (alone,) = [row for row in table(capsys, course[2]) if row[0] == "ada"]
    assert alone[-2] == "10"  # by itself, hw4 knows of no earlier days


def test_days_that_a_policy_names_count(
    course: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    file = course[1] / "policy.toml"
    file.write_text(file.read_text() + "[used]\nada = 2\nben = 3\n")
    found = {row[0]: row[3:9] for row in table(capsys, *course)}
    assert found["ada"] == ["9", "8", "9", "26", "5", "0"]
    assert found["ben"] == ["10", "10", "9", "29", "1", "0"]


def test_pages_and_canvas_of_a_course(
    course: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", *map(str, course), "--out", str(tmp_path / "course")]) == 0
    page = (tmp_path / "course/index.html").read_text()
    assert "Ada" in page and "Free left" in page
    (ada,) = (course[2] / "report/students").glob("ada-*")
    assert "1 of them free" in ada.read_text()
    head, points, *_ = table(capsys, *course, "--format", "canvas")
    assert head[-3:] == ["Homework 3", "Homework 4", "Homework 5"]
    assert points[-3:] == ["10", "10", "10"]
    names = table(capsys, *course, "--pseudonyms")
    assert sorted(row[3:9] for row in names) == sorted(row[3:9] for row in table(capsys, *course))
    assert "ada" not in str(names).lower()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--policy", "x.toml"], "--policy and --grading are for one gradebook"),
        (["--grading", "1"], "--policy and --grading are for one gradebook"),
        (["--assignment", "x"], "--assignment is for one gradebook"),
    ],
)
def test_bad_usage_of_a_course(
    course: list[Path], words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", *map(str, course), *words]) == 2
    assert message in capsys.readouterr().err


def test_one_homework_twice(course: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(course[0]), str(course[0])]) == 2
    assert "2 gradebooks are of hw5" in capsys.readouterr().err


def test_points_of_the_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Weights, a bonus and a blank that nobody counts, without judging again."""
    folder = mixed_class(tmp_path / "book")
    policy = folder / "policy.toml"
    policy.write_text(f'bonus = ["{ACT}"]\n[points]\n"{TARGETS}" = 7.5\n')
    found = {row[0]: row for row in table(capsys, folder)}
    assert found["s1"][3:6] == ["5", "7.5", "12.5"]
    _, points, *_ = table(capsys, folder, "--format", "canvas")
    assert points[-1] == "7.5"
    policy.write_text(f'drop = ["{TARGETS}"]\n')
    found = {row[0]: row for row in table(capsys, folder)}
    assert found["id"][3:5] == [ACT, "total"] and found["s2"][4] == "5"
    assert main(["report", str(folder)]) == 0
    policy.write_text('drop = ["hw3.dqn.akt"]\n')
    assert main(["export", str(folder)]) == 0
    assert "did you mean 'hw3.dqn.act'?" in capsys.readouterr().err
    for bad, message in (
        ("[points]\nhw3.dqn.act = 4\n", "put the id in quotes"),
        ('[points]\n"hw3.dqn.act" = -1\n', "must lie between"),
        ('bonus = "hw3.dqn.act"\n', "must be a list of ids"),
        ("handout = 3\n", "handout must be an address"),
    ):
        policy.write_text(bad)
        assert main(["export", str(folder)]) == 2
        error = capsys.readouterr().err
        assert message in error and error.count("\n") == 1


def test_part_of_a_grading_is_carried_over(tmp_path: Path) -> None:
    folder = mixed_class(tmp_path / "book")
    with closing(Gradebook(folder)) as book:
        old = book.current()
        assert old
        scope = scope_of(book, old, ["Ben"], ["dqn.act"], [ACT, TARGETS])
        assert scope == Scope(old, frozenset(["s2"]), frozenset([ACT]))
        for _ in range(2):  # asked twice, it is judged twice
            new = scope.begin(book, "digest", "2026-10-15T00:00:00+00:00")
            scope.carry_over(book, new)
            assert ACT not in book.verdicts("s2", new)
            assert TARGETS in book.verdicts("s2", new)
            for who in ("s1", "s3", "s6"):
                assert book.verdicts(who, new) == book.verdicts(who, old)
            book.add_verdict("s2", new, verdict(ACT, 5, FAILED, MASK))
        assert new.id != old.id and book.verdicts("s2", old)[ACT].verdict == PASSED
        assert scope_of(book, old, [], [], [ACT]) is None


def test_what_is_judged_again_must_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = mixed_class(tmp_path / "book")
    (tmp_path / "in").mkdir()
    for words, message in (
        (["--check", "hw3.dqn.akt"], "did you mean 'hw3.dqn.act'?"),
        (["--student", "nobody"], "knows no student 'nobody'"),
    ):
        assert main(["regrade", "hw3", str(tmp_path / "in"), str(folder), *words]) == 2
        assert message in capsys.readouterr().err


def test_feedback_in_two_steps(tmp_path: Path) -> None:
    folder = mixed_class(tmp_path / "book")
    assert main(["report", str(folder), "--feedback", "verdicts"]) == 0
    (page,) = (folder / "report/students").glob("s2-*")
    first = page.read_text()
    assert main(["report", str(folder)]) == 0
    second = page.read_text()
    for word in (MASK.title, MASK.id, MASK.explanation):
        assert word not in first and word in second
    assert "wrong" in first and "the explanations follow" in first


def test_gradescope_explains_after_the_due_date(tmp_path: Path) -> None:
    mask = Misconception("target.no_mask", "No mask at all.", "Because.", "Read this")
    results = Results(tmp_path / "results.json", "hw3", FORMULA, "after_due_date")
    check = next(one for one in FORMULA if one.id == TARGETS)
    results.add(Verdict(TARGETS, check.title, 0, check.points, FAILED, (mask,)))
    tests = json.loads((tmp_path / "results.json").read_text())["tests"]
    assert len(tests) == 2 * len(FORMULA)
    now = [test for test in tests if test["visibility"] == "visible"]
    later = [test for test in tests if test["visibility"] == "after_due_date"]
    assert sum(test["max_score"] for test in now) == 100
    assert not [test for test in later if "score" in test or "max_score" in test]
    texts = [test["output"] for test in now]
    assert "wrong" in texts and "No mask" not in str(texts)
    assert "No mask at all." in str([test["output"] for test in later])


CANVAS_NAME = "doejane_LATE_12345_67890_hw3.zip"


def test_pages_are_handed_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = mixed_class(tmp_path / "book"), tmp_path / "back.zip"

    def names(*more: str) -> list[str]:
        assert main(["handback", str(folder), "-o", str(out), *more]) == 0
        with zipfile.ZipFile(out) as archive:
            return archive.namelist()

    assert len(names()) == 7 and all(name.endswith(".html") for name in names())
    with closing(Gradebook(folder)) as book:
        book.set_submissions(
            Submission(name, who, None, who, None, True)
            for who, name in (("s1", CANVAS_NAME), ("s2", "roeben_222_333333_code.zip"))
        )
    assert names() == [
        "doejane_LATE_12345_67890_hw3-feedback.html", "roeben_222_333333_hw3-feedback.html",
    ]  # fmt: skip
    assert "without a page: s3" in capsys.readouterr().err
    with zipfile.ZipFile(out) as archive:
        assert "<bdi>Ada</bdi>" in archive.read(names()[0]).decode()
    with closing(Gradebook(folder)) as book:
        book.set_submissions([Submission("submission_77", "s1", None, "s1", None, True)])
    assert names() == ["submission_77/feedback.html"]
    assert main(["handback", str(folder), "-o", str(out), "--format", "canvas"]) == 2
    assert main(["handback", str(folder), "-o", str(tmp_path)]) == 2
    assert main(["handback", str(folder), "-o", str(tmp_path / "no" / "x.zip")]) == 2


def test_a_student_with_another_id_but_the_same_email_is_one_row(
    course: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A list of Gradescope's without an id has the email in its place."""
    with closing(Gradebook(course[0])) as book:
        for table_name in ("students", "submissions"):
            update = f"UPDATE {table_name} SET student = 'ada@x.edu' WHERE student = 'ada'"
            book.connection.execute(update)
    head, *rows = table(capsys, *course)
    found = {row[0]: row[3:9] for row in rows}
    assert found.keys() == {"ada", "ben", "cleo"}
    assert found["ada"] == ["10", "9", "9", "28", "5", "0"]  # her free days are hers in hw5 too
    _, *nameless = table(capsys, "--pseudonyms", *course)
    assert len(nameless) == 3 and ["10", "9", "9", "28"] in [row[3:7] for row in nameless]


def test_a_name_with_two_ids_is_reported(
    course: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(Gradebook(course[0])) as book:
        book.connection.execute("UPDATE submissions SET student = 'a7' WHERE student = 'ada'")
        book.connection.execute(
            "UPDATE students SET student = 'a7', email = '' WHERE student = 'ada'"
        )
    assert main(["export", *map(str, course)]) == 0
    assert "ada has another id and email in another homework" in capsys.readouterr().err


def test_a_policy_may_name_students_by_email_or_name(
    course: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    file = course[1] / "policy.toml"
    file.write_text(file.read_text() + '[used]\n"Ada" = 2\n"BEN@x.edu" = 3\n')
    found = {row[0]: row[3:9] for row in table(capsys, *course)}
    assert found["ada"] == ["9", "8", "9", "26", "5", "0"]
    assert found["ben"] == ["10", "10", "9", "29", "1", "0"]
