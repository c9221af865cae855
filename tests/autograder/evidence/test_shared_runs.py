"""Runs that several students hand in: who loses them, who keeps them, and what is told to whom."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from autograder.base.results import FAILED, PASSED, Verdict
from autograder.classroom.gradebook import Gradebook, Submission
from autograder.classroom.notes import Held
from autograder.classroom.shared_runs import compare, sketches
from autograder.evidence.judging import read_folder
from autograder.evidence.run_sketch import Sketch, copies
from tests.autograder.evidence.run_folders import (
    NAME,
    Weights,
    balancing,
    edit_log,
    edit_settings,
    save,
    write_run,
)

PAINTED = (
    *("Actor_Loss", "Critic_Loss", "Eval_AverageReturn", "Eval_StdReturn", "Eval_AverageEpLen"),
    *("Train_AverageReturn", "Train_StdReturn", "Train_AverageEpLen"),
)
QUESTION = "hw3.runs.q4_10_10"
EARLY, LATE, LAST = (f"2026-10-01T1{hour}:00:00" for hour in (0, 2, 4))


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Gradebook]:
    with contextlib.closing(Gradebook(tmp_path / "book", create=True)) as opened:
        yield opened


def judged(
    book: Gradebook, run_folder: Mapping[str, Path], received: Mapping[str, str], one: str = ""
) -> tuple[dict[str, Verdict], list[str]]:
    """Lets each student's run pass by itself, and compares them; `one`: a digest for all."""
    grading = book.begin("grader", 1, EARLY)
    digests = {student: one or student for student in run_folder}
    for student, data in run_folder.items():
        hand_in(book, student, digests[student], data, received.get(student, ""))
        book.add_verdict(digests[student], grading, Verdict(QUESTION, "runs", 1, 1, PASSED, (), ""))
    book.set_submissions(
        Submission(s, s, received.get(s), digests[s], None, counts=True) for s in run_folder
    )
    lines = compare(book)
    return {s: book.verdicts(digests[s], grading, s)[QUESTION] for s in run_folder}, lines


def hand_in(book: Gradebook, student: str, digest: str, data: Path, received: str) -> None:
    """Notes that a student has handed in a folder of runs."""
    book.set_sketches(digest, map(asdict, sketches(read_folder("hw3", data))))
    book.add_held([Held(student, digest, received, str(data))])


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
    assert [copy.message for copy in book.copies("bob", "bob")] == lines


def test_who_hands_in_again_after_a_thief_keeps_the_run(book: Gradebook, tmp_path: Path) -> None:
    run_folder = class_of_two(tmp_path)
    hand_in(book, "ann", "ann's first", run_folder["ann"], EARLY)
    found, _ = judged(book, run_folder, {"ann": LAST, "bob": LATE})
    assert verdicts(found) == {"ann": PASSED, "bob": FAILED}


def test_an_exact_copy_of_a_whole_submission_costs_the_first_nothing(
    book: Gradebook, tmp_path: Path
) -> None:
    found, _ = judged(book, class_of_two(tmp_path), {"ann": EARLY, "bob": LATE}, one="the same")
    assert verdicts(found) == {"ann": PASSED, "bob": FAILED}


def test_a_partner_who_leaves_a_group_is_no_thief(book: Gradebook, tmp_path: Path) -> None:
    run_folder = class_of_two(tmp_path)
    for student in ("ann", "bob"):
        hand_in(book, student, "theirs", run_folder["ann"], EARLY)
    found, lines = judged(book, run_folder, {"ann": LATE, "bob": LAST})
    assert verdicts(found) == {"ann": PASSED, "bob": PASSED} and not lines


def test_who_certainly_came_later_loses_whatever_else_is_unknown(
    book: Gradebook, tmp_path: Path
) -> None:
    run_folder = class_of_two(tmp_path)
    shutil.copytree(tmp_path / "ann", tmp_path / "cy")
    found, _ = judged(book, run_folder | {"cy": tmp_path / "cy"}, {"ann": EARLY, "bob": LATE})
    assert verdicts(found) == {"ann": PASSED, "bob": FAILED, "cy": PASSED}
    assert [len(book.needs(who)) for who in ("ann", "bob", "cy")] == [1, 0, 1]


