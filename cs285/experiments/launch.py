"""Starts an experiment from a command line, or from settings in Python."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cs285.experiments.failures import explained, resume_command, that_can_be_read
from cs285.experiments.limits import check_batch, check_device
from cs285.infrastructure.base.config import parse_config, read_config_json
from cs285.infrastructure.base.env_record import find_module_again, record_made_env
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.settings import RunConfig
from cs285.infrastructure.training.open_run import WEIGHTS, open_run, record_length

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    from cs285.infrastructure.rl_trainer import RL_Trainer

ConfigT = TypeVar("ConfigT", bound=RunConfig)

INTERRUPTED = 130  # the exit status after Ctrl-C
# How torch says that memory is too small; NumPy and Python raise MemoryError.
OUT_OF_MEMORY = "can't allocate memory|not enough memory|out of memory|size calculation overflowed"


def launch(experiment: Any, argv: Sequence[str]) -> int:
    """Trains, or resumes a training, as a command line says.

    Args:
        experiment: An `Experiment`.
        argv: The words after its script's name.

    Returns:
        The exit status.
    """
    about = sys.modules[experiment.__module__].__doc__ or ""
    given, explicit = parse_config(experiment.config_class, argv, about)
    return run(experiment, given, explicit)[0]


def run(
    experiment: Any,
    config: RunConfig,
    explicit: Collection[str] = (),
    folder: Path | None = None,
    resolve: Callable[[Any], Any] | None = None,
) -> tuple[int, Path]:
    """Trains, or resumes a training, in a run folder below `config.data_dir`.

    Args:
        experiment: An `Experiment`.
        config: The settings of the run, as they were given.
        explicit: Settings that a resumed run must have as they are here; the others are its own.
        folder: The run's folder, if it is there: the same call begins a run in it, and goes on.
        resolve: Completes and checks the settings of a new run; None: the experiment does.

    Returns:
        The exit status, 130 after Ctrl-C, else 0; and the run's folder.
    """
    if folder is not None and (folder / "config.json").exists():
        config, explicit = dataclasses.replace(config, resume=str(folder)), ()
    resolve = resolve or experiment.resolve
    with (
        open_run(experiment.script, config, set(explicit), resolve, folder) as (settled, run_dir),
        closing_environments(),
    ):
        find_module_again(read_config_json(run_dir))
        trainer = built(experiment, filmable(settled), run_dir)
        return train_or_resume(trainer, config.resume is not None), run_dir


def filmable(config: ConfigT) -> ConfigT:
    """Returns the settings; without films, and with a note, where no picture can be made."""
    if getattr(config, "video_log_freq", -1) <= 0:
        return config
    from cs285.infrastructure.environments.displays import why_no_pictures

    reason = why_no_pictures(config.env_name)
    if not reason:
        return config
    sys.stderr.write(f"note: {reason}; the run goes on without films\n")
    films: dict[str, Any] = {"video_log_freq": -1}
    return dataclasses.replace(config, **films)


_in_use: ContextVar[list[Any] | None] = ContextVar("environments of the run", default=None)


@contextlib.contextmanager
def closing_environments() -> Iterator[None]:
    """Closes what `closed_later` is given meanwhile, however the run ends."""
    from cs285.infrastructure.environments import envs

    environments: list[Any] = []
    token = _in_use.set(environments)
    try:
        yield
    finally:
        _in_use.reset(token)
        for env in environments:
            envs.close(env)


def closed_later(env: Any) -> Any:
    """Returns an environment, which is closed at the end of `closing_environments`, if any."""
    in_use = _in_use.get()
    if in_use is not None:
        in_use.append(env)
    return env


def built(experiment: Any, config: RunConfig, run_dir: Path) -> RL_Trainer:
    """Calls `build`; raises UserError if memory is too small, or a file of ours cannot be read."""
    try:
        with that_can_be_read():
            trainer: RL_Trainer = experiment.build(config, run_dir)
            return trainer
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and not re.search(OUT_OF_MEMORY, str(error)):
            raise
        what = str(error).splitlines()[0] if str(error) else "an array"
        raise UserError(
            f"these settings do not fit in memory ({what}): give smaller networks, batches or "
            "replay memory"
        ) from error


def set_up(config: RunConfig, *environments: Any) -> None:
    """Chooses the device, and seeds everything random; each environment differently.

    The first has the run's own seed. The others' are hashed from it, so that they share no episode
    with the first one of another run.

    Raises:
        UserError: If there is no such device, or the memory for a batch.
    """
    from cs285.infrastructure import pytorch_util as ptu

    check_device(config)
    check_batch(config, environments[-1])
    ptu.set_up(config.seed, config.threads, config.no_gpu, config.which_gpu)
    seeds = ptu.own_seeds(config.seed, len(environments))
    for env, seed in zip(environments, seeds, strict=True):
        env.reset(seed=seed)
        env.action_space.seed(seed)


def train_or_resume(trainer: RL_Trainer, resume: bool) -> int:
    """Runs or resumes a training, and prints how it ended; returns 130 after Ctrl-C, else 0."""
    from cs285.infrastructure.matrix_library import choose_library
    from cs285.infrastructure.training.run_folder import load_weights

    agent, run, start = trainer.agent, trainer.run, trainer.params["load"]
    # A study resumes folders that have no checkpoint yet: such a run begins here.
    state = run.latest() if resume else None
    made = getattr(trainer.env.spec, "id", trainer.params["env_name"])
    record_made_env(run.folder, made, state is not None)
    rows = getattr(getattr(agent, "settings", None), "minibatch_size", None)
    rows = rows or trainer.params["train_batch_size"]
    if choose_library(agent.policy_state_dict().values(), rows):
        run.record("matrix_products", "oneDNN")
    if trainer.params["compile"]:
        compile_updates(trainer)
    with explained(trainer):
        if state is not None:
            go_on(trainer, state)
        elif start is not None:
            load_weights(agent.state_dict(), Path(start) / WEIGHTS)
        record_length(run.folder, trainer.params)
        complete = trainer.run_training_loop(
            trainer.params["n_iter"], agent.actor, agent.eval_policy
        )
    if complete:
        sys.stderr.write(f"done: see {run.folder / 'learning_curve.png'}\n")
        return 0
    sys.stderr.write(f"{run.stop_requested}; ")
    if run.stop_file.exists():
        sys.stderr.write(f"{run.stop_file} is not empty: remove it; ")
    sys.stderr.write(f"go on with: {resume_command(run.folder)}\n")
    return INTERRUPTED if run.stop_requested == "interrupted" else 0


def compile_updates(trainer: Any) -> None:
    """Lets the agent's updates be compiled, see docs/compiled.md; the run shows when they are."""
    from cs285.infrastructure.compiled.updates import CompiledUpdates

    agent, run = trainer.agent, trainer.run
    trainer.compiled = CompiledUpdates(agent.compilable_updates(), run.compiling, run.note)
    trainer.kept = ("compiled", *trainer.kept)  # so checkpoints of plain runs are as before
    run.record("compiler", trainer.compiled.compiler)


def go_on(trainer: RL_Trainer, state: Any) -> None:
    """Brings a trainer to the state in a checkpoint, as far as its task lets it."""
    trainer.load_state_dict(state)
    first_obs = trainer.saved_env.fresh_obs
    if first_obs is not None:
        trainer.agent.begin_episode(first_obs)
        sys.stderr.write(
            f"note: {trainer.params['env_name']}: the same seed and actions led to another state "
            "than the saved one; a fresh episode begins, so this run differs from one that was "
            "never stopped\n"
        )
