"""`check --watch` on a terminal: it redraws in place, as `check` says it, and only whole files."""

from __future__ import annotations

import os
import re
import select
import signal
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from autograder.grading.board import CLEAR
from autograder.source import ROOT
from autograder.source.submission import PATIENCE
from tests.autograder.corpus import write, wrong

COPY, ALIAS = "self.critic.update_target_network()", "self.critic.q_net_target = self.critic.q_net"
SYNC = wrong("", "hw3.dqn.sync", "sync.alias", (COPY, ALIAS))
END = "watching: save a file to judge again, Ctrl-C to stop"
LIMIT = 120.0
COLUMNS, LINES = 80, 24
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a terminal"),
]


class Terminal:
    """A terminal in which a command runs."""

    def __init__(self, *command: str) -> None:
        """Starts the command."""
        import fcntl
        import pty
        import termios

        self.child, self.fd = pty.fork()
        if self.child == 0:
            os.chdir(ROOT)
            os.environ.pop("COLUMNS", None)
            environment = {**os.environ, "TERM": "xterm", "PYTHONPATH": str(ROOT)}
            words = [sys.executable, "-m", "autograder", "check", "hw3", *command]
            os.execve(sys.executable, words, environment)
        size = struct.pack("HHHH", LINES, COLUMNS, 0, 0)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)
        self.text = ""

    def until(self, word: str) -> str:
        """Returns what is shown up to a word, which it waits for; all, if the command ends."""
        end = time.monotonic() + LIMIT
        while word not in self.text and time.monotonic() < end:
            if select.select([self.fd], [], [], 1.0)[0]:
                try:
                    self.text += os.read(self.fd, 1 << 16).decode().replace("\r\n", "\n")
                except OSError:  # the command has ended
                    break
        found, _, self.text = self.text.partition(word)
        return found

    def close(self) -> None:
        """Ends the command."""
        os.kill(self.child, signal.SIGINT)
        os.waitpid(self.child, 0)
        os.close(self.fd)


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Terminal]:
    write(tmp_path, [SYNC])
    terminal = Terminal("--watch", "-k", "sync or argmax", "--submission", str(tmp_path))
    yield terminal
    terminal.close()


def plain(text: str) -> str:
    """Returns a board without what only --watch has, and how long it took."""
    board = re.sub(r"\nsince the last save:.*?(?=\nnext:)", "", text, flags=re.DOTALL)
    board = re.sub(r"^[+~-] (?=\d)", "  ", re.sub(r"in [\d.]+ s", "", board), flags=re.MULTILINE)
    return "\n".join(line for line in board.splitlines() if line and not line.startswith("judging"))


def checked(folder: Path) -> str:
    """Returns what `check` shows of a submission."""
    once = Terminal("-k", "sync or argmax", "--submission", str(folder))
    text = once.until("never said")
    os.waitpid(once.child, 0)
    os.close(once.fd)
    return plain(text)


def save_slowly(file: Path, parts: Sequence[str], pause: float) -> float:
    """Saves as an editor that empties a file before it writes; returns its longest pause."""
    longest = 0.0
    with file.open("w") as stream:
        last = time.monotonic()
        for part in parts:
            stream.write(part)
            stream.flush()
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
            time.sleep(pause)
    return longest


def test_a_save_is_judged_whole_and_in_place(watching: Terminal, tmp_path: Path) -> None:
    first = watching.until(END)
    assert first.count(CLEAR) == 1
    _, _, board = first.partition(CLEAR)
    assert "wrong" in board
    assert plain(board) == checked(tmp_path)
    file = tmp_path / "cs285/agents/dqn_agent.py"
    text = file.read_text().replace(ALIAS, COPY)
    cut = text.index(COPY) + len(COPY) - 1  # an open bracket: what is before it is no Python
    if save_slowly(file, ["", text[:cut], text[cut:]], 0.3) > 0.9 * PATIENCE:
        pytest.skip("too busy a machine to save a file in parts without a long pause")
    second = watching.until(END)
    assert second.count(CLEAR) == 1  # nothing was shown of the half
    _, _, board = second.partition(CLEAR)
    assert re.search(r"^\+ 7 dqn\.sync .*\d \033\[32mpassed", board, re.MULTILINE)
    assert re.search(r"since the last save:\n.*\+ dqn\.sync +wrong -> passed", board)
    assert plain(board) == checked(tmp_path)
