"""Grades a class of 300 made-up submissions, and checks every verdict.

    python benchmarks/class_of_300.py --write
    python benchmarks/class_of_300.py --homework hw4

Right forms, mistakes of every kind, broken files and archives, and attacks; the expected verdicts
are those of the corpus and of the attack suite, which is of homework 3. Of other homeworks the
right forms and mistakes are those that their mutations spell, and nothing is hostile. As in any
class, the gradebook draws what they are asked with, so no prediction has been made before.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from common import ROOT, publish, table, usable_cpus

from autograder.base import checks as homeworks
from autograder.classroom.gradebook import Gradebook
from autograder.misconceptions.catalogue import question
from autograder.misconceptions.mutants import written
from autograder.misconceptions.mutation_file import mutation_set_of
from tests.attacks.suite import attacks
from tests.autograder.classes import verdicts_in
from tests.autograder.corpus import Entry, all_entries, homes, write
from tests.autograder.test_blame import DEAD

Expected = Mapping[str, str]
"""Check id -> verdict; empty if nothing can be judged."""
COUNTS = {"right": 120, "mistaken": 120, "broken": 30, "hostile": 30}
SYNTAX = "def broken(:\n"


def blanks(homework: str) -> list[str]:
    """Returns the checks that count points."""
    return [check.id for check in homeworks.checks(homework) if check.points]


BLANKS = blanks("hw3")


def of_mutations(
    homework: str, folder: Path, draw: random.Random
) -> Iterator[tuple[str, str, Expected]]:
    """Writes submissions with one blank changed as its mutations spell it, none twice."""
    for kind, wrong in (("right", 0), ("mistaken", 1)):
        fitting = list[tuple[str, Mapping[str, str]]]()
        for check in homeworks.checks(homework):
            asked = question(check)
            choices = mutation_set_of(asked).choices(wrong) if check.points else ()
            fitting += [(check.id, files) for c in choices for files in written(asked, c)]
        for number in range(COUNTS[kind] + COUNTS["hostile"] * wrong):
            name, (blank, files) = f"{kind}-{number:03d}", draw.choice(fitting)
            package = write(folder / name, [])
            for path, text in files.items():
                (package / path).write_text(f"{text}\n# {number}\n")
            if not files:
                (package / "notes.py").write_text(f"# {number}\n")
            changed = {blank: "failed"} if wrong else {}
            yield name, kind, dict.fromkeys(blanks(homework), "passed") | changed


def right_and_mistaken(folder: Path, draw: random.Random) -> Iterator[tuple[str, str, Expected]]:
    """Writes submissions with one blank changed; yields name, kind and verdicts."""
    entries = [entry for entry in all_entries() if entry.blank in homes()]
    for kind, wanted in (("right", False), ("mistaken", True)):
        fitting = [entry for entry in entries if bool(entry.misconceptions) == wanted]
        for number, entry in enumerate(draw.sample(fitting, COUNTS[kind])):
            name = f"{kind}-{number:03d}"
            write(folder / name, [entry])
            wanted = dict.fromkeys(BLANKS, "passed") | failed(entry)
            wanted.pop(DEAD.get(entry.name, ""), None)  # right alone, and training dies of it
            yield name, kind, wanted


def failed(entry: Entry) -> Expected:
    """Returns the verdict that a mistake brings about."""
    return {entry.judged_by: "failed"} if entry.misconceptions and entry.judged_by in BLANKS else {}


def broken(homework: str, folder: Path) -> Iterator[tuple[str, str, Expected]]:
    """Writes submissions of which a file cannot be read, or nothing at all."""
    places, every = homes(homework), blanks(homework)
    files = sorted({path for path, _ in places.values()})
    for number in range(COUNTS["broken"]):
        name = f"broken-{number:03d}"
        kind = number % 3
        if kind == 0:  # a file that does not parse costs its own blanks
            path = files[number // 3 % len(files)]
            file = write(folder / name, []) / path
            file.write_text(f"# {number}\n{SYNTAX}{file.read_text()}")
            lost = dict.fromkeys((b for b, (p, _) in places.items() if p == path), "failed")
            yield name, "broken", dict.fromkeys(every, "passed") | lost
        elif kind == 1:  # a file that is missing is as it was given out
            path = files[number // 3 % len(files)]
            package = write(folder / name, [])
            (package / path).unlink()
            (package / "notes.py").write_text(f"# {number}\n")
            lost = dict.fromkeys((b for b, (p, _) in places.items() if p == path), "blank")
            yield name, "broken", dict.fromkeys(every, "passed") | lost
        else:
            (folder / f"{name}.zip").write_bytes(b"PK\x03\x04" + bytes(number))
            yield name, "broken", {}


def hostile(folder: Path, draw: random.Random) -> Iterator[tuple[str, str, Expected]]:
    """Writes attacks."""
    fitting = [a for a in attacks() if not a.benign and len(a.students) == 1]
    for attack in draw.sample(fitting, min(COUNTS["hostile"], len(fitting))):
        (student,) = attack.students
        attack.hand_in(folder)
        yield student, "hostile", {} if attack.expect == "refused" else attack.verdicts()


def submissions(
    homework: str, folder: Path, draw: random.Random
) -> list[tuple[str, str, Expected]]:
    """Writes the class; returns name, kind and verdicts of each."""
    if homework == "hw3":
        made = [*right_and_mistaken(folder, draw), *hostile(folder, draw)]
    else:
        made = [*of_mutations(homework, folder, draw)]
    return [*made, *broken(homework, folder)]


def wrong_verdicts(book: Gradebook, expected: Mapping[str, Expected]) -> list[str]:
    """Returns a line for each verdict that is not as it must be."""
    attackers = {student: attack for attack in attacks() for student in attack.students}
    (grading,) = book.gradings()
    lines = []
    for submission in book.submissions():
        wanted = expected[submission.student]
        verdicts = book.verdicts(submission.digest or "", grading)
        found = {check: verdict.verdict for check, verdict in verdicts.items()}
        if submission.student in attackers:
            found = attackers[submission.student].judged(found)
        lines += [
            f"{submission.student} {check}: {found.get(check, 'none')}, expected {verdict}"
            f" ({verdicts[check].message if check in verdicts else ''})"
            for check, verdict in wanted.items()
            if found.get(check) != verdict
        ]
        if bool(wanted) != bool(found):
            lines.append(f"{submission.student}: {len(found)} verdicts")
    return lines


def grade(command: list[str], out: Path, kills: int, draw: random.Random) -> int:
    """Runs a command to its end, killed at random moments; returns how often."""
    done = 0
    steps = COUNTS["right"] * 4 // (kills + 1) * len(BLANKS) // 2
    while True:
        process = subprocess.Popen(command, cwd=ROOT)
        wanted = verdicts_in(out) + draw.randint(1, steps)
        while process.poll() is None:
            if done < kills and verdicts_in(out) >= wanted:
                time.sleep(draw.uniform(0, 0.2))
                process.kill()
                process.wait()
                done += 1
                break
            time.sleep(0.05)
        else:
            if process.returncode:
                raise RuntimeError(f"grade ended with status {process.returncode}")
            return done


def main() -> None:
    """Makes the class, grades it, and compares."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--homework", default="hw3", choices=homeworks.names())
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=usable_cpus())
    parser.add_argument("--engine", default="loky")
    parser.add_argument("--kills", type=int, default=0, help="kill -9 at so many random moments")
    parser.add_argument("--keep", type=Path, help="leave class and gradebook here")
    parser.add_argument("--write", action="store_true", help="into docs/results/performance.md")
    args = parser.parse_args()
    draw = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as place:
        top = args.keep or Path(place)
        folder, out = top / "class", top / "gradebook"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        made = submissions(args.homework, folder, draw)
        command = ["grade", args.homework, str(folder), "--out", str(out)]
        command += ["--jobs", str(args.jobs), "--engine", args.engine]
        began = time.monotonic()
        killed = grade([sys.executable, "-m", "autograder", *command], out, args.kills, draw)
        seconds = time.monotonic() - began
        book = Gradebook(out)
        lines = wrong_verdicts(book, {name: wanted for name, _, wanted in made})
        (again,) = book.connection.execute("SELECT SUM(times) - COUNT(*) FROM attempts").fetchone()
        (spent,) = book.connection.execute("SELECT SUM(seconds) FROM verdicts").fetchone()
        book.close()
    print("\n".join(lines))
    kinds = ", ".join(f"{sum(k == kind for _, k, _ in made)} {kind}" for kind in COUNTS)
    rows = [
        ["submissions", f"{len(made)}: {kinds}"],
        ["engine, jobs", f"{args.engine}, {args.jobs}"],
        ["minutes in all, sandbox's self-test included", f"{seconds / 60:.1f}"],
        ["seconds of probing and judging a submission", f"{spent / len(made):.2f}"],
        ["verdicts not as expected", str(len(lines))],
        ["killed, and gone on with", str(killed)],
        ["checks that were started once more", str(again)],
    ]
    how = f"In sandboxes, {args.jobs} submissions at a time."
    title = "Grading a class of 300"
    if args.homework != "hw3":
        title += f": {args.homework}"
    if args.kills:
        title = "A class of 300, killed"
        how += (
            f" With `--kills {args.kills}`: ended by `kill -9` at random moments, and given again."
        )
    publish(title, how, [table(["", ""], rows)], args.write)


if __name__ == "__main__":
    main()
