"""What to write where an id is wanted and an environment itself is given."""

from __future__ import annotations

import inspect
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from cs285.infrastructure.base.errors import UserError


def id_of(env: Any) -> str | None:
    """Returns the id by which `gymnasium.make` makes an environment as this one is.

    Returns:
        None where it is of no id, or has wrappers that `gymnasium.make` does not add.
    """
    spec = None if isinstance(env, type) else getattr(env, "spec", None)
    return str(spec.id) if spec is not None and not spec.additional_wrappers else None


def id_wanted(given: Any) -> UserError:
    """Returns the error about what was given in the place of an id, with the line that helps.

    Args:
        given: An environment, its class, or anything else.
    """
    layer = given if isinstance(given, type) else _own_layer(given)
    kind = layer if isinstance(layer, type) else type(layer)
    if (known := id_of(given) or _id_of_class(kind)) is not None:
        return UserError(f"env takes the id of an environment, not the object: env={known!r}")
    module, name = kind.__module__, f"{kind.__name__}-v0"
    if not hasattr(kind, "step") or module.startswith("gymnasium."):
        return UserError(
            f"env takes the id of a registered environment, such as 'CartPole-v1', not {given!r}"
        )
    first_level = "." not in kind.__qualname__  # there gymnasium finds a class by its name
    place = repr(f"{module}:{kind.__name__}") if first_level else kind.__name__
    line = f"gymnasium.register({name!r}, entry_point={_entry(layer, kind, place)})"
    if not first_level or module == "__main__":
        return UserError(f"env takes the id of a registered environment: {line}, then env={name!r}")
    return UserError(
        f"env takes the id of a registered environment: write {line} at the end of the module "
        f"{module}, then env={f'{module}:{name}'!r}"
    )


def _id_of_class(kind: type) -> str | None:
    """Returns the id of a class, of several the newest that is made without settings, or None."""

    def made_by(spec: EnvSpec) -> bool:
        module, _, name = str(spec.entry_point).partition(":")
        return name == kind.__name__ and f"{kind.__module__}.".startswith(f"{module}.")

    found = filter(made_by, gym.registry.values())
    best = max(found, key=lambda spec: (not spec.kwargs, spec.version or 0), default=None)
    return None if best is None else str(best.id)


def _own_layer(env: Any) -> Any:
    """Returns the outermost part of an environment that is not Gymnasium's, if there is one."""
    while isinstance(env, gym.Wrapper) and type(env).__module__.startswith("gymnasium."):
        env = env.env
    return env


def _entry(layer: Any, kind: type, place: str) -> str:
    """Returns what makes such an environment, with what `__init__` has no default for.

    Args:
        layer: The environment, or its class.
        kind: Its class.
        place: How `gymnasium.register` finds the class.
    """
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(kind).parameters.values()
    needed = [p.name for p in parameters if p.kind in by_name and p.default is p.empty]
    if issubclass(kind, gym.Wrapper) and needed[:1] == ["env"]:
        inner = "..." if layer is kind else repr(id_of(layer.env) or "...")
        return f"lambda **kwargs: {kind.__name__}(gymnasium.make({inner}, **kwargs))"
    values = ", ".join(f"{name!r}: ..." for name in needed)
    return f"{place}, kwargs={{{values}}}" if needed else place
