"""Trains an agent from Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cs285.experiments import launch
from cs285.infrastructure.base.command_line import words_in_python
from cs285.infrastructure.base.flag_values import as_flag
from cs285.library.process_state import apart, keywords_in_errors
from cs285.library.settings import config_of, experiment_of


def train_in_folder(algorithm: str, settings: Mapping[str, Any]) -> Path:
    """Trains an agent, or goes on with the run `resume`; returns the run's folder.

    Raises:
        KeyboardInterrupt: After Ctrl-C, once a checkpoint is saved.
    """
    with keywords_in_errors():
        config, explicit = config_of(algorithm, dict(settings))
        given = [name for name in vars(config) if name in explicit]
        token = words_in_python.set([w for n in given for w in as_flag(n, config[n])])
        try:
            with apart():
                status, run_dir = launch.run(experiment_of(algorithm), config, explicit)
        finally:
            words_in_python.reset(token)
    if status == launch.INTERRUPTED:
        raise KeyboardInterrupt
    return run_dir
