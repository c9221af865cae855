"""The worker's messages, with and without processes of their own for the probes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from autograder.grading.judging import judge_seen
from autograder.running import channel, worker
from tests.autograder.judging import FORMULA, SEED

ARGMAX = next(check for check in FORMULA if check.id == "hw3.argmax.action")


def messages(data: bytes) -> list[bytes]:
    """Splits what a worker wrote."""
    found = []
    while data:
        (length,) = channel.HEAD.unpack(data[: channel.HEAD.size])
        found.append(data[channel.HEAD.size : channel.HEAD.size + length])
        data = data[channel.HEAD.size + length :]
    return found


def test_without_fork_a_probe_runs_in_the_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "CAN_FORK", False)
    request = {"probe": ARGMAX.probe, "owners": ARGMAX.owners, "seed": SEED, "limit": 10}
    file = tmp_path / "answers"
    with file.open("wb") as answers:
        worker.serve_package(
            None, io.BytesIO(json.dumps(request).encode() + b"\n"), answers.fileno()
        )
    ready, answer = messages(file.read_bytes())
    assert channel.unpack(ready)[1] == {"ready": True}
    seen, note = channel.unpack(answer)
    assert "policies/argmax_policy.py" in note["files"]
    assert judge_seen(ARGMAX, seen, SEED).passed
