"""Children in which forbidden things are tried, and what they are told by."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.isolation import landlock

NOBODY = (64123, 64123)  # nobody has files or processes under these numbers
SECONDS = 60
root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


def has_landlock(version: int) -> bool:
    try:
        return landlock.version() >= version
    except OSError:
        return False


def needs_landlock(version: int) -> pytest.MarkDecorator:
    reason = f"this kernel has no Landlock of version {version}"
    return pytest.mark.skipif(not has_landlock(version), reason=reason)


def in_child(work: Callable[[], Any]) -> Any:
    """Runs something in a child and returns what it returned, as JSON; fails if the child does."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.close(reading)
        try:
            answer = {"answer": work()}
        except BaseException as error:  # noqa: BLE001  (told to the parent)
            answer = {"error": f"{type(error).__name__}: {error}"}
        try:
            os.write(writing, json.dumps(answer).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        data = stream.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    found = json.loads(data)
    assert "error" not in found, found["error"]
    return found["answer"]


def error_of(work: Callable[[], Any]) -> str | None:
    """Returns the name of the error that something fails with; None if it works."""
    try:
        work()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    except MemoryError:
        return "MemoryError"
    return None


def status_line(name: str) -> str:
    """Returns a line of this process's status."""
    found = re.search(rf"^{name}:\s*(.*)$", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


def train() -> float:
    """Trains a small convolution with several threads; returns how much the loss fell."""
    import gymnasium
    import torch
    from tqdm import tqdm

    torch.set_num_threads(2)
    torch.manual_seed(0)
    network = torch.nn.Sequential(
        torch.nn.Conv2d(4, 16, 8, stride=4), torch.nn.ReLU(), torch.nn.Flatten(),
        torch.nn.LazyLinear(64), torch.nn.Linear(64, 2),
    )  # fmt: skip
    images = torch.rand(16, 4, 84, 84)
    network(images)
    optimizer = torch.optim.Adam(network.parameters())
    losses = []
    for _ in tqdm(range(5)):
        loss = (network(images) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.item())
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=0)
    env.step(0)
    return losses[0] - losses[-1]
