"""Policies' answers: draws show their distribution, and neighbours cost nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autograder.homeworks.hw3.probes.policy_action import ACTIONS, DRAWS, shares, tables
from tests.autograder.corpus import Entry, write, wrong
from tests.autograder.judging import CHECKS, judge_package

FORWARD, ACT, UPDATE = "hw3.policy.forward", "hw3.policy.get_action", "hw3.policy.update"
CHECKED = [check for check in CHECKS if check.id in (FORWARD, ACT, UPDATE)]
PUBLIC, FRESH = range(5), range(1000, 1200)


def test_right_draws_hardly_ever_surprise() -> None:
    """Of 500 seeds' draws none is taken for another's; the bound's own tail is 1e-12."""
    rng = np.random.default_rng(1)
    for seed in range(500):
        logits = tables(seed)["logits"][:, :2].T.astype(np.float64)
        p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        drawn = np.array([rng.choice(ACTIONS, DRAWS, p=row) for row in p])
        np.testing.assert_allclose(shares(drawn, logits)[:, :-2], p)


def blank(check: str) -> Entry:
    body = f'from cs285.infrastructure.blanks import TODO\nreturn TODO("{check}")'
    return wrong("", check, (), body=body)


BODIES = {
    FORWARD: wrong("", FORWARD, "forward.spread_fixed", ("self.logstd.exp()", "1 + 0 * mean_na")),
    ACT: wrong("", ACT, "get_action.greedy", ("distribution.sample()", "distribution.mode")),
    UPDATE: wrong("", UPDATE, "pg_update.wrong_way", ("loss = -(", "loss = (")),
}
CRASHING = wrong("", FORWARD, (), body="return self.logits_na.no_such_thing")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entries", "named"),
    [
        (list(BODIES.values()), {i: e.misconceptions for i, e in BODIES.items()}),
        ([blank(FORWARD), blank(ACT)], {FORWARD: "blank", ACT: "blank"}),
        (
            [blank(FORWARD), BODIES[UPDATE]],
            {FORWARD: "blank", UPDATE: BODIES[UPDATE].misconceptions},
        ),
        ([CRASHING], {FORWARD: ("crash.no_attribute",)}),
    ],
)
def test_neighbours(tmp_path: Path, entries: list[Entry], named: dict[str, object]) -> None:
    judgements = judge_package(write(tmp_path, entries), CHECKED)
    for check, judgement in judgements.items():
        expected = named.get(check, ())
        assert judgement.blank == (expected == "blank")
        assert bool(judgement.unknown) == (expected == "unknown")
        if isinstance(expected, tuple):
            assert tuple(judgement.ids) == expected
