"""What one submission may cost the judge, in time and memory: `resource_cost.py --write`.

Each attack on time or memory is handed in beside a right submission, and graded by the command.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from common import ROOT, publish, table

from autograder.classroom.gradebook import Gradebook
from tests.attacks.machine import descendants
from tests.attacks.suite import Attack, as_folder, attacks, solved_files

KINDS = (
    *("archives/header_of_zeros", "archives/name_without_end", "archives/tar_bomb"),
    *("archives/zip_bomb", "archives/zip_in_a_zip", "archives/size_that_lies"),
    *("archives/hundred_megabytes", "archives/too_many_files", "archives/deep_folders"),
    *("forging/shape_of_nothing", "forging/count_without_end", "forging/megabytes_of_text"),
    *("forging/huge_record", "forging/endless_names", "forging/deeply_nested_message"),
    *("resources/definitions_by_the_thousand", "resources/source_that_compiles_for_ever"),
    *("resources/source_that_breaks_the_parser", "resources/large_record", "resources/memory"),
    *("resources/memory_of_many", "resources/memory_without_a_name", "resources/spinning_children"),
)
BOX = "autograder.isolation.box"
EVERY = 0.05  # seconds
SEED = "1000"


class Watch(threading.Thread):
    """Notes the most memory that any process of the judge, and any of the box, has had."""

    def __init__(self, top: int) -> None:
        """Watches a process and all below it."""
        super().__init__()
        self.top = top
        self.judge = self.box = 0
        self.over = threading.Event()

    def run(self) -> None:
        """Looks at the peaks that the kernel keeps, again and again."""
        while not self.over.wait(EVERY):
            for number in [self.top, *descendants(self.top)]:
                with contextlib.suppress(OSError, StopIteration, ValueError):
                    place = Path(f"/proc/{number}")
                    lines = (place / "status").read_text().splitlines()
                    peak = int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
                    if BOX in (place / "cmdline").read_text():
                        self.box = max(self.box, peak)
                    else:
                        self.judge = max(self.judge, peak)


def graded(attack: Attack | None) -> tuple[float, Watch, str]:
    """Grades an attack beside a right submission; returns seconds, memory and what became of it."""
    with tempfile.TemporaryDirectory() as place:
        folder, out = Path(place) / "class", Path(place) / "book"
        as_folder(solved_files(), folder / "right")
        if attack:
            attack.hand_in(folder)
        command = [sys.executable, "-m", "autograder", "grade", "hw3", str(folder)]
        command += ["--out", str(out), "--jobs", "1", "--seed", SEED]
        began = time.monotonic()
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        watch = Watch(process.pid)
        watch.start()
        status = process.wait()
        seconds = time.monotonic() - began
        watch.over.set()
        watch.join()
        assert status == 0, status
        with contextlib.closing(Gradebook(out)) as book:
            (grading,) = book.gradings()
            points = {
                one.student: sum(
                    v.points for v in book.verdicts(one.digest or "", grading).values()
                )
                for one in book.submissions()
            }
            refused = any(one.problem for one in book.submissions())
    assert points.pop("right") == 100
    return seconds, watch, "refused" if refused else f"{sum(points.values())} points"


def main() -> None:
    """Measures each, and the right submission alone."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--write", action="store_true", help="into docs/results/robustness.md")
    args = parser.parse_args()
    graded(None)  # predictions of the seed are made once, by whoever comes first
    alone, watch, _ = graded(None)
    rows = [["the right submission alone", "100 points", f"{alone:.1f}", *_megabytes(watch)]]
    by_name = {attack.name: attack for attack in attacks()}
    for name in KINDS:
        seconds, watch, told = graded(by_name[name])
        rows.append([f"`{name}`", told, f"{max(0.0, seconds - alone):.1f}", *_megabytes(watch)])
        print(*rows[-1], sep="  ", flush=True)
    how = (
        "`grade` on a right submission, which has its 100 points each time, and one that means "
        "harm: seconds that it takes longer than the right one alone, and the most resident memory "
        "of any process of the judge's side and of the box's, in MB."
    )
    heads = ["handed in", "what became of it", "seconds", "judge", "box"]
    publish("What one may cost", how, [table(heads, rows)], args.write, page="robustness.md")


def _megabytes(watch: Watch) -> list[str]:
    return [f"{watch.judge >> 10}", f"{watch.box >> 10}"]


if __name__ == "__main__":
    main()
