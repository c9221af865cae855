"""Starts an experiment from a command line, or from settings in Python."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cs285.infrastructure.base.config import RunConfig, parse_config
from cs285.infrastructure.training.open_run import open_run

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    from cs285.infrastructure.rl_trainer import RL_Trainer

ConfigT = TypeVar("ConfigT", bound=RunConfig)

BOUND = 1_000
"""Steps after which a path is cut that is played whole, in a task without a time limit; and a film
in any, unless a flag asks for longer episodes."""


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
        return train(build(settled, run_dir), resume=config.resume is not None)


def set_up(config: RunConfig, *environments: Any) -> None:
    """Chooses the device, and seeds everything random; each environment differently.

    The first has the run's own seed. The others' are hashed from it, so that they share no episode
    with the first one of another run.
    """
    from cs285.infrastructure import pytorch_util as ptu

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
