"""What arrives from where a student's code runs: bounded, clean, or no message at all."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

from autograder.base.record import MAX_TEXT, Trial
from autograder.running.channel import HEAD, LIMIT, ChannelError, pack, unpack

DEEP: list[Any] = []
for _ in range(20):
    DEEP = [DEEP]


def forged(note: Any = None, shape: Any = (0,)) -> bytes:
    """A message with one trial of one array without elements."""
    shapes = {"usual/values": shape}
    plain = {"trials": {"usual": {"crash": None}}, "shapes": shapes, "note": note or {}}
    return save({"usual/values": np.empty(0, np.float32)}, {"json": json.dumps(plain)})


def test_an_honest_message_arrives() -> None:
    record = {"usual": Trial({"values": np.arange(6.0).reshape(2, 3), "one": np.array(2)})}
    body = pack(record, {"files": ["agents/dqn_agent.py"], "ended": ""})[HEAD.size :]
    observation, note = unpack(body)
    assert note == {"files": ["agents/dqn_agent.py"], "ended": ""}
    arrays = observation["usual"].arrays
    assert arrays["values"].shape == (2, 3)
    assert arrays["one"].shape == ()


@pytest.mark.parametrize(
    "note",
    [{"files": 10**400}, {"files": float("nan")}, {"files": ["f"] * 10**5}, {"files": DEEP}, [1]],
    ids=["number", "no number", "many", "deep", "list"],
)
def test_a_forged_note_is_no_message(note: Any) -> None:
    with pytest.raises(ChannelError):
        unpack(forged(note))


@pytest.mark.parametrize("shape", [(3 * 10**8, 0), (0, LIMIT, LIMIT), (-1, 0), "0", {"0": 0}])
def test_a_forged_shape_is_no_message(shape: Any) -> None:
    with pytest.raises(ChannelError):
        unpack(forged(shape=shape))


def test_texts_are_cleaned() -> None:
    _, note = unpack(forged({"ended": "\ud800\x1b[2J" + "x" * 10**6}))
    assert len(note["ended"]) <= MAX_TEXT
    assert note["ended"].isprintable() and note["ended"].encode()
