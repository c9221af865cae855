"""Networks of one's own, in the place of those that an agent would build.

`--actor_critic module:name` names a function, or a class, that is called as
`actor_critic(observation_space, action_space, **ac_kwargs)` and returns a torch module. Its parts
are what Spinning Up's have: `pi`, and `v`, `q`, or `q1` and `q2`. `docs/library.md` has a table.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cs285.infrastructure.base import own_module
from cs285.infrastructure.base.errors import UserError

if TYPE_CHECKING:  # torch takes seconds to import
    from cs285.infrastructure.own_networks import OwnNetworks


_in_memory: dict[str, Callable[..., Any]] = {}
"""Those that this process was given as objects, by name."""


def remember(builder: Callable[..., Any]) -> str:
    """Returns the name of a function or a class, by which this process finds it again.

    Another process finds it too, if it can import it.

    Raises:
        UserError: If it has no name, as an object or a partial function has none.
    """
    if not hasattr(builder, "__qualname__"):
        raise UserError(
            "--actor_critic takes a class or a function that makes networks, and --ac_kwargs its "
            f"arguments, not an object of {type(builder).__name__}"
        )
    name = f"{builder.__module__}:{builder.__qualname__}"
    _in_memory[name] = builder
    return name


def find(name: str) -> Callable[..., Any]:
    """Returns what a name stands for; its module may be a file in the working directory.

    Raises:
        UserError: If it cannot be found.
    """
    if name in _in_memory:
        return _in_memory[name]
    module, _, path = name.partition(":")
    own_module.look_in(Path.cwd())
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, ValueError, AttributeError) as error:
        raise UserError(
            f"--actor_critic {name}: {error}; write module:name, where the module is a file that "
            "can be imported"
        ) from error
    if not callable(found):
        raise UserError(f"--actor_critic {name} is no class and no function")
    return found  # type: ignore[no-any-return]


def asked_for(config: Any, env: Any, *parts: str) -> OwnNetworks | None:
    """Returns the networks of one's own that a run is to have; None if it asks for none.

    Args:
        config: Its settings, `OwnNetworkFlags` among them.
        env: An environment of evaluations, whose observations are as the networks take them.
        parts: What the agent needs: some of "pi", "v", "q", "q1" and "q2".

    Raises:
        UserError: If they cannot be built, or do not fit the agent.
    """
    if config.actor_critic is None:
        if config.ac_kwargs is not None:
            raise UserError("--ac_kwargs are those of --actor_critic: give both, or neither")
        return None
    if getattr(config, "normalize_observations", False):
        raise UserError("--normalize_observations: a network of your own has to scale them itself")
    from cs285.infrastructure.own_networks import OwnNetworks

    spaces = env.observation_space, env.action_space
    builder, kwargs = find(config.actor_critic), arguments(config.ac_kwargs)
    own = OwnNetworks(config.actor_critic, builder, spaces, kwargs, config.outputs)
    own.check(parts)
    return own


def arguments(text: str | None) -> Mapping[str, Any]:
    """Returns the keyword arguments in `--ac_kwargs`; UserError if they are none."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UserError(f"""--ac_kwargs takes JSON such as '{{"units": 32}}', not {text!r}""")
    return found
