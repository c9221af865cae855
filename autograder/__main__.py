"""`python -m autograder check hw3`: judges a homework and names its mistakes."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from autograder import board, homework
from autograder.check import LEVELS, Check
from autograder.grading import Grader
from autograder.results import Report, exit_status, write_json
from autograder.session import Session
from autograder.submission import find_package

POLL = 0.1  # seconds between looks at the files, with --watch


class UsageError(Exception):
    """What was asked for cannot be done; one line says why and how to mend it."""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m autograder", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser(
        "check", allow_abbrev=False, help="judge one submission, and explain what is wrong"
    )
    check.add_argument("homework", help="such as hw3")
    check.add_argument(
        "-k", metavar="WORDS", help='only checks that have these words: -k "double_q or sync"'
    )
    check.add_argument(
        "--level",
        choices=LEVELS,
        default="formula",
        help="formula: the blanks one by one, seconds (default); probe: also the whole agent in "
        "tiny environments, about a minute; learn: also CartPole and LunarLander, minutes",
    )
    check.add_argument("--submission", type=Path, metavar="DIR", help="what was handed in")
    check.add_argument("--json", type=Path, metavar="FILE", help="write the verdicts there too")
    check.add_argument("--seed", type=int, default=0, help="of the numbers in the checks (0)")
    check.add_argument(
        "--limit", type=float, metavar="SECONDS", help="most time for a check (its own: often 10)"
    )
    check.add_argument("--watch", action="store_true", help="judge again whenever a file is saved")
    return parser.parse_args(argv)


def choose(checks: Sequence[Check], level: str, words: str | None) -> list[Check]:
    """Returns the checks up to a level that fit the words.

    Raises:
        UsageError: If there are none.
    """
    allowed = LEVELS[: LEVELS.index(level) + 1]
    chosen = [check for check in checks if check.level in allowed]
    if words:
        chosen = [check for check in chosen if fits(check, words)]
    if not chosen:
        raise UsageError(f"-k {words!r} fits no check of level {level}; leave it out to see all")
    return chosen


def fits(check: Check, words: str) -> bool:
    """Tells whether a check has all words of one of the alternatives, which "or" separates."""
    text = f"{check.id} {check.title}".lower()
    return any(
        all(word in text for word in alternative.split())
        for alternative in words.lower().split(" or ")
    )


def find_submission(folder: Path | None) -> Path | None:
    """Returns the `cs285` folder to judge; None for this checkout's own.

    Raises:
        UsageError: If there is none.
    """
    if folder is None:
        return None
    try:
        return find_package(folder)
    except OSError as error:
        raise UsageError(f"--submission: {error}; it takes a folder that holds cs285/") from error


def judge_once(session: Session, checks: Sequence[Check], args: argparse.Namespace) -> Report:
    """Judges, showing each verdict as it comes; returns the report."""
    known = homework.mistakes(args.homework)
    report = Report(args.homework, sum(check.points for check in checks))
    began = time.monotonic()
    print(board.head(args.homework, args.level, args.seed), flush=True)
    for verdict in Grader(session, known, args.seed, args.limit).judge(checks):
        report.verdicts.append(verdict)
        if board.shown(verdict):
            print(board.row(verdict), flush=True)
    report.seconds = time.monotonic() - began
    print(board.foot(report))
    for text in board.explanations(report.verdicts):
        print(f"\n{text}")
    sys.stdout.flush()
    if args.json:
        try:
            write_json(report, args.json)
        except OSError as error:
            raise UsageError(f"--json: {args.json} cannot be written: {error.strerror}") from error
    return report


def stamps(package: Path) -> dict[str, tuple[int, int]]:
    """Returns when each of the student's files was last changed, and its size."""
    found = {}
    for file in package.rglob("*.py"):
        try:
            status = file.stat()
        except OSError:  # it is being saved at this moment
            continue
        found[str(file)] = (status.st_mtime_ns, status.st_size)
    return found


def watch(session: Session, checks: Sequence[Check], args: argparse.Namespace) -> None:
    """Judges again after each save, until Ctrl-C."""
    package = session.folder
    while True:
        before = stamps(package)
        judge_once(session, checks, args)
        print("\nwatching: save a file to judge again, Ctrl-C to stop", flush=True)
        while stamps(package) == before:
            time.sleep(POLL)
        print("\n" + "=" * board.WIDTH)


def check_command(args: argparse.Namespace) -> int:
    """Runs `check`; returns the exit status."""
    checks = choose(homework.checks(args.homework), args.level, args.k)
    package = find_submission(args.submission)
    with closing(Session(package)) as session:
        if args.watch:
            watch(session, checks, args)
        return exit_status(judge_once(session, checks, args).verdicts)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; returns 0 all right, 1 something to mend, 2 bad usage, 3 our own error."""
    args = parse(argv)
    try:
        return check_command(args)
    except (UsageError, homework.UnknownHomeworkError) as error:
        sys.stderr.write(f"autograder: {error}\n")
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
