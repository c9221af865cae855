"""Tries a tree as a student would: as it is, solved, and with one blank empty at a time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from autograder.base.results import BLANK, GRADER_ERROR, PASSED
from autograder.misconceptions import catalogue
from autograder.misconceptions.oracle import NAMED_SEED, PUBLIC_SEEDS
from autograder.release import ReleaseError
from autograder.release.progress import Progress
from autograder.source import reference
from autograder.source.blanks import find_regions
from autograder.source.handout_files import given_files
from autograder.source.reference import is_earlier, without_markers

MINUTES = 10
PARSING = threading.Lock()  # Python 3.11 cannot build two syntax trees at once
AT_ONCE = 4  # each try takes memory for two imports of PyTorch

Try = Callable[[], list[str]]


def problems(homework: str, folder: Path, full: bool) -> Iterator[str]:
    """Yields verdicts that are not what they must be; shows how many tries are done.

    Most of a try is spent on importing PyTorch, so as many run at once as there are processors.
    """
    tries = tries_of(homework, folder, full)
    if not tries:
        return
    progress = Progress("running `check` in the tree", len(tries))
    with progress, ThreadPoolExecutor(min(AT_ONCE, os.cpu_count() or 1)) as pool:
        running = [(name, pool.submit(one)) for name, one in tries.items()]
        try:
            for name, done in running:
                found = done.result()
                progress.step(name)
                yield from found
        finally:
            pool.shutdown(cancel_futures=True)
    for cache in folder.rglob("__pycache__"):
        shutil.rmtree(cache)


def tries_of(homework: str, folder: Path, full: bool) -> Mapping[str, Try]:
    """Returns what is to be tried, by name."""
    checks = catalogue.checks_so_far(homework)
    if not checks:
        return {}
    found: dict[str, Try] = {"the tree as it is": partial(as_given, homework, folder)}
    for seed in PUBLIC_SEEDS if full else (NAMED_SEED,):
        found[f"the solution with seed {seed}"] = partial(
            judge_solution, homework, folder, "", seed
        )
    if full:
        for blank in (check.id for check in checks if check.points):
            one = partial(judge_solution, homework, folder, blank, NAMED_SEED)
            found[f"the solution without {blank}"] = one
    return found


def as_given(homework: str, folder: Path) -> list[str]:
    """Returns the checks that do not say of the tree that nothing is filled in yet."""
    found = []
    for result in check(homework, folder, folder, NAMED_SEED)["results"]:
        wanted = BLANK if result["max_points"] else PASSED
        if result["verdict"] != wanted:
            found.append(f"{result['id']}: {result['verdict']} in the tree as it is, not {wanted}")
    return found


def judge_solution(homework: str, folder: Path, empty: str, seed: int) -> list[str]:
    """Returns the checks that do not say what they must of the solution with one blank empty."""
    with tempfile.TemporaryDirectory() as made:
        with PARSING:
            files = solved(homework, empty)
        for path, text in files.items():
            file = Path(made) / "cs285" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        report = check(homework, folder, Path(made), seed)
    what = f"the solution without {empty}" if empty else "the solution"
    wrong = [f"{what}: {note}" for note in report["notes"]]
    for result in report["results"]:
        wanted = BLANK if result["id"] == empty else PASSED
        if result["verdict"] != wanted:
            found = f"{result['verdict']} in {what} with seed {seed}, not {wanted}"
            wrong.append(f"{result['id']}: {found}: {result['message']}")
    return wrong


def solved(homework: str, empty: str = "") -> Mapping[str, str]:
    """Returns the files of cs285 with the solutions of a homework, but for one blank."""
    found = {}
    for path in given_files(homework):
        source = reference.texts()[path]
        regions = find_regions(source, path)
        later = {region.id for region in regions if is_earlier(homework, region.homework)}
        found[path] = without_markers(source, {empty} | later, path)
    return found


def check(homework: str, folder: Path, submission: Path, seed: int) -> dict[str, Any]:
    """Returns the report of the tree's own `check` on a submission.

    Where the grader itself failed, such as on a busy machine that starts no worker in time, it is
    tried once more.

    Raises:
        ReleaseError: If there is no report.
    """
    report = check_once(homework, folder, submission, seed)
    if any(result["verdict"] == GRADER_ERROR for result in report["results"]):
        report = check_once(homework, folder, submission, seed)
    return report


def check_once(homework: str, folder: Path, submission: Path, seed: int) -> dict[str, Any]:
    """Returns what the tree's own `check` says about a submission.

    Raises:
        ReleaseError: If it says nothing.
    """
    command = [sys.executable, "-m", "autograder", "check", homework, "--seed", str(seed)]
    with tempfile.TemporaryDirectory() as made:
        report = Path(made) / "report.json"
        command += ["--submission", str(submission), "--json", str(report)]
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
                capture_output=True,
                text=True,
                timeout=60 * MINUTES,
            )
        except subprocess.TimeoutExpired as error:
            raise ReleaseError(f"the tree's own check takes over {MINUTES} minutes") from error
        if not report.is_file():
            raise ReleaseError(f"the tree's own check failed: {done.stdout}{done.stderr}")
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return found
