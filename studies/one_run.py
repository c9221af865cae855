"""One run of a study, in a process of its own: begun, or gone on with from its last checkpoint."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock

from cs285.experiments import launch, registry
from cs285.infrastructure.base.command_line import typed_as
from cs285.infrastructure.base.config import parse_config
from cs285.infrastructure.base.settings import RunConfig
from cs285.infrastructure.training.open_run import clear_stop
from studies import scripts
from studies.plan import IDENTITY, Run, find_modules_again, finished

STOP = "stop"  # this file ends a run, as the trainer knows it; in the study's folder, all of them


@dataclasses.dataclass(frozen=True)
class Job:
    """What a process is told of its run; all of it survives JSON."""

    folder: str
    script: str
    words: Sequence[str]
    identity: str
    """The text of run.json."""
    directory: str
    """Where the command was typed: paths are relative to it."""

    @classmethod
    def of(cls, run: Run) -> Job:
        """Returns the job of a run."""
        identity = json.dumps(run.identity, indent=1) + "\n"
        return cls(str(run.folder), run.script, run.words, identity, os.getcwd())


def begin_or_resume(job: Job) -> int:
    """Runs a job to its end, or until somebody asks for a stop; returns the exit status.

    The same call begins a run and goes on with it. A process of a killed command may still be
    saving its last checkpoint, and has the lock until then.
    """
    folder = Path(job.folder)
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):
        clear_stop(folder / STOP)
        if finished(folder) or (folder.parent / STOP).exists():
            return 0
        sys.argv[0] = scripts.program()
        typed_as(job.script, job.words)  # what people are told to type, and config.json tells
        find_modules_again(folder.parent)
        experiment, resolve = registry.of_script(job.script), functools.partial(_settled, job)
        config, _ = parse_config(experiment.config_class, job.words, "")
        return launch.run(experiment, config, folder=folder, resolve=resolve)[0]


def _settled(job: Job, config: RunConfig) -> RunConfig:
    """Returns all settings of a run that begins, and writes down which one it is."""
    settled = scripts.resolved(job.script, config)
    (beside := Path(job.folder, f"{IDENTITY}.tmp")).write_text(job.identity, encoding="utf-8")
    os.replace(beside, Path(job.folder, IDENTITY))
    return settled
