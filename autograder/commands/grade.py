"""`grade`: judges a whole class, sandboxed, into a gradebook."""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from autograder.base.checks import checks as known_checks
from autograder.base.text import UsageError, counted
from autograder.classroom.again import Scope
from autograder.classroom.collect import collect, skipped
from autograder.classroom.grade import (
    SECRET_FROM,
    Job,
    grade,
    grader_digest,
    is_done,
    may_be_ours,
    seed_of,
)
from autograder.classroom.gradebook import Gradebook, Grading
from autograder.classroom.listing import list_submissions
from autograder.classroom.parallel import ENGINES
from autograder.classroom.policy import Policy
from autograder.classroom.policy_file import read_deadline, read_policy
from autograder.classroom.reader import Found
from autograder.classroom.roster import Student, match, read_roster
from autograder.classroom.survey import lines as survey_lines
from autograder.classroom.survey import survey
from autograder.commands import Commands
from autograder.isolation.sandbox_client import Sandbox, open_walls
from autograder.misconceptions.oracle import PUBLIC_SEEDS
from autograder.release import ahead
from autograder.reports.opening import POLICY
from autograder.running.session import WorkerError
from autograder.source.handout_files import given_files

LOCK = "grading.lock"


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "grade", allow_abbrev=False, help="judge a class of submissions, each in a sandbox"
    )
    parser.add_argument("homework", help="such as hw3")
    parser.add_argument("submissions", type=Path, help="folder of what was handed in")
    parser.add_argument("--out", type=Path, metavar="GRADEBOOK", help="folder; goes on where it is")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="judge nothing: list whose submissions these are, and what is odd or late",
    )
    parser.add_argument("--deadline", metavar="TIME", help="such as 2026-10-01T23:59+02:00")
    add_options(parser)
    parser.set_defaults(run=run)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describes what `grade` and `regrade` have in common."""
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at the same time")
    parser.add_argument("--engine", choices=ENGINES, default="loky", help="who carries the work")
    parser.add_argument(
        "--runs", action="store_true", help="judge the training runs in data/ too, minutes each"
    )
    parser.add_argument("--roster", type=Path, metavar="CSV", help="columns id, name, email")
    parser.add_argument(
        "--seed",
        type=int,
        help="of the checks' numbers, for all (a few are drawn for the class, and kept secret)",
    )


def run(args: argparse.Namespace) -> int:
    """Grades; returns 0, or 3 if a submission could not be judged for reasons of ours."""
    deadline = read_deadline(args.deadline)
    if args.dry_run:
        return dry_run(args, deadline)
    if args.out is None:
        raise UsageError("grade: --out is missing: name the gradebook's folder, or say --dry-run")
    with prepared(args) as (book, found, roster):
        if deadline:
            book.set_fact("deadline", deadline.isoformat())
        grading, problems = judge_class(book, found, roster, args)
        book.set_current(grading)
        print(f"now: python -m autograder report {args.out}")
    return 3 if problems else 0


def dry_run(args: argparse.Namespace, deadline: datetime | None) -> int:
    """Prints what would be judged, and writes nothing; returns 0."""
    known_checks(args.homework)
    policy = Policy(deadline, deadline.tzinfo if deadline and deadline.tzinfo else UTC)
    if not deadline and args.out and (args.out / POLICY).is_file():
        policy = read_policy(args.out / POLICY)
    roster = read_roster(args.roster) if args.roster else []
    policy = policy.with_ids(lambda who: getattr(match(who, None, roster)[0], "id", who))
    found = find(args.submissions, args.homework, args.runs)
    rows = survey(args.homework, found, roster, policy)
    for line in survey_lines(rows, roster, policy):
        print("".join(c if c.isprintable() else "?" for c in line))
    return 0


@contextlib.contextmanager
def prepared(
    args: argparse.Namespace, create: bool = True
) -> Iterator[tuple[Gradebook, list[Found], list[Student]]]:
    """Looks at all that was given before anything is judged; opens the gradebook for one writer.

    Raises:
        UsageError: If something is wrong with it.
    """
    known_checks(args.homework)
    if args.jobs < 1:
        raise UsageError(f"--jobs {args.jobs}: at least 1 is needed")
    if args.seed in PUBLIC_SEEDS:
        progress(f"--seed {args.seed} is public: handouts have its right numbers; leave it out")
    roster = read_roster(args.roster) if args.roster else []
    progress(f"reading what lies in {args.submissions}")
    found = find(args.submissions, args.homework, args.runs)
    progress("testing the sandbox from within")
    test_sandbox(args.homework)
    try:
        with contextlib.closing(Gradebook(args.out, create)) as book, locked(args.out):
            yield book, found, roster
    except (sqlite3.Error, OSError) as error:
        raise UsageError(
            f"{args.out}: {error}; what was judged so far is kept, and the same command goes on"
        ) from error


def judge_class(
    book: Gradebook,
    found: Sequence[Found],
    roster: Sequence[Student],
    args: argparse.Namespace,
    scope: Scope | None = None,
) -> tuple[Grading, list[str]]:
    """Judges what has no verdicts yet; returns the grading, and what went wrong on our side.

    With a `scope`, only that is judged again.
    """
    grading = begin(book, args, scope)
    students = list_submissions(book, args.homework, found, roster)
    if scope:
        scope.carry_over(book, grading)
    jobs = jobs_of(book, found, grading, args)
    left = [job for job in jobs if not is_done(book, job)]
    print(
        f"{counted(len(found), 'submission')} of {counted(students, 'student')}, "
        f"{len(jobs)} different; {len(left)} to be judged"
    )
    if args.engine == "loky":  # a cluster's machines may have no folder of predictions in common
        ahead.predict_for_class(args.homework, {job.seed for job in left})
    problems = show_progress(left, args.engine, args.jobs)
    if unsure := [replace(job, alone=True) for job in jobs if may_be_ours(book, job)]:
        print(f"{len(unsure)} contain code that did not end: tried once more, one at a time")
        problems += show_progress(unsure, "loky", 1)
    if args.runs:
        from autograder.classroom.shared_runs import compare, sketch_earlier  # slow to load

        sketch_earlier(book, args.homework, found)
        for line in compare(book):
            print(line)
    if not problems:
        book.finish(grading, now())
    return grading, problems


def progress(line: str) -> None:
    """Prints what is done now, at once."""
    sys.stderr.write(f"autograder: {line}\n")
    sys.stderr.flush()


def jobs_of(
    book: Gradebook, found: Sequence[Found], grading: Grading, args: argparse.Namespace
) -> list[Job]:
    """Returns a job for each different submission that counts."""
    by_digest = {one.digest: one for one in found if one.digest is not None}
    jobs = []
    for digest in sorted({s.digest for s in book.submissions() if s.counts and s.digest}):
        one = by_digest[digest]
        seed = seed_of(grading.seed, digest) if args.seed is None else args.seed
        job = Job(args.out, args.homework, grading, digest, one.files, seed, args.runs, one.places)
        jobs.append(job)
    return jobs


def find(folder: Path, homework: str, runs: bool) -> list[Found]:
    """Returns the submissions in a folder.

    Raises:
        UsageError: If there are none.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; it should contain a folder or archive a student")
    try:
        found = collect(folder, sorted(given_files(homework)), runs)
    except OSError as error:
        raise UsageError(f"{folder}: {error}") from error
    if not found:
        raise UsageError(f"{folder} contains no submissions: neither folders nor archives")
    for name in skipped(folder):
        print(f"{name}: skipped, as neither a folder nor an archive, or hidden by its name")
    return found


