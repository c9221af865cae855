"""What was played comes back from a checkpoint as the replay buffers of the agents wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from autograder.diagnose.weights import read_snapshot
from cs285.infrastructure.replay.replay_buffer import MemoryOptimizedReplayBuffer
from cs285.infrastructure.replay.transition_buffer import TransitionBuffer
from cs285.infrastructure.training.checkpoint import CheckpointStore
from cs285.infrastructure.training.run_folder import FORMAT

OB, AC = 3, 2


def saved(folder: Path, buffer: Any, **agent: Any) -> Any:
    """The memory that is read from a checkpoint with this buffer in it."""
    state = {"agent": {"replay_buffer": buffer.state_dict(), "num_param_updates": 7, **agent}}
    CheckpointStore(folder).save(100, {"format": FORMAT, "trainer": state})
    remarks: list[str] = []
    snapshot = read_snapshot(folder, remarks)
    assert not remarks and (snapshot.step, snapshot.updates) == (100, 7)
    return snapshot.memory


def actor() -> dict[str, Any]:
    return {"actor": {"net": {"0.weight": torch.zeros(5, OB)}}}


@pytest.mark.parametrize("rows", [70, 128, 150, 330])
def test_rows(rows: int, tmp_path: Path) -> None:
    """The open block alone, a full one before it, and a ring that has come round."""
    buffer = TransitionBuffer(size=256, ob_dim=OB, ac_dim=AC, seed=0, block_rows=128)
    rng = np.random.default_rng(0)
    played = []
    for number in range(rows):
        ob, ac = rng.standard_normal(OB), rng.standard_normal(AC)
        buffer.add(ob, ac, float(number + 1), rng.standard_normal(OB), number % 10 == 9)
        played.append((ob, ac))
    memory = saved(tmp_path, buffer, **actor())
    assert len(memory) >= min(rows, 128)
    for ob, ac, reward, terminal in zip(
        memory.obs, memory.actions, memory.rewards, memory.terminals, strict=True
    ):
        number = round(float(reward)) - 1
        np.testing.assert_allclose(np.append(ob, ac), np.concatenate(played[number]), rtol=1e-6)
        assert terminal == (number % 10 == 9)
    assert max(memory.rewards) == rows  # the newest are among them


@pytest.mark.parametrize("rows", [80, 700])
def test_frames(rows: int, tmp_path: Path) -> None:
    """Of a memory that is not full, and of one whose ring of frames has come round."""
    buffer = MemoryOptimizedReplayBuffer(200, 1, (OB,), np.float32, seed=0)
    for number in range(rows):
        index = buffer.store_frame(np.full(OB, number, np.float32))
        buffer.store_effect(index, number % 4, float(number), number % 10 == 9)
    buffer.store_frame(np.full(OB, -1, np.float32))  # nothing follows it yet
    memory = saved(tmp_path, buffer)
    assert len(memory) == min(rows, 201)
    np.testing.assert_array_equal(memory.obs[:, 0], memory.rewards)
    np.testing.assert_array_equal(memory.actions, memory.rewards % 4)
    np.testing.assert_array_equal(memory.terminals, memory.rewards % 10 == 9)


def test_images_are_left_out(tmp_path: Path) -> None:
    buffer = MemoryOptimizedReplayBuffer(200, 1, (8, 8), np.uint8, seed=0)
    for _ in range(100):
        buffer.store_effect(buffer.store_frame(np.zeros((8, 8), np.uint8)), 0, 1.0, False)
    assert saved(tmp_path, buffer) is None
