"""Starts an experiment from a command line, or from settings in Python."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cs285.infrastructure.base.config import RunConfig, UserError, parse_config
from cs285.infrastructure.base.made_env import record_made_env
from cs285.infrastructure.training.open_run import open_run

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    from cs285.infrastructure.rl_trainer import RL_Trainer

ConfigT = TypeVar("ConfigT", bound=RunConfig)


def launch(
    script: str,
    config_class: type[ConfigT],
    argv: Sequence[str],
    description: str | None,
    resolve: Callable[[ConfigT], ConfigT],
    build: Callable[[ConfigT, Path], RL_Trainer],
) -> int:
    """Trains, or resumes a training, as a command line says.

    Args:
        script: The script's name.
        config_class: Its flags.
        argv: The words after its name.
        description: The first lines of `--help`.
        resolve: Completes and checks the settings of a new run.
        build: Makes environments, agent and trainer, from settings and the run's folder.

    Returns:
        The exit status.
    """
    given, explicit = parse_config(config_class, argv, description or "")
    return run(script, given, resolve, build, explicit)


def run(
    script: str,
    config: ConfigT,
    resolve: Callable[[ConfigT], ConfigT],
    build: Callable[[ConfigT, Path], RL_Trainer],
    explicit: Collection[str] = (),
) -> int:
    """Trains, or resumes a training, in a run folder below `config.data_dir`.

    Args:
        script: The experiment's script, by which the folder is known later.
        config: Its settings.
        resolve: Completes and checks the settings of a new run.
        build: Makes environments, agent and trainer, from settings and the run's folder.
        explicit: Settings that a resumed run must have as they are here; the others are its own.

    Returns:
        The exit status: 130 after Ctrl-C, else 0.
    """
    with open_run(script, config, set(explicit), resolve) as (settled, run_dir):
        resume = config.resume is not None
        try:
            trainer = build(settled, run_dir)
        except MemoryError as error:  # where the machine's memory is unknown, it is found out so
            raise UserError(f"out of memory: {error}: lower --buffer_size or -b") from error
        made = getattr(trainer.env.spec, "id", settled.env_name)
        record_made_env(run_dir, made, resume)
        return train(trainer, resume)


def machine_memory() -> int | None:
    """Returns the bytes of memory that this machine has; None where the system does not say."""
    try:
        number = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no such function
        return None
    return number if number > 0 else None


def check_memory(needed: float, flag: str = "--buffer_size") -> None:
    """Refuses a memory of transitions that the machine could never contain.

    Args:
        needed: Bytes, at least.
        flag: What to lower, with its value.

    Raises:
        UserError: If the machine has less.
    """
    there = machine_memory()
    if there is not None and needed > there:
        raise UserError(
            f"{flag}: the replay buffer needs {needed / 2**30:,.1f} GiB, and this machine has "
            f"{there / 2**30:,.1f} GiB: lower {flag.partition(' ')[0]}"
        )


def set_up(config: RunConfig, *environments: Any) -> None:
    """Chooses the device, and seeds everything random; each environment differently."""
    from cs285.infrastructure import pytorch_util as ptu

    ptu.set_up(config.seed, config.threads, config.no_gpu, config.which_gpu)
    for number, env in enumerate(environments):
        env.reset(seed=config.seed + number)
        env.action_space.seed(config.seed + number)


def train(trainer: RL_Trainer, resume: bool) -> int:
    """Runs or resumes a training, and prints how it ended; returns 130 after Ctrl-C, else 0."""
    from cs285.infrastructure.training.run_folder import load_weights

    agent, run, start = trainer.agent, trainer.run, trainer.params["load"]
    state = run.latest() if resume else None
    if state is not None:
        trainer.load_state_dict(state)
    elif start is not None:
        load_weights(agent.state_dict(), Path(start) / "weights.safetensors")
    if trainer.run_training_loop(trainer.params["n_iter"], agent.actor, agent.eval_policy):
        sys.stderr.write(f"done: see {run.folder / 'learning_curve.png'}\n")
        return 0
    sys.stderr.write(f"{run.stop_requested}; ")
    sys.stderr.write(f"go on with: python {sys.argv[0]} --resume {run.folder}\n")
    return 130 if run.stop_requested == "interrupted" else 0
