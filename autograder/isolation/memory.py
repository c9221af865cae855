"""How much memory the processes of one submission use together, counted from outside."""

from __future__ import annotations

import os
import time
from pathlib import Path

MOST = 3 * 2**30  # bytes; a probe needs a tenth of that
OWN = ("RssAnon:", "RssShmem:")
SOCKET = 256 * 2**10  # bytes that may wait in a socket, which no process's own memory shows
EVERY = 0.2  # seconds between looks


class Watch:
    """Counts what all processes but those that were there before have made their own."""

    def __init__(self, most: int = MOST) -> None:
        """Looks at what is there. Memory that a fork shares with this process does not count."""
        self.most = most
        self.before = set(_processes())
        self.shared = _own_bytes(os.getpid())
        self.sockets = _sockets(os.getpid())
        self.looked = time.monotonic()
        self.too_much = False

    def exceeded(self) -> bool:
        """Returns whether it has ever been too much; looks again only every now and then."""
        now = time.monotonic()
        if not self.too_much and now - self.looked > EVERY:
            self.looked = now
            new = [pid for pid in _processes() if pid not in self.before]
            grown = sum(max(0, _own_bytes(pid) - self.shared) for pid in new)
            sockets = max((_sockets(pid) for pid in new), default=0)
            waiting = SOCKET * max(0, sockets - self.sockets)
            self.too_much = grown + waiting > self.most
        return self.too_much


def _processes() -> list[int]:
    """Returns the processes that can be seen."""
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _sockets(pid: int) -> int:
    """Returns how many sockets there are in the network of a process, pairs as well."""
    try:
        return Path(f"/proc/{pid}/net/unix").read_text().count("\n")
    except OSError:
        return 0


def _own_bytes(pid: int) -> int:
    """Returns a process's resident memory that comes from no file, shared or not; 0 if it ended.

    Memory that two processes share counts twice.
    """
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith(OWN))
