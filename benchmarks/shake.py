"""Grades a class while it is shaken, and looks at every verdict: `shake.py --write`.

Workers, boxes and the command itself are killed at random, the disk fills up, and the database is
locked for a minute. Filling needs root, for a small file system of its own; else it is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import class_of_300
from common import ROOT, publish, table

from autograder.classroom.gradebook import FILE, Gradebook
from tests.attacks.machine import adopt_orphans, descendants

COUNTS = {"right": 40, "mistaken": 30, "broken": 10, "hostile": 20}
COMMAND_KILLS = 10  # of all, are of the command itself
DISK = 64  # megabytes of the small file system
FULL_SECONDS, LOCKED_SECONDS = 10.0, 60.0
BETWEEN = (5, 45)  # verdicts from one kill to the next
PATIENCE = 60.0  # seconds, where none come: it begins with reading what is handed in
LONGEST = 3600.0
MOST_CALM = 60.0  # seconds in which all that was left behind must end


class Shaking:
    """Kills, fills and locks while a command runs, again and again."""

    def __init__(self, book: Path, kills: int, draw: random.Random) -> None:
        """Shakes what grades into `book`."""
        self.book, self.kills, self.draw = book, kills, draw
        self.done: Counter[str] = Counter()
        self.command: subprocess.Popen[bytes] | None = None
        self.over = threading.Event()
        self.threads = [threading.Thread(target=work) for work in (self.kill, self.block)]

    def __enter__(self) -> Shaking:
        """Begins."""
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Leaves in peace what is still running."""
        self.over.set()
        for thread in self.threads:
            thread.join()

    def kill(self) -> None:
        """Kills a process every few seconds: mostly one below the command, at times itself."""
        whole = set(self.draw.sample(range(self.kills), min(self.kills, COMMAND_KILLS)))
        while self.done["kills"] < self.kills and not self.over.is_set():
            wanted = verdicts(self.book) + self.draw.randint(*BETWEEN)
            deadline = time.monotonic() + PATIENCE
            while verdicts(self.book) < wanted and time.monotonic() < deadline:
                if self.over.wait(0.1):
                    return
            if self.command is None or self.command.poll() is not None:
                continue
            top = self.command.pid
            below = descendants(top)
            itself = self.done["kills"] in whole or not below
            victim = top if itself else self.draw.choice(sorted(below))
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
                self.done["kills"] += 1
                self.done["the command" if itself else below[victim]] += 1

    def block(self) -> None:
        """Fills the disk, and locks the database, once each verdicts have begun to come."""
        for work in (self.fill, self.lock, self.fill):
            while not self.over.wait(1.0) and verdicts(self.book) < 200 * (1 + self.done["blocks"]):
                continue
            if self.over.is_set():
                return
            work()
            self.done["blocks"] += 1

    def fill(self) -> None:
        """Leaves no byte on the gradebook's disk for a while, if that is one of its own."""
        if not os.path.ismount(self.book.parent):
            return
        ballast = self.book.parent / "ballast"
        with ballast.open("wb", buffering=0) as stream, contextlib.suppress(OSError):
            while True:
                stream.write(bytes(4096))
        self.done["disk full"] += 1
        self.over.wait(FULL_SECONDS)
        ballast.unlink()

    def lock(self) -> None:
        """Holds the database, as a backup may."""
        with contextlib.closing(sqlite3.connect(self.book / FILE, timeout=60)) as other:
            other.execute("BEGIN IMMEDIATE")
            self.done["database locked"] += 1
            self.over.wait(LOCKED_SECONDS)
            other.rollback()


