"""Finds an id and calls `gymnasium.make`: what can go wrong is reported in one line."""

from __future__ import annotations

import difflib
import importlib
import inspect
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec, load_env_creator

from cs285.infrastructure.base import own_module
from cs285.infrastructure.base.errors import TaskError, UserError
from cs285.infrastructure.environments.checked_task import description

OURS = {
    "max_episode_steps": "--max_episode_steps sets it",
    "render_mode": "films and windows set it",
    "disable_env_checker": "scripts/check_env.py checks an environment",
}
"""What `gymnasium.make` takes besides an environment's own settings -> who sets it."""

if "CourseLander-v0" not in gym.registry:  # the grader imports this file more than once
    gym.register(  # its module, and Box2D, are imported when one is made
        "CourseLander-v0",
        "cs285.infrastructure.environments.course_lander:CourseLander",
        max_episode_steps=1000,
    )


def is_atari(env_name: str) -> bool:
    """Returns whether this is a game of the Arcade Learning Environment; `atari.py` makes those."""
    return "ale_py" in str(find_spec(env_name).entry_point)


def find_spec(env_name: str) -> EnvSpec:
    """Looks an id up; one whose environment is gone stands for the newest of its name.

    Of `module:id` the module is imported first, which registers the id.

    Raises:
        UserError: If there is no such module or id, or a package that is needed is missing.
        TaskError: If the module cannot be imported.
    """
    own_module.load(env_name)
    module, _, env_id = env_name.rpartition(":")
    try:
        ale_py = importlib.import_module("ale_py")
        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)  # no banner before our output
        gym.register_envs(ale_py)
    except ModuleNotFoundError as error:
        raise UserError(f"{error}; run: pip install 'gymnasium[atari]'") from error
    spec = gym.registry.get(env_id)
    # A function of Gymnasium's own stands for an environment that is gone.
    if spec is None or getattr(spec.entry_point, "__module__", "") == "gymnasium.envs":
        name = env_id.rpartition("-v")[0]
        same = [s for s in gym.registry.values() if s.name == name and s.version is not None]
        spec = max(same, key=lambda s: int(s.version or 0)) if same and not module else None
    if spec is None:
        raise UserError(f"--env_name {env_name}: {_not_registered(module, env_id)}")
    return spec


def _not_registered(module: str, env_id: str) -> str:
    """Returns the message about an id that nobody has registered."""
    near = difflib.get_close_matches(env_id, gym.registry, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "see https://gymnasium.farama.org"
    if not module:
        return f"no such environment; {hint}"
    file = own_module.file_of(f"{module}:{env_id}")
    hint = hint if near else f'gymnasium.register("{env_id}", ...) belongs there'
    return f"{file or module} registers no {env_id}; {hint}"


def make(
    env_name: str, render: str | None = None, kwargs: Mapping[str, Any] | None = None, **fixed: Any
) -> gym.Env[Any, Any]:
    """Makes an environment.

    Args:
        env_name: Id of Gymnasium, or `module:id`.
        render: "rgb_array" if `env.render()` must return pictures, "human" for a window.
        kwargs: What it is made with besides, of --env_kwargs.
        fixed: What it is made with in any case.

    Raises:
        UserError: If there is none, or it does not take such settings, or a package that it needs
            is missing.
        TaskError: If it cannot be made.
    """
    spec, kwargs = find_spec(env_name), kwargs or {}
    settings = {**fixed, **({"render_mode": render} if render else {})}
    for name in kwargs:
        if name in settings or name in OURS:
            who = OURS.get(name, "the scripts set it")
            raise UserError(f"--env_kwargs: {name} is not a setting of the environment: {who}")
    try:
        entry = spec.entry_point
        creator = load_env_creator(entry) if isinstance(entry, str) else entry
        check_keywords(creator, spec, env_name, [*kwargs, *settings])
        with warnings.catch_warnings():
            # The course's ids are older than Gymnasium's newest, on purpose.
            warnings.filterwarnings("ignore", message=".*is out of date.*")
            return gym.make(spec.id, disable_env_checker=True, **settings, **kwargs)
    except UserError:
        raise
    except (gym.error.DependencyNotInstalled, ModuleNotFoundError) as error:
        raise UserError(f"--env_name {env_name} {missing_package(spec, error)}") from error
    except Exception as error:
        cause = error.__cause__ if type(error.__cause__) is type(error) else None  # told again
        raise TaskError(f"{env_name}: {description(cause or error, 'gymnasium.make')}") from error


def check_keywords(creator: Any, spec: EnvSpec, env_name: str, given: Iterable[str]) -> None:
    """Refuses settings that an environment does not take, and missing ones that it needs.

    Args:
        creator: Its class, or a function that makes it.
        spec: What Gymnasium knows of it.
        env_name: Its name, as it was typed.
        given: The names of the settings.

    Raises:
        UserError: Naming the first one.
    """
    try:
        parameters = inspect.signature(creator).parameters
    except (TypeError, ValueError):  # one written in C
        return
    takes_all = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    known = {name: p.default for name, p in parameters.items() if p.kind in by_name}
    for name in [] if takes_all else given:
        if name not in known:
            raise UserError(_refusal(name, env_name, set(known) - {"render_mode"}))
    there = {*given, *spec.kwargs}
    for name, default in known.items():
        if default is inspect.Parameter.empty and name not in there:
            raise UserError(
                f"""{env_name} needs a value of {name}: --env_kwargs '{{"{name}": ...}}'"""
            )


def _refusal(name: str, env_name: str, known: set[str]) -> str:
    """Returns the message about a setting that an environment does not take."""
    if name == "render_mode":
        return (
            f"{env_name} cannot be shown or filmed: it takes no render_mode; give its __init__ "
            "that argument, and a render that returns pictures"
        )
    near = difflib.get_close_matches(name, known, n=1)
    hint = f", did you mean {near[0]}" if near else ""
    takes = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
    return f"--env_kwargs: {env_name} takes no {name}{hint}; {takes}"


def missing_package(spec: EnvSpec, error: Exception) -> str:
    """Returns what to install, as the end of a sentence about the environment."""
    place = str(spec.entry_point).partition(":")[0]
    if place.startswith("gymnasium."):
        kind = place.rsplit(".", 2)[-2]
        extra = '-e ".[mujoco]"' if kind == "mujoco" else f'"gymnasium[{kind}]"'
        return f"needs a package: pip install {extra}"
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"needs the module {error.name}, which is not installed"
    return f"needs a package: {' '.join(str(error).split())}"
