"""Runs that several students hand in: who loses them, who keeps them, and what is told to whom."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import pytest

from autograder.base.results import FAILED, PASSED, Verdict
from autograder.classroom.collect import Found
from autograder.classroom.exports import Sender
from autograder.classroom.gradebook import Gradebook, Submission
from autograder.classroom.shared_runs import compare, sketches
from autograder.evidence.judging import read_folder
from autograder.evidence.run_sketch import Sketch, copies
from tests.autograder.evidence.run_folders import NAME, edit_log, edit_settings, write_run

QUESTION = "hw3.runs.q4_10_10"
EARLY, LATE = "2026-10-01T10:00:00", "2026-10-01T12:00:00"


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Gradebook]:
    with contextlib.closing(Gradebook(tmp_path / "book", create=True)) as opened:
        yield opened


def judged(
    book: Gradebook, run_folder: Mapping[str, Path], received: Mapping[str, str], one: str = ""
) -> tuple[dict[str, Verdict], list[str]]:
    """Lets each student's run pass by itself, and compares them; `one`: a digest for all."""
    grading = book.begin("grader", 1, "formula", EARLY)
    digests = {student: one or student for student in run_folder}
    for student, data in run_folder.items():
        book.set_sketches(digests[student], map(asdict, sketches(read_folder("hw3", data))))
        book.add_verdict(digests[student], grading, Verdict(QUESTION, "runs", 1, 1, PASSED, (), ""))
    book.set_submissions(
        Submission(s, s, received.get(s), digests[s], None, counts=True) for s in run_folder
    )
    lines = compare(book, [Found(s, Sender(s), place=data) for s, data in run_folder.items()])
    return {s: book.verdicts(digests[s], grading)[QUESTION] for s in run_folder}, lines


def class_of_two(tmp_path: Path) -> dict[str, Path]:
    """Two students: an honest one, and one who has the same folder."""
    write_run(tmp_path / "ann" / NAME)
    shutil.copytree(tmp_path / "ann", tmp_path / "bob")
    return {"ann": tmp_path / "ann", "bob": tmp_path / "bob"}


def verdicts(found: Mapping[str, Verdict]) -> dict[str, str]:
    return {student: verdict.verdict for student, verdict in found.items()}


def test_who_comes_later_loses_a_classmates_run(book: Gradebook, tmp_path: Path) -> None:
    run_folder = class_of_two(tmp_path)
    found, lines = judged(book, run_folder, {"ann": EARLY, "bob": LATE})
    assert verdicts(found) == {"ann": PASSED, "bob": FAILED}
    assert found["bob"].points == 0 and found["bob"].misconceptions[0].id == "evidence.duplicate"
    assert "somebody else" in found["bob"].message and "ann" not in found["bob"].message
    assert lines == [f"ann and bob handed in runs with the same TimeSinceStart: {NAME}, {NAME}"]
    assert [copy.message for copy in book.copies("bob")] == lines


def test_another_seed_in_the_settings_hides_nothing(book: Gradebook, tmp_path: Path) -> None:
    run_folder = class_of_two(tmp_path)
    edit_settings(run_folder["bob"] / NAME, seed=9)
    for row in range(11):
        edit_log(run_folder["bob"] / NAME, "TimeSinceStart", row, str(row + 1.5))
    found, (line,) = judged(book, run_folder, {"ann": LATE, "bob": EARLY})
    assert verdicts(found) == {"ann": FAILED, "bob": PASSED}
    assert "the same weights" in line


def test_where_nothing_tells_who_was_first_neither_has_points(
    book: Gradebook, tmp_path: Path
) -> None:
    found, _ = judged(book, class_of_two(tmp_path), {})
    assert verdicts(found) == {"ann": FAILED, "bob": FAILED}


def test_a_whole_submission_of_a_classmates_is_told(book: Gradebook, tmp_path: Path) -> None:
    """Both are the same to the last byte, so they have one verdict."""
    found, lines = judged(book, class_of_two(tmp_path), {}, one="the same")
    assert verdicts(found) == {"ann": FAILED, "bob": FAILED}
    assert len(lines) == 1


def test_a_group_hands_in_one_run(book: Gradebook, tmp_path: Path) -> None:
    write_run(tmp_path / "ann" / NAME)
    both = dict.fromkeys(("ann", "bob"), tmp_path / "ann")
    found, lines = judged(book, both, {}, one="the same")
    assert verdicts(found) == {"ann": PASSED, "bob": PASSED} and not lines


def test_two_who_ran_the_same_command_have_the_same_weights_by_right(
    book: Gradebook, tmp_path: Path
) -> None:
    run_folder = class_of_two(tmp_path)
    for row in range(11):
        edit_log(run_folder["bob"] / NAME, "TimeSinceStart", row, str(row + 1.5))
    found, lines = judged(book, run_folder, {})
    assert verdicts(found) == {"ann": PASSED, "bob": PASSED} and not lines


def test_a_copy_that_is_replaced_costs_nobody_any_more(book: Gradebook, tmp_path: Path) -> None:
    run_folder = class_of_two(tmp_path)
    judged(book, run_folder, {})
    write_run(tmp_path / "own" / NAME, seed=7)
    found, lines = judged(book, {"ann": run_folder["ann"], "bob": tmp_path / "own"}, {})
    assert verdicts(found) == {"ann": PASSED, "bob": PASSED} and not lines


def sketched(identity: str, losses: list[float]) -> Sketch:
    rows = {str(step): f"{loss:g}" for step, loss in enumerate(losses)}
    return Sketch(QUESTION, identity, identity, "", {"Critic_Loss": rows})


@pytest.mark.parametrize(
    ("same", "rows", "copied"),
    [(10, 20, True), (9, 20, False), (5, 8, True), (4, 8, False), (4, 4, False)],
)
def test_half_of_the_rows_and_five_make_a_copy(same: int, rows: int, copied: bool) -> None:
    """Fewer agree by chance, in runs of few rows or of many."""
    one = [0.5 + number for number in range(rows)]
    two = one[:same] + [loss + 100 for loss in one[same:]]
    found = list(copies([sketched("a", one), sketched("b", two)]))
    assert found == ([(0, 1, "the same Critic_Loss")] if copied else [])
