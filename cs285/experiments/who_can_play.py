"""Which agents can play a task: each is built for it, and refuses as it does in training."""

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cs285.experiments import registry
from cs285.experiments.launch import built, closing_environments
from cs285.infrastructure.base.errors import TaskError, UserError
from cs285.infrastructure.blanks import BlankError

STEPS, SECONDS = 300, 1.0  # of random play in an agent's own environment, at most
MEMBERS = ("", "dqn,dqn")  # of a portfolio: its own choice, and one for discrete actions


@dataclasses.dataclass(frozen=True)
class Player:
    """An agent, and whether it can play a task."""

    algorithm: str
    script: str
    flags: str
    """What its script needs besides the task."""
    refusal: str | None
    """Why it cannot play."""


def players(env_name: str, kwargs: Mapping[str, Any] | None) -> Iterator[Player]:
    """Yields all agents.

    Args:
        env_name: Id of Gymnasium, or `module:id`.
        kwargs: What the task itself is made with.
    """
    task = {"env_name": env_name, "env_kwargs": kwargs, "no_gpu": True, "threads": 1}
    for algorithm, experiment in registry.algorithms().items():
        refusals = []
        for more in _choices(experiment):
            refusal = refusal_by(experiment, task | more)
            if refusal is None:
                flags = " ".join(f"--{name} {value}" for name, value in more.items())
                yield Player(algorithm, experiment.script, flags, None)
                break
            refusals.append(refusal)
        else:  # a fault of the task counts for more than settings that do not fit it
            by_fault = [refusal for refusal in refusals if isinstance(refusal, TaskError)]
            yield Player(algorithm, experiment.script, "", str([*by_fault, *refusals][0]))


def _choices(experiment: Any) -> list[dict[str, str]]:
    """Returns settings of which an experiment needs one for discrete, another for other tasks."""
    fields = {field.name for field in dataclasses.fields(experiment.config_class)}
    if "members" not in fields:
        return [{}]
    return [{"members": members} if members else {} for members in MEMBERS]


def refusal_by(experiment: Any, settings: Mapping[str, Any]) -> UserError | None:
    """Returns the error with which an experiment refuses to train with settings; None if it can.

    It is built as for a run, in a folder that does not stay, and its environment for evaluations
    is played at random for a little while.
    """
    config = experiment.config_class(**settings)
    try:
        with tempfile.TemporaryDirectory() as folder, closing_environments():
            resolved = experiment.resolve(config)
            trainer = built(experiment, resolved, Path(folder))
            _play(trainer.eval_env)
    except UserError as error:
        return error
    except BlankError:  # the task is no reason to refuse
        return None
    return None


def _play(env: Any) -> None:
    """Plays at random; raises UserError where the checks of all agents find a fault."""
    until, ended = time.monotonic() + SECONDS, True
    for _ in range(STEPS):
        if ended:
            env.reset()
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        ended = terminated or truncated
        if time.monotonic() > until:
            return