def verdicts(book: Path) -> int:
    """Returns how many verdicts a gradebook holds."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{book / FILE}?mode=ro", uri=True)) as found:
            return int(found.execute("SELECT COUNT(*) FROM verdicts").fetchone()[0])
    except sqlite3.Error:
        return 0


def graded(command: list[str], started: Callable[[subprocess.Popen[bytes]], None]) -> list[int]:
    """Gives a command until it ends well; returns how each time ended."""
    ends: list[int] = []
    deadline = time.monotonic() + LONGEST
    while not ends or ends[-1] != 0:
        process = subprocess.Popen(command, cwd=ROOT)
        started(process)
        ends.append(process.wait(timeout=deadline - time.monotonic()))
        time.sleep(1.0)  # what was left notices
    return ends


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """Mounts a small file system; where that is not allowed, the folder is as large as any."""
    folder.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", f"size={DISK}m", "tmpfs", str(folder)]
    mounted = subprocess.run(options, capture_output=True).returncode == 0
    try:
        yield folder
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def main() -> None:
    """Grades, shakes and compares."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--write", action="store_true", help="into docs/results/robustness.md")
    args = parser.parse_args()
    adopt_orphans()
    draw = random.Random(args.seed)
    class_of_300.COUNTS.update(COUNTS)
    with tempfile.TemporaryDirectory() as place, small_disk(Path(place) / "disk") as disk:
        folder = Path(place) / "class"
        folder.mkdir()
        made = [
            *class_of_300.right_and_mistaken(folder, draw),
            *class_of_300.broken(folder),
            *class_of_300.hostile(folder, draw),
        ]
        command = [sys.executable, "-m", "autograder", "grade", "hw3", str(folder)]
        command += ["--seed", str(args.seed + 1000), "--jobs", "2", "--out"]
        began = time.monotonic()
        with Shaking(disk / "shaken", args.kills, draw) as shaking:
            ends = graded([*command, str(disk / "shaken")], partial(setattr, shaking, "command"))
        seconds = time.monotonic() - began
        alive, calm = left_over()
        with contextlib.closing(Gradebook(disk / "shaken")) as book:
            wrong = class_of_300.wrong_verdicts(book, {name: wanted for name, _, wanted in made})
    print("\n".join(wrong))
    hostile = tuple(name for name, kind, _ in made if kind == "hostile")
    of_hostile = [line for line in wrong if line.startswith(hostile)]
    kinds = ", ".join(f"{sum(k == kind for _, k, _ in made)} {kind}" for kind in COUNTS)
    killed = ", ".join(
        f"{count} {name}" for name, count in shaking.done.most_common()
        if name not in ("kills", "blocks", "disk full", "database locked")
    )  # fmt: skip
    rows = [
        ["submissions", f"{len(made)}: {kinds}"],
        ["killed with `kill -9`, by name", f"{shaking.done['kills']}: {killed}"],
        [f"disk full, for {FULL_SECONDS:.0f} s", f"{shaking.done['disk full']} times"],
        [f"database locked, for {LOCKED_SECONDS:.0f} s", f"{shaking.done['database locked']}"],
        ["the command was given", f"{len(ends)} times, and ended with {message(ends)}"],
        ["minutes", f"{seconds / 60:.1f}"],
        [
            "verdicts of honest submissions other than they must be",
            str(len(wrong) - len(of_hostile)),
        ],
        ["verdicts of hostile ones other than they must be", str(len(of_hostile))],
        ["seconds until the last process of them all had ended", f"{calm:.0f}"],
        ["processes that live on", ", ".join(alive.values()) or "none"],
    ]
    how = "After each end the command is given again, until it has judged all."
    publish("Shaken", how, [table(["", ""], rows)], args.write, page="robustness.md")


def left_over() -> tuple[dict[int, str], float]:
    """Waits for what was left behind to end; returns what did not, and how long it took."""
    began = time.monotonic()
    while (alive := descendants()) and time.monotonic() - began < MOST_CALM:
        time.sleep(0.2)
    return alive, time.monotonic() - began


def message(ends: list[int]) -> str:
    """Returns how a command ended, how often."""
    words = {0: "all judged", -9: "killed"}
    counts = Counter(words.get(end, f"status {end}") for end in ends)
    return ", ".join(f"{name} ({count})" for name, count in counts.items())


if __name__ == "__main__":
    main()
