"""How what was seen is compared: what differs by chance in what was raised, and the search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder.base.seen import Crash, Seen
from autograder.misconceptions.catalogue import Question, questions
from autograder.misconceptions.oracle import RecordedOracle, Table
from autograder.misconceptions.search import oracle_for, search

INDEX = "index {} is out of bounds for dimension 0 with size 7"
LISTS = "<Net object at {}> is not iterable"
BEYOND, LISTED = "index.beyond", "kind.listed"


def raised(kind: str, text: str, *mistakes: str) -> Seen:
    crash = Crash(kind, text, "agents/ac_agent.py", 3, "x = y[i]")
    seen = Seen(crashes={"usual": crash})
    choice = tuple((0, number) for number, _ in enumerate(mistakes, 1))
    return seen.known_as(mistakes, choice) if mistakes else seen


@pytest.fixture
def known() -> RecordedOracle:
    """What is known of a question with two mistakes, both of which raise something."""
    right = Seen({"usual/x": np.array([1.0, 2.0])})
    beyond = raised("IndexError", INDEX.format(7), BEYOND)
    listed = raised("TypeError", LISTS.format("#"), LISTED)
    words: dict[str, Any] = {"words": {}, "line_contains": {}, "flags": {}, "flags_first": []}
    table = Table(words, {"0": {"0": (0, 1), "1": (1, 3)}}, [right, beyond, listed])
    return RecordedOracle(Question("hw3.dqn.targets", "dqn_targets"), 0, table)


def named(known: RecordedOracle, seen: Seen) -> tuple[str, ...]:
    found = search(known, seen)
    return found.mistakes if found else ()


def test_addresses_in_what_was_raised_are_not_compared(known: RecordedOracle) -> None:
    one, two = (raised("TypeError", LISTS.format(a)) for a in ("0x7f3a00", "0x55ffe1"))
    assert one.agrees(two)
    assert one.raised == {"usual": "TypeError: <Net object at #> is not iterable"}
    assert named(known, raised("TypeError", LISTS.format("0x7f9be2"))) == (LISTED,)


@pytest.mark.parametrize("number", [7, 8, 123])
def test_numbers_in_what_was_raised_may_differ_at_last(known: RecordedOracle, number: int) -> None:
    assert named(known, raised("IndexError", INDEX.format(number))) == (BEYOND,)


def test_kinds_and_words_may_not_differ(known: RecordedOracle) -> None:
    assert named(known, raised("ValueError", INDEX.format(8))) == ()
    assert named(known, raised("IndexError", INDEX.format(8).replace("size", "length"))) == ()


def test_only_loosely_may_numbers_differ() -> None:
    seven, eight = (raised("IndexError", INDEX.format(n)) for n in (7, 8))
    assert not seven.agrees(eight)
    assert seven.agrees(eight, loosely=True)
    more = Seen({"usual/x": np.ones(2)}, eight.crashes)
    assert not seven.agrees(more, loosely=True)


def test_one_begins_as_another_if_the_cases_that_it_has_agree() -> None:
    three, four = (Crash("ValueError", text) for text in "34")
    whole = Seen({"a/x": np.ones(2), "b/x": np.ones(2)}, {"c": three})
    assert whole.within({"a"}).begins(whole) and whole.within({"c"}).begins(whole)
    assert Seen(crashes={"c": four}).begins(whole)  # numbers of texts may differ
    assert not Seen({"a/x": np.zeros(2)}).begins(whole)
    assert not Seen({"a/x": np.ones(2), "a/y": np.ones(2)}).begins(whole)
    assert not Seen(crashes={"a": three}).begins(whole)


@pytest.mark.slow
@pytest.mark.parametrize("blank", ["hw2.pg.advantage", "hw4.sac.targets", "hw6.ucb.index"])
def test_the_first_trial_leaves_what_a_look_at_all_trials_finds(blank: str) -> None:
    """Who compares first trials finds the same mistake as who compares everything."""
    (question,) = (q for q in questions(blank.partition(".")[0]) if q.blank == blank)
    oracle, found = oracle_for(question, 0), 0
    every = oracle.group(1)
    for wrong in every:
        first = next(known for known in every if known.agrees(wrong))
        likely = next(known for known in oracle.likely(1, wrong) if known.agrees(wrong))
        assert likely.mistakes == first.mistakes
        found += 1
    assert found > 10
