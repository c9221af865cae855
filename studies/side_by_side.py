"""Runs side by side: joblib hands them to threads here, or to Ray's or Dask's machines."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.training.open_run import discard, has_results
from studies import study
from studies.one_run import STOP, Job
from studies.plan import IDENTITY, finished
from studies.scripts import ROOT

STATE, OUTPUT = "state", "output.txt"
OWN_FILES = (IDENTITY, STATE, OUTPUT, STOP, ".lock")
"""What a study adds to the folder of a run."""
FINISHED = "finished"
TRIES = 3  # how often what is left is handed out, where machines die
LAST_LINES = 5  # of a failed run's output


def perform(job: Job) -> None:
    """Does one job in a process of its own, wherever this is called, and notes its state.

    The process reads a pipe from here: where this one dies, it saves a checkpoint and ends.
    """
    folder = Path(job.directory, job.folder)
    if finished(folder):
        (folder / STATE).write_text(FINISHED)
        return
    if (folder.parent / STOP).exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / STATE).write_text("running")
    # Our own tree first: with -m Python would take the directory, which may hold another copy.
    places = [str(ROOT), os.environ.get("PYTHONPATH"), job.directory]
    path = os.pathsep.join(filter(None, places))
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    told = json.dumps(dataclasses.asdict(job))
    with (folder / OUTPUT).open("a") as output:
        with subprocess.Popen(
            [sys.executable, "-P", "-m", "studies", told],
            cwd=job.directory,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for the one command that people see
        ) as process:
            status = process.wait()
    state = FINISHED if finished(folder) else "failed" if status not in (0, 130) else "stopped"
    (folder / STATE).write_text(state)


def _output(folder: Path) -> str:
    """Returns what a run has written; nothing if there is no such file."""
    try:
        return (folder / OUTPUT).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def last_words(folder: Path) -> list[str]:
    """Returns the last lines that a run wrote, without the states of its bar."""
    lines = [line.rpartition("\r")[2].strip() for line in _output(folder).splitlines()]
    return [line for line in lines if line][-LAST_LINES:]


def carry_out(
    jobs: Sequence[Job],
    engine: str,
    workers: int,
    watch: Callable[[], None],
    stop: Callable[[], None],
) -> bool:
    """Does all jobs, `workers` at a time; calls `watch` every second in the meantime.

    Whatever dies, another round does what it has left undone, as far as `TRIES` goes. On Ctrl-C
    `stop` is called, and what it leads to is awaited.

    Returns:
        Whether it was stopped.

    Raises:
        UserError: If workers kept dying.
        KeyboardInterrupt: After a second Ctrl-C; the jobs may then still be saving.
    """
    from joblib import Parallel, delayed, parallel_config

    def everything() -> None:
        with parallel_config(backend="threading" if engine == "local" else engine):
            run = Parallel(n_jobs=workers, batch_size=1, pre_dispatch="all")
            run(delayed(perform)(job) for job in jobs)

    thread = ThreadPoolExecutor(1)
    problem: BaseException | None = None
    for _ in range(TRIES):
        done = thread.submit(everything)
        stopped = _until(done, watch, stop)
        problem = done.exception()
        if problem is None or stopped:
            return stopped
    raise UserError(f"workers keep dying, the last of {problem}; the same command goes on")


def _until(done: Future[None], watch: Callable[[], None], stop: Callable[[], None]) -> bool:
    """Waits for the end, and tells whether somebody asked for it."""
    stopped = False
    while True:
        try:
            while not wait([done], timeout=1.0).done:
                watch()
            return stopped
        except KeyboardInterrupt:
            if stopped:
                raise
            stopped = True
            stop()


def ask_to_stop(folder: Path, runs: Sequence[Path]) -> None:
    """Asks a study's runs to save and stop, on whichever machine they are.

    The study's own file comes first: a run that is just beginning removes its own, then looks
    for that.
    """
    (folder / STOP).touch()
    for run in runs:
        if run.is_dir():
            (run / STOP).touch()


def check_number(runs_at_once: str) -> None:
    """Raises UserError if this is neither a number of runs nor "auto"."""
    if runs_at_once != "auto" and not (runs_at_once.isdecimal() and int(runs_at_once)):
        raise UserError(f"--num_cpu takes a whole number above 0, or auto, not {runs_at_once!r}")


def was_refused(run: Path) -> bool:
    """Returns whether a run was refused before it had any result.

    One that failed with a traceback was not: a person may need that.
    """
    return "Traceback" not in _output(run) and not has_results(run)


@contextlib.contextmanager
def nothing_left_of_refused(folder: Path, runs: Sequence[Path]) -> Iterator[None]:
    """Removes a study's new folder afterwards if none of its runs was accepted.

    Else it would block its name: with other flags it is another study.
    """
    new = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        yield
    finally:
        if folder in new and all(was_refused(run) for run in runs):
            for run in runs:
                discard(run, *OWN_FILES)
            discard(folder, study.FILE, STOP, ".lock")
            with contextlib.suppress(OSError):  # one that holds more stays
                for place in new[1:]:
                    place.rmdir()


@contextlib.contextmanager
def machines(engine: str, runs_at_once: str, runs: int) -> Iterator[int]:
    """Connects with the engine.

    Args:
        engine: "local", "ray" or "dask".
        runs_at_once: A number, or "auto".
        runs: How many there are to do.

    Yields:
        How many runs are done at the same time.

    Raises:
        UserError: If a package is missing.
    """
    try:
        import joblib

        from autograder.classroom.parallel import cluster

        with contextlib.nullcontext() if engine == "local" else cluster(engine):
            with joblib.parallel_config(backend="threading" if engine == "local" else engine):
                cores = joblib.effective_n_jobs(-1)
            yield min(cores if runs_at_once == "auto" else int(runs_at_once), runs)
    except ModuleNotFoundError as error:
        extra = "studies" if engine == "local" else "cluster"
        raise UserError(f'{error.name} is missing: pip install -e ".[{extra}]"') from None
