"""Rules that choose arms: formulas by hand, bandits with a known best arm, states."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cs285.agents import selectors
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.training.checkpoint import read_state, write_state

ALL = [*selectors.RULES, "d3rb(ucb1,ssbas,exp3)"]


def test_ucb_index_by_hand() -> None:
    index_k = selectors.ucb_index(np.array([3.0, 0.0, 1.0]), np.array([4.0, 0.0, 2.0]), 0.5)
    assert index_k[0] == pytest.approx(3 / 4 + math.sqrt(0.5 * math.log(6) / 4))
    assert index_k[1] == np.inf
    assert index_k[2] == pytest.approx(1 / 2 + math.sqrt(0.5 * math.log(6) / 2))


def test_window_is_the_newer_half_and_at_least_eight() -> None:
    rule, rng, played = selectors.SSBAS(3, 0), np.random.default_rng(0), []
    for time in range(1, 3000):
        played.append((int(rng.integers(3)), float(rng.random())))
        rule.update(*played[-1])
        if time in (3, 8, 9, 17, 500, 2999):
            window = played[-max(8, time // 2) :]
            for k in range(3):
                mine = [x for arm, x in window if arm == k]
                assert rule.plays_k[k] == len(mine)
                assert rule.total_k[k] == pytest.approx(sum(mine))


def test_esbas_begins_anew_after_1_2_4_episodes() -> None:
    rule, ends = selectors.ESBAS(2, 0), []
    assert not rule.frozen
    for episode in range(1, 40):
        rule.update(rule.choose(), 0.5)
        if not rule.frozen:
            ends.append(episode)
            assert rule.plays_k.sum() == 0 == rule.total_k.sum()
    assert ends == [1, 3, 7, 15, 31]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1, allow_subnormal=False)), max_size=60))
def test_exp3_is_a_distribution_and_follows_its_formula(plays: list[tuple[int, float]]) -> None:
    rule, weights = selectors.EXP3(4, 0), [1.0] * 4
    for arm, x in plays:
        p = [0.9 * w / sum(weights) + 0.1 / 4 for w in weights]
        np.testing.assert_allclose(rule.probs(), p)
        rule.update(arm, x)
        weights[arm] *= math.exp(0.1 * x / (p[arm] * 4))
    assert rule.probs().sum() == pytest.approx(1)
    assert rule.probs().min() >= 0.1 / 4 - 1e-12


def test_exp3_bears_a_long_run() -> None:
    rule = selectors.EXP3(2, 0)
    rule.log_w_k[:] = (5000.0, 0.0)
    np.testing.assert_allclose(rule.probs(), [0.95, 0.05])


def test_d3rb_plays_the_smallest_bound() -> None:
    rule = selectors.D3RB(3, 0)
    rule.plays_k, rule.d_k = np.array([9.0, 16.0, 4.0]), np.array([2.0, 1.0, 4.0])
    assert rule.choose() == 1


def test_d3rb_doubles_where_scores_contradict_the_guess() -> None:
    def guess(total: float) -> float:
        rule = selectors.D3RB(2, 0)
        rule.plays_k, rule.total_k = np.array([400.0, 399.0]), np.array([360.0, total])
        rule.update(1, 0.0)
        return float(rule.d_k[1])

    b = 0.25 * math.sqrt(math.log(2 * (1 + math.log(400)) / 0.05) / 400)
    edge = 400 * (360 / 400 - b - b - 1 / math.sqrt(400))
    assert guess(edge + 0.01) == 1
    assert guess(edge - 0.01) == 2


@pytest.mark.parametrize("name", [n for n in ALL if n != "uniform"])
def test_finds_the_best_arm_of_a_bandit(name: str) -> None:
    rule, rng = selectors.make(name, 4, 3), np.random.default_rng(3)
    plays = np.zeros(4)
    for _ in range(4000):
        arm = rule.choose()
        plays[arm] += 1
        rule.update(arm, float(rng.random() < (0.2, 0.4, 0.8, 0.1)[arm]))
    assert plays.argmax() == 2
    assert plays[2] > 2400


def test_the_window_follows_a_change_and_all_of_history_does_not() -> None:
    def after_the_change(name: str) -> float:
        rule, rng, found = selectors.make(name, 2, 0), np.random.default_rng(0), []
        for time in range(2000):
            arm = rule.choose()
            chance = (0.9, 0.1)[arm] if time < 1000 else (0.4, 0.6)[arm]
            rule.update(arm, float(rng.random() < chance))
            found.append(arm == 1)
        return float(np.mean(found[1000:]))

    assert after_the_change("ssbas") > 0.5 > 0.2 > after_the_change("ucb1")


@pytest.mark.parametrize("name", ALL)
def test_a_rule_goes_on_exactly_from_disk(name: str, tmp_path) -> None:
    one, rng = selectors.make(name, 3, 5), np.random.default_rng(5)

    def play(rule: selectors.Selector, scores: np.ndarray) -> list[int]:
        arms = []
        for x in scores.tolist():
            arms.append(rule.choose())
            rule.update(arms[-1], x * (1 + arms[-1]) / 3)
        return arms

    play(one, rng.random(50))
    write_state(tmp_path / "a", one.state_dict())
    scores = rng.random(50)
    expected = play(one, scores)
    other = selectors.make(name, 3, 99)
    other.load_state_dict(read_state(tmp_path / "a"))
    assert play(other, scores) == expected


def test_what_is_no_rule_is_refused() -> None:
    for text in ("best", "d3rb()", "d3rb(ucb1", "esbas(ucb1)", "d3rb(ucb1,best)"):
        with pytest.raises(UserError):
            selectors.make(text, 2, 0)
