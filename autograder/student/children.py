"""Programs that a notebook starts: each imports the student's files as they are at that moment."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from autograder.source import ROOT

SECONDS = 3600


def environment() -> dict[str, str]:
    """Returns the variables of a child: this tree comes first, one thread, no window."""
    found = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "MPLBACKEND": "Agg"}
    found.setdefault("OMP_NUM_THREADS", "1")
    found.setdefault("SDL_VIDEODRIVER", "dummy")
    return found


def run(words: Sequence[str], text: str = "") -> subprocess.CompletedProcess[str]:
    """Runs Python with some words in the tree; `text` is what it reads."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=environment(),
        input=text,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def start(words: Sequence[str], errors: Path) -> subprocess.Popen[bytes]:
    """Starts Python with some words in the tree; its errors go into a file."""
    with errors.open("wb") as stream:
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stream,
        )


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """Returns the line with which a program ended."""
    return last_of(done.stderr or done.stdout)


def last_of(text: str) -> str:
    """Returns the last line of a text that has anything in it."""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "it ended")
