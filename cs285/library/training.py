"""Trains an agent from Python."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from pathlib import Path
from typing import Any

from cs285.experiments import launch
from cs285.infrastructure.base.config import RunConfig
from cs285.infrastructure.base.started import words_in_python
from cs285.library.apart import apart, keywords_in_errors
from cs285.library.runs import Run
from cs285.library.settings import config_of, experiment_of


def train(algorithm: str, env: str | None = None, **settings: Any) -> Run:
    """Trains an agent, shows its progress, and returns the run.

    Everything lies in a new folder below `data_dir` ("data"), as that of a script does. The call
    works in any thread. Where two threads train, one waits for the other.

    Args:
        algorithm: Such as "dqn"; `cs285.algorithms()` returns all.
        env: Id of a Gymnasium environment; default: the algorithm's own.
        settings: Any setting of the algorithm; `cs285.settings(algorithm)` lists them.

    Returns:
        The run. One that `stop` or `target_return` ended early has `is_finished` False.

    Raises:
        cs285.Error: If a name or a value is wrong, or the task or the disk fails.
        KeyboardInterrupt: After Ctrl-C, once a checkpoint is saved; `cs285.load` finds the run.
    """
    given = settings if env is None else {"env": env, **settings}
    with keywords_in_errors():
        config, explicit = config_of(algorithm, given)
        return start_run(algorithm, config, explicit)


def start_run(algorithm: str, config: RunConfig, explicit: Collection[str]) -> Run:
    """Begins a run, or goes on with `config.resume`.

    Args:
        algorithm: Its name.
        config: All settings.
        explicit: The names of those that were given.
    """
    experiment = experiment_of(algorithm)
    token = words_in_python.set(words_of(config, explicit))
    try:
        with apart():
            status, run_dir = launch.run_in_folder(
                experiment.SCRIPT, config, experiment.resolve, experiment.build, explicit
            )
    finally:
        words_in_python.reset(token)
    if status == launch.INTERRUPTED:
        raise KeyboardInterrupt
    return Run(run_dir)


def go_on(run_dir: Path, algorithm: str, more: dict[str, Any]) -> Run:
    """Goes on with a run from its last checkpoint; `more` are settings such as a larger length."""
    with keywords_in_errors():
        config, explicit = config_of(algorithm, {**more, "resume": str(run_dir)})
        return start_run(algorithm, config, explicit)


def words_of(config: RunConfig, explicit: Collection[str]) -> tuple[str, ...]:
    """Returns what would be typed after a script's name for the same run."""
    words: list[str] = []
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        if field.name not in explicit or value is None or value is False:
            continue
        words += [f"--{field.name}"] if value is True else [f"--{field.name}={value}"]
    return tuple(words)
