"""What a run has played, as far as a checkpoint keeps it: real inputs for its networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autograder.evidence.files import UnreadableError, read_bytes

LEAST_ROWS, MOST_ROWS = 64, 8192  # fewer say little; of more, the newest are enough
MOST_BYTES = 2**26  # of a block


@dataclass(frozen=True)
class Memory:
    """Transitions, in any order.

    Attributes:
        obs: Shape (n, ob_dim).
        actions: Shape (n,) if they are choices, else (n, ac_dim).
        rewards: Shape (n,).
        terminals: Whether nothing counts after the step. Shape (n,), bool.
    """

    obs: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    terminals: np.ndarray

    def __len__(self) -> int:
        """Returns the number of transitions."""
        return len(self.rewards)


def read_memory(
    checkpoint: Path, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> Memory | None:
    """Returns the replay memory of an agent; None if it has none, or of images, or too little.

    Agents that learn from fresh data have none; a portfolio's members have a common one, which is
    not read.

    Args:
        checkpoint: The folder of the checkpoint.
        state: Plain values of the agent's state by path, such as "replay_buffer.num_added".
        arrays: Its arrays by path.
    """
    try:
        if "replay_buffer.open" in arrays:
            found = _of_rows(checkpoint, state, arrays)
        elif "replay_buffer.frames.ring" in arrays:
            found = _of_frames(state, arrays)
        else:
            return None
    except (UnreadableError, ValueError, TypeError, KeyError, IndexError, ArithmeticError):
        return None  # what is said of a run does not depend on it
    return found if len(found) >= LEAST_ROWS and found.obs.ndim == 2 else None


def _of_rows(
    checkpoint: Path, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> Memory:
    """Returns the newest rows (s, a, r, s', terminal) of `TransitionBuffer`."""
    rows = arrays["replay_buffer.open"]
    sealed = state.get("replay_buffer.sealed")
    if sealed:  # the newest whole block
        data = read_bytes(checkpoint.parent / "blobs" / Path(sealed[-1]["blob"]).name, MOST_BYTES)
        rows = np.concatenate([np.frombuffer(data, np.float32).reshape(-1, rows.shape[1]), rows])
    rows = rows[rows.any(axis=1)][-MOST_ROWS:]  # those that nothing was written into are 0
    inputs = [a.shape for name, a in arrays.items() if _is_first_of_actor(name)]
    ob_dim = int(inputs[0][1])
    ac_dim = rows.shape[1] - 2 * ob_dim - 2
    if ac_dim < 1:
        raise ValueError
    obs, actions, rewards, _, terminals = np.split(
        rows, np.cumsum([ob_dim, ac_dim, 1, ob_dim]), axis=1
    )
    return Memory(obs, actions, rewards[:, 0], terminals[:, 0] > 0.5)


def _is_first_of_actor(name: str) -> bool:
    return name.startswith("actor.") and name.endswith("0.weight")


def _of_frames(state: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Memory:
    """Returns what `MemoryOptimizedReplayBuffer` has of vectors, without their history."""
    prefix = "replay_buffer."
    ring, done = arrays[f"{prefix}frames.ring"], arrays[f"{prefix}done"]
    end = int(state[f"{prefix}frames.next"])
    index = np.arange(max(0, end - len(ring)), end)
    index = index[arrays[f"{prefix}has_effect"][index % len(done)]]
    index = index[-MOST_ROWS:]
    slot = index % len(done)
    return Memory(
        ring[index % len(ring)],
        arrays[f"{prefix}action"][slot],
        arrays[f"{prefix}reward"][slot],
        done[slot],
    )
