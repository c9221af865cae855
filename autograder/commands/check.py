"""`check`: judges one submission and explains what is wrong."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from autograder.base import checks as homeworks
from autograder.base.checks import Check
from autograder.base.results import Report, exit_status
from autograder.base.text import UsageError
from autograder.classroom.submitted import opened
from autograder.commands import Commands, check_report, seconds, seed, write_report
from autograder.evidence.rules import questions
from autograder.grading import board
from autograder.grading.explained import Context, prints_by_check
from autograder.grading.grader import Grader
from autograder.grading.next_step import next_step, page_of
from autograder.misconceptions import catalogue, stories
from autograder.misconceptions.catalogue import question
from autograder.misconceptions.oracle import NAMED_SEED, PUBLIC_SEEDS, is_handout
from autograder.misconceptions.search import oracle_for
from autograder.running.children import die_with_parent
from autograder.running.session import Session
from autograder.source.altered import altered, another_years
from autograder.source.submission import await_save, files_in, own_package, places, stamps
from autograder.student import last_check

NAMES = (
    f"a handout knows with seed {NAMED_SEED} alone what each mistake leads to; with seed {{seed}} "
    "it distinguishes right from wrong, and most mistakes have no name"
)
NICE = 19  # of the process that predicts: the least urgent there is


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "check", allow_abbrev=False, help="judge one submission, and explain what is wrong"
    )
    parser.add_argument("homework", help="such as hw3")
    parser.add_argument(
        "-k", metavar="WORDS", help='only checks that have these words: -k "double_q or sync"'
    )
    parser.add_argument("--submission", type=Path, metavar="PLACE", help="a folder or archive")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the verdicts there too")
    parser.add_argument("--seed", type=seed, default=0, help="of the numbers in the checks (0)")
    parser.add_argument(
        "--limit", type=seconds, metavar="SECONDS", help="most time for a check (its own: often 10)"
    )
    parser.add_argument("--watch", action="store_true", help="judge again whenever a file is saved")
    parser.set_defaults(run=run)


def choose(checks: Sequence[Check], words: str | None) -> list[Check]:
    """Returns the checks that fit the words.

    Raises:
        UsageError: If there are none.
    """
    chosen = [check for check in checks if not words or fits(check, words)]
    if not chosen:
        raise UsageError(f"-k {words!r} fits no check; leave it out to see all")
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
    report, code = new_report(checks, args), last_check.hash_of(package)
    for text in board_of(report, grader, package, checks, args):
        print(text, flush=True)
    keep_verdicts(report, package, code, args)
    write_report(args.json, report.as_dict())
    return report


def keep_verdicts(report: Report, package: Path, code: str, args: argparse.Namespace) -> None:
    """Keeps the verdicts on the student's own tree for `pack`; `code` is the hash of its files."""
    if args.keep:
        last_check.keep(args.homework, package, code, report.verdicts)


def new_report(checks: Sequence[Check], args: argparse.Namespace) -> Report:
    """Returns a report without verdicts."""
    return Report(args.homework, sum(check.points for check in checks))


def board_of(
    report: Report,
    grader: Grader,
    package: Path,
    checks: Sequence[Check],
    args: argparse.Namespace,
    last: Report | None = None,
) -> Iterator[str]:
    """Judges, and yields the board, line after line; the report gets verdicts and notes.

    Args:
        report: An empty one.
        grader: Judges.
        package: The student's `cs285` folder.
        checks: What is judged.
        args: The command line.
        last: The report before this one, if changes are to be marked.
    """
    began = time.monotonic()
    layout = board.layout_for(checks, sys.stdout)
    files = files_in(package)
    if other := another_years(args.homework, files):
        report.notes.append(other)
        yield f"{board.remark(other, layout.width)}\n"
    yield board.head(args.homework, args.seed, layout)
    notes = altered(args.homework, files)
    known = last.verdicts if last else ()
    yield from board.lines(report, grader.judge(checks), began, layout, known)
    report.notes += notes
    if grader.equal:
        yield board.trained_beside(grader.equal, layout.width)
    if not args.k and (blanks := in_order(args.homework, catalogue.ungraded(args.homework))):
        of = len(catalogue.blanks(args.homework))
        yield f"\n{board.not_judged(blanks, of, layout.width)}"
    context = context_of(grader, package, checks, args, layout)
    for text in board.explanations(report.verdicts, context):
        yield f"\n{text}"
    for note in notes:
        yield f"\n{board.remark(note, layout.width)}"
    if is_handout(args.homework) and args.seed != NAMED_SEED and report.score < report.max_score:
        yield f"\n{board.remark(NAMES.format(seed=args.seed), layout.width)}"
    if last:
        yield from changes(last, report, layout)
    runs = bool(questions(args.homework))
    step = next_step(args.homework, checks, report.verdicts, context.places, runs)
    yield f"\n{board.next_line(step, layout.width)}"


