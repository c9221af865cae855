"""One handed-in run: its settings, its log and its weights, as far as they can be trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autograder.base.text import one_line
from autograder.evidence.files import UnreadableError, read_json, read_text
from cs285.infrastructure.base.schedules import learning_begins
from cs285.infrastructure.logging.logger import SCALARS

MOST_CONFIG, MOST_LOG = 2**16, 2**23  # bytes
MOST_ROWS, MOST_COLUMNS = 20_000, 64
WEIGHTS = "policy.safetensors"

Log = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Run:
    """A run folder, read."""

    folder: Path  # where it lies
    script: str  # which script made it
    # name -> value: a string, a number, true, false or null; env_kwargs may be an object.
    settings: Mapping[str, Any]
    # Column -> numbers, shape (rows,); nan where there is none. "Step" is among them. Unless it may
    # be empty, there is a row.
    log: Log

    @property
    def name(self) -> str:
        """The folder's name, as messages show it."""
        return one_line(self.folder.name)

    @property
    def seed(self) -> int:
        """The seed."""
        return int(self.settings["seed"])

    @property
    def begins(self) -> float:
        """After which step the first update comes, by the settings; nan if they do not say it."""
        try:
            return float(learning_begins(self.settings))
        except (KeyError, TypeError, ValueError, ArithmeticError):
            return math.nan

    def last(self, column: str) -> float:
        """Returns the number in a column's last row; nan where there is none."""
        return float(self.log[column][-1]) if column in self.log else math.nan


def read_run(folder: Path, may_be_empty: bool = False) -> Run:
    """Reads config.json and log.csv.

    Args:
        folder: The run's.
        may_be_empty: Whether the log may have no row yet, or not be there: then it has 0 rows.

    Raises:
        UnreadableError: If either is missing or not what a script writes, or the folder is a link.
    """
    if folder.is_symlink():
        raise UnreadableError(f"{one_line(folder.name)} is a link, and links are not followed")
    script, settings = _read_settings(folder)
    if may_be_empty and _is_empty(folder / "log.csv"):
        return Run(folder, script, settings, {"Step": np.empty(0)})
    return Run(folder, script, settings, _read_log(folder))


def _is_empty(file: Path) -> bool:
    """Returns whether a log has no whole row yet."""
    return not file.is_symlink() and (
        not file.exists() or read_text(file, MOST_LOG).count("\n") < 2
    )


def _read_settings(folder: Path) -> tuple[str, dict[str, Any]]:
    document = read_json(folder / "config.json", MOST_CONFIG)
    settings = document.get("settings")
    if not isinstance(settings, dict) or not isinstance(settings.get("seed"), int):
        raise UnreadableError("config.json contains no settings")
    for name, value in settings.items():
        is_object = name == "env_kwargs" and isinstance(value, dict)
        if not (value is None or is_object or isinstance(value, str | int | float)):
            raise UnreadableError("config.json contains settings that are no plain values")
        if isinstance(value, int) and abs(value) > 2**53:
            raise UnreadableError("config.json contains numbers beyond any setting")
    return str(document.get("script")), settings


def _read_log(folder: Path) -> Log:
    """Reads the columns that the course knows; others are left out, as is a last line cut off."""
    lines = read_text(folder / "log.csv", MOST_LOG).split("\n")[:-1]
    if len(lines) < 2 or len(lines) > MOST_ROWS:
        raise UnreadableError(f"log.csv has {max(0, len(lines) - 1):,} whole rows")
    names = lines[0].rstrip("\r").split(",", MOST_COLUMNS)
    if len(names) > MOST_COLUMNS or len(set(names)) < len(names) or "Step" not in names:
        raise UnreadableError("log.csv does not begin with the names of its columns")
    table = np.array([_numbers(n, line, len(names)) for n, line in enumerate(lines[1:], start=2)])
    return {name: table[:, i] for i, name in enumerate(names) if name in SCALARS}


def _numbers(number: int, line: str, count: int) -> list[float]:
    texts = line.rstrip("\r").split(",", count)
    try:
        if len(texts) == count:
            return [float(text) if text else math.nan for text in texts]
    except ValueError:
        pass
    raise UnreadableError(f"log.csv, line {number} is not {count} numbers")
