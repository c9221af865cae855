"""`pack`: makes the zip to hand in, and lists what is in it and what is still open."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.base import checks as homeworks
from autograder.base.files import write_zip
from autograder.base.results import PASSED
from autograder.base.text import UsageError
from autograder.classroom.read_submission import plainly_read
from autograder.commands import Commands
from autograder.evidence.files import UnreadableError
from autograder.evidence.rules import questions
from autograder.grading import board
from autograder.grading.next_step import COMMAND, DATA
from autograder.source.submission import own_package
from autograder.student import last_check
from autograder.student.hand_in import HandIn, collect

WIDTH = board.WIDTH
LARGEST = 100 * 2**20  # bytes that Gradescope takes; Canvas takes more
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}\.zip")  # no platform changes such a name


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "pack", allow_abbrev=False, help="make the zip to hand in, and list what is open"
    )
    parser.add_argument("homework", help="such as hw3")
    parser.add_argument(
        "--runs",
        type=Path,
        nargs="?",
        const=DATA,
        metavar="DATA",
        help=f"also the training runs that the homework asks for; the folder they are in ({DATA})",
    )
    parser.add_argument(
        "--add", type=Path, nargs="+", default=[], metavar="FILE", help="further files: report.pdf"
    )
    parser.add_argument(
        "-o", "--out", type=Path, metavar="FILE.zip", help="the zip to write (hw3_hand_in.zip)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the zip; returns 0, or 1 if anything is open.

    Raises:
        UsageError: If there is nothing to pack, or the zip cannot be written or handed in.
    """
    homeworks.checks(args.homework)  # that there is such a homework
    out = args.out or Path(f"{args.homework}_hand_in.zip")
    if not NAME.fullmatch(out.name):
        raise UsageError(f"-o {out.name}: take letters, digits, . _ and -, and the end .zip")
    package, remark = own_package()
    if remark:
        raise UsageError(f"no cs285/ folder is here; type it where you unpacked {args.homework}")
    found = gather(args, package)
    try:
        missing = write(found, out)
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}") from error
    found.open += [f"{path} cannot be read in class: give it another name" for path in missing]
    verdict, is_fresh = about_check(args.homework, package)
    for line in page(found, out):
        print(line)
    print("\n" + wrapped(verdict, "check: ", "       "))
    for line in ending(args, found, out):
        print(line)
    return int(bool(found.open) or not is_fresh)


def gather(args: argparse.Namespace, package: Path) -> HandIn:
    """Returns what goes into the zip.

    Raises:
        UsageError: If a file or a folder that was named is not there.
    """
    asked = questions(args.homework)
    if args.runs and not asked:
        raise UsageError(f"--runs: {args.homework} asks for no runs")
    if args.runs and not args.runs.is_dir():
        raise UsageError(f"--runs {args.runs}: there is no such folder")
    try:
        found = collect(args.homework, package, args.runs)
    except UnreadableError as error:
        raise UsageError(f"--runs {args.runs}: {error}") from error
    for file in args.add:
        if not file.is_file():
            raise UsageError(f"--add {file}: there is no such file")
        found.files[file.name] = file
    if asked and not args.runs and any(DATA.glob(f"{args.homework}_q*")):
        found.open.append(f"the runs in {DATA} are left out; --runs adds them")
    return found


def write(found: HandIn, out: Path) -> list[str]:
    """Writes the zip, and reads it as `grade` and `runs` do; returns what these cannot read.

    Raises:
        UsageError: If it is too large, or they refuse it.
        OSError: If it cannot be written.
    """
    part = out.with_name(f".{out.name}")  # the reader goes by the end of the name
    try:
        write_zip(part, {path: file.read_bytes() for path, file in found.files.items()})
        readable = read_back(part)
        if (size := part.stat().st_size) > LARGEST:
            raise UsageError(f"{out}: {in_units(size)} are more than Gradescope's 100 MB")
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    mine = [path for path in found.files if path.endswith(".py") or path.startswith("data/")]
    return [path for path in mine if path not in readable]


def read_back(file: Path) -> set[str]:
    """Returns the paths of Python files and runs that the grader finds in a zip.

    Raises:
        UsageError: If it refuses the zip.
    """
    readable: set[str] = set()
    for runs, above in ((False, ""), (True, "data/")):
        read = plainly_read([file], runs)
        if "unreadable" in read:
            raise UsageError(f"the zip would be refused: {read['unreadable']}; leave something out")
        readable |= {above + path for path in read["read"]}
    return readable


def page(found: HandIn, out: Path) -> Iterator[str]:
    """Yields the contents with their sizes, and what is open."""
    yield f"{out}: {len(found.files)} files, {in_units(out.stat().st_size)}\n"
    rest = dict(found.files)
    for name, remark in found.remarks.items():
        inside = [path for path in rest if path == name or path.startswith(f"{name}/")]
        size = sum(rest.pop(path).stat().st_size for path in inside)
        yield f"  {in_units(size):>9}  {name}  ({remark})"
    for path, file in rest.items():
        yield f"  {in_units(file.stat().st_size):>9}  {path}"
    yield "\nopen:" if found.open else "\nnothing is open"
    for line in found.open:
        yield wrapped(line, "  - ", "    ")


def wrapped(line: str, first: str, rest: str) -> str:
    """Returns a line in the board's width, behind `first`; paths and names stay whole."""
    words = textwrap.TextWrapper(
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return words.fill(line)


def in_units(size: int) -> str:
    """Returns a size in kB, from a megabyte on in MB."""
    return f"{size / 2**20:.1f} MB" if size >= 2**20 else f"{size / 2**10:.1f} kB"


def about_check(homework: str, package: Path) -> tuple[str, bool]:
    """Returns what `check` showed last, and whether it is about these files and all blanks."""
    checks = [check for check in homeworks.checks(homework) if check.points]
    shown = last_check.read(homework, package)
    known = [shown[check.id] for check in checks if check.id in shown]
    again = f"type {COMMAND} check {homework}"
    if not known:
        return f"it has not judged this tree yet; {again}", False
    code = last_check.hash_of(package)
    old = sum(one.code != code for one in known)
    points, passed = sum(one.points for one in known), sum(one.verdict == PASSED for one in known)
    most = sum(check.points for check in checks)
    line = f"{points} of {most} points, {passed} of {len(checks)} passed"
    line += f"; shown at {max(one.time for one in known)}"
    if old:
        return f"{line}; older than your files: {again}", False
    if len(known) < len(checks):
        return f"{line}; {len(checks) - len(known)} blanks were not judged: {again}", False
    return f"{line}, on these files", True


def ending(args: argparse.Namespace, found: HandIn, out: Path) -> Sequence[str]:
    """Returns what to do next."""
    if args.runs and any(path.startswith("data/") for path in found.files):
        judge = f"{COMMAND} runs {args.homework} {out}"
        return [f"next: {judge}", f"      judges the runs in it; then hand in {out.name}"]
    first = "close what is open and pack again, or " if found.open else ""
    without = [
        f"      or, with the runs that your course asks for: {COMMAND} pack {args.homework} --runs"
    ]
    asked = questions(args.homework) and not args.runs
    return [f"next: {first}hand in {out.name} as it is", *(without if asked else [])]
