"""What waits in sockets belongs to no process, and counts as memory all the same."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from contextlib import suppress

import pytest

if sys.platform != "linux":
    pytest.skip("the watch is for Linux", allow_module_level=True)

from autograder.isolation import memory

PAIRS, MOST = 100, 40 * 2**20


@pytest.mark.parametrize("counted", [True, False])
def test_pairs_of_sockets_count(counted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not counted:
        monkeypatch.setattr(memory, "SOCKET", 0)
    watch = memory.Watch(MOST)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            kept = fill_pairs()
            os.write(writing, b"x" if kept else b"")
            time.sleep(60)
        finally:
            os._exit(0)
    try:
        assert os.read(reading, 1) == b"x"
        time.sleep(2 * memory.EVERY)
        assert watch.exceeded() == counted
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for fd in (reading, writing):
            os.close(fd)


def fill_pairs() -> list[tuple[socket.socket, socket.socket]]:
    """Lets as much wait in pairs of sockets as goes."""
    kept: list[tuple[socket.socket, socket.socket]] = []
    for _ in range(PAIRS):
        kept.append(socket.socketpair())
        kept[-1][0].setblocking(False)
        with suppress(BlockingIOError):
            while True:
                kept[-1][0].send(bytes(2**16))
    return kept
