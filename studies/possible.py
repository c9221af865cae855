"""Which values are possible at all: returns of a task, and columns with bounds of their own.

possible.json beside this file has the lowest and the highest number (null: none) of

- the reward of a step, by the task's name without its version; a return is a sum of these, and has
  at most as many as the longest episode has steps;
- the whole return, where that says more than the steps do;
- a column, by its unit in cs285/infrastructure/logging/columns.json.

A task that was made with keywords, or is somebody's own, is none of these. The flag `--possible`
of compare.py says what is possible there.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.logging.logger import SCALARS
from cs285.infrastructure.logging.plotting import episode_limit
from studies.measures import ANY, Range

TABLE = json.loads(Path(__file__).with_name("possible.json").read_text(encoding="utf-8"))
VERSION = re.compile(r"-v\d+$")


def parsed(text: str) -> Range:
    """Returns the two numbers of LOW,HIGH; an empty one is no bound.

    Raises:
        UserError: If these are not two ascending numbers.
    """
    problem = UserError(f"--possible {text}: write --possible=LOW,HIGH, such as 0,1 or ,0")
    try:
        low, high = (
            float(part) if part.strip() else end
            for part, end in zip(text.split(","), ANY, strict=True)
        )
    except ValueError:
        raise problem from None
    if not low < high:
        raise problem
    return low, high


def of_column(name: str, settings: Sequence[Mapping[str, Any]]) -> Range:
    """Returns the values that a column of the log can have in runs of one task.

    Args:
        name: The column.
        settings: Of the runs, as `Run` has them.
    """
    unit = SCALARS.get(name, ("",))[0]
    if unit != "reward per episode":
        return _ends(TABLE["unit"].get(unit))
    ranges = [of_returns(one) for one in settings]
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    return (0.0, high - low) if "Std" in name else (low, high)


def of_returns(settings: Mapping[str, Any]) -> Range:
    """Returns the lowest and the highest return of an episode in a run's task."""
    name = str(settings["env_name"])
    kind = VERSION.sub("", name)
    if kind in TABLE["return"]:
        return _ends(TABLE["return"][kind])
    if kind not in TABLE["reward of a step"]:
        return ANY
    from cs285.infrastructure.environments.envs import most_steps  # loads Gymnasium

    steps = most_steps(name, episode_limit(settings)) or math.inf
    low, high = _ends(TABLE["reward of a step"][kind])
    return min(0.0, low and low * steps), max(0.0, high and high * steps)


def _ends(row: Sequence[float | None] | None) -> Range:
    low, high = row or (None, None)
    return (ANY[0] if low is None else float(low), ANY[1] if high is None else float(high))
