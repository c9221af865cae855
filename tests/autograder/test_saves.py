"""Saves are noticed when they are whole: no half-written file is judged."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.source import submission as saves
from autograder.source.submission import await_save, stamps

WHOLE = "def f():\n    return 1\n" * 50
HALF = WHOLE[: len(WHOLE) - 12]  # ends within a line


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "agent.py").write_text("x = 1\n")
    return tmp_path / "agent.py"


def in_place(file: Path) -> None:
    """Empties the file, and writes it in two parts, as some editors do."""
    with file.open("w") as stream:
        stream.flush()
        time.sleep(0.3)
        stream.write(HALF)
        stream.flush()
        time.sleep(0.3)
        stream.write(WHOLE[len(HALF) :])


def by_name(file: Path) -> None:
    """Takes the file away, and puts another one in its place, as other editors do."""
    file.rename(file.with_suffix(".old"))
    time.sleep(0.3)
    file.with_suffix(".new").write_text(WHOLE)
    file.with_suffix(".new").rename(file)


@pytest.mark.parametrize("save", [in_place, by_name])
def test_a_half_written_file_is_waited_for(file: Path, save: Callable[[Path], None]) -> None:
    before = stamps(file.parent)
    writer = threading.Thread(target=save, args=(file,))
    writer.start()
    assert await_save(file.parent, before) == {"agent.py"}
    assert file.read_text() == WHOLE
    writer.join()


@pytest.mark.parametrize("text", ["x = 2\n", "x = (\n", ""])
def test_how_long_a_save_is_waited_for(file: Path, text: str) -> None:
    """What is no Python is taken as it is in the end: its author may want to read the error."""
    before = stamps(file.parent)
    file.write_text(text)
    began = time.monotonic()
    assert await_save(file.parent, before) == {"agent.py"}
    waited = time.monotonic() - began
    assert (waited >= saves.PATIENCE) == (text != "x = 2\n")
    assert waited < saves.PATIENCE + 2


def test_a_deleted_file_is_noticed(file: Path) -> None:
    before = stamps(file.parent)
    file.unlink()
    assert await_save(file.parent, before) == {"agent.py"}
