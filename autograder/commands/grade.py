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

from autograder.base.checks import LEVELS
from autograder.base.checks import checks as known_checks
from autograder.base.errors import UsageError
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
from autograder.classroom.parallel import ENGINES
from autograder.classroom.reader import Found
from autograder.classroom.roster import Student, read_roster
from autograder.commands import Commands, level
from autograder.commands.listing import list_submissions
from autograder.isolation.sandbox_client import Sandbox, open_walls
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
    parser.add_argument(
        "--out", type=Path, required=True, metavar="GRADEBOOK", help="folder; goes on where it is"
    )
    parser.add_argument("--deadline", metavar="TIME", help="such as 2026-10-01T23:59+02:00")
    add_options(parser)
    parser.set_defaults(run=run)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describes what `grade` and `regrade` have in common."""
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at the same time")
    parser.add_argument("--engine", choices=ENGINES, default="loky", help="who carries the work")
    parser.add_argument(
        "--level", type=level, choices=LEVELS, default="formula", help="how far to go"
    )
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
    with prepared(args) as (book, found, roster):
        if deadline:
            book.set_fact("deadline", deadline.isoformat())
        grading, problems = judge_class(book, found, roster, args)
        book.set_current(grading)
        print(f"now: python -m autograder report {args.out}")
    return 3 if problems else 0


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
    roster = read_roster(args.roster) if args.roster else []
    found = find(args.submissions, args.homework, args.runs)
    test_sandbox(args.homework)
    try:
        with contextlib.closing(Gradebook(args.out, create)) as book, locked(args.out):
            yield book, found, roster
    except (sqlite3.Error, OSError) as error:
        raise UsageError(
            f"{args.out}: {error}; what was judged so far is kept, and the same command goes on"
        ) from error


def judge_class(
    book: Gradebook, found: Sequence[Found], roster: Sequence[Student], args: argparse.Namespace
) -> tuple[Grading, list[str]]:
    """Judges what has no verdicts yet; returns the grading, and what went wrong on our side."""
    grading = begin(book, args)
    students = list_submissions(book, args.homework, found, roster)
    jobs = jobs_of(book, found, grading, args)
    left = [job for job in jobs if not is_done(book, job)]
    print(
        f"{len(found)} submissions of {students} students, {len(jobs)} different; "
        f"{len(left)} to be judged"
    )
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


def read_deadline(text: str | None) -> datetime | None:
    """Reads a time with its zone.

    Raises:
        UsageError: If it is none.
    """
    if text is None:
        return None
    try:
        when = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            f"--deadline {text!r} is no time such as 2026-10-01T23:59+02:00"
        ) from error
    return when if when.tzinfo else when.astimezone()


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


def begin(book: Gradebook, args: argparse.Namespace) -> Grading:
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
    if book.fact("seed") is None:
        book.set_fact("seed", str(secrets.randbelow(2**31 - SECRET_FROM) + SECRET_FROM))
    seed = args.seed if args.seed is not None else int(book.fact("seed") or 0)
    return book.begin(grader_digest(args.homework), seed, args.level, now())


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
