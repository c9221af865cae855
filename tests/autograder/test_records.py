"""Nothing passes without the evidence that every right form leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.base.checks import Check
from autograder.base.record import Record, Trial
from autograder.grading.grader import judge_record
from tests.autograder.corpus import write, wrong
from tests.autograder.judging import FORMULA, judge_package


@pytest.mark.parametrize("check", FORMULA, ids=lambda check: check.id)
@pytest.mark.parametrize("record", [{}, {"probe": Trial()}], ids=["nothing", "no trial"])
def test_an_empty_record_never_passes(check: Check, record: Record) -> None:
    judgement = judge_record(check, record, 0)
    assert not judgement.passed
    assert not judgement.blank


def test_another_blanks_error_does_not_pass(tmp_path: Path) -> None:
    body = (
        "class BlankError(NotImplementedError):\n    blank = 'hw3.no.such_blank'\nraise BlankError"
    )
    package = write(tmp_path, [wrong("", check.id, "", body=body) for check in FORMULA])
    assert not [i for i, judgement in judge_package(package, FORMULA).items() if judgement.passed]
