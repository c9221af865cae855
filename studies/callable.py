"""Algorithms as functions of Python, with the parameters that they really have."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from cs285.experiments import own_networks, registry
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.environments import registering
from cs285.infrastructure.environments.registering import id_wanted
from studies import scripts
from studies.grid import ExperimentGrid

Training = Callable[..., int]
HIDDEN = {"hidden_sizes": "hid", "activation": "act"}
"""Arguments of the usual networks -> the flags that set them."""
OWN = {
    "env_fn": "a function that makes a registered environment, or an environment's id",
    "exp_name": "name of the study, and of its folder in data; default: the algorithm's",
    "seed": "seed of everything random",
    "actor_critic": "networks of your own, a class or a function; default: perceptrons",
    "ac_kwargs": "arguments of the networks, a dict; of perceptrons: hidden_sizes, activation",
}
"""What every function has besides the flags of its script."""


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
    train.__signature__ = signature(known)  # type: ignore[attr-defined]
    train.__doc__ = description(known)
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
    name = own_networks.remember(actor_critic)
    return {"actor_critic": name} | ({"ac_kwargs": json.dumps(ac_kwargs)} if ac_kwargs else {})


def signature(name: str) -> inspect.Signature:
    """Returns the parameters of an algorithm's function: its own, then those of the script."""
    kind = inspect.Parameter
    first = [
        kind("env_fn", kind.POSITIONAL_OR_KEYWORD, default=None),
        kind("actor_critic", kind.POSITIONAL_OR_KEYWORD, default=None),
        kind("ac_kwargs", kind.POSITIONAL_OR_KEYWORD, default=None),
        kind("seed", kind.POSITIONAL_OR_KEYWORD, default=0),
        kind("exp_name", kind.POSITIONAL_OR_KEYWORD, default=""),
    ]
    flags = [
        kind(field.name, kind.KEYWORD_ONLY, default=field.default) for field in script_flags(name)
    ]
    return inspect.Signature([*first, *flags], return_annotation=int)


def script_flags(name: str) -> list[dataclasses.Field[Any]]:
    """Returns the flags of a script that its function has as they are."""
    left_out = {*OWN, "data_dir", "resume"}
    return [field for field in registry.flags(name) if field.name not in left_out]


def description(name: str) -> str:
    """Returns the docstring of an algorithm's function."""
    meanings = OWN | {field.name: field.metadata["help"] for field in script_flags(name)}
    lines = [f"    {name}: {meaning}" for name, meaning in meanings.items()]
    return "\n".join(
        [
            f"Trains by {name}, in a folder as a study of one run has it.",
            "",
            "Args:",
            *lines,
            "",
            "Returns:",
            "    The exit status: 0 if the run is finished.",
        ]
    )
