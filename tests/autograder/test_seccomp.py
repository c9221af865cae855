"""The filter of system calls: what it refuses, on both kinds of machines, and what it leaves."""

from __future__ import annotations

import os
import platform
import re
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

if sys.platform != "linux":
    pytest.skip("seccomp.py is for Linux", allow_module_level=True)

from autograder.isolation import confine, kernel, seccomp
from tests.autograder.children import NOBODY, error_of, in_child, root, train


def verdict(steps: list[seccomp.Step], call: bytes) -> int:
    """Interprets a filter: returns what it answers to a call, a `struct seccomp_data`."""
    value = place = 0
    while True:
        what, if_so, if_not, number = steps[place]
        place += 1
        if what == seccomp.RETURN:
            return number
        if what == seccomp.LOAD:
            (value,) = struct.unpack_from("=I", call, number)
        elif what == seccomp.MASK:
            value &= number
        else:
            test = {
                seccomp.EQUAL: value == number,
                seccomp.AT_LEAST: value >= number,
                seccomp.ANY_BIT: bool(value & number),
            }
            place += if_so if test[what] else if_not


def answer(column: int, number: int, *arguments: int, architecture: int | None = None) -> int:
    """Returns what the filter of a machine answers to a system call."""
    kind = seccomp.ARCHITECTURES[column] if architecture is None else architecture
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    return verdict(seccomp.program(column), struct.pack("=IIQ6Q", number, kind, 0, *padded))


@pytest.mark.parametrize("column", [0, 1])
def test_exactly_the_list_is_refused(column: int) -> None:
    listed = {numbers[column] for numbers in seccomp.DENIED.values()} - {None}
    special = {seccomp.CLONE3[column], seccomp.SOCKETPAIR[column]}
    for number in set(range(600)) - special:
        expected = seccomp.REFUSE if number in listed else seccomp.ALLOW
        assert answer(column, number) == expected, number
    assert answer(column, seccomp.CLONE3[column]) == seccomp.UNKNOWN


@pytest.mark.parametrize("column", [0, 1])
def test_arguments_are_looked_at(column: int) -> None:
    cases = [
        (seccomp.CLONE, (0x3D0F00,), True),  # a thread
        (seccomp.CLONE, (0x01200011,), True),  # a fork
        *(
            (seccomp.CLONE, (bit | 17,), False)
            for bit in (1 << 17, *(1 << n for n in range(25, 31)))
        ),
        (seccomp.SOCKETPAIR, (1, 1 | 0o2000000), True),
        (seccomp.SOCKETPAIR, (1, 2), False),
        (seccomp.PREADV2, (3, 0, 1, 0, 0, 0), True),
        (seccomp.PREADV2, (3, 0, 1, 0, 0, 8), False),  # what is in memory, and nothing else
        (seccomp.PREADV2, (3, 0, 1, 0, 0, 9), False),
        (seccomp.FCNTL, (3, 2), True),
        *((seccomp.FCNTL, (3, command), False) for command in (6, 7, 37, 38, 1024, 1026)),
        (seccomp.PRLIMIT, (0, 7), True),
        (seccomp.PRLIMIT, (1, 7), False),  # another process's
        (seccomp.IOCTL, (0, 0x5401), True),
        (seccomp.IOCTL, (0, 0x5412), False),
        (seccomp.IOCTL, (0, 0xF00005412), False),  # the kernel looks at 32 bits, too
    ]
    for numbers, arguments, allowed in cases:
        expected = seccomp.ALLOW if allowed else seccomp.REFUSE
        assert answer(column, numbers[column], *arguments) == expected, (numbers, arguments)


@pytest.mark.parametrize("column", [0, 1])
def test_other_kinds_of_calls_are_deadly(column: int) -> None:
    i386 = 0x40000003
    assert answer(column, 1, architecture=i386) == seccomp.KILL
    assert answer(column, 1, architecture=seccomp.ARCHITECTURES[1 - column]) == seccomp.KILL
    if column == 0:
        assert answer(column, seccomp.X32_BIT + 1) == seccomp.KILL


