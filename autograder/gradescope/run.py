"""Grades what one student handed in to Gradescope: `python -m autograder.gradescope.run FOLDER`.

FOLDER is /autograder there. Whatever happens, results.json has every check with its full points.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from autograder.base import checks as homeworks
from autograder.base.checks import Check
from autograder.base.results import GRADER_ERROR
from autograder.evidence.rules import questions
from autograder.gradescope.contract import Results, clean
from autograder.gradescope.other_user import OtherUser
from autograder.gradescope.settings import Settings
from autograder.gradescope.upload import UploadError, lateness, read_upload
from autograder.grading.grader import Grader
from autograder.grading.judging import LimitedJudge, altered_given
from autograder.running.limits import Limited
from autograder.running.session import Worker
from autograder.source.altered import another_years

OUR_FAULT = "The grader itself failed. That is not your fault; the course staff will run it again."
NO_TIME = "Not judged: the checks before this one used up all the time that there is."


def open_box(
    settings: Settings, private: Sequence[Path], results: Results, stack: contextlib.ExitStack
) -> OtherUser:
    """Opens the box, and reports how it is closed; it ends with `stack`.

    Raises:
        WorkerError: If it is not closed here.
        OSError: If it cannot be built.
    """
    box = OtherUser(settings.homework)
    stack.callback(box.end)
    found = box.try_walls(private)
    results.extra["protections"] = [vars(protection) for protection in found]
    works = ", ".join(f"{p.name} {p.why}".strip() for p in found if p.works)
    lacks = ", ".join(p.name for p in found if not p.works)
    rest = f"; not here: {lacks}" if lacks else ""
    results.lines.append(f"Your code ran as another user, closed by: {works}{rest}.")
    return box


def close_to_others(folders: Sequence[Path]) -> None:
    """Leaves files and folders to their owner alone."""
    for folder in folders:
        folder.chmod(0o700 if folder.is_dir() else 0o600)


def judge(base: Path, settings: Settings, results: Results) -> None:
    """Judges the submission.

    Raises:
        WorkerError: If the box is not closed here.
        OSError: If the results cannot be written, or the box cannot be built.
    """
    metadata = base / "submission_metadata.json"
    private = [base / "source", base / "results", base / "submission", metadata]
    private = [path for path in private if path.exists()]
    close_to_others(private)
    results.lines.append(lateness(metadata))
    try:
        found = read_upload(base / "submission", settings.homework, settings.runs)
    except UploadError as error:
        results.lines.insert(0, str(error))
        results.instead = str(error)
        return
    files = found.files
    results.lines += [f"{line}." for line in found.remarks]
    if other := another_years(settings.homework, files):
        results.lines.insert(0, f"Note: {other}.")
    with contextlib.ExitStack() as stack:
        box = open_box(settings, private, results, stack)
        box.open(files)
        limited = stack.enter_context(contextlib.closing(Limited()))
        grader = limited_grader(box, settings, limited)
        results.lines += altered_given(settings.homework, files, limited)
        if judge_all(grader, settings, results) and settings.runs:
            judge_runs(found.places, settings, results)


def judge_runs(places: Sequence[Path], settings: Settings, results: Results) -> None:
    """Judges the training runs; their weights play here, outside of the box."""
    from autograder.classroom.read_submission import unpack_runs
    from autograder.evidence.judging import judge_each, read_folder  # slow to load

    with tempfile.TemporaryDirectory() as data:
        unpack_runs(places, Path(data))
        for verdict in judge_each(read_folder(settings.homework, Path(data)), settings.seed):
            results.add(verdict)


def limited_grader(box: Worker, settings: Settings, limited: Limited) -> Grader:
    """Returns what judges in a process with limits."""
    judge = LimitedJudge(limited)
    return Grader(box, settings.seed, judged=judge, answers=False)  # they will hand in again


def judge_all(grader: Grader, settings: Settings, results: Results) -> bool:
    """Judges every check of code, as long as there is time; returns whether there was enough."""
    deadline = time.monotonic() + 60 * settings.minutes
    for verdict in grader.judge([check for check in results.checks if check.probe]):
        with contextlib.suppress(OSError):  # a full disk, perhaps: the last write will do
            results.add(verdict)
        if time.monotonic() > deadline:
            results.instead = NO_TIME
            return False
    return True


def runs_as_checks(homework: str) -> list[Check]:
    """Returns a line of the results for each question about runs."""
    asked = questions(homework)
    return [Check(one.id, one.title, one.points, (), "") for one in asked]


def main(argv: Sequence[str] | None = None) -> int:
    """Grades; returns 0 if there is a verdict on everything, else 1."""
    parser = argparse.ArgumentParser(prog="python -m autograder.gradescope.run")
    parser.add_argument("folder", type=Path, help="what is /autograder on Gradescope")
    base = parser.parse_args(argv).folder.absolute()
    settings = Settings(**json.loads((base / "source" / "settings.json").read_text()))
    checks = list(homeworks.checks(settings.homework))
    if settings.runs:
        checks += runs_as_checks(settings.homework)
    file = base / "results" / "results.json"
    results = Results(file, settings.homework, checks, settings.explain)
    results.write()
    try:
        judge(base, settings, results)
        failed = any(v.verdict == GRADER_ERROR for v in results.verdicts.values())
    except Exception as error:  # noqa: BLE001  (whatever it is, the student must not suffer)
        traceback.print_exc()
        results.extra["error"] = clean(f"{type(error).__name__}: {error}")
        failed = True
    if failed:
        results.lines.insert(0, OUR_FAULT)
        results.instead = OUR_FAULT
    results.write()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
