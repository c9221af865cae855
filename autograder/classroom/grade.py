"""Grades a class: joblib spreads the submissions, each is judged in a sandbox, all is kept.

The unit of work is what was handed in, by content: the same files are judged once, whoever sent
them. Each verdict is on disk before the next check starts, so a run that was killed goes on.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import multiprocessing
import os
import random
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from autograder.base import checks as homeworks
from autograder.base.results import GRADER_ERROR, PASSED, STOPPED, Verdict
from autograder.classroom.gradebook import Gradebook, Grading
from autograder.classroom.parallel import in_parallel
from autograder.classroom.read_submission import unpack_runs
from autograder.grading.grader import Grader
from autograder.grading.judging import LimitedJudge, altered_given
from autograder.isolation.sandbox_client import Sandbox
from autograder.misconceptions import mutants, stories
from autograder.misconceptions.catalogue import beside_questions, questions
from autograder.misconceptions.search import oracle_for
from autograder.running.limits import Limited, where
from autograder.running.session import WorkerError
from autograder.source import ROOT
from autograder.source.handout_files import given_files

SECONDS = 2.5  # most time of a probe; they take a tenth of it
ALONE = "\n(tried once more, with nothing beside it: the same)"  # how a message ends then
ALONE_SECONDS = 5.0  # once more, where it took longer and nothing runs beside it
POLL = 0.5
SEEDS = 3  # of a class
SECRET_FROM = 1000  # seeds below are anybody's
JUDGING = ("base", "source", "running", "misconceptions", "grading", "isolation", "evidence")
"""Folders of the grader, besides its own and the homework's, on which verdicts depend."""


@dataclass(frozen=True)
class Job:
    """All that a worker needs to judge one submission."""

    gradebook: Path
    homework: str
    grading: Grading
    digest: str
    files: Mapping[str, bytes]
    seed: int
    """The seed of its probes."""
    with_runs: bool = False
    """Whether training runs are judged too."""
    runs: tuple[Path, ...] = ()
    """Folders and archives that have some."""
    alone: bool = False
    """Whether it is tried again with nothing beside it, as far as it ended early."""


def seed_of(secret: int, digest: str) -> int:
    """Returns the seed that a submission is asked with: one of a few, drawn by what is in it.

    Whoever learns theirs knows nothing of a classmate's, nor of their own next submission's; and
    judged again, the same files are asked the same. A few, since predictions take a while for each.
    """
    which = _drawn(f"{secret} {digest}") % SEEDS
    return SECRET_FROM + _drawn(f"{secret} {which}") % (2**31 - SECRET_FROM)


