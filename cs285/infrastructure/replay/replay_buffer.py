"""The replay buffer of DQN: every frame is stored once, and images are compressed without loss.

Frames are numbered 0, 1, 2, ... in the order they are stored, for ever: that number is the *index*
that `store_frame` returns. The newest frames are kept; older ones are forgotten in whole chunks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import lz4.block
import numpy as np

from cs285.infrastructure.base.state import Blob, Stateful
from cs285.infrastructure.rollouts import Batch

CHUNK_FRAMES = 128
KEY_SAMPLES = 15  # frames of a chunk whose median becomes its key
COMPRESSED = 1 / 20  # of an image's bytes are left, at least; of Ms. Pac-Man's, 1/15
FACTS = 8 + 4 + 3  # bytes that a frame has beside it: action, reward, and three flags


def is_image(frame_shape: tuple[int, ...], frame_dtype: Any) -> bool:
    """Returns whether frames are images, which are compressed."""
    return np.dtype(frame_dtype) == np.uint8 and len(frame_shape) > 1


def bytes_needed(size: int, frame_shape: tuple[int, ...], frame_dtype: Any) -> float:
    """Returns the bytes that a buffer of `size` transitions takes; of images, at least."""
    share = COMPRESSED if is_image(frame_shape, frame_dtype) else 1.0
    bytes_of_frame: float = share * math.prod(frame_shape) * np.dtype(frame_dtype).itemsize
    return size * (bytes_of_frame + FACTS)


class RawFrames(Stateful):
    """Frames as they are, in a ring: for small observations such as joint angles."""

    kept = ("ring", "next")

    def __init__(self, size: int, shape: tuple[int, ...], dtype: np.dtype) -> None:
        """Allocates room for `size` frames of `shape` and `dtype`."""
        self.ring = np.zeros((size, *shape), dtype)
        self.next = 0

    @property
    def first(self) -> int:
        """Index of the oldest frame that is still kept."""
        return max(0, self.next - len(self.ring))

    def append(self, frame: np.ndarray) -> None:
        """Stores a copy of `frame`."""
        self.ring[self.next % len(self.ring)] = frame
        self.next += 1

    def take(self, idx_n: np.ndarray) -> np.ndarray:
        """Returns copies of frames. Shape (n, *frame)."""
        return self.ring.take(idx_n % len(self.ring), axis=0)

    def windows(self, idx_n: np.ndarray, length: int) -> np.ndarray:
        """Returns frames idx - length + 1 ... idx for each idx. Shape (n, length, *frame)."""
        if length == 1:
            return self.take(idx_n)[:, None]
        ages = np.arange(1 - length, 1)
        frames: np.ndarray = self.ring[(idx_n[:, None] + ages) % len(self.ring)]
        return frames


class Chunk:
    """Consecutive frames, each XORed with a key frame and compressed with LZ4; never altered.

    All of it lies in one `packed` run of bytes, ready to be written: offsets, key frame, frames.
    """

    def __init__(self, packed: bytes, num_frames: int, shape: tuple[int, ...]) -> None:
        """Reads `packed`, made by `compress` from `num_frames` frames of `shape`."""
        self.packed = packed
        self.offsets = np.frombuffer(packed, np.uint32, num_frames + 1)
        key = np.frombuffer(packed, np.uint8, int(np.prod(shape)), self.offsets.nbytes)
        self.key = key.reshape(shape)

    @classmethod
    def compress(cls, frames: np.ndarray) -> Chunk:
        """Compresses `frames`, shape (n, *frame), uint8.

        The key is the pixelwise median of some frames: the scenery without what moves in it. What
        is left after the XOR is nearly all zeros.
        """
        some = frames[:: max(1, len(frames) // KEY_SAMPLES)][:KEY_SAMPLES]
        key = np.partition(some, len(some) // 2, axis=0)[len(some) // 2]
        parts = [lz4.block.compress(frame, store_size=False) for frame in frames ^ key]
        head = 4 * (len(frames) + 1) + key.nbytes
        offsets = head + np.cumsum([0] + [len(part) for part in parts])
        packed = offsets.astype(np.uint32).tobytes() + key.tobytes() + b"".join(parts)
        return cls(packed, len(frames), frames.shape[1:])

    def decompress(self, start: int, stop: int) -> np.ndarray:
        """Returns frames `start` to `stop` - 1 of the chunk, shape (stop - start, *frame)."""
        bounds = self.offsets[start : stop + 1].tolist()
        size = self.key.size
        parts = [
            lz4.block.decompress(self.packed[a:b], uncompressed_size=size)
            for a, b in zip(bounds[:-1], bounds[1:], strict=True)
        ]
        frames = np.frombuffer(b"".join(parts), np.uint8).reshape(-1, *self.key.shape)
        return frames ^ self.key


class CompressedFrames:
    """Images in chunks: the newest chunk is raw and still growing, the others are compressed."""

    def __init__(self, size: int, shape: tuple[int, ...], chunk_frames: int = CHUNK_FRAMES) -> None:
        """Makes an empty store that keeps at least the newest `size` uint8 frames of `shape`."""
        self.chunk_frames = chunk_frames
        self.max_sealed = -(-size // chunk_frames)
        self.open = np.zeros((chunk_frames, *shape), np.uint8)
        self.sealed: dict[int, Chunk] = {}
        self.next = 0

    @property
    def first(self) -> int:
        """Index of the oldest frame that is still kept."""
        return max(0, self.next // self.chunk_frames - self.max_sealed) * self.chunk_frames

    def append(self, frame: np.ndarray) -> None:
        """Stores a copy of `frame`, and forgets the oldest chunk when there are too many."""
        chunk, offset = divmod(self.next, self.chunk_frames)
        self.open[offset] = frame
        self.next += 1
        if offset == self.chunk_frames - 1:
            self.sealed[chunk] = Chunk.compress(self.open)
            self.sealed.pop(chunk - self.max_sealed, None)

    def windows(self, idx_n: np.ndarray, length: int) -> np.ndarray:
        """Returns frames idx - length + 1 ... idx for each idx. Shape (n, length, *frame).

        Places before frame 0 or before the oldest kept frame are left zero.
        """
        frames = np.zeros((len(idx_n), length, *self.open.shape[1:]), np.uint8)
        for window, idx in zip(frames, idx_n.tolist(), strict=True):
            for place, part in self._parts(idx - length + 1, idx + 1):
                window[place : place + len(part)] = part
        return frames

    def _parts(self, start: int, stop: int) -> Iterator[tuple[int, np.ndarray]]:
        """Yields the kept frames of `start` ... `stop` - 1, chunk by chunk, with their place."""
        at = max(start, self.first)
        while at < stop:
            chunk, offset = divmod(at, self.chunk_frames)
            end = min(self.chunk_frames, offset + stop - at)
            sealed = self.sealed.get(chunk)
            part = self.open[offset:end] if sealed is None else sealed.decompress(offset, end)
            yield at - start, part
            at += end - offset

    def state_dict(self) -> dict[str, Any]:
        """Returns the sealed chunks as blobs, which a checkpoint writes once, and the open one."""
        blobs = {n: Blob(f"frames_{n:08d}", chunk.packed) for n, chunk in self.sealed.items()}
        return {"sealed": blobs, "open": self.open, "next": self.next}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores what `state_dict` returned."""
        self.open[:] = state["open"]
        self.next = state["next"]
        shape = self.open.shape[1:]
        self.sealed = {
            number: Chunk(blob.data, self.chunk_frames, shape)
            for number, blob in state["sealed"].items()
        }


