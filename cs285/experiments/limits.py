"""What a run may ask for: lengths of episodes, this machine's memory, and its devices."""

from __future__ import annotations

import dataclasses
import math
import sys
from typing import Any, TypeVar

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.settings import RunConfig

ConfigT = TypeVar("ConfigT", bound=RunConfig)

BOUND = 1_000
"""Steps after which a path is cut that is played whole, in a task without a time limit; and a film
in any, unless a flag asks for longer episodes."""


def count_episodes(config: ConfigT) -> ConfigT:
    """Replaces `--eval_batch_size` of older commands by the number of episodes that it means.

    It meant whole episodes until there are so many steps. Such a number depends on how the episodes
    end, and favours long ones. So it is fixed before: it gives those steps if none ends early, and
    is never below `--eval_episodes`.
    """
    steps, episodes = config.eval_batch_size, config.eval_episodes
    if steps is None:
        return config
    from cs285.infrastructure.environments import envs

    longest = envs.most_steps(config.env_name, config.longest)
    if longest is not None:
        episodes = max(episodes, -(-steps // longest))
    return dataclasses.replace(config, eval_batch_size=None, eval_episodes=episodes)


def check_repeats(config: Any) -> None:
    """Raises UserError if two flags count the updates."""
    if config.repeat_times is not None and config.num_agent_train_steps_per_iter != 1:
        raise UserError(
            "--repeat_times and --num_agent_train_steps_per_iter both count the updates: give one"
        )


def path_lengths(config: RunConfig) -> dict[str, int | None]:
    """Returns how long paths may be that are played whole, as the trainer's parameters.

    Returns:
        `ep_len`, of evaluations and of whole paths in training; `video_len`, of films; and
        `path_bound`: `BOUND` where neither flag nor task sets a limit, else None.
    """
    from cs285.infrastructure.environments import envs

    limited = envs.most_steps(config.env_name, config.longest) is not None
    return {
        "ep_len": config.longest or (sys.maxsize if limited else BOUND),
        "video_len": config.longest or BOUND,
        "path_bound": None if limited else BOUND,
    }


def check_buffer(config: Any, least: int) -> None:
    """Raises UserError if the replay buffer has no room for the `least` that a batch needs."""
    if config.buffer_size < least:
        raise UserError(
            f"--buffer_size {config.buffer_size} never holds a batch of --batch_size "
            f"{config.batch_size}: give a larger buffer or a smaller batch"
        )


def check_memory(needed: float, config: Any) -> None:
    """Raises UserError if the machine could never contain a replay buffer of `needed` bytes."""
    from cs285.infrastructure import pytorch_util as ptu

    there = ptu.memory_of_machine()
    if needed > there:
        raise UserError(
            f"--buffer_size {config.buffer_size}: the replay buffer needs {needed / 2**30:,.1f} "
            f"GiB, and this machine has {there / 2**30:,.1f} GiB: lower --buffer_size"
        )


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