def _drawn(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def judging_files(homework: str) -> set[Path]:
    """Returns the grader's own files on which the verdicts of a homework depend."""
    folder = ROOT / "autograder"
    found = {f for kind in ("*.py", "*.json") for f in folder.glob(kind)}
    for part in (*JUDGING, f"homeworks/{homework}"):
        found |= {f for kind in ("*.py", "*.json", "*.toml") for f in (folder / part).rglob(kind)}
    for question in (*questions(homework), *beside_questions(homework)):
        found |= {*mutants.sources(question)}  # a probe may use another homework's fakes
    return {file for file in found if file.is_file()}


def grader_digest(homework: str) -> str:
    """Identifies the grader by its own files, the handout's, and the versions that it runs on."""
    import numpy
    import torch

    total = hashlib.sha256()
    texts = {str(f.relative_to(ROOT)): f.read_bytes() for f in judging_files(homework)}
    texts |= {path: text.encode() for path, text in given_files(homework).items()}
    for path, text in sorted(texts.items()):
        total.update(f"{path}\0".encode() + text + b"\0")
    total.update(f"{torch.__version__} {numpy.__version__}".encode())
    return total.hexdigest()[:16]


def grade(
    jobs: Sequence[Job], engine: str, workers: int, done: Callable[[str], None]
) -> Iterator[str]:
    """Judges submissions side by side.

    Args:
        jobs: The submissions to judge.
        engine: One of `ENGINES`.
        workers: How many at the same time.
        done: Called with the digest of each that is finished.

    Yields:
        A line for each that could not be judged, for reasons of ours.
    """
    for digest, problem in in_parallel(
        {job.digest: job for job in jobs}, grade_one, engine, workers
    ):
        done(digest)
        if problem:
            yield problem


_boxes: dict[str, Sandbox] = {}
LIMITED = Limited()
"""Where this process judges."""


@functools.cache
def foresee(homework: str, seed: int) -> None:
    """Predicts the outcomes of single misconceptions, which takes its time once and has no limits.

    Each process takes the questions in an order of its own, so that they share the work.
    """
    asked = questions(homework)
    for question in random.sample(asked, len(asked)):
        oracle_for(question, seed).foresee(0)
    for question in beside_questions(homework):
        _ = [*oracle_for(question, stories.SEED).right_forms()]


def box_for(homework: str) -> Sandbox:
    """Returns this process's sandbox, which stays warm from one submission to the next."""
    if homework not in _boxes:
        _boxes[homework] = Sandbox(homework)
    return _boxes[homework]


@functools.cache
def end_with_parent() -> None:
    """Lets this process, and with it its box, end when whoever started it has been killed.

    That may have been before this is called: then another process has adopted it by now.
    """
    begun_by = multiprocessing.parent_process()
    parent = begun_by.pid if begun_by else os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(POLL)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def grade_one(job: Job) -> tuple[str, str]:
    """Judges one submission, as far as it is not judged already.

    Returns:
        Its digest, and what went wrong on our side, if anything did: others are judged all the
        same.
    """
    end_with_parent()
    try:
        with contextlib.closing(Gradebook(job.gradebook)) as book:
            judge_files(book, job)
        return job.digest, ""
    except Exception as error:  # noqa: BLE001  (whatever it is)
        if job.homework in _boxes:
            _boxes.pop(job.homework).end()
        message = str(error) if isinstance(error, WorkerError) else where(error)
        return job.digest, f"{job.digest[:12]}: {message}"


def judge_files(book: Gradebook, job: Job) -> None:
    """Judges a submission, and writes each verdict down."""
    found = book.verdicts(job.digest, job.grading)
    if job.alone:
        found = {i: verdict for i, verdict in found.items() if not ended_early(verdict)}
    notes = altered_given(job.homework, job.files, LIMITED)
    foresee(job.homework, job.seed)
    box = box_for(job.homework)
    box.open(job.files)
    seconds = ALONE_SECONDS if job.alone else SECONDS
    grader = Grader(box, job.seed, seconds, judged=LimitedJudge(LIMITED))
    checks = homeworks.checks(job.homework)
    # Each start is on disk too: so it is known what was run, and how often.
    for verdict in grader.judge(checks, found, partial(book.begin_check, job.digest, job.grading)):
        if job.alone and ended_early(verdict):
            verdict = replace(verdict, message=verdict.message + ALONE)
        book.add_verdict(job.digest, job.grading, verdict, anew=job.alone)
    if notes:
        message, title = "\n".join(notes), "files as given out"
        given = Verdict(f"{job.homework}.given.files", title, 0, 0, PASSED, (), message)
        book.add_verdict(job.digest, job.grading, given)
    if job.with_runs:
        judge_runs(book, job, found)


def judge_runs(book: Gradebook, job: Job, found: Mapping[str, Verdict]) -> None:
    """Judges the training runs that were handed in; their weights play here, outside the box."""
    import torch  # slow, as is what judges runs: a wrong command line must not wait for it

    from autograder.classroom.shared_runs import sketches
    from autograder.evidence.curves import curves
    from autograder.evidence.judging import judge_each, read_folder

    torch.set_num_threads(1)  # others judge beside this process
    with fresh_folder(Path(job.gradebook) / f".runs-{job.digest[:12]}") as data:
        if job.runs:
            unpack_runs(job.runs, data)
        run_folder = read_folder(job.homework, data)
        book.set_sketches(job.digest, map(asdict, sketches(run_folder)))
        book.set_curves(job.digest, curves(run_folder))
        if all(question.id in found for question in run_folder.asked):
            return
        for verdict in judge_each(run_folder, job.seed):
            book.add_verdict(job.digest, job.grading, verdict)


@contextlib.contextmanager
def fresh_folder(folder: Path) -> Iterator[Path]:
    """Makes a folder for a while; one that a killed process has left there is removed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def ended_early(verdict: Verdict) -> bool:
    """Returns whether a probe was ended early, perhaps because of what ran beside it."""
    return verdict.message.startswith(STOPPED) and not verdict.message.endswith(ALONE)


def may_be_ours(book: Gradebook, job: Job) -> bool:
    """Returns whether something ended early that is not tried alone yet."""
    return any(ended_early(v) for v in book.verdicts(job.digest, job.grading).values())


def is_done(book: Gradebook, job: Job) -> bool:
    """Returns whether everything about a submission has its verdict."""
    found = book.verdicts(job.digest, job.grading)
    wanted = [check.id for check in homeworks.checks(job.homework)]
    if job.with_runs:
        from autograder.evidence.rules import questions

        wanted += [question.id for question in questions(job.homework)]
    return all(i in found and found[i].verdict != GRADER_ERROR for i in wanted)
