"""Landlock: in a child, files that are not named are closed, and so are other processes."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

if sys.platform != "linux":
    pytest.skip("landlock.py is for Linux", allow_module_level=True)

from autograder.isolation import confine, landlock
from tests.autograder.children import error_of, in_child, needs_landlock


def with_landlock(work: Callable[[], Any], read: list[Path], write: list[Path]) -> Any:
    def child() -> Any:
        confine.no_new_privileges()
        landlock.restrict_files(read, write)
        return work()

    return in_child(child)


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[tuple[Path, Path, Path]]:
    """One folder to read, one to write, one that is closed, with a file in each."""
    found = [tmp_path / name for name in ("read", "write", "closed")]
    for folder in found:
        folder.mkdir()
        (folder / "file").write_text("text")
    yield found[0], found[1], found[2]


@needs_landlock(1)
def test_only_named_files_are_open(folders: tuple[Path, Path, Path]) -> None:
    read, write, closed = folders

    def work() -> list[str | None]:
        attempts: list[Callable[[], Any]] = [
            (read / "file").read_text,
            lambda: os.listdir(read),
            lambda: (read / "file").write_text("x"),
            (read / "new").touch,
            (read / "file").unlink,
            (closed / "file").read_text,
            lambda: os.listdir(closed),
            lambda: (write / "new").write_text("x"),
            (write / "file").unlink,
            lambda: (write / "link").symlink_to(closed / "file"),
            (write / "link").read_text,
        ]
        return [error_of(attempt) for attempt in attempts]

    no = "EACCES"
    expected = [None, None, no, no, no, no, no, None, None, None, no]
    assert with_landlock(work, [read, read / "missing"], [write]) == expected


@needs_landlock(1)
def test_a_file_alone_can_be_named(folders: tuple[Path, Path, Path]) -> None:
    file = folders[0] / "file"
    other = folders[1] / "file"
    assert with_landlock(file.read_text, [file], []) == "text"
    assert with_landlock(lambda: other.write_text("abc"), [], [other]) == 3
    assert with_landlock(lambda: error_of(other.read_text), [file], []) == "EACCES"


@needs_landlock(1)
def test_other_processes_are_closed() -> None:
    parent = Path(f"/proc/{os.getpid()}")

    def work() -> list[str | None]:
        confine.drop_capabilities()  # with them root may look at all of them
        return [error_of((parent / name).read_bytes) for name in ("environ", "maps")]

    assert with_landlock(work, [Path("/")], []) == ["EACCES", "EACCES"]


@needs_landlock(4)
def test_tcp_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()

        def work() -> str | None:
            return error_of(lambda: socket.create_connection(address, timeout=5).close())

        assert in_child(work) is None
        assert with_landlock(work, [Path("/")], []) == "EACCES"


@needs_landlock(6)
def test_signals_and_abstract_sockets_do_not_leave() -> None:
    parent = os.getpid()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("")  # the kernel chooses a name
        server.listen()
        name = server.getsockname()

        def work() -> list[str | None]:
            with socket.socket(socket.AF_UNIX) as client:
                return [
                    error_of(lambda: client.connect(name)),
                    error_of(lambda: os.kill(parent, 0)),
                    error_of(lambda: os.kill(os.getpid(), 0)),
                ]

        assert in_child(work) == [None, None, None]
        assert with_landlock(work, [Path("/")], []) == ["EPERM", "EPERM", None]
