"""The ring of transitions against a list that forgets nothing."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

from cs285.infrastructure.replay.transition_buffer import TransitionBuffer
from cs285.infrastructure.training.checkpoint import CheckpointStore

OB, AC = 3, 2  # different, so that fields which slip are seen


def transition(number: int) -> tuple[np.ndarray, np.ndarray, float, np.ndarray, bool]:
    """Every field encodes the number, each in its own way."""
    ob = np.array([number, -number, number + 0.5], np.float32)
    next_ob = np.array([number + 1000, 2 * number, 7], np.float32)
    return ob, np.array([3 * number, 1], np.float32), number / 4, next_ob, number % 3 == 0


def filled(num: int, size: int = 20, block_rows: int = 6) -> TransitionBuffer:
    buffer = TransitionBuffer(size, OB, AC, seed=5, block_rows=block_rows)
    for number in range(num):
        buffer.add(*transition(number))
    return buffer


@pytest.mark.parametrize("num", [1, 7, 20, 21, 47, 60])
def test_samples_are_the_newest_transitions_whole(num: int) -> None:
    buffer = filled(num)
    naive = {number: transition(number) for number in range(num)}
    ob_no, ac_na, re_n, next_ob_no, terminal_n = buffer.sample(2000)
    assert [x.shape for x in (ob_no, ac_na, next_ob_no)] == [(2000, OB), (2000, AC), (2000, OB)]
    assert re_n.shape == terminal_n.shape == (2000,)
    record = set()
    for row in zip(ob_no, ac_na, re_n, next_ob_no, terminal_n, strict=True):
        assert all(field.dtype == np.float32 for field in row)
        number = int(row[0][0])
        for field, wanted in zip(row, naive[number], strict=True):
            np.testing.assert_array_equal(field, np.float32(wanted))
        record.add(number)
    # 2000 draws of at most 20: each is missed once in 1e44.
    assert record == set(range(max(0, num - 20), num))
    assert len(buffer) == min(num, 20)


def test_draws_are_uniform() -> None:
    ob_no, *_ = filled(47).sample(40_000)
    counts = np.bincount(ob_no[:, 0].astype(int))[27:]
    # Expected 2000 each, standard deviation 44: five of them.
    assert np.abs(counts - 2000).max() < 220


def test_a_sample_is_not_a_view_of_memory() -> None:
    buffer = filled(20)
    ob_no, *_ = buffer.sample(50)
    before = ob_no.copy()
    for number in range(100, 120):
        buffer.add(*transition(number))
    buffer.sample(50)
    np.testing.assert_array_equal(ob_no, before)


@pytest.mark.parametrize("size", [20, 24, 5])  # a ragged last block, an even one, no full block
def test_a_saved_buffer_goes_on_bit_for_bit_wherever_it_stands(size: int) -> None:
    for num in range(60):
        buffer = filled(num, size)
        state = copy.deepcopy(buffer.state_dict())
        twin = TransitionBuffer(size, OB, AC, seed=0, block_rows=6)
        twin.load_state_dict(state)
        for more in range(3):
            np.testing.assert_array_equal(buffer.rows, twin.rows)
            assert buffer.num_added == twin.num_added
            if num:
                for one, other in zip(buffer.sample(9), twin.sample(9), strict=True):
                    np.testing.assert_array_equal(one, other)
            for either in (buffer, twin):
                either.add(*transition(100 + more))


def test_a_block_has_one_content_for_each_name() -> None:
    """A checkpoint writes a name once and trusts it from then on."""
    buffer = filled(0)
    record: dict[str, bytes] = {}
    for number in range(200):
        buffer.add(*transition(number))
        blobs = buffer.state_dict()["sealed"]
        for blob in blobs:
            assert record.setdefault(blob.name, blob.data) == blob.data
        if number >= 20:
            assert len(blobs) == 3  # of the four blocks all but the one that is being filled
    # Ten turns of four blocks, all of them seen.
    assert len(record) == 40


def test_checkpoints_write_full_blocks_once(tmp_path: Path) -> None:
    store, buffer = CheckpointStore(tmp_path), filled(14)
    store.save(1, buffer.state_dict())
    blobs = tmp_path / "checkpoints" / "blobs"
    first = {path.name: path.stat().st_mtime_ns for path in blobs.iterdir()}
    assert len(first) == 2
    for number in range(14, 19):
        buffer.add(*transition(number))
    store.save(2, buffer.state_dict())
    latest = store.load_latest()
    assert latest is not None
    twin = filled(0)
    twin.load_state_dict(latest[1])
    np.testing.assert_array_equal(twin.rows, buffer.rows)
    second = {path.name: path.stat().st_mtime_ns for path in blobs.iterdir()}
    assert len(second) == 3 and first.items() <= second.items()


def test_a_million_steps_of_half_cheetah_fit_in_a_quarter_of_a_gigabyte() -> None:
    buffer = TransitionBuffer(1_000_000, 17, 6, seed=0)
    assert buffer.rows.nbytes == 168_000_000
