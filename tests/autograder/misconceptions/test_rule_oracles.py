"""What the probes of homework 6 see where all is right, computed a second time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.homeworks.hw6.probes import d3rb_doubling
from autograder.running.declared import load
from tests.autograder.misconceptions.records import SEED, record_of

right = record_of("hw6")


def cases(name: str) -> Mapping[str, Any]:
    """The cases of a blank, by name."""
    found: Mapping[str, Any] = load(f"autograder.homeworks.hw6.probes.{name}").cases(SEED)
    return found


def test_ucb_index() -> None:
    for name, case in cases("ucb_index").items():
        for k, (total, n) in enumerate(zip(case.total_k, case.plays_k, strict=True)):
            bonus = (case.xi * np.log(sum(case.plays_k)) / n) ** 0.5 if n else 0.0
            found = right("ucb_index")[f"{name}/index of who has played"][0, k]
            np.testing.assert_allclose(found, total / n + bonus if n else 0.0, rtol=1e-4)
            assert right("ucb_index")[f"{name}/infinite"][0, k] == (n == 0)


def test_window_update() -> None:
    """The newest half of all plays, 8 at least."""
    for name, case in cases("window_update").items():
        arms, scores = case.arm_n, case.x_n
        window = slice(-max(case.shortest, len(arms) // 2), None)
        for what, array in (("arms", arms), ("scores", scores)):
            found = right("window_update")[f"{name}/{what} in the window"]
            np.testing.assert_allclose(found, array[window], rtol=1e-4)
        counted = right("window_update")[f"{name}/plays_k after each play"][-1]
        assert counted.tolist() == np.bincount(arms[window], minlength=5).tolist()


def test_esbas_epoch() -> None:
    learning = right("esbas_epoch")["one arm/whether members learn after each episode"]
    assert (np.flatnonzero(learning) + 1).tolist() == [1, 3, 7, 15, 31]
    counted = right("esbas_epoch")["one arm/plays_k after each episode"].ravel()
    assert counted.tolist()[:8] == [0, 1, 0, 1, 2, 3, 0, 1]


def test_exp3() -> None:
    for name, case in cases("exp3_probs").items():
        log_w_k, gamma = case.log_w_k, case.gamma
        shares = [1 / sum(np.exp(np.minimum(log_w_k - log_w, 700))) for log_w in log_w_k]
        p_k = [gamma / len(shares) + share - gamma * share for share in shares]
        np.testing.assert_allclose(right("exp3_probs")[f"{name}/p_k"], p_k, rtol=1e-4)
    gains = right("exp3_update")["a score of 1/change of log_w_k, up to a common one"]
    for arm, p in enumerate(cases("exp3_update")["usual"].chances):
        others = np.delete(gains[arm], arm)
        np.testing.assert_allclose(gains[arm, arm] - others, 0.1 / (4 * p), rtol=1e-4)


def test_d3rb() -> None:
    """The guess d is doubled up to where its bound makes up for what the arm is behind."""
    for name, some in d3rb_doubling.cases(SEED).items():
        found = right("d3rb_doubling")[f"{name}/largest guess that is doubled"]
        for state, guess in zip(some, found, strict=True):
            n, total = state.plays_k.copy(), state.plays_k * state.mean_k
            n[state.arm] += 1
            total[state.arm] += state.x
            arms = np.flatnonzero(n).tolist()
            margin = {
                k: 0.25 * np.sqrt(np.log(len(n) * (1 + np.log(n[k])) / 0.05) / n[k]) for k in arms
            }
            best = max(total[k] / n[k] - margin[k] for k in arms)
            own = total[state.arm] / n[state.arm] + margin[state.arm]
            turns = (best - own) * np.sqrt(n[state.arm])
            np.testing.assert_allclose(guess, turns if turns > 0.001 else 0.0, rtol=1e-3)
    alike = right("d3rb_choose")["three alike/which arms are chosen"]
    assert alike.sum() == 1


def test_scale_and_regret() -> None:
    for name, case in cases("scale").items():
        place = np.interp(case.score, [case.low, case.high], [0, 1])
        np.testing.assert_allclose(right("scale")[f"{name}/x"], place, rtol=1e-4, atol=1e-6)
    for name, members in cases("regret").items():
        total_k, plays_k = members.total_k, members.plays_k
        means = [total / n for total, n in zip(total_k, plays_k, strict=True) if n]
        cost = sum(n * max(means) - total for total, n in zip(total_k, plays_k, strict=True) if n)
        np.testing.assert_allclose(right("regret")[f"{name}/regret"], cost, rtol=1e-4)


def test_portfolio() -> None:
    asked = right("choose")["usual/how often the rule has been asked after each step"]
    lengths = cases("choose")["usual"].lengths
    expected = np.repeat(range(1, 1 + len(lengths)), lengths)
    assert asked.tolist() == expected.tolist()
    assert set(right("credit")["usual/how often the rule is told of an episode"]) == {1}
    learned = right("learn")
    whose = learned["usual/whose batches each learns from (-1 the given one)"]
    assert whose.tolist() == [[0, 0], [1, 1], [-1, -1], [3, 3]]
    assert learned["own experience/how often each member is trained"].tolist() == [0, 2, 0, 0]