@pytest.mark.parametrize(
    ("column", "header"),
    [(0, f"{platform.machine()}-linux-gnu/asm/unistd_64.h"), (1, "asm-generic/unistd.h")],
)
def test_numbers_are_those_of_the_kernels_headers(column: int, header: str) -> None:
    file = Path("/usr/include") / header
    if not file.is_file():
        pytest.skip(f"no {file} here")
    pairs = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", file.read_text())
    known = {name: int(number) for name, number in pairs}
    table = {name: numbers[column] for name, numbers in seccomp.DENIED.items()}
    wrong = {name: known[name] for name in table if name in known and known[name] != table[name]}
    assert wrong == {}
    assert len(known.keys() & table.keys()) > 70


def unshare() -> None:
    kernel.system_call((272, 97)[kernel.machine()], 0x10000000)  # a user namespace


def lock() -> None:
    import fcntl

    with Path("/etc/passwd").open() as file:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)


def lock_a_range() -> None:
    import fcntl

    with Path("/etc/passwd").open() as file:
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)


def denied(name: str, *arguments: int) -> Callable[[], Any]:
    number = seccomp.DENIED[name][kernel.machine()]
    return lambda: kernel.system_call(number or 0, *arguments)


FORBIDDEN: dict[str, Callable[[], Any]] = {  # anybody may do this, unless it is denied
    "a socket": lambda: socket.socket().close(),
    "a local socket": lambda: socket.socket(socket.AF_UNIX).close(),
    "a pair of datagram sockets": lambda: socket.socketpair(type=socket.SOCK_DGRAM),
    "a lock": lock,
    "a lock of a range": lock_a_range,
    "memory as a file": lambda: os.close(os.memfd_create("x")),
    "to be traced": denied("ptrace", 0, 0, 0, 0),
    "a personality": denied("personality", 0xFFFFFFFF),
    "shared memory": denied("shmget", 0, 4096, 0o600),
    "watching files": denied("inotify_init1", 0),
    "changing the user": denied("setuid", NOBODY[0]),
}  # fmt: skip


@root
@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_refused_call(name: str) -> None:
    def work() -> list[str | None]:
        confine.become(*NOBODY)
        before = in_child(lambda: error_of(FORBIDDEN[name]))
        confine.no_new_privileges()
        seccomp.deny_system_calls()
        return [before, error_of(FORBIDDEN[name])]

    assert in_child(work) == [None, "EPERM"]


def test_namespaces_are_refused() -> None:
    if in_child(lambda: error_of(unshare)):
        pytest.skip("no user namespaces here")

    def work() -> list[str | None]:
        confine.no_new_privileges()
        seccomp.deny_system_calls()
        clone = (56, 220)[kernel.machine()]
        return [error_of(unshare), error_of(lambda: kernel.system_call(clone, 0x10000011, 0, 0))]

    assert in_child(work) == ["EPERM", "EPERM"]


def filtered(work: Callable[[], Any]) -> Any:
    def child() -> Any:
        confine.no_new_privileges()
        seccomp.deny_system_calls()
        return work()

    return in_child(child)


def test_what_programs_need_is_left() -> None:
    def work() -> list[Any]:
        left, right = socket.socketpair()
        left.send(b"hello")
        record = [right.recv(5).decode()]
        threads = [threading.Thread(target=record.append, args=(i,)) for i in range(3)]
        for thread in threads:
            thread.start()
            thread.join()
        done = subprocess.run(
            ["echo", "from a program"], capture_output=True, text=True, check=True
        )
        return [*record, done.stdout.strip()]

    assert filtered(work) == ["hello", 0, 1, 2, "from a program"]


@pytest.mark.slow
def test_training_goes_on_under_the_filter() -> None:
    assert filtered(train) > 0


def test_an_unknown_machine_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "abacus")
    with pytest.raises(OSError, match="abacus"):
        seccomp.deny_system_calls()
