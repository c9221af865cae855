"""The replay buffer against a naive one that stores every observation whole."""

from __future__ import annotations

import numpy as np
import pytest

from cs285.infrastructure.replay.replay_buffer import (
    CHUNK_FRAMES,
    Chunk,
    CompressedFrames,
    MemoryOptimizedReplayBuffer,
)

IMAGE = (7, 5)
HISTORY = 3


def image(number: int) -> np.ndarray:
    """A frame that encodes its number, on a noisy background that chunks share."""
    frame = np.random.default_rng(number // 50).integers(0, 256, IMAGE, dtype=np.uint8)
    frame[0, :4] = list(number.to_bytes(4, "big"))
    return frame


def number_of(frame: np.ndarray) -> int:
    """The number that `image` put into a frame."""
    return int.from_bytes(bytes(frame[0, :4].tolist()), "big")


def filled(
    num_steps: int, size: int = 1000, *, images: bool = True, seed: int = 0
) -> tuple[MemoryOptimizedReplayBuffer, dict[int, tuple[np.ndarray, np.ndarray, int]]]:
    """A buffer after `num_steps` steps of episodes, some terminated, some truncated.

    Returns it with the naive record: frame number -> (observation, next observation, episode).
    """
    shape, dtype, history = (IMAGE, np.uint8, HISTORY) if images else ((2,), np.float32, 1)
    make = image if images else (lambda n: np.array([n, -n], np.float32))
    buffer = MemoryOptimizedReplayBuffer(size, history, shape, dtype, seed=seed)
    rng = np.random.default_rng(seed)
    naive: dict[int, tuple[np.ndarray, np.ndarray, int]] = {}
    number, past = 1, []
    for step in range(num_steps):
        past = [*past, make(number)][-history:]
        idx = buffer.store_frame(past[-1])
        obs = stack(past, history)
        recent = buffer.encode_recent_observation()
        np.testing.assert_array_equal(recent, obs if images else obs[0])
        end = rng.choice(["", "terminated", "truncated"], p=[0.8, 0.1, 0.1])
        next_frame = np.zeros_like(past[-1]) if end == "terminated" else make(number + 1)
        # Every field encodes the frame's number, so that a mixture is seen at once.
        buffer.store_effect(idx, number % 7, number / 2, end == "terminated")
        naive[number] = (obs, stack([*past, next_frame][-history:], history, obs), step)
        number += 1
        if end == "truncated":
            buffer.end_path(make(number))
            number += 1
        if end:
            past = []
    buffer.store_frame(make(number))  # the last step needs a successor to be sampled
    return buffer, naive


def stack(frames: list[np.ndarray], history: int, before: np.ndarray | None = None) -> np.ndarray:
    """Frames of one episode with zeros before its start."""
    blank = [np.zeros_like(frames[0])] * (history - len(frames))
    return np.stack([*blank, *frames])


def check_valid(buffer: MemoryOptimizedReplayBuffer) -> tuple[bool, str]:
    """Checks the buffer's own promises; returns (valid, what is wrong)."""
    kept = np.arange(buffer.frames.first, buffer.frames.next)
    if len(kept) > buffer.slots:
        return False, f"{len(kept)} frames share {buffer.slots} slots"
    slots = kept % buffer.slots
    if (buffer.history[slots] >= buffer.frame_history_len).any():
        return False, "a history is longer than frame_history_len"
    starts = buffer.history[slots] == 0
    if buffer.frame_history_len > 1 and not starts[1:][buffer.done[slots][:-1]].all():
        return False, "a frame after the end of an episode has a history"
    return True, ""


@pytest.mark.parametrize("images", [True, False])
@pytest.mark.parametrize(("num_steps", "size"), [(40, 1000), (2000, 300), (777, 64)])
def test_sampled_transitions_equal_the_naive_ones(images: bool, num_steps: int, size: int) -> None:
    buffer, naive = filled(num_steps, size, images=images)
    valid, reason = check_valid(buffer)
    assert valid, reason
    record = set()
    for _ in range(60):
        ob_no, ac_na, re_n, next_ob_no, terminal_n = buffer.sample(32)
        for ob, ac, re, next_ob, terminal in zip(
            ob_no, ac_na, re_n, next_ob_no, terminal_n, strict=True
        ):
            number = number_of(ob[-1]) if images else int(ob[0])
            obs, next_obs, _ = naive[number]
            np.testing.assert_array_equal(ob, obs if images else obs[0])
            np.testing.assert_array_equal(next_ob, next_obs if images else next_obs[0])
            assert (ac, re) == (number % 7, number / 2)
            is_blank = not (next_ob[-1].any() if images else next_ob.any())
            assert terminal == float(is_blank)
            record.add(number)
    # Nearly everything that is kept is drawn, the newest step included.
    assert max(record) == max(naive)
    assert len(record) > 0.9 * min(size, len(naive))


def test_at_least_size_transitions_are_kept() -> None:
    buffer, _ = filled(3000, 500)
    assert (
        buffer.has_effect[np.arange(buffer.frames.first, buffer.next_idx) % buffer.slots].sum()
        > 400
    )
    assert 500 <= buffer.num_in_buffer <= 500 + 2 * CHUNK_FRAMES


def test_newest_frame_is_not_sampled_before_its_successor_is_stored() -> None:
    buffer = MemoryOptimizedReplayBuffer(100, 1, (1,), np.float32, seed=0)
    for number in range(5):
        idx = buffer.store_frame(np.array([number], np.float32))
        buffer.store_effect(idx, 0, 0.0, False)
    obs = {float(buffer.sample(4)[0][i, 0]) for _ in range(50) for i in range(4)}
    assert obs == {0.0, 1.0, 2.0, 3.0}


def test_can_sample_needs_one_more_frame_than_the_batch() -> None:
    buffer = MemoryOptimizedReplayBuffer(100, 1, (1,), np.float32, seed=0)
    for number in range(5):
        assert not buffer.can_sample(5)
        buffer.store_frame(np.array([number], np.float32))
    assert buffer.can_sample(4)
    assert not buffer.can_sample(5)


def test_stored_frame_is_a_copy() -> None:
    buffer = MemoryOptimizedReplayBuffer(100, 2, IMAGE, np.uint8, seed=0)
    frame = image(3)
    buffer.store_frame(frame)
    frame[:] = 0
    np.testing.assert_array_equal(buffer.encode_recent_observation()[-1], image(3))


def test_fractions_survive() -> None:
    buffer = MemoryOptimizedReplayBuffer(100, 1, (2,), np.float32, seed=0)
    for _ in range(3):
        idx = buffer.store_frame(np.array([0.25, -1.5], np.float32))
        buffer.store_effect(idx, 1, 0.125, False)
    ob_no, _, re_n, _, _ = buffer.sample(1)
    assert ob_no.tolist() == [[0.25, -1.5]]
    assert re_n.tolist() == [0.125]


def test_batches_differ_and_follow_the_seed() -> None:
    first, _ = filled(500, seed=4)
    again, _ = filled(500, seed=4)
    batches = [first.sample(32)[2].tolist() for _ in range(3)]
    assert batches[0] != batches[1] != batches[2]
    assert batches == [again.sample(32)[2].tolist() for _ in range(3)]


def test_sampling_is_uniform() -> None:
    buffer, naive = filled(200, seed=1)
    rewards = np.concatenate([buffer.sample(100)[2] for _ in range(400)])
    counts = np.unique(rewards, return_counts=True)[1]
    assert len(counts) == len(naive)
    # 40,000 draws over 200: 200 each, standard deviation 14; six of those leave 1e-6 to chance.
    assert np.abs(counts - 200).max() < 6 * np.sqrt(200)


@pytest.mark.parametrize("num_frames", [1, 2, 14, 15, 16, 128])
def test_compression_is_lossless(num_frames: int) -> None:
    rng = np.random.default_rng(num_frames)
    frames = rng.integers(0, 256, (num_frames, *IMAGE), dtype=np.uint8)
    chunk = Chunk.compress(frames)
    np.testing.assert_array_equal(chunk.decompress(0, num_frames), frames)
    np.testing.assert_array_equal(chunk.decompress(num_frames - 1, num_frames), frames[-1:])
    again = Chunk(chunk.packed, num_frames, IMAGE)
    np.testing.assert_array_equal(again.decompress(0, num_frames), frames)


def test_windows_cross_chunks() -> None:
    store = CompressedFrames(20, IMAGE, chunk_frames=4)
    for number in range(11):
        store.append(image(number))
    windows = store.windows(np.array([10, 8, 5, 3]), 6)
    for window, last in zip(windows, (10, 8, 5, 3), strict=True):
        expected = [
            image(n) if n >= 0 else np.zeros(IMAGE, np.uint8) for n in range(last - 5, last + 1)
        ]
        np.testing.assert_array_equal(window, np.stack(expected))


@pytest.mark.parametrize("images", [True, False])
def test_restored_buffer_goes_on_alike(images: bool) -> None:
    buffer, _ = filled(700, 300, images=images)
    copy, _ = filled(5, 300, images=images, seed=9)
    copy.load_state_dict(buffer.state_dict())
    for twin in (buffer, copy):
        twin.store_effect(twin.store_frame(image(9999) if images else np.ones(2)), 1, 1.0, True)
        twin.store_frame(image(10000) if images else np.zeros(2))
    for one, other in zip(buffer.sample(64), copy.sample(64), strict=True):
        np.testing.assert_array_equal(one, other)


def test_check_valid_sees_a_stack_across_an_end() -> None:
    buffer, _ = filled(100)
    buffer.done[buffer.frames.first + 10] = True
    buffer.history[buffer.frames.first + 11] = 1
    assert not check_valid(buffer)[0]
