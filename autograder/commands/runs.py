"""`runs`: judges the runs of a homework's experiments, from their folders."""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

from autograder.base.results import BLANK, PASSED, Report, Verdict, exit_status
from autograder.base.text import UsageError
from autograder.classroom.archive_formats import UnreadableError
from autograder.classroom.read_submission import is_archive, unpack_runs
from autograder.commands import Commands, check_report, seed, write_report
from autograder.evidence.rules import questions
from autograder.grading import board


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "runs", allow_abbrev=False, help="judge the runs of the experiments, and explain"
    )
    parser.add_argument("homework", help="such as hw3")
    parser.add_argument(
        "data", type=Path, metavar="DATA", help="the folder of the run folders, or a zip of `pack`"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the verdicts there too")
    parser.add_argument("--seed", type=seed, default=0, help="of the judge's episodes (0)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Judges; returns the exit status.

    Raises:
        UsageError: If there is nothing to judge, or the JSON cannot be written.
        autograder.base.text.UnknownHomeworkError: If there is no such homework.
    """
    from autograder.evidence import judging  # slow, so only when the command line is understood

    asked = questions(args.homework)
    if not asked:
        raise UsageError(f"{args.homework} asks for no runs")
    if not args.data.is_dir() and not (args.data.is_file() and is_archive(args.data)):
        raise UsageError(f"{args.data} is no folder; name the one that contains the run folders")
    check_report(args.json)
    report = Report(args.homework, sum(question.points for question in asked))
    began = time.monotonic()
    print(f"{'runs':<29} {'what is run':<26} points\n{'-' * board.WIDTH}", flush=True)
    with unpacked(args.data.resolve()) as data:
        run_folder = judging.read_folder(args.homework, data)
        verdicts = judging.judge_each(run_folder, args.seed)
        layout = board.Layout(colour=board.has_colour(sys.stdout))
        for line in board.lines(report, verdicts, began, layout):
            print(line, flush=True)
    for verdict in report.verdicts:
        print(f"\n{explain(verdict)}")
    write_report(args.json, report.as_dict())
    return exit_status(report.verdicts)


@contextlib.contextmanager
def unpacked(data: Path) -> Iterator[Path]:
    """Yields a folder with the runs: itself, or what is in an archive.

    Raises:
        UsageError: If the archive is damaged, or there is too much in it.
    """
    if data.is_dir():
        yield data
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            unpack_runs([data], Path(folder))
        except (UnreadableError, OSError) as error:
            raise UsageError(f"{data.name}: {error}") from error
        yield Path(folder)


def explain(verdict: Verdict) -> str:
    """Returns what was found, also where all is well: numbers that a student may compare."""
    if verdict.verdict not in (PASSED, BLANK):
        return board.explain(verdict)
    lines = [f"{verdict.id}: {verdict.title}", ""]
    for line in verdict.message.splitlines():
        lines += textwrap.wrap(line, board.WIDTH, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)
