"""The worker's messages, with and without processes of their own for the probes."""

from __future__ import annotations

import io
import json
import struct

import numpy as np
import pytest

from autograder.base.record import Crash, Trial
from autograder.grading.grader import judge_record
from autograder.running import channel, worker
from tests.autograder.judging import FORMULA, SEED

ARGMAX = next(check for check in FORMULA if check.id == "hw3.argmax.action")


def messages(stream: io.BytesIO) -> list[bytes]:
    """Splits what a worker wrote."""
    data, found = stream.getvalue(), []
    while data:
        (length,) = channel.HEAD.unpack(data[: channel.HEAD.size])
        found.append(data[channel.HEAD.size : channel.HEAD.size + length])
        data = data[channel.HEAD.size + length :]
    return found


def test_without_fork_a_probe_runs_in_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "CAN_FORK", False)
    request = {"probe": ARGMAX.full_probe, "owners": ARGMAX.owners, "seed": SEED, "limit": 10}
    answers = io.BytesIO()
    worker.serve(None, io.BytesIO(json.dumps(request).encode() + b"\n"), answers)
    ready, answer = messages(answers)
    assert channel.unpack(ready)[1] == {"ready": True}
    record, note = channel.unpack(answer)
    assert "policies/argmax_policy.py" in note["files"]
    assert judge_record(ARGMAX, record, SEED).passed


def test_a_message_comes_back_as_it_was() -> None:
    arrays = {"scalar": np.array(1.5), "flags": np.array([[True], [False]]), "none": np.empty(0)}
    crash = Crash("ValueError", "no", "a.py", 3, "x = 1", "f", None, ("x",))
    packed = channel.pack({"one": Trial(arrays, crash), "two": Trial()}, {"a": 1})
    assert channel.is_whole(packed)
    assert not channel.is_whole(packed[:-1])
    record, note = channel.unpack(packed[channel.HEAD.size :])
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
    "body", [b"", b"x" * 100, struct.pack("<Q", 10**12) + b"{}", struct.pack("<Q", 2) + b"{}"]
)
def test_what_is_no_message_is_refused(body: bytes) -> None:
    with pytest.raises(channel.ChannelError):
        channel.unpack(body)
