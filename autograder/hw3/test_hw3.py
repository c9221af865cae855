"""The checks of homework 3 under pytest: `pytest autograder/hw3 -k double_q --pdb`.

They run in this very process, so that a debugger stops on the student's own line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.board import explain
from autograder.check import Check
from autograder.grading import in_words
from autograder.hw3.checks import CHECKS
from autograder.hw3.mistakes import MISTAKES
from autograder.results import PASSED
from autograder.submission import Tree, find_package
from autograder.worker import run_probe

FORMULA = [check for check in CHECKS if check.level == "formula"]


@pytest.mark.parametrize("check", FORMULA, ids=lambda check: check.id)
def test_blank(check: Check, request: pytest.FixtureRequest) -> None:
    """Passes if the check does; raises what the student's code raised, else says what is wrong."""
    folder, seed = request.config.getoption("--submission"), request.config.getoption("--seed")
    tree = Tree(find_package(Path(folder)) if folder else None)
    student = run_probe(tree, check.full_probe, check.owners, seed)
    verdict = in_words(check, student.trials, seed, MISTAKES)
    if verdict.verdict == PASSED:
        return
    text = explain(verdict)
    for name, error in student.errors.items():
        crash = student.trials[name].crash
        if crash and crash.file and not crash.blank:
            print(text)
            raise error
    pytest.fail(text, pytrace=False)
