"""Starts an experiment from a command line, or from settings in Python."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import re
import shlex
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cs285.infrastructure.base.config import (
    CANNOT_WRITE,
    RunConfig,
    TaskError,
    UserError,
    parse_config,
)
from cs285.infrastructure.base.made_env import record_made_env
from cs285.infrastructure.training.open_run import WEIGHTS, has_results, open_run, record_length

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    from cs285.infrastructure.rl_trainer import RL_Trainer

ConfigT = TypeVar("ConfigT", bound=RunConfig)

BOUND = 1_000
"""Steps after which a path is cut that is played whole, in a task without a time limit; and a film
in any, unless a flag asks for longer episodes."""
# How torch says that memory is too small; NumPy and Python raise MemoryError.
OUT_OF_MEMORY = "can't allocate memory|not enough memory|out of memory|size calculation overflowed"


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
    with (
        open_run(script, config, set(explicit), resolve) as (settled, run_dir),
        closing_environments(),
    ):
        trainer, resume = built(build, settled, run_dir), config.resume is not None
        made = getattr(trainer.env.spec, "id", settled.env_name)
        record_made_env(run_dir, made, resume)
        return train(trainer, resume)


_in_use: ContextVar[list[Any] | None] = ContextVar("environments of the run", default=None)


@contextlib.contextmanager
def closing_environments() -> Iterator[None]:
    """Closes the environments that `set_up` is given meanwhile, however the run ends."""
    environments: list[Any] = []
    token = _in_use.set(environments)
    try:
        yield
    finally:
        _in_use.reset(token)
        for env in environments:
            try:
                env.close()
            except Exception as error:  # noqa: BLE001  (a broken task must not hide the run's end)
                sys.stderr.write(f"note: an environment could not be closed: {error!r}\n")


def built(
    build: Callable[[ConfigT, Path], RL_Trainer], config: ConfigT, run_dir: Path
) -> RL_Trainer:
    """Calls `build`; raises UserError if this machine's memory is too small for the settings."""
    try:
        return build(config, run_dir)
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and not re.search(OUT_OF_MEMORY, str(error)):
            raise
        what = str(error).splitlines()[0] if str(error) else "an array"
        raise UserError(
            f"these settings do not fit in memory ({what}): give smaller networks, batches or "
            "replay memory"
        ) from error


def check_memory(needed: float, flag: str = "--buffer_size") -> None:
    """Refuses a memory of transitions that the machine could never contain.

    Args:
        needed: Bytes, at least.
        flag: What to lower, with its value.

    Raises:
        UserError: If the machine has less.
    """
    from cs285.infrastructure import pytorch_util as ptu

    there = ptu.memory_of_machine()
    if needed > there:
        raise UserError(
            f"{flag}: the replay buffer needs {needed / 2**30:,.1f} GiB, and this machine has "
            f"{there / 2**30:,.1f} GiB: lower {flag.partition(' ')[0]}"
        )


def set_up(config: RunConfig, *environments: Any) -> None:
    """Chooses the device, and seeds everything random; each environment differently.

    The first has the run's own seed. The others' are hashed from it, so that they share no episode
    with the first one of another run.

    Raises:
        UserError: If there is no such device, or the memory for a batch.
    """
    from cs285.infrastructure import pytorch_util as ptu

    in_use = _in_use.get()
    if in_use is not None:
        in_use += environments
    check_device(config)
    check_batch(config, environments[-1])
    ptu.set_up(config.seed, config.threads, config.no_gpu, config.which_gpu)
    seeds = ptu.own_seeds(config.seed, len(environments))
    for env, seed in zip(environments, seeds, strict=True):
        env.reset(seed=seed)
        env.action_space.seed(seed)


