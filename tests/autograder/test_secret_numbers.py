"""A right number is printed only where it may be: never on the page that Gradescope shows."""

from __future__ import annotations

import random

import pytest

from autograder.base.checks import checks
from autograder.base.results import Difference, Judgement, Relation, Response
from autograder.gradescope.contract import clean, in_words
from autograder.grading.judging import worded
from autograder.misconceptions import mutants
from benchmarks import secret_numbers
from tests.autograder.judging import FORMULA

BY_ID = {check.id: check for check in FORMULA}
SECRET = "0.12345"
DIFFERENCES = [
    Difference("target_n[3]", "1.5", SECRET),
    Difference("target_n[3]", "1.5", SECRET, relation=Relation(f"{SECRET} times", "times")),
    Difference("target_n[3]", "1.5", SECRET, sizes=(SECRET, SECRET)),
    Difference(remark="moves", responses=(Response("reward", "1.5", SECRET, True),), results="t"),
]


@pytest.mark.parametrize("found", DIFFERENCES)
@pytest.mark.parametrize("answers", [True, False])
def test_a_right_number_has_one_door(found: Difference, answers: bool) -> None:
    verdict = worded(BY_ID["hw3.dqn.targets"], Judgement([], [found]), answers)
    page = clean(in_words(verdict))
    assert (SECRET in "".join(page.split())) == answers


@pytest.mark.slow
def test_the_search_finds_a_number_that_is_there() -> None:
    """With answers allowed some of a few wrong bodies show one; without them none does."""
    check = next(check for check in checks("hw3") if check.id == "hw3.dqn.targets")
    body, rng = mutants.regions()[check.id][2], random.Random(3)
    shown = hidden = 0
    for _ in range(16):
        wrong = secret_numbers.changed(body, rng)
        shown += bool(secret_numbers.leaks(check, wrong, 0, answers=True))
        hidden += bool(secret_numbers.leaks(check, wrong, 0))
    assert shown > 0 == hidden
