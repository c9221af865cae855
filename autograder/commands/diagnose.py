"""`diagnose`: reports why a run does not learn, from its log, its settings and its weights."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from autograder.base.text import UsageError
from autograder.commands import Commands, check_report, write_report


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "diagnose", allow_abbrev=False, help="report why a run does not learn, from its folder"
    )
    parser.add_argument("run_dir", type=Path, metavar="RUN_DIR", help="such as data/hw3_...")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what is found there too")
    parser.add_argument(
        "--html", action="store_true", help="write the run's page, run.html, with what is found"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Diagnoses; returns 0 if nothing is found, 1 if something is.

    Raises:
        UsageError: If the folder contains no run that can be read, or the JSON cannot be written.
    """
    check_report(args.json)
    # slow, so only when the command line is understood
    from autograder.diagnose import examine, shown
    from autograder.diagnose.record import read_record
    from autograder.evidence.files import UnreadableError

    try:
        record = read_record(args.run_dir)
    except UnreadableError as error:
        raise UsageError(f"{args.run_dir}: {error}") from error
    found = examine(record)
    try:
        shown.BLOCKS.encode(sys.stdout.encoding or "ascii")
        levels = shown.BLOCKS
    except (UnicodeEncodeError, LookupError):
        levels = shown.PLAIN
    for line in shown.lines(record, found, levels):
        print(line)
    write_report(args.json, shown.as_dict(record, found))
    if args.html:
        print(f"\n{_page(args.run_dir, shown.for_page(found))}")
    return 1 if found else 0


def _page(run_dir: Path, findings: Sequence[Mapping[str, Any]]) -> str:
    """Writes the page of a run with its findings; returns a line about it.

    Raises:
        UsageError: If it cannot be written.
    """
    from autograder.evidence.files import UnreadableError
    from autograder.evidence.run_page import write_page

    try:
        page = write_page(run_dir, findings)
    except UnreadableError as error:
        raise UsageError(f"--html: {run_dir}: {error}") from error
    return f"page: {page}" if page else "no page: the log has no row yet"
