"""The greedy policy: an index and not a value, one for each observation, always the same."""

from types import SimpleNamespace

import numpy as np
import pytest

from cs285.policies.argmax_policy import ArgMaxPolicy


def policy_of(table: list[list[float]]) -> ArgMaxPolicy:
    """Returns the policy of a critic that looks up the number in an observation's corner."""
    corner = (slice(None), 0, 0)
    critic = SimpleNamespace(
        ob_dim=(2, 3), qa_values=lambda obs: np.array(table)[obs[corner].astype(int)]
    )
    return ArgMaxPolicy(critic)


def observations(*numbers: int) -> np.ndarray:
    return np.array(numbers)[:, None, None] * np.ones((1, 2, 3))


TABLE = [[0.1, 7.0, 6.9], [-3.0, -1.0, -0.5], [9.0, 8.0, -20.0]]


def test_each_row_of_a_batch_gets_its_own_best_action() -> None:
    action = policy_of(TABLE).get_action(observations(2, 0, 1, 0))
    assert action.tolist() == [0, 1, 2, 1]  # an argmax over all values at once would be one number
    assert np.issubdtype(action.dtype, np.integer)


@pytest.mark.parametrize(("number", "best"), [(0, 1), (1, 2), (2, 0)])
def test_one_observation_is_a_batch_of_one(number: int, best: int) -> None:
    action = policy_of(TABLE).get_action(observations(number)[0])
    assert action.tolist() == [best]


def test_greed_is_repeatable() -> None:
    """Close values: a softmax or an epsilon would show within 200 draws."""
    policy = policy_of([[0.5, 0.5 + 1e-6, 0.5 - 1e-6]])
    assert {int(policy.get_action(observations(0))[0]) for _ in range(200)} == {1}


def test_ties_go_to_one_of_the_best() -> None:
    assert policy_of([[1.0, 2.0, 2.0]]).get_action(observations(0))[0] in (1, 2)
