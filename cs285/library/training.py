"""Trains an agent from Python."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from cs285.experiments import launch
from cs285.infrastructure.base.command_line import words_in_python
from cs285.infrastructure.base.flag_values import as_flag
from cs285.infrastructure.base.settings import RunConfig
from cs285.library.process_state import apart, keywords_in_errors
from cs285.library.settings import config_of, experiment_of


def train_in_folder(algorithm: str, settings: Mapping[str, Any]) -> Path:
    """Trains an agent; returns the run's folder."""
    with keywords_in_errors():
        config, explicit = config_of(algorithm, dict(settings))
        return start_run(algorithm, config, explicit)


def start_run(algorithm: str, config: RunConfig, explicit: Collection[str]) -> Path:
    """Begins a run, or goes on with `config.resume`; returns its folder.

    Args:
        algorithm: Its name.
        config: All settings.
        explicit: The names of those that were given.

    Raises:
        KeyboardInterrupt: After Ctrl-C, once a checkpoint is saved.
    """
    experiment = experiment_of(algorithm)
    given = [name for name in vars(config) if name in explicit]
    token = words_in_python.set([w for n in given for w in as_flag(n, config[n])])
    try:
        with apart():
            status, run_dir = launch.run(experiment, config, explicit)
    finally:
        words_in_python.reset(token)
    if status == launch.INTERRUPTED:
        raise KeyboardInterrupt
    return run_dir
