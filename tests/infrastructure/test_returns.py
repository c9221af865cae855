"""Returns: by hand, and against double loops that follow the definitions letter by letter."""

import numpy as np
import pytest

from cs285.agents.returns import discounted_return, generalized_advantages, reward_to_go

DISCOUNT, LAMBDA = 0.8, 0.3  # far from each other: exchanged, they show


def slow_advantages(
    reward_n, value_n, next_value_n, terminal_n, path_ends_n, discount, gae_lambda
) -> list[float]:
    """GAE(lambda) as a sum over the rest of the path, begun anew for each step."""
    advantages = []
    for t in range(len(reward_n)):
        total = 0.0
        for k in range(t, len(reward_n)):
            future = 0.0 if terminal_n[k] else discount * next_value_n[k]
            delta = reward_n[k] + future - value_n[k]
            total += (discount * gae_lambda) ** (k - t) * delta
            if path_ends_n[k]:
                break
        advantages.append(total)
    return advantages


def random_paths(seed: int) -> dict[str, np.ndarray]:
    """Paths of 1 to 6 steps, joined; about half of them ended, the others were cut."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 7, size=5)
    path_ends_n = np.zeros(sum(lengths), bool)
    path_ends_n[np.cumsum(lengths) - 1] = True
    n = len(path_ends_n)
    return {
        "reward_n": rng.normal(size=n).astype(np.float32),
        "value_n": rng.normal(size=n),
        "next_value_n": rng.normal(size=n),
        "terminal_n": (path_ends_n & (rng.random(n) < 0.5)).astype(np.float32),
        "path_ends_n": path_ends_n,
    }


def test_return_by_hand() -> None:
    assert discounted_return(np.array([1.0, 2.0, 4.0]), 0.5) == 1 + 1 + 1
    assert discounted_return(np.array([7.0]), 0.0) == 7.0


def test_reward_to_go_by_hand() -> None:
    assert reward_to_go(np.array([1.0, 2.0, 4.0]), 0.5).tolist() == [3.0, 4.0, 4.0]
    assert reward_to_go(np.array([3, 1]), 0.5).tolist() == [3.5, 1.0]  # whole numbers, no rounding


@pytest.mark.parametrize("discount", [0.0, 0.8, 1.0])
def test_sums_against_a_double_loop(discount: float) -> None:
    rewards = np.random.default_rng(0).normal(size=11).astype(np.float32)
    expected = [
        sum(discount ** (k - t) * float(rewards[k]) for k in range(t, 11)) for t in range(11)
    ]
    np.testing.assert_allclose(reward_to_go(rewards, discount), expected, rtol=1e-12)
    assert discounted_return(rewards, discount) == pytest.approx(expected[0], rel=1e-12)


def test_advantages_by_hand() -> None:
    adv_n = generalized_advantages(
        reward_n=np.array([1.0, 2.0, 3.0]),
        value_n=np.array([1.0, 2.0, 4.0]),
        next_value_n=np.array([2.0, 8.0, 16.0]),
        terminal_n=np.array([0.0, 1.0, 0.0]),
        path_ends_n=np.array([False, True, True]),
        discount=0.5,
        gae_lambda=0.5,
    )
    # One-step errors: 1 + 1 - 1 = 1;  2 - 2 = 0, nothing follows;  3 + 8 - 4 = 7, only cut.
    assert adv_n.tolist() == [1.0 + 0.25 * 0.0, 0.0, 7.0]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("gae_lambda", [0.0, LAMBDA, 1.0])
def test_advantages_against_a_double_loop(seed: int, gae_lambda: float) -> None:
    paths = random_paths(seed)
    adv_n = generalized_advantages(**paths, discount=DISCOUNT, gae_lambda=gae_lambda)
    expected = slow_advantages(**paths, discount=DISCOUNT, gae_lambda=gae_lambda)
    np.testing.assert_allclose(adv_n, expected, rtol=1e-10, atol=1e-12)


def test_lambda_1_is_reward_to_go_minus_values() -> None:
    paths = random_paths(0)
    paths["next_value_n"] = np.append(paths["value_n"][1:], 0.0)  # V(s') is V of the next row
    paths["terminal_n"] = paths["path_ends_n"].astype(float)
    adv_n = generalized_advantages(**paths, discount=DISCOUNT, gae_lambda=1.0)
    splits = np.flatnonzero(paths["path_ends_n"])[:-1] + 1
    each = [reward_to_go(rewards, DISCOUNT) for rewards in np.split(paths["reward_n"], splits)]
    np.testing.assert_allclose(adv_n, np.concatenate(each) - paths["value_n"], rtol=1e-10)


def test_nothing_reaches_into_another_path() -> None:
    paths = random_paths(1)
    before = generalized_advantages(**paths, discount=DISCOUNT, gae_lambda=LAMBDA)
    end = int(np.flatnonzero(paths["path_ends_n"])[1]) + 1  # two paths, then another
    for name in ("reward_n", "value_n", "next_value_n"):
        paths[name] = paths[name] + 100.0 * (np.arange(len(before)) >= end)
    after = generalized_advantages(**paths, discount=DISCOUNT, gae_lambda=LAMBDA)
    assert after[:end].tolist() == before[:end].tolist()
    assert (after[end:] != before[end:]).all()
