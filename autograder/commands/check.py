"""`check`: judges one submission and explains what is wrong."""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from autograder.base import checks as homeworks
from autograder.base.checks import LEVELS, Check
from autograder.base.errors import UsageError
from autograder.base.files import python_files
from autograder.base.results import Report, exit_status
from autograder.commands import Commands, check_report, level, seconds, seed, write_report
from autograder.grading import board
from autograder.grading.grader import Grader
from autograder.misconceptions import catalogue, trainings
from autograder.misconceptions.lookup import oracle_for
from autograder.misconceptions.oracle import NAMED_SEED, PUBLIC_SEEDS, is_handout
from autograder.misconceptions.question import question
from autograder.running.session import Session
from autograder.running.worker import die_with_parent
from autograder.source import altered as altered_files
from autograder.source import wrong_handout
from autograder.source.submission import find_package

NAMES = (
    f"a handout knows with seed {NAMED_SEED} alone what each mistake leads to; with seed {{seed}} "
    "it distinguishes right from wrong, and most mistakes have no name"
)
NICE = 19  # of the process that predicts: the least urgent there is
POLL = 0.1  # seconds between looks at the files, with --watch


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "check", allow_abbrev=False, help="judge one submission, and explain what is wrong"
    )
    parser.add_argument("homework", help="such as hw3")
    parser.add_argument(
        "-k", metavar="WORDS", help='only checks that have these words: -k "double_q or sync"'
    )
    parser.add_argument(
        "--level",
        type=level,
        choices=LEVELS,
        default="formula",
        help="formula: the blanks one by one, seconds (default); tiny: also the whole agent in "
        "tiny environments, about a minute",
    )
    parser.add_argument("--submission", type=Path, metavar="DIR", help="what was handed in")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the verdicts there too")
    parser.add_argument("--seed", type=seed, default=0, help="of the numbers in the checks (0)")
    parser.add_argument(
        "--limit", type=seconds, metavar="SECONDS", help="most time for a check (its own: often 10)"
    )
    parser.add_argument("--watch", action="store_true", help="judge again whenever a file is saved")
    parser.set_defaults(run=run)


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


def judge_once(
    grader: Grader, package: Path, checks: Sequence[Check], args: argparse.Namespace
) -> Report:
    """Judges, showing each verdict as it comes; returns the report."""
    report = Report(args.homework, sum(check.points for check in checks))
    began = time.monotonic()
    if other := wrong_handout.line_on_folder(args.homework, package):
        report.notes.append(other)
        print(f"{board.remark(other)}\n")
    print(board.head(args.homework, args.level, args.seed), flush=True)
    altered = altered_files.notes_on(args.homework, package)
    grader.altered = bool(altered or args.k)  # what is asked for by name is checked all the same
    for line in board.lines(report, grader.judge(checks), began):
        print(line, flush=True)
    report.notes += altered
    for text in board.explanations(report.verdicts):
        print(f"\n{text}")
    for note in altered:
        print(f"\n{board.remark(note)}")
    if is_handout(args.homework) and args.seed != NAMED_SEED and report.score < report.max_score:
        print(f"\n{board.remark(NAMES.format(seed=args.seed))}")
    if not args.k and (blanks := catalogue.ungraded(args.homework)):
        print(f"\n{board.not_judged(blanks)}")
    sys.stdout.flush()
    write_report(args.json, report.as_dict())
    return report


def stamps(package: Path) -> set[tuple[str, int, int]]:
    """Returns path, time of the last change and size of each of the student's files."""
    found = set()
    for file in python_files(package):
        with contextlib.suppress(OSError):  # it is being saved at this moment
            status = file.stat()
            path = file.relative_to(package).as_posix()
            found.add((path, status.st_mtime_ns, status.st_size))
    return found


def watch(grader: Grader, package: Path, checks: Sequence[Check], args: argparse.Namespace) -> None:
    """Judges again after each save what depends on the saved files, until Ctrl-C."""
    last: Report | None = None
    ids = [check.id for check in checks]
    predicting = multiprocessing.get_context("spawn").Process(
        target=foresee_misconceptions, args=(args.homework, ids, args.seed), daemon=True
    )
    while True:
        before = stamps(package)
        grader.beside = False  # the board need not wait for whole trainings
        report = judge_once(grader, package, checks, args)
        report = judge_beside(grader, report, checks)
        if last:
            show_changes(last, report)
        last = report
        print("\nwatching: save a file to judge again, Ctrl-C to stop", flush=True)
        if predicting.pid is None and not is_handout(args.homework):
            predicting.start()
        while not (changed := stamps(package) ^ before):
            time.sleep(POLL)
        grader.forget({path for path, _, _ in changed})
        print("\n" + "=" * board.WIDTH)


def judge_beside(grader: Grader, report: Report, checks: Sequence[Check]) -> Report:
    """Lets whole agents train beside ours; shows and returns what that changes."""
    grader.beside = True
    after = replace(report, verdicts=list(grader.judge(checks)))
    known = {verdict.id: verdict for verdict in report.verdicts}
    changed = [v for v in after.verdicts if v.message != known[v.id].message]
    if changed:
        print("\nYour whole agents then trained beside ours:")
        for text in board.explanations(changed):
            print(f"\n{text}")
        print(f"\n{board.foot(after)}")
    return after


def show_changes(before: Report, after: Report) -> None:
    """Tells which verdicts are others than after the save before."""
    colour = board.has_colour(sys.stdout)
    changes = list(board.changes(before.verdicts, after.verdicts, colour))
    print("\nsince the last save:" if changes else "\nsince the last save: no verdict has changed")
    for line in changes:
        print(f"  {line}")


def foresee(check: Check, seed: int) -> None:
    """Predicts what will be compared, while a worker is busy; what goes wrong is told later."""
    if check.beside or not check.judged_by:
        try:
            if check.beside:
                next(oracle_for(question(check), trainings.SEED).right_forms(), None)
            else:
                oracle_for(question(check), seed).with_misconceptions(0)
        except UsageError:
            raise
        except Exception:  # noqa: BLE001  (the same error comes up where this is compared)
            pass


def foresee_misconceptions(homework: str, ids: Sequence[str], seed: int) -> None:
    """Predicts what mistakes lead to, in a process of its own, while nobody saves anything.

    So the first mistake in a blank need not wait for it. All else goes first on a busy machine.
    """
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICE)
    chosen = [c for c in homeworks.checks(homework) if c.id in ids and not c.judged_by]
    oracles = [oracle_for(question(check), seed) for check in chosen]
    for number in (1, 2):
        for oracle in oracles:
            oracle.foresee(number)


def run(args: argparse.Namespace) -> int:
    """Judges, once or after each save; returns the exit status.

    Raises:
        UsageError: If there is nothing to judge, or nothing is known for the seed.
    """
    checks = choose(homeworks.checks(args.homework), args.level, args.k)
    if is_handout(args.homework) and args.seed not in PUBLIC_SEEDS:
        seeds = ", ".join(map(str, PUBLIC_SEEDS))
        why = f"this copy holds the answers for the seeds {seeds} alone"
        raise UsageError(f"--seed {args.seed}: {why}")
    check_report(args.json)
    try:
        package = args.submission and find_package(args.submission)
    except OSError as error:
        raise UsageError(f"--submission: {error}; it takes a folder that holds cs285/") from error
    with closing(Session(package)) as session:
        session.meanwhile = foresee
        foresee(checks[0], args.seed)
        grader = Grader(session, args.seed, args.limit)
        if args.watch:
            watch(grader, session.folder, checks, args)
        return exit_status(judge_once(grader, session.folder, checks, args).verdicts)
