"""Settings of an algorithm, as keywords of Python."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from typing import Any

import numpy as np

from cs285.experiments import registry
from cs285.infrastructure.base.config import config_from_dict
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.flag_values import text
from cs285.infrastructure.base.settings import RunConfig
from cs285.infrastructure.base.spelling import ONE_MINUS, one_minus, other_words
from cs285.library.arguments import json_object, plain
from cs285.library.show import Table


def algorithms() -> list[str]:
    """Returns the names of the algorithms that can be trained."""
    return list(registry.algorithms())


def experiment_of(algorithm: str) -> Any:
    """Returns the experiment of an algorithm.

    Raises:
        UserError: If there is none of this name.
    """
    known = registry.algorithms()
    if not isinstance(algorithm, str) or algorithm not in known:
        near = difflib.get_close_matches(str(algorithm).lower(), known, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UserError(f"there is no algorithm {algorithm!r}; {hint}There are {', '.join(known)}")
    return known[algorithm]


def settings(algorithm: str) -> Table:
    """Returns all settings of an algorithm: their names, default values and meanings.

    Raises:
        UserError: If there is no such algorithm.
    """
    fields = dataclasses.fields(experiment_of(algorithm).config_class)
    shown = ["" if field.default is None else str(field.default) for field in fields]
    return Table(
        {
            "setting": np.array([field.name for field in fields]),
            "default": np.array(shown),
            "meaning": np.array([field.metadata["help"] for field in fields]),
        }
    )


def config_of(algorithm: str, given: Mapping[str, Any]) -> tuple[RunConfig, set[str]]:
    """Returns the config that keywords ask for, and the names of the fields that they set.

    Args:
        algorithm: Its name.
        given: The keywords. A field may be called as its flag is, without dashes.

    Raises:
        UserError: If the algorithm, a keyword or a value is wrong.
    """
    kind = experiment_of(algorithm).config_class
    fields = {field.name: field for field in dataclasses.fields(kind)}
    words, (_, explained) = spellings(kind), other_words(fields)
    values: dict[str, Any] = {}
    for word, value in given.items():
        if word in explained:
            raise UserError(f"{algorithm} has no setting {word!r}: {explained[word]}")
        if word not in words:
            near = difflib.get_close_matches(word, words, 1)
            hint = f"did you mean {near[0]}? " if near else ""
            all_of_them = f"cs285.settings({algorithm!r}) lists all"
            raise UserError(f"{algorithm} has no setting {word!r}; {hint}{all_of_them}")
        name = words[word].removeprefix(ONE_MINUS)
        value = value if name == words[word] else float(one_minus(word, value))
        if name in values:
            raise UserError(f"{name} is given twice, once as {word}")
        values[name] = storable(fields[name], value)
    return config_from_dict(kind, values, fill_in=True), set(values)


def spellings(kind: type[RunConfig]) -> dict[str, str]:
    """Returns the field that each keyword sets: by its name, or as a flag of it is called."""
    fields = dataclasses.fields(kind)
    found = {field.name: field.name for field in fields}
    found |= other_words(found)[0]
    for field in fields:
        for alias in field.metadata["aliases"]:
            found.setdefault(alias.lstrip("-"), field.name)
    return found


def storable(field: dataclasses.Field[Any], value: Any) -> Any:
    """Returns the value of a setting as config.json can store it: a text as its flag is typed.

    Raises:
        UserError: If it cannot be stored, or is an environment in the place of an id.
    """
    if field.name == "actor_critic" and callable(value):
        from cs285.infrastructure import own_networks  # imports torch

        return own_networks.remember(value)
    if field.name == "env_name" and not isinstance(value, str):
        from cs285.infrastructure.environments.registering import id_wanted

        raise id_wanted(value)
    value = json_object(field.name, value) if isinstance(value, Mapping) else plain(value)
    if not str(field.type).startswith("str") or value is None or isinstance(value, bool):
        return value
    return value.__name__.lower() if isinstance(value, type) else text(value)  # torch.nn.Tanh
