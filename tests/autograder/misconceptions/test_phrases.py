"""Every quantity that a probe records has words that a student understands."""

from __future__ import annotations

import re

import numpy as np
import pytest

from autograder.base import checks as homeworks
from autograder.base.results import Difference
from autograder.base.seen import Seen
from autograder.misconceptions import explain
from autograder.misconceptions.catalogue import Question, questions
from autograder.misconceptions.search import oracle_for
from autograder.misconceptions.wording import in_words, noun_of, phrases, sentence_of

ALL = [question for homework in homeworks.names() for question in questions(homework)]
SOME = [q if n % 4 == 0 else pytest.param(q, marks=pytest.mark.slow) for n, q in enumerate(ALL)]
RAW = re.compile(r"(?<![`\w'])[A-Za-z]+_\w+(?![\w']*`)")  # an identifier out of backquotes


@pytest.mark.parametrize("question", SOME, ids=lambda question: question.blank)
def test_each_quantity_has_words(question: Question) -> None:
    every = oracle_for(question, 0).group(0)
    names = {name.rpartition("/")[2] for seen in every for name in seen.numbers}
    assert names
    for name in names:
        assert not RAW.search(sentence_of(name) or noun_of(name)), name


@pytest.mark.slow
def test_no_phrase_is_left_over() -> None:
    recorded = set()
    for question in ALL:
        for number in (0, 1):
            for seen in oracle_for(question, 0).group(number):
                recorded |= {name.rpartition("/")[2] for name in seen.numbers}
    assert not phrases().keys() - recorded


def test_a_flag_is_a_sentence_and_a_number_is_named() -> None:
    right = Seen({"a/is_path": np.asarray(1), "a/log_prob": np.asarray(2.5)})
    wrong = Seen({"a/is_path": np.asarray(0), "a/log_prob": np.asarray(2.5)})
    assert in_words(explain.how_it_differs(wrong, right)) == "What is returned is no path"
    wrong = Seen({"a/is_path": np.asarray(1), "a/log_prob": np.asarray(3.5)})
    found: Difference = explain.how_it_differs(wrong, right)
    assert in_words(found) == "the log-probability of an action is 3.5, expected 2.5"
