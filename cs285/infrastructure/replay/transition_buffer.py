"""Replay memory for vectors: a ring of transitions, each with its true next state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cs285.infrastructure.base.state import Blob
from cs285.infrastructure.rollouts import Batch

BLOCK_ROWS = 8192  # transitions that a checkpoint writes as one blob


def row_size(ob_dim: int, ac_dim: int) -> int:
    """Returns the numbers of a transition: s, a, r, s', terminal."""
    return 2 * ob_dim + ac_dim + 2


def bytes_needed(size: int, ob_dim: int, ac_dim: int) -> int:
    """Returns the bytes that a buffer of `size` transitions takes."""
    return 4 * size * row_size(ob_dim, ac_dim)


class TransitionBuffer:
    """Keeps the newest `size` transitions (s, a, r, s', terminal).

    The next state is stored and not looked up in the row below, where after a time limit the first
    state of another episode stands. A transition is one row of float32, so that a sample is one
    gather from memory: a million steps of HalfCheetah (17 observations, 6 actions) take 168 MB.

    For checkpoints the ring is cut into blocks of rows. A full block never changes until the ring
    comes round to it again; then it is another block, under another name.
    """

    def __init__(
        self, size: int, ob_dim: int, ac_dim: int, seed: int, block_rows: int = BLOCK_ROWS
    ) -> None:
        """Allocates the ring.

        Args:
            size: Transitions that are kept.
            ob_dim: Components of an observation.
            ac_dim: Components of an action.
            seed: For the draws of `sample`.
            block_rows: Transitions in a block.
        """
        self.size = size
        self.rows = np.zeros((size, row_size(ob_dim, ac_dim)), np.float32)
        self.columns = np.cumsum([ob_dim, ac_dim, 1, ob_dim]).tolist()  # where a field ends
        self.block_rows = block_rows
        self.num_added = 0
        self.rng = np.random.default_rng(seed)

    def __len__(self) -> int:
        """Returns the number of transitions held."""
        return min(self.num_added, self.size)

    def add(
        self, ob: np.ndarray, ac: np.ndarray, re: float, next_ob: np.ndarray, terminal: bool
    ) -> None:
        """Stores one transition in place of the oldest.

        Args:
            ob: s. Shape (ob_dim,).
            ac: The action. Shape (ac_dim,).
            re: The reward.
            next_ob: s', also where the episode ends. Shape (ob_dim,).
            terminal: Whether nothing counts after this step: false at a mere time limit.
        """
        row = self.rows[self.num_added % self.size]
        ob_end, ac_end, re_end, next_ob_end = self.columns
        row[:ob_end] = ob
        row[ob_end:ac_end] = ac
        row[ac_end] = re
        row[re_end:next_ob_end] = next_ob
        row[next_ob_end] = terminal
        self.num_added += 1

    def sample(self, batch_size: int) -> Batch:
        """Draws transitions uniformly, with replacement.

        Returns:
            ob_no, shape (n, ob_dim); ac_na, (n, ac_dim); re_n, (n,); next_ob_no, (n, ob_dim);
            terminal_n, (n,), 1.0 where nothing counts after the step. All are float32.
        """
        rows = self.rows.take(self.rng.integers(len(self), size=batch_size), axis=0)
        ob_end, ac_end, re_end, next_ob_end = self.columns
        return Batch(
            rows[:, :ob_end],
            rows[:, ob_end:ac_end],
            rows[:, ac_end],
            rows[:, re_end:next_ob_end],
            rows[:, next_ob_end],
        )

    def _open_rows(self) -> slice:
        """Returns the rows of the block that the next transition falls into."""
        at = self.num_added % self.size
        start = at - at % self.block_rows
        return slice(start, min(start + self.block_rows, self.size))

    def _sealed_blocks(self) -> Iterator[tuple[str, slice]]:
        """Yields the other blocks that hold anything: a name, with the ring's turn in it, rows."""
        turn, open_start = self.num_added // self.size, self._open_rows().start
        for start in range(0, self.size, self.block_rows):
            filled_in = turn if start < open_start else turn - 1
            if start != open_start and filled_in >= 0:
                name = f"transitions_{filled_in:06d}_{start:09d}"
                yield name, slice(start, min(start + self.block_rows, self.size))

    def state_dict(self) -> dict[str, Any]:
        """Returns full blocks as blobs, which a checkpoint writes once, and the open one as is."""
        return {
            "sealed": [Blob(name, self.rows[b].tobytes()) for name, b in self._sealed_blocks()],
            "open": self.rows[self._open_rows()],
            "num_added": self.num_added,
            "rng": self.rng.bit_generator.state,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores what `state_dict` returned."""
        self.num_added = state["num_added"]
        for (_, block), blob in zip(self._sealed_blocks(), state["sealed"], strict=True):
            self.rows[block] = np.frombuffer(blob.data, np.float32).reshape(-1, self.rows.shape[1])
        self.rows[self._open_rows()] = state["open"]
        self.rng.bit_generator.state = state["rng"]
