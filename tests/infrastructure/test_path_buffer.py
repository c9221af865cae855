"""The on-policy buffer: rows stay rows, order stays order, and stale data goes."""

import numpy as np
import pytest

from cs285.infrastructure.rollouts import Path, PathBuffer, PathDict


def numbered_path(first_id: int, length: int) -> PathDict:
    """Returns a path whose every field encodes the id of its row."""
    ids = np.arange(first_id, first_id + length)
    obs = np.stack([ids, -ids], axis=1)
    terminals = np.arange(length) == length - 1
    return Path(list(obs), [], list(ids % 7), list(ids / 2), list(obs + 0.25), list(terminals))


def check_rows(batch: tuple[np.ndarray, ...], ids: list[int]) -> None:
    """Asserts that row i of every array of `batch` belongs to transition ids[i]."""
    ob_no, ac_na, re_n, next_ob_no, *_ = batch
    assert ob_no.tolist() == [[i, -i] for i in ids]
    assert ac_na.tolist() == [i % 7 for i in ids]
    assert re_n.tolist() == [i / 2 for i in ids]
    assert next_ob_no.tolist() == [[i + 0.25, -i + 0.25] for i in ids]


def test_every_transition_of_the_iteration_comes_back_in_order() -> None:
    buffer = PathBuffer()
    buffer.add_rollouts([numbered_path(0, 3), numbered_path(3, 1), numbered_path(4, 5)])
    assert len(buffer) == 9
    batch = buffer.sample_recent_data(7)  # the iteration overshot the 7 steps asked for
    check_rows(batch, list(range(9)))
    assert batch[4].tolist() == [0, 0, 1, 1, 0, 0, 0, 0, 1]


def test_new_paths_replace_those_of_the_old_policy() -> None:
    buffer = PathBuffer()
    buffer.add_rollouts([numbered_path(0, 11)])
    buffer.add_rollouts([numbered_path(100, 2), numbered_path(102, 3)])
    assert len(buffer) == 5
    check_rows(buffer.sample_recent_data(5), [100, 101, 102, 103, 104])


def test_asking_for_more_than_there_is_fails() -> None:
    buffer = PathBuffer()
    with pytest.raises(ValueError, match="wanted 1 transitions, the buffer holds 0"):
        buffer.sample_recent_data(1)
    buffer.add_rollouts([numbered_path(0, 3)])
    with pytest.raises(ValueError, match="wanted 4 transitions, the buffer holds 3"):
        buffer.sample_recent_data(4)


@pytest.mark.parametrize("filled", [False, True])
def test_state_round_trip(filled: bool) -> None:
    buffer, other = PathBuffer(), PathBuffer()
    other.add_rollouts([numbered_path(50, 4)])
    if filled:
        buffer.add_rollouts([numbered_path(0, 3)])
    other.load_state_dict(buffer.state_dict())
    assert len(other) == len(buffer)
    if filled:
        check_rows(other.sample_recent_data(3), [0, 1, 2])