def count_episodes(config: ConfigT, longest: int | None) -> ConfigT:
    """Replaces `--eval_batch_size` of older commands by the number of episodes that it means.

    It meant whole episodes until there are so many steps. Such a number depends on how the episodes
    end, and favours long ones. So it is fixed before: it gives those steps if none ends early, and
    is never below `--eval_episodes`.

    Args:
        config: The settings of a new run.
        longest: Steps of the longest episode that `--max_episode_steps` allows, None where it is
            the task's own.
    """
    steps, episodes = config.eval_batch_size, config.eval_episodes
    if steps is None:
        return config
    from cs285.infrastructure.environments import envs

    longest = envs.most_steps(config.env_name, longest)
    if longest is not None:
        episodes = max(episodes, -(-steps // longest))
    return dataclasses.replace(config, eval_batch_size=None, eval_episodes=episodes)


def path_lengths(config: RunConfig, longest: int | None) -> dict[str, int | None]:
    """Returns how long paths may be that are played whole, as the trainer's parameters.

    Args:
        config: The settings of a run.
        longest: What `--max_episode_steps` says; None where the task decides.

    Returns:
        `ep_len`, of evaluations and of whole paths in training; `video_len`, of films; and
        `path_bound`: `BOUND` where neither flag nor task sets a limit, else None.
    """
    from cs285.infrastructure.environments import envs

    limited = envs.most_steps(config.env_name, longest) is not None
    return {
        "ep_len": longest or (sys.maxsize if limited else BOUND),
        "video_len": longest or BOUND,
        "path_bound": None if limited else BOUND,
    }


def check_device(config: RunConfig) -> None:
    """Raises UserError if the GPU asked for is none of this machine's; where none is, says so."""
    import torch

    if config.no_gpu or config.which_gpu == 0:
        return
    count = torch.cuda.device_count()
    if count == 0:
        sys.stderr.write(
            f"note: --which_gpu {config.which_gpu}: no GPU is here, the CPU computes\n"
        )
    elif config.which_gpu >= count:
        raise UserError(f"--which_gpu takes a number from 0 to {count - 1}, not {config.which_gpu}")


def check_batch(config: RunConfig, env: Any) -> None:
    """Raises UserError if this machine's memory cannot contain a batch."""
    from cs285.infrastructure import pytorch_util as ptu

    rows = getattr(config, "batch_size", 0)
    gibibytes = rows * 2 * math.prod(env.observation_space.shape or ()) * 4 / 2**30
    if gibibytes > ptu.memory_of_machine() / 2**30:
        raise UserError(
            f"--batch_size {rows}: the observations alone of so many steps take {gibibytes:,.0f} "
            "GiB, more than this machine has; give fewer"
        )


def train(trainer: RL_Trainer, resume: bool) -> int:
    """Runs or resumes a training, and prints how it ended; returns 130 after Ctrl-C, else 0."""
    from cs285.infrastructure.training.run_folder import load_weights

    agent, run, start = trainer.agent, trainer.run, trainer.params["load"]
    state = run.latest() if resume else None
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
    return 130 if run.stop_requested == "interrupted" else 0


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


@contextlib.contextmanager
def explained(trainer: RL_Trainer) -> Iterator[None]:
    """Turns what ends a run before its time into one line: what, where, and how to go on."""
    from cs285.infrastructure.training.run_folder import NotFiniteError

    folder, env_name = trainer.run.folder, trainer.params["env_name"]
    try:
        yield
    except (TaskError, NotFiniteError) as error:
        steps = f"after {trainer.total_envsteps:,} steps in {env_name}"
        raise UserError(f"{steps}: {error}; {what_is_left(folder)}") from error
    except OSError as error:
        if error.errno not in CANNOT_WRITE:
            raise
        raise UserError(
            f"{folder}: {error.strerror}; what was written stays; {what_is_left(folder)}"
        ) from error


def what_is_left(run_dir: Path) -> str:
    """Returns what a run that was ended leaves, as part of a sentence."""
    if any(run_dir.glob("checkpoints/step_*[0-9]/manifest.json")):
        return f"the last checkpoint stays; go on with: {resume_command(run_dir)}"
    if has_results(run_dir):
        return "there was no checkpoint yet; begin a new run"
    return "nothing was saved yet; begin a new run"


def resume_command(run_dir: Path) -> str:
    """Returns the command that goes on with a run, as it can be pasted."""
    return shlex.join(["python", sys.argv[0], "--resume", str(run_dir)])
