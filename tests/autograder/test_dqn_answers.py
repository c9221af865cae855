"""No two mistakes of DQN's critic, nor pairs of them, can be taken for each other."""

from __future__ import annotations

import numpy as np
import pytest

from autograder.hw3 import answer_dqn_critic as targets
from autograder.hw3 import double_q_formula as double_q
from autograder.hw3.critic_case import ACTIONS, critic_case
from autograder.hw3.probe_argmax import table
from autograder.judge import Choice, choices
from tests.autograder.identifiability import unexplained, unit

# Beside these, another mistake may change nothing that can be seen.
HIDING = {
    "gradient.no_step",  # nothing moves
    "target.prediction_cut",  # nothing reaches the prediction
    "target.no_future",  # what the future is made of does not matter
    "target.broadcast",  # only the mean of the targets counts
    "target.reward_clipped",  # +1 and -1 are where Huber's loss is straight
    "target.max_over_batch",  # one number says little about where it is from
    "target.index_as_value",  # has no gradient, and is as large
    "double_q.mean_over_actions",
    "double_q.index_as_value",
    "double_q.taken_action",
}
# In truth these raise: neither the prediction nor an index has a gradient.
CRASH = {"target.index_as_value", "target.prediction_cut"}


@pytest.mark.parametrize("chunk", range(5))
def test_targets(seeds: list[int], chunk: int) -> None:
    for seed in seeds[chunk::5]:
        case = critic_case(seed)

        def outcome(choice: Choice) -> np.ndarray:
            predicted = targets.predict_update(case, choice)  # noqa: B023
            return np.append(unit(np.asarray(predicted["change"])), float(predicted["leak"]))

        left = unexplained(targets.TARGET_FACTORS, outcome, HIDING)
        assert not [(a, b) for a, b in left if not (special(a) or special(b))], seed


def special(mistakes: frozenset[str]) -> bool:
    """Whether a pair is not told from numbers: it raises, or is known by its shape."""
    return mistakes >= CRASH or (len(mistakes) > 1 and "target.broadcast" in mistakes)


def test_double_q(seeds: list[int]) -> None:
    for seed in seeds:
        case = critic_case(seed)
        left = unexplained(
            double_q.FACTORS,
            lambda choice: double_q.double_value(case, choice),  # noqa: B023
            HIDING,
        )
        assert not left, seed


def test_values_stay_where_hubers_loss_is_a_parabola(seeds: list[int]) -> None:
    for seed in seeds:
        case = critic_case(seed)
        right = next(iter(choices(targets.TARGET_FACTORS)))
        target = targets.bellman(case, right, targets.next_value(case, right))
        predicted = case.online[case.action, case.state]
        assert np.abs(target - predicted).max() < 1


def test_action_tables_have_no_ties_and_inner_best_actions(seeds: list[int]) -> None:
    for seed in seeds:
        values = table(seed)
        best = values.argmax(1)
        assert ((best > 0) & (best < values.shape[1] - 1)).all()
        assert (np.diff(np.sort(values, axis=1)) > 0.1).all()
        assert len(set(best)) > 2
        assert ACTIONS < values.shape[1]
