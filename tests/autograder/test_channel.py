"""What arrives from where a student's code runs: bounded, clean, or no message at all."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

from autograder.base.seen import MAX_TEXT, Crash, Seen
from autograder.running.channel import HEAD, LIMIT, ChannelError, is_whole, pack, unpack

DEEP: list[Any] = []
for _ in range(20):
    DEEP = [DEEP]


def forged(note: Any = None, shape: Any = (0,)) -> bytes:
    """A message with one array without elements."""
    seen, arrays = [[{"usual/values": 0}, {}, [], []]], [["f4", 0, shape]]
    plain = {"seen": seen, "arrays": arrays, "note": note or {}}
    return save({"f4": np.empty(0, np.float32)}, {"json": json.dumps(plain)})


def test_what_is_forged_below_is_a_message_but_for_one_thing() -> None:
    found, note = unpack(forged())
    assert found.arrays["usual/values"].shape == (0,) and note == {}


def test_a_message_comes_back_as_it_was() -> None:
    arrays = {"scalar": np.array(1.5), "flags": np.array([[True], [False]]), "none": np.empty(0)}
    crash = Crash("ValueError", "no", "a.py", 3, "x = 1", "f", None, ("x",))
    seen = Seen({f"one/{name}": array for name, array in arrays.items()}, {"one": crash})
    packed = pack(seen, a=1)
    assert is_whole(packed)
    assert not is_whole(packed[:-1])
    found, note = unpack(packed[HEAD.size :])
    assert note == {"a": 1}
    assert found.crashes == seen.crashes
    assert found.arrays.keys() == seen.arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(found.of("one")[name], array)
        assert found.of("one")[name].shape == array.shape


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


def test_arrays_that_together_are_larger_than_any_message_are_none() -> None:
    """Whoever hands on what was seen copies each of them, though they lie in the same place."""
    count = LIMIT // 8
    names, arrays = {f"usual/{n}": n for n in range(20)}, [["f4", 0, [count]]] * 20
    plain = {"seen": [[names, {}, [], []]], "arrays": arrays, "note": {}}
    body = save({"f4": np.zeros(count, np.float32)}, {"json": json.dumps(plain)})
    assert len(body) < LIMIT
    with pytest.raises(ChannelError):
        unpack(body)


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