def test_another_seed_in_the_settings_hides_nothing(book: Gradebook, tmp_path: Path) -> None:
    run_folder = class_of_two(tmp_path)
    edit_settings(run_folder["bob"] / NAME, seed=9)
    for row in range(11):
        edit_log(run_folder["bob"] / NAME, "TimeSinceStart", row, str(row + 1.5))
    found, (line,) = judged(book, run_folder, {"ann": LATE, "bob": EARLY})
    assert verdicts(found) == {"ann": FAILED, "bob": PASSED}
    assert "the same weights" in line


def test_where_nothing_tells_who_was_first_the_instructor_decides(
    book: Gradebook, tmp_path: Path
) -> None:
    found, (line,) = judged(book, class_of_two(tmp_path), {})
    assert verdicts(found) == {"ann": PASSED, "bob": PASSED}
    (need,) = book.needs("bob")
    assert need.check == QUESTION and need.reason.startswith(line)


def test_a_whole_submission_of_a_classmates_is_told(book: Gradebook, tmp_path: Path) -> None:
    """Both are the same to the last byte, so they have one verdict."""
    _, lines = judged(book, class_of_two(tmp_path), {}, one="the same")
    assert len(lines) == 1
    assert book.needs("ann") and book.needs("bob")


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
    assert not book.needs("ann")


def test_units_in_another_order_and_a_little_noise_hide_nothing(
    book: Gradebook, tmp_path: Path
) -> None:
    run_folder = class_of_two(tmp_path)
    weights = reordered(balancing(12.0, 1), np.random.default_rng(0))
    save(run_folder["bob"] / NAME, weights)
    edit_settings(run_folder["bob"] / NAME, seed=9)
    for row in range(11):
        for column in ("TimeSinceStart", *PAINTED):
            edit_log(run_folder["bob"] / NAME, column, row, str(row * 1.37 + 1.5))
    found, (line,) = judged(book, run_folder, {"ann": EARLY, "bob": LATE})
    assert "the same weights, but for their order and noise" in line
    assert verdicts(found) == {"ann": PASSED, "bob": FAILED}


def reordered(weights: Weights, rng: np.random.Generator) -> Weights:
    """Returns weights with both hidden layers' units in another order, and a little noise."""
    one, two = (rng.permutation(64) for _ in range(2))
    layers = [[weights[f"logits_na.{n}.{kind}"] for kind in ("weight", "bias")] for n in (0, 2, 4)]
    (w0, b0), (w2, b2), (w4, b4) = layers
    moved = (w0[one], b0[one]), (w2[two][:, one], b2[two]), (w4[:, two], b4)
    found: Weights = {}
    for number, pair in zip((0, 2, 4), moved, strict=True):
        for kind, array in zip(("weight", "bias"), pair, strict=True):
            noise = rng.normal(1, 3e-3, array.shape)
            found[f"logits_na.{number}.{kind}"] = (array * noise).astype(np.float32)
    return found


def test_another_column_shows_a_copy_as_well(book: Gradebook, tmp_path: Path) -> None:
    run_folder = class_of_two(tmp_path)
    write_run(tmp_path / "else" / NAME, seed=5)
    shutil.copy(tmp_path / "else" / NAME / "policy.safetensors", run_folder["bob"] / NAME)
    edit_settings(run_folder["bob"] / NAME, seed=9)
    for row in range(11):
        for column in {"TimeSinceStart", *PAINTED} - {"Actor_Loss"}:
            edit_log(run_folder["bob"] / NAME, column, row, str(row * 1.37 + 1.5))
    _, (line,) = judged(book, run_folder, {})
    assert "the same Actor_Loss" in line


def test_runs_of_two_seeds_share_no_column_and_no_weights(book: Gradebook, tmp_path: Path) -> None:
    own = {}
    for number, student in enumerate(("ann", "bob", "cy", "dee"), 1):
        write_run(tmp_path / student / NAME, seed=number)
        own[student] = tmp_path / student
    assert judged(book, own, {})[1] == []


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
