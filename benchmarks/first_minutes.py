"""Writes down what the progress bars say in their first minute: docs/results/first_minutes.md.

    python benchmarks/first_minutes.py

Each command runs on a terminal of its own, as somebody sees it who has just installed the project,
and is stopped after a minute.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

from common import ROOT, machine

PAGE = ROOT / "docs/results/first_minutes.md"
COMMANDS = (
    "python scripts/run_hw3_dqn.py --env_name MsPacman-v0 --exp_name q1",
    "python scripts/run_hw3_dqn.py --env_name LunarLander-v3 --exp_name q2_dqn_1",
)
SECONDS, EVERY, COLUMNS = 75, 5, 110
HEAD = """# The first minutes

What the progress bars of two commands say, read every {every} seconds. The clock starts with the
command, and begins with what Python needs to import PyTorch. Random steps of the warm-up are quick,
and steps that learn are many times as slow. So a bar shows how long its present phase takes, and
nothing of the other's.
"""


def watch(command: str, data_dir: str) -> list[str]:
    """Runs a command on a terminal for `SECONDS`; returns its first lines and the bar over time."""
    words = [sys.executable, *shlex.split(command)[1:], "--data_dir", data_dir]
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    process = subprocess.Popen(words, cwd=ROOT, env=env, stdout=theirs, stderr=theirs)
    os.close(theirs)
    began, record, lines = time.monotonic(), "", []
    while (passed := time.monotonic() - began) < SECONDS:
        if select.select([ours], [], [], 0.2)[0]:
            record += os.read(ours, 65536).decode(errors="replace")
        if passed >= EVERY * (len(lines) + 1):
            shown = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", record).strip())
            bar = next((text for text in reversed(shown) if " / " in text), "")
            lines.append(f"{len(lines) * EVERY + EVERY:3d} s  {bar.strip()}")
    process.send_signal(signal.SIGINT)
    process.wait(60)
    os.close(ours)
    return lines


def main() -> None:
    """Watches each command, and writes the page."""
    parts = [HEAD.format(every=EVERY)]
    for command in COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            lines = watch(command, str(Path(folder) / "data"))
        print("\n".join(lines), flush=True)
        parts.append(f"```\n$ {command}\n" + "\n".join(lines) + "\n```\n")
    parts.append(f"`python benchmarks/first_minutes.py`; {machine()}.\n")
    PAGE.write_text("\n".join(parts))


if __name__ == "__main__":
    main()