class MemoryOptimizedReplayBuffer(Stateful):
    """Transitions of the newest frames, with observations rebuilt from frames when asked for.

    An observation is a stack of the last `frame_history_len` frames of one episode; places before
    the episode's start are zero. Its shape is (frame_history_len, *frame), or just the frame's own
    where the history is 1.
    """

    kept = ("frames", "action", "reward", "done", "has_effect", "history", "path_ended", "rng")

    def __init__(
        self,
        size: int,
        frame_history_len: int,
        frame_shape: tuple[int, ...],
        frame_dtype: Any,
        seed: int,
    ) -> None:
        """Makes an empty buffer.

        Args:
            size: Transitions that are kept at least.
            frame_history_len: Frames in one observation.
            frame_shape: Shape of one frame.
            frame_dtype: Type of one frame; uint8 images are compressed.
            seed: For the draws of `sample`.
        """
        self.size, self.frame_history_len = size, frame_history_len
        self.rng = np.random.default_rng(seed)
        # One more than the window of a transition, which needs its history and its successor.
        capacity = size + frame_history_len + 1
        self.frames: RawFrames | CompressedFrames = (
            CompressedFrames(capacity, frame_shape)
            if is_image(frame_shape, frame_dtype)
            else RawFrames(capacity, frame_shape, np.dtype(frame_dtype))
        )
        # Facts of each frame in rings, at index % slots. Compressed frames go in whole chunks, so
        # up to one chunk more than `capacity` is kept.
        self.slots = capacity + 2 * CHUNK_FRAMES
        self.action = np.zeros(self.slots, np.int64)
        self.reward = np.zeros(self.slots, np.float32)
        self.done = np.zeros(self.slots, np.bool_)
        self.has_effect = np.zeros(self.slots, np.bool_)  # an action was taken from this frame
        self.history = np.zeros(self.slots, np.uint8)  # earlier frames of the episode, clipped
        self.path_ended = True  # the newest stored frame is its episode's last

    @property
    def next_idx(self) -> int:
        """Index that the next stored frame will get."""
        return self.frames.next

    @property
    def num_in_buffer(self) -> int:
        """Frames that are kept."""
        return self.frames.next - self.frames.first

    def __len__(self) -> int:
        """Returns the number of frames that are kept."""
        return self.num_in_buffer

    def store_frame(self, frame: np.ndarray) -> int:
        """Stores the newest frame and returns its index, which `store_effect` asks for."""
        idx = self.frames.next
        self.frames.append(frame)
        slot = idx % self.slots
        earlier = 0 if self.path_ended else int(self.history[(idx - 1) % self.slots]) + 1
        self.history[slot] = min(earlier, self.frame_history_len - 1)
        self.has_effect[slot] = False
        self.path_ended = False
        return idx

    def encode_recent_observation(self) -> np.ndarray:
        """Returns the newest frame with its history: what the policy acts on."""
        idx_n = np.array([self.frames.next - 1])
        recent: np.ndarray = self._squeeze(self._windows(idx_n, self.frame_history_len))[0]
        return recent

    def store_effect(self, idx: int, action: int, reward: float, done: bool) -> None:
        """Stores what followed frame `idx`: the action taken, its reward, and whether it ended.

        `done` means that no future counts after this step. An episode that was merely cut, by a
        time limit, has `done` false: tell `end_path` about its last frame.
        """
        slot = idx % self.slots
        self.action[slot] = action
        self.reward[slot] = reward
        self.done[slot] = done
        self.has_effect[slot] = True
        if done and idx == self.frames.next - 1:
            self.path_ended = True

    def end_path(self, last_frame: np.ndarray) -> None:
        """Stores the frame at which a time limit cut the episode.

        No action follows it, so it is never sampled as a state, only as a next state.
        """
        self.store_frame(last_frame)
        self.path_ended = True

    def can_sample(self, batch_size: int) -> bool:
        """Returns whether more than `batch_size` frames are stored."""
        return batch_size + 1 <= self.num_in_buffer

    def sample(self, batch_size: int) -> Batch:
        """Draws transitions uniformly, with replacement.

        Returns:
            Observations (n, *observation), actions (n,) int64, rewards (n,) float32, next
            observations (n, *observation), terminals (n,) float32. After a terminal the newest
            frame of the next observation is zero, since there is none.
        """
        idx_n = self._draw(batch_size)
        slot_n = idx_n % self.slots
        length = self.frame_history_len
        if length == 1 and isinstance(self.frames, RawFrames):
            terminal_n = self.done.take(slot_n)
            next_obs = self.frames.take(idx_n + 1)
            next_obs[terminal_n] = 0
            acs, rewards = self.action.take(slot_n), self.reward.take(slot_n)
            ends_n = terminal_n.astype(np.float32)
            return Batch(self.frames.take(idx_n), acs, rewards, next_obs, ends_n)
        # One window of length + 1 holds both stacks: they share all frames but the outer two.
        windows = self._windows(idx_n + 1, length + 1)
        windows[self.done[slot_n], -1] = 0
        return Batch(
            self._squeeze(windows[:, :-1]),
            self.action[slot_n],
            self.reward[slot_n],
            self._squeeze(windows[:, 1:]),
            self.done[slot_n].astype(np.float32),
        )

    def _draw(self, batch_size: int) -> np.ndarray:
        """Draws indices of frames that have an effect, a successor and their whole history."""
        oldest = self.frames.first
        if oldest > 0:  # the history of the first few frames has been forgotten
            oldest += self.frame_history_len - 1
        idx_n = self.rng.integers(oldest, self.frames.next - 1, batch_size)
        while not (valid := self.has_effect.take(idx_n % self.slots)).all():
            idx_n[~valid] = self.rng.integers(oldest, self.frames.next - 1, int((~valid).sum()))
        return idx_n

    def _windows(self, idx_n: np.ndarray, length: int) -> np.ndarray:
        """Returns windows of frames that end at `idx_n`, blank before the episode of idx - 1.

        For `length` = history + 1 the state is at idx - 1; else the window is the state's own.
        """
        windows = self.frames.windows(idx_n, length)
        if self.frame_history_len == 1:
            return windows
        extra = length - self.frame_history_len
        blank_n = self.frame_history_len - 1 - self.history[(idx_n - extra) % self.slots]
        for i in np.flatnonzero(blank_n):
            windows[i, : blank_n[i]] = 0
        return windows

    def _squeeze(self, stacks: np.ndarray) -> np.ndarray:
        """Drops the history axis where the history is one frame."""
        return stacks[:, 0] if self.frame_history_len == 1 else stacks
