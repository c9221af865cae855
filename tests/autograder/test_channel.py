"""What arrives from where a student's code runs: bounded, clean, or no message at all."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from autograder.base.record import MAX_TEXT, Crash, Trial
from safetensors.numpy import save

from autograder.running.channel import HEAD, LIMIT, ChannelError, is_whole, pack, unpack

DEEP: list[Any] = []
for _ in range(20):
    DEEP = [DEEP]


def forged(note: Any = None, shape: Any = (0,)) -> bytes:
    """A message with one trial of one array without elements."""
    shapes = {"usual/values": shape}
    plain = {"trials": {"usual": {"crash": None}}, "shapes": shapes, "note": note or {}}
    return save({"usual/values": np.empty(0, np.float32)}, {"json": json.dumps(plain)})


def test_a_message_comes_back_as_it_was() -> None:
    arrays = {"scalar": np.array(1.5), "flags": np.array([[True], [False]]), "none": np.empty(0)}
    crash = Crash("ValueError", "no", "a.py", 3, "x = 1", "f", None, ("x",))
    packed = pack({"one": Trial(arrays, crash), "two": Trial()}, {"a": 1})
    assert is_whole(packed)
    assert not is_whole(packed[:-1])
    record, note = unpack(packed[HEAD.size :])
    assert note == {"a": 1}
    assert record["two"].arrays == {}
    assert record["two"].crash is None
    for name, array in arrays.items():
        np.testing.assert_array_equal(record["one"].arrays[name], array)
        assert record["one"].arrays[name].shape == array.shape
    found = record["one"].crash
    assert found is not None
    assert (found.kind, found.line, list(found.names)) == ("ValueError", 3, ["x"])


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


@pytest.mark.parametrize(
    "body", [b"", b"x" * 100, struct.pack("<Q", 10**12) + b"{}", struct.pack("<Q", 2) + b"{}"]
)
def test_what_is_no_message_is_refused(body: bytes) -> None:
    with pytest.raises(ChannelError):
        unpack(body)
