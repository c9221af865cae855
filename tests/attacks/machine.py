"""What is left on this machine: processes, files, memory and sockets that an attack may leave."""

from __future__ import annotations

import ctypes
import os
import socket
import threading
from collections import Counter
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
FOLDERS = ("/", "/tmp", "/dev/shm", "/dev/mqueue", "/var/tmp", "/run", "/run/lock", "/etc/cron.d")
SYSTEM = ("/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg", "/proc/keys")
SUSPECTS = ("slipped", "results.json", "report.json", "gradebook.sqlite", "evil")


def adopt_orphans() -> None:
    """Makes this process the parent of every descendant whose own parent ends: none escapes."""
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError("this process cannot adopt orphans")


def descendants(top: int | None = None) -> dict[int, str]:
    """Returns all processes that come from this one, or from `top`: number -> name."""
    parents, names = {}, {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                head, _, rest = Path(f"/proc/{entry}/stat").read_text().rpartition(")")
            except OSError:  # it has ended meanwhile
                continue
            state, above = rest.split()[:2]
            if state == "Z":  # it has ended, and waits for whoever adopted it to notice
                continue
            parents[int(entry)] = int(above)
            names[int(entry)] = head.partition("(")[2]
    found: dict[int, str] = {}
    waiting = [os.getpid() if top is None else top]
    while waiting:
        parent = waiting.pop()
        children = [pid for pid, above in parents.items() if above == parent and pid not in found]
        found |= {pid: names[pid] for pid in children}
        waiting += children
    return found


def census() -> Counter[str]:
    """Returns how many processes of each name come from this one."""
    return Counter(descendants().values())


def traces(mark: int) -> set[str]:
    """Returns files of suspicious names, and what the kernel keeps, wherever attacks leave marks.

    `mark` is the number that they put into the names of theirs.
    """
    found = set()
    for folder in (*FOLDERS, os.getcwd(), os.path.expanduser("~")):
        names = os.listdir(folder) if os.path.isdir(folder) else []
        marked = [n for n in names if str(mark) in n or n.startswith(SUSPECTS)]
        found |= {os.path.join(folder, name) for name in marked}
    for file in SYSTEM:
        lines = Path(file).read_text().splitlines() if os.path.exists(file) else []
        numbers = {str(mark), str(mark + 0x285)}
        found |= {f"{file}: {line}" for line in lines if numbers & set(line.split())}
        found |= {f"{file}: {line}" for line in lines if f"note-{mark}" in line}
    return found


class Listener:
    """Sockets of this machine that nobody in a sandbox may reach; counts who does."""

    def __init__(self) -> None:
        """Opens them: TCP, UDP, and a name without a file."""
        self.stream = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.stream.getsockname()[1]
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.datagrams.bind(("127.0.0.1", self.port))
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0cs285-{self.port}")
        self.abstract.listen()
        self.heard: list[str] = []
        self.sockets = (self.stream, self.datagrams, self.abstract)
        for plug in self.sockets:
            threading.Thread(target=self._listen, args=(plug,), daemon=True).start()

    def _listen(self, plug: socket.socket) -> None:
        while True:
            try:
                if plug is self.datagrams:
                    data, sender = plug.recvfrom(100)
                    plug.sendto(data, sender)
                else:
                    plug.accept()[0].close()
            except OSError:  # closed
                return
            self.heard.append(str(plug.family))

    def close(self) -> None:
        """Closes them."""
        for plug in self.sockets:
            plug.close()
