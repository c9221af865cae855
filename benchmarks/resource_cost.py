"""What the worst submissions cost whoever judges them: `resource_cost.py --write`.

Each archive, record and given file that is made to cost much is handed in beside a right solution,
and both are graded by the real command. Linux only.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from common import ROOT, publish, table

from autograder.classroom.gradebook import Gradebook
from tests.attacks.machine import descendants
from tests.attacks.suite import as_folder, attacks, solved_files

PAGE = "robustness.md"
LOOK = 0.02  # seconds between looks at the processes
MOST_SECONDS, MOST_BYTES = 30.0, 2**30
SUITE = (
    "archives/tar_header_of_zeros",
    "archives/tar_header_of_digits",
    "archives/tar_of_long_names",
    "archives/tar_of_many_headers",
    "archives/tar_of_holes",
    "archives/tar_bomb",
    "archives/zip_bomb",
    "archives/zip_of_many_names",
    "archives/too_many_files",
    "archives/size_that_lies",
    "archives/long_path_of_a_run",
    "archives/hundred_megabytes",
    "forging/huge_record",
    "forging/counts_without_end",
    "forging/shape_without_end",
    "forging/note_of_megabytes",
    "forging/enormous_numbers",
    "forging/deeply_nested_message",
    "forging/crash_for_the_regular_expressions",
    "resources/large_record",
    "resources/given_file_of_many_definitions",
    "resources/source_that_breaks_the_parser",
)


class Cost(NamedTuple):
    """What grading a folder took."""

    seconds: float
    judge: int  # bytes of all processes of the judge's together, at their most
    box: int  # the same of the boxes


def tar_of_a_gigabyte(folder: Path, kind: Literal["gz", "bz2", "xz"]) -> None:
    """An archive that unpacks to no more than is allowed."""
    modes: dict[str, Literal["w:gz", "w:bz2", "w:xz"]] = {
        "gz": "w:gz",
        "bz2": "w:bz2",
        "xz": "w:xz",
    }
    with tarfile.open(folder / f"hostile.tar.{kind}", modes[kind]) as archive:
        info = tarfile.TarInfo("cs285/zeros.bin")
        info.size = 2**30 - 2**20
        with open("/dev/zero", "rb") as zeros:
            archive.addfile(info, zeros)


def made() -> Iterator[tuple[str, Callable[[Path], None]]]:
    """Yields what is handed in: its idea, and what writes it into a folder."""
    known = {attack.name: attack for attack in attacks()}
    yield "nothing", lambda folder: None
    for name in SUITE:
        yield known[name].idea, known[name].hand_in
    kinds: tuple[Literal["gz", "bz2", "xz"], ...] = ("gz", "bz2", "xz")
    for kind in kinds:
        yield (
            f"A .tar.{kind} that unpacks to a gigabyte, which is allowed.",
            partial(tar_of_a_gigabyte, kind=kind),
        )


def measured(command: list[str]) -> Cost:
    """Runs a command, and looks at the memory of all that come of it."""
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    judge = box = 0
    while process.poll() is None:
        now = {pid: resident(pid) for pid in [process.pid, *descendants(process.pid)]}
        boxes = {pid for pid in now if in_a_box(pid)}
        judge = max(judge, sum(size for pid, size in now.items() if pid not in boxes))
        box = max(box, sum(now[pid] for pid in boxes))
        time.sleep(LOOK)
    seconds = time.monotonic() - began
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with status {process.returncode}")
    return Cost(seconds, judge, box)


def resident(pid: int) -> int:
    """Returns the bytes of memory that a process holds as its own; 0 if it has ended."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return 0
    return (int(pages[1]) - int(pages[2])) * os.sysconf("SC_PAGESIZE")


def in_a_box(pid: int) -> bool:
    """Tells whether a process belongs to a box: it is bubblewrap's, or runs within."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return True
    return b"autograder.isolation.sandbox_inside" in words


def wrong(gradebook: Path) -> list[str]:
    """Returns what the right submission did not get."""
    book = Gradebook(gradebook)
    (grading,) = book.gradings()
    (right,) = [one for one in book.submissions() if one.student == "right"]
    verdicts = book.verdicts(right.digest or "", grading)
    book.close()
    return [i for i, one in verdicts.items() if one.verdict != "passed" and ".runs." not in i]


def cost(hand_in: Callable[[Path], None], seed: int) -> tuple[Cost, list[str]]:
    """Grades one hostile submission beside a right one; returns also what the right one lost."""
    with tempfile.TemporaryDirectory() as place:
        folder, out = Path(place, "class"), Path(place, "gradebook")
        as_folder(solved_files(), folder / "right")
        hand_in(folder)
        command = [sys.executable, "-m", "autograder", "grade", "hw3", str(folder), "--jobs", "1"]
        found = measured([*command, "--out", str(out), "--seed", str(seed), "--runs"])
        return found, wrong(out)


def main() -> None:
    """Measures each."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--only", default="", help="those whose idea holds this text")
    parser.add_argument("--write", action="store_true", help="into docs/results/robustness.md")
    args = parser.parse_args()
    rows = []
    cost(lambda folder: None, args.seed)  # which makes the predictions
    first, _ = cost(lambda folder: None, args.seed)
    for idea, hand_in in made():
        if args.only not in idea:
            continue
        found, lost = cost(hand_in, args.seed)
        more = found.seconds - first.seconds
        bad = more > MOST_SECONDS or found.judge - first.judge > MOST_BYTES or lost
        memory = [f"{size / 2**20:.0f}" for size in (found.judge, found.box)]
        rows.append(
            [
                idea.rstrip("."),
                f"{round(more):+d}" if round(more) else "0",
                *memory,
                "too much" if bad else "within",
            ]
        )
        print(rows[-1], lost, flush=True)
        # Each time anew: whoever ends this early keeps what is measured.
        head = ["handed in", "seconds more", "MB of the judge", "MB of the box", "30 s and 1 GB"]
        how = (
            "One at a time, beside a right solution, by `python -m autograder grade hw3 ... --runs "
            f"--jobs 1`: seconds beyond the {first.seconds:.0f} of the right solution alone, and "
            "the memory, not shared with files, of all processes at their most together. Within: "
            "at most 30 s and 1 GB of the judge more, and the right solution loses nothing."
        )
        publish("What the worst of them cost", how, [table(head, rows)], args.write, PAGE)


if __name__ == "__main__":
    main()
