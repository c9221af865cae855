"""Each step of confining a process: in a child, the forbidden thing is tried and fails."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

if sys.platform != "linux":
    pytest.skip("confine.py is for Linux", allow_module_level=True)

from autograder.isolation import confine, kernel
from tests.autograder.children import (
    NOBODY,
    error_of,
    in_child,
    needs_landlock,
    root,
    status_line,
    train,
)

# limits


def with_limits(work: Callable[[], Any], user: bool = False, **limits: int) -> Any:
    def child() -> Any:
        confine.set_limits(confine.Limits(**limits))
        if user:
            confine.become(*NOBODY)
        return work()

    return in_child(child)


def test_memory() -> None:
    def work() -> list[str | None]:
        # The larger one is more than a process may keep of what earlier tests have freed.
        return [error_of(partial(bytearray, size * 2**20)) for size in (100, 8000)]

    assert with_limits(work, memory=2**29) == [None, "MemoryError"]


def test_open_files() -> None:
    def work() -> str | None:
        return error_of(lambda: [os.dup(2) for _ in range(64)])

    assert with_limits(work, open_files=32) == "EMFILE"
    assert with_limits(work, open_files=256) is None


def test_file_size(tmp_path: Path) -> None:
    def work() -> list[str | None]:
        file = tmp_path / "file"
        return [error_of(partial(file.write_bytes, bytes(size))) for size in (1000, 5000)]

    assert with_limits(work, file_size=4096) == [None, "EFBIG"]


@root
def test_processes() -> None:
    def fork() -> None:
        if os.fork() == 0:
            signal.pause()

    def work() -> list[str | None]:
        found = [error_of(fork) for _ in range(4)]
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.kill(-1, signal.SIGTERM)  # all of this user
        return found

    assert with_limits(work, user=True, processes=3) == [None, None, "EAGAIN", "EAGAIN"]


@pytest.mark.slow
def test_processor_time() -> None:
    def work() -> None:
        while True:
            pass

    assert with_limits(work, cpu=1) == f"signal {int(signal.SIGXCPU)}"


def test_limits_only_go_down() -> None:
    def work() -> list[Any]:
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        confine.set_limits(confine.Limits(open_files=before[0] + 100))
        return [
            resource.getrlimit(resource.RLIMIT_NOFILE),
            resource.getrlimit(resource.RLIMIT_CORE),
        ]

    assert with_limits(work, open_files=32) == [[32, 32], [0, 0]]


# rights


@root
def test_another_user(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    secret = tmp_path / "secret"
    secret.touch(mode=0o600)

    def work() -> list[Any]:
        before = error_of(secret.read_bytes)
        confine.become(*NOBODY)
        return [before, error_of(secret.read_bytes), error_of(lambda: os.setuid(0)), os.getgroups()]

    assert in_child(work) == [None, "EACCES", "EPERM", []]


@root
def test_root_without_capabilities(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.touch(mode=0)

    def work() -> list[Any]:
        before = error_of(secret.read_bytes)
        confine.no_new_privileges()
        confine.drop_capabilities()
        sets = [int(status_line(f"Cap{name}"), 16) for name in ("Inh", "Prm", "Eff", "Bnd", "Amb")]
        return [before, error_of(secret.read_bytes), sets]

    assert in_child(work) == [None, "EACCES", [0] * 5]


@root
def test_setuid_programs_gain_nothing() -> None:
    program = Path("/var/tmp") / f"confine-test-{os.getpid()}"  # /tmp may forbid setuid programs
    try:
        shutil.copy("/usr/bin/id", program)
        program.chmod(0o4755)

        def effective(careful: bool) -> str:
            confine.become(*NOBODY)
            if careful:
                confine.no_new_privileges()
            done = subprocess.run([program, "-u"], capture_output=True, text=True, check=True)
            return done.stdout.strip()

        if in_child(lambda: effective(False)) != "0":
            pytest.skip("no program can be setuid here")
        assert in_child(lambda: effective(True)) == str(NOBODY[0])
    finally:
        program.unlink()


def test_own_keyring() -> None:
    number = confine.KEYCTL[kernel.machine()]

    def work() -> list[int]:
        keyrings = []
        for _ in range(2):
            keyrings.append(kernel.system_call(number, 0, -3, 0))  # the session keyring's id
            confine.own_keyring()
        return keyrings

    try:
        in_child(confine.own_keyring)
    except AssertionError as error:
        pytest.skip(f"no keyrings here: {error}")
    before, after = in_child(work)
    assert before != after


@root
def test_memory_is_closed_to_others_of_the_same_user() -> None:
    def work(close: bool) -> str | None:
        confine.become(*NOBODY)
        ready, go = os.pipe()
        child = os.fork()
        if child == 0:
            confine.prctl(confine.PR_SET_DUMPABLE, 1)
            if close:
                confine.undumpable()
            os.write(go, b"x")
            signal.pause()
        os.read(ready, 1)
        found = error_of(lambda: Path(f"/proc/{child}/mem").open("rb").close())
        os.kill(child, signal.SIGKILL)
        return found

    assert in_child(lambda: work(False)) is None
    assert in_child(lambda: work(True)) == "EACCES"


# all of it


@root
@needs_landlock(1)
def test_all_steps_are_taken_and_told() -> None:
    def status() -> list[Any]:
        found = confine.confine(confine.Limits(), NOBODY, [Path("/")], [])
        return [[p.name for p in found if p.works], status_line("Seccomp")]

    names = [
        confine.LIMITS, confine.PRIVILEGES, confine.USER, confine.CAPABILITIES,
        confine.FILES, confine.MEMORY, confine.SYSTEM_CALLS,
    ]  # fmt: skip
    found, filters = in_child(status)
    assert [name for name in found if name != confine.KEYRING] == names
    assert filters == "2"


@root
@pytest.mark.slow
def test_training_goes_on_when_all_is_confined() -> None:
    def work() -> float:
        confine.confine(confine.Limits(), None, [Path("/")], [Path("/dev/null")])
        return train()

    assert in_child(work) > 0


def test_what_the_kernel_lacks_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(confine, "deny_system_calls", missing)
    monkeypatch.setattr(kernel, "machine", lambda: 0)

    def work() -> list[Any]:
        found = confine.confine(confine.Limits())
        return [[p.works, p.why] for p in found if p.name == confine.SYSTEM_CALLS]

    assert in_child(work) == [[False, "Function not implemented"]]


def test_several_threads_cannot_be_confined() -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        with pytest.raises(RuntimeError, match="several threads"):
            confine.confine(confine.Limits())
    finally:
        stop.set()
        thread.join()