def test_sandbox(homework: str) -> None:
    """Makes sure that the sandbox is closed on this machine.

    Raises:
        UsageError: If it is not: then nothing is run.
    """
    try:
        holes = holes_of(homework)
    except WorkerError:  # something may have ended it: once more
        try:
            holes = holes_of(homework)
        except WorkerError as error:
            raise UsageError(f"nothing was run, for {error}") from error
    if holes:
        raise UsageError(f"nothing was run, for the sandbox leaves open: {', '.join(holes)}")


def holes_of(homework: str) -> list[str]:
    """Returns what code in the sandbox can reach that it must not."""
    with contextlib.closing(Sandbox(homework)) as box:
        return open_walls(box)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Makes sure that one command at a time grades into a gradebook.

    Raises:
        UsageError: If another one does.
    """
    lock = FileLock(folder / LOCK, blocking=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise UsageError(f"{folder}: another command is grading into it now") from error
    try:
        yield
    finally:
        lock.release()


def begin(book: Gradebook, args: argparse.Namespace, scope: Scope | None = None) -> Grading:
    """Opens the grading, with the gradebook's own seed unless another one is asked for.

    Raises:
        UsageError: If the gradebook is another homework's.
    """
    known = book.fact("homework")
    if known not in (None, args.homework):
        raise UsageError(
            f"--out {args.out} contains {known}; give {args.homework} a folder of its own"
        )
    book.set_fact("homework", args.homework)
    if scope:
        return scope.begin(book, grader_digest(args.homework), now())
    if book.fact("seed") is None:
        book.set_fact("seed", str(secrets.randbelow(2**31 - SECRET_FROM) + SECRET_FROM))
    seed = args.seed if args.seed is not None else int(book.fact("seed") or 0)
    return book.begin(grader_digest(args.homework), seed, now())


def show_progress(jobs: Sequence[Job], engine: str, workers: int) -> list[str]:
    """Grades, with a bar; returns what went wrong on our side."""
    from tqdm import tqdm

    problems = []
    with tqdm(total=len(jobs), unit="submission", disable=not jobs) as bar:
        for problem in grade(jobs, engine, workers, lambda _: bar.update() and None):
            bar.write(f"not judged: {problem}", file=sys.stderr)
            problems.append(problem)
    return problems


def now() -> str:
    """Returns the present time, ISO, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
