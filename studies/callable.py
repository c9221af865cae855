"""Algorithms as functions of Python."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.environments import registering
from cs285.infrastructure.environments.registering import id_wanted
from studies import scripts
from studies.grid import ExperimentGrid

Training = Callable[..., int]
HIDDEN = {"hidden_sizes": "hid", "activation": "act"}
"""Arguments of the usual networks -> the flags that set them."""


@functools.cache
def algorithm(name: str) -> Training:
    """Returns the function that trains by an algorithm.

    Raises:
        UserError: If there is none of this name.
    """
    known = scripts.known(name)

    def train(
        env_fn: str | Callable[[], Any] | None = None,
        actor_critic: Callable[..., Any] | None = None,
        ac_kwargs: Mapping[str, Any] | None = None,
        seed: int = 0,
        exp_name: str = "",
        **flags: Any,
    ) -> int:
        grid = ExperimentGrid(exp_name or known)
        environment = {} if env_fn is None else {"env_name": id_of(env_fn)}
        networks = network_flags(actor_critic, ac_kwargs)
        for flag, value in {**flags, **environment, **networks, "seed": seed}.items():
            grid.add(flag, value)
        return grid.run(known)

    train.__name__ = train.__qualname__ = known
    train.__module__ = "studies"
    train.__doc__ = f"""Trains by {known}, in a folder as a study of one run has it.

    Args:
        env_fn: A function that makes a registered environment, or an environment's id.
        actor_critic: Networks of your own, a class or a function; default: perceptrons.
        ac_kwargs: Their arguments, a dict; of perceptrons: hidden_sizes, activation.
        seed: Seed of everything random.
        exp_name: Name of the study, and of its folder in data; default: the algorithm's.
        flags: Settings: `cs285.settings({known.removesuffix("_pytorch")!r})` shows all, as the
            script's --help does.

    Returns:
        The exit status: 0 if the run is finished.
    """
    return train


def id_of(env_fn: str | Callable[[], Any]) -> str:
    """Returns the id of the environment that a function makes.

    Raises:
        UserError: If it makes one that is not registered: another process could not make it.
    """
    if isinstance(env_fn, str):
        return env_fn
    if not callable(env_fn):
        raise id_wanted(env_fn)
    env = env_fn()
    found = registering.id_of(env)
    env.close()
    if found is None:
        raise id_wanted(env)
    return found


def network_flags(
    actor_critic: Callable[..., Any] | None, ac_kwargs: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Returns the flags for networks of one's own; without these, for the usual ones.

    Raises:
        UserError: If the usual networks do not have such an argument.
    """
    if actor_critic is None:
        if unknown := sorted(set(ac_kwargs or {}) - HIDDEN.keys()):
            known = ", ".join(HIDDEN)
            raise UserError(f"ac_kwargs has {unknown[0]}; the usual networks have {known}")
        return {HIDDEN[name]: value for name, value in (ac_kwargs or {}).items()}
    from cs285.infrastructure import own_networks  # imports torch

    name = own_networks.remember(actor_critic)
    return {"actor_critic": name} | ({"ac_kwargs": json.dumps(ac_kwargs)} if ac_kwargs else {})