def in_order(homework: str, blanks: Sequence[str]) -> list[str]:
    """Returns blanks in the order of the handout's table."""
    table = homeworks.table_of(homework)
    return sorted(blanks, key=lambda id: table.index(id) if id in table else len(table))


def context_of(
    grader: Grader,
    package: Path,
    checks: Sequence[Check],
    args: argparse.Namespace,
    layout: board.Layout,
) -> Context:
    """Returns what the board shows beside the verdicts."""
    found = places(args.homework, package)
    prints = prints_by_check(checks, grader.printed_for, found)
    numbers = {check.id: check.number for check in checks}
    return Context(args.homework, numbers, found, prints, page_of, layout.width, layout.colour)


def watch(grader: Grader, package: Path, checks: Sequence[Check], args: argparse.Namespace) -> None:
    """Judges again after each save what depends on the saved files, until Ctrl-C."""
    last: Report | None = None
    ids = [check.id for check in checks]
    predicting = multiprocessing.get_context("spawn").Process(
        target=foresee_misconceptions, args=(args.homework, ids, args.seed), daemon=True
    )
    in_place = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    print("judging ...", flush=True)
    while True:
        before, earlier, code = stamps(package), last, last_check.hash_of(package)
        for grader.beside in (False, True):  # a board need not wait for whole trainings
            report = new_report(checks, args)
            text = "\n".join(board_of(report, grader, package, checks, args, earlier))
            if stamps(package) != before:  # it may show half of a save
                break
            if not (grader.beside and last) or messages_of(report) != messages_of(last):
                show(text, in_place, first=last is None)
                write_report(args.json, report.as_dict())
                keep_verdicts(report, package, code, args)
            elif grader.equal:
                print(board.trained_beside(grader.equal), flush=True)
            last = report
        if predicting.pid is None and not is_handout(args.homework):
            predicting.start()
        saved = await_save(package, before)
        grader.forget(saved)
        print("saved: judging again ...", flush=True)


def messages_of(report: Report) -> list[tuple[str, str]]:
    """Returns verdict and message of each check."""
    return [(verdict.verdict, verdict.message) for verdict in report.verdicts]


def show(text: str, in_place: bool, first: bool) -> None:
    """Shows a board: on a terminal in the place of the one before, elsewhere below it."""
    above = board.CLEAR if in_place else "" if first else "=" * board.WIDTH + "\n"
    print(f"{above}{text}\nwatching: save a file to judge again, Ctrl-C to stop", flush=True)


def changes(before: Report, after: Report, layout: board.Layout) -> Iterator[str]:
    """Yields which verdicts are others than after the save before."""
    found = list(board.changes(before.verdicts, after.verdicts, layout.colour, layout.width - 4))
    yield "\nsince the last save:" if found else "\nsince the last save: no verdict has changed"
    for line in found:
        yield "  " + line.replace("\n", "\n    ")


def foresee(check: Check, seed: int) -> None:
    """Predicts what will be compared, while a worker is busy; what goes wrong is told later."""
    try:
        if check.beside:
            next(oracle_for(question(check), stories.SEED).right_forms(), None)
        else:
            _ = oracle_for(question(check), seed).right
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
    chosen = [c for c in homeworks.checks(homework) if c.id in ids and not c.beside]
    oracles = [oracle_for(question(check), seed) for check in chosen]
    for number in (1, 2):
        for oracle in oracles:
            oracle.foresee(number)


def run(args: argparse.Namespace) -> int:
    """Judges, once or after each save; returns the exit status.

    Raises:
        UsageError: If there is nothing to judge, or nothing is known for the seed.
    """
    checks = choose(homeworks.checks(args.homework), args.k)
    if is_handout(args.homework) and args.seed not in PUBLIC_SEEDS:
        seeds = ", ".join(map(str, PUBLIC_SEEDS))
        why = f"this copy holds the answers for the seeds {seeds} alone"
        raise UsageError(f"--seed {args.seed}: {why}")
    check_report(args.json)
    with ExitStack() as stack:
        if args.submission:
            package, remarks = stack.enter_context(
                opened(args.submission, args.homework, args.watch)
            )
            args.keep = False
        else:
            package, remark = own_package()
            remarks = [remark] if remark else []
            args.keep = not remark  # an installed package is nobody's tree
        sys.stderr.write("".join(f"autograder: {line}\n" for line in remarks))
        session = stack.enter_context(closing(Session(package)))
        session.meanwhile = foresee
        foresee(checks[0], args.seed)
        grader = Grader(session, args.seed, args.limit)
        if args.watch:
            watch(grader, session.folder, checks, args)
        return exit_status(judge_once(grader, session.folder, checks, args).verdicts)
