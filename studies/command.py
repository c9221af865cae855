"""A study from the shell, from its file, or from Python: planned, checked, carried out, told."""

from __future__ import annotations

import dataclasses
import os
import re
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from cs285.infrastructure.base.config import parse_config
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.settings import operand
from cs285.infrastructure.training.open_run import clear_stop
from studies import plan, scripts, side_by_side, study
from studies.one_run import STOP, Job, begin_or_resume
from studies.study import Study
from studies.words import StudyFlags, study_of


@dataclasses.dataclass(frozen=True)
class FileFlags(StudyFlags):
    """The flags of a study that stands in a file."""

    path: str = operand("PATH", "study.toml, or the folder that holds it")


def from_words(algorithm: str, words: Sequence[str]) -> int:
    """Runs what `scripts/run.py ALGORITHM words` asks for; returns the exit status."""
    asked, flags = study_of(scripts.known(algorithm), words)
    return run(asked, flags)


def from_file(words: Sequence[str]) -> int:
    """Runs a study.toml; its results lie beside it. Returns the exit status."""
    flags, given = parse_config(FileFlags, words, "Runs a study.toml: what is finished stays.")
    if given & {"exp_name", "data_dir", "datestamp"}:
        raise UserError("a study.toml says its own name, and its results lie beside it")
    folder = Path(flags.path)
    folder = folder.parent if folder.name == study.FILE else folder
    asked = study.read(folder)
    algorithms = tuple(map(scripts.known, asked.algorithms))
    return carry_out(dataclasses.replace(asked, algorithms=algorithms), folder, flags)


def run(asked: Study, flags: StudyFlags) -> int:
    """Runs a study in its folder in --data_dir; returns the exit status."""
    folder = Path(flags.data_dir) / asked.name
    if flags.datestamp:
        folder = _stamped(asked, Path(flags.data_dir))
    return carry_out(asked, folder, flags)


def _stamped(asked: Study, data_dir: Path) -> Path:
    """Returns the folder of this very study if one is unfinished, else one with today's date."""
    stamp = r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_"
    for folder in sorted(data_dir.glob(f"*_{asked.name}"), reverse=True):
        if re.fullmatch(stamp + re.escape(asked.name), folder.name):
            same = (folder / study.FILE).exists() and study.read(folder) == asked
            if same and not all(plan.finished(r.folder) for r in plan.plan(asked, folder)):
                return folder
    return data_dir / f"{time.strftime('%Y-%m-%d_%H-%M-%S')}_{asked.name}"


def carry_out(asked: Study, folder: Path, flags: StudyFlags) -> int:
    """Does the runs of a study that are not finished.

    Returns:
        The exit status: 0 if all are finished, 1 if some are not, 130 after Ctrl-C.

    Raises:
        UserError: If the study can't be run as it stands.
    """
    from filelock import FileLock, Timeout

    side_by_side.check_number(flags.num_cpu)
    runs = plan.plan(asked, folder)  # whatever is wrong with its flags is told before it exists
    is_there = (folder / study.FILE).exists()
    stored = asked.with_seeds_of(study.read(folder)) if is_there else asked
    try:
        with side_by_side.nothing_left_of_refused(folder, [run.folder for run in runs]):
            folder.mkdir(parents=True, exist_ok=True)
            with FileLock(folder / ".lock", timeout=0):
                clear_stop(folder / STOP)
                plan.find(runs, folder, flags.code)
                study.write(stored, folder)
                return _do(runs, folder, flags)
    except Timeout:
        raise UserError(f"another command works on {folder}: wait for it, or stop it") from None


def _do(runs: Sequence[plan.Run], folder: Path, flags: StudyFlags) -> int:
    to_do = []
    for one in runs:
        state = one.folder / side_by_side.STATE
        if plan.finished(one.folder):  # its own command may have been killed before it noted that
            state.write_text(side_by_side.FINISHED)
        else:
            state.unlink(missing_ok=True)
            to_do.append(one)
    if not to_do:
        what = "the run is" if len(runs) == 1 else f"all {len(runs)} runs are"
        print(f"{folder}: {what} finished, nothing is left to do")
        return 0
    if len(runs) == 1 and flags.engine == "local":  # with its own bar, in this very process
        return begin_or_resume(Job.of(to_do[0]))
    with side_by_side.machines(flags.engine, flags.num_cpu, len(to_do)) as workers:
        where = "here" if flags.engine == "local" else f"by {flags.engine}"
        title = f"{folder}: {len(runs)} runs, {workers} at a time {where}"
        jobs = [Job.of(one) for one in to_do]
        return _watched(title, runs, jobs, flags.engine, workers)


def _watched(
    title: str, runs: Sequence[plan.Run], jobs: Sequence[Job], engine: str, workers: int
) -> int:
    """Does the jobs before a person's eyes; returns the exit status."""
    from studies.table import View

    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
    folders = [Path(job.folder) for job in jobs]

    def stop() -> None:
        side_by_side.ask_to_stop(folders[0].parent, folders)
        view.say("stopping: every run saves a checkpoint first (Ctrl-C again leaves at once)")

    try:
        with View(title, runs) as view:
            stopped = side_by_side.carry_out(jobs, engine, workers, view.update, stop)
    except KeyboardInterrupt:
        os._exit(130)  # threads still wait for the runs, which end by themselves
    counts = view.counts()
    if stopped:
        print("the same command goes on where these runs are")
    elif counts["failed"]:
        print(f"{counts['failed']} of {len(runs)} runs failed; the same command tries them again")
    return 130 if stopped else int(counts["finished"] < len(runs))
