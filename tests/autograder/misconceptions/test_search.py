"""How records are compared: what differs by chance in what was raised, and what is looked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from autograder.base.record import Crash, Record, Trial
from autograder.misconceptions.outcomes import Outcome, outcome_of

from autograder.misconceptions.catalogue import questions
from autograder.misconceptions.lookup import oracle_for
from autograder.misconceptions.oracle import RecordedOracle
from autograder.misconceptions.question import Question
from autograder.misconceptions.search import search

INDEX = "index {} is out of bounds for dimension 0 with size 7"
LISTS = "<Net object at {}> is not iterable"
BEYOND, LISTED = "index.beyond", "kind.listed"


def raised(kind: str, text: str) -> Record:
    return {"usual": Trial({}, Crash(kind, text, "agents/ac_agent.py", 3, "x = y[i]"))}


def entry(crashes: dict[str, str], *misconceptions: str) -> list[Any]:
    """Returns an entry as a table has it; its only array belongs to what raises nothing."""
    arrays = {} if crashes else {"usual/x": 0}
    return [
        misconceptions,
        crashes,
        arrays,
        [[0, number] for number, _ in enumerate(misconceptions, 1)],
    ]


@pytest.fixture
def known() -> RecordedOracle:
    """What is known of a question with two mistakes, both of which raise something."""
    beyond = entry({"usual": f"IndexError: {INDEX.format(7)}"}, BEYOND)
    listed = entry({"usual": f"TypeError: {LISTS.format('#')}"}, LISTED)
    table = {
        "words": {}, "line_contains": {}, "flags": {}, "flags_first": [],
        "arrays": [[[2], [1.0, 2.0]]],
        "seeds": {"0": [[entry({})], [beyond, listed]]},
    }  # fmt: skip
    return RecordedOracle(Question("hw3.dqn.targets", "dqn_targets"), 0, table)


def named(known: RecordedOracle, record: Record) -> tuple[str, ...]:
    found = search(known, record, outcome_of(record))
    return found.misconceptions if found else ()


def test_addresses_in_what_was_raised_are_not_compared(known: RecordedOracle) -> None:
    one, two = (outcome_of(raised("TypeError", LISTS.format(a))) for a in ("0x7f3a00", "0x55ffe1"))
    assert one.agrees(two)
    assert one.crashes == {"usual": "TypeError: <Net object at #> is not iterable"}
    assert named(known, raised("TypeError", LISTS.format("0x7f9be2"))) == (LISTED,)


@pytest.mark.parametrize("number", [7, 8, 123])
def test_numbers_in_what_was_raised_may_differ_at_last(known: RecordedOracle, number: int) -> None:
    assert named(known, raised("IndexError", INDEX.format(number))) == (BEYOND,)


def test_kinds_and_words_may_not_differ(known: RecordedOracle) -> None:
    assert named(known, raised("ValueError", INDEX.format(8))) == ()
    assert named(known, raised("IndexError", INDEX.format(8).replace("size", "length"))) == ()


def test_only_loosely_may_numbers_differ() -> None:
    seven, eight = (Outcome({}, {"usual": INDEX.format(n)}, {}) for n in (7, 8))
    assert not seven.agrees(eight)
    assert seven.agrees(eight, loosely=True)
    more = Outcome({"usual/x": np.ones(2)}, eight.crashes, {})
    assert not seven.agrees(more, loosely=True)


def test_an_outcome_begins_as_another_if_the_trials_that_it_has_agree() -> None:
    whole = Outcome({"a/x": np.ones(2), "b/x": np.ones(2)}, {"c": "ValueError: 3"}, {})
    assert whole.of({"a"}).begins(whole) and whole.of({"c"}).begins(whole)
    assert Outcome({}, {"c": "ValueError: 4"}, {}).begins(whole)  # numbers of texts may differ
    assert not Outcome({"a/x": np.zeros(2)}, {}, {}).begins(whole)
    assert not Outcome({"a/x": np.ones(2), "a/y": np.ones(2)}, {}, {}).begins(whole)
    assert not Outcome({}, {"a": "ValueError: 3"}, {}).begins(whole)


@pytest.mark.slow
@pytest.mark.parametrize("blank", ["hw2.pg.advantage", "hw4.sac.targets", "hw6.ucb.index"])
def test_the_first_trial_leaves_what_a_look_at_all_trials_finds(blank: str) -> None:
    """Who compares first trials finds the same mistake as who compares everything."""
    (question,) = (q for q in questions(blank.partition(".")[0]) if q.blank == blank)
    oracle, found = oracle_for(question, 0), 0
    every = oracle.with_misconceptions(1)
    for wrong in every:
        actual = wrong.outcome
        first = next(entry for entry in every if entry.outcome.agrees(actual))
        likely = next(e for e in oracle.likely("single", actual) if e.outcome.agrees(actual))
        assert likely.misconceptions == first.misconceptions
        found += 1
    assert found > 10
