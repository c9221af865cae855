"""Gymnasium's own check of an environment, with what it finds as lines."""

from __future__ import annotations

import re
import warnings
from typing import Any

import gymnasium as gym
from gymnasium.utils.env_checker import check_env

from cs285.infrastructure.environments.checked_task import description
from cs285.infrastructure.environments.findings import Finding, fault, note

WHERE = "Gymnasium's check_env"
FIX = "see https://gymnasium.farama.org/introduction/create_custom_env"


def findings(env: gym.Env[Any, Any]) -> list[Finding]:
    """Lets Gymnasium check an environment, without its wrappers and without pictures.

    It raises at the first fault, so there is at most one; what it warns of becomes notes.

    Args:
        env: As `gymnasium.make` returns it.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = _faults(env)
    told = [_plain(str(one.message)) for one in caught if one.category is UserWarning]
    return [*found, *(note(text, WHERE, FIX) for text in dict.fromkeys(told))]


def _faults(env: gym.Env[Any, Any]) -> list[Finding]:
    """Returns the fault that Gymnasium finds, if there is one."""
    try:
        check_env(env.unwrapped, skip_render_check=True)
    except (AssertionError, gym.error.Error) as error:
        return [fault(_plain(str(error)) or type(error).__name__, WHERE, FIX)]
    except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever a task raises)
        return [fault(description(error, "it"), WHERE, FIX)]
    return []


def _plain(text: str) -> str:
    """Returns a message of Gymnasium's in one line, without colour and without a full stop."""
    text = re.sub(r"\x1b\[[\d;]*m", "", text)
    return " ".join(text.split()).removeprefix("WARN: ").removesuffix(".")
