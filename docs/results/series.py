"""What a picture of the results shows: settings, their seeds, and what each of them ended at."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from experiments import Run, load_runs

from cs285.infrastructure.logging.logger import rounded
from cs285.infrastructure.logging.plotting import curve

STEPS = "Train_EnvstepsSoFar"


@dataclasses.dataclass(frozen=True)
class Seed:
    """One run.

    Attributes:
        x: Steps, ascending.
        y: What is drawn, one number for each step.
        log: All columns of the run, for tables.
        settings: Those of the run.
    """

    x: np.ndarray
    y: np.ndarray
    log: Mapping[str, np.ndarray] = dataclasses.field(default_factory=dict)
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def of(self, column: str) -> tuple[np.ndarray, np.ndarray]:
        """Returns the steps and the numbers of another column of the log."""
        return curve(dict(self.log), STEPS if STEPS in self.log else "Step", column)


@dataclasses.dataclass(frozen=True)
class Setting:
    """Runs that differ in their seeds alone.

    Attributes:
        label: What tells them from the others.
        seeds: The runs, by seed.
        peers: Runs of another library by the same settings, by its name.
    """

    label: str
    seeds: Sequence[Seed]
    peers: Mapping[str, Sequence[Seed]] = dataclasses.field(default_factory=dict)


Column = tuple[str, Callable[[Sequence[Seed]], str]]


def last(seed: Seed) -> float:
    """Returns what a run ended at."""
    return float(seed.y[-1])


def mean_of_last(count: int) -> Callable[[Seed], float]:
    """Returns what takes the mean of the last `count` numbers of a run."""
    return mean_up_to(np.inf, count)


def mean_up_to(step: float, count: int | None = None) -> Callable[[Seed], float]:
    """Returns what takes the mean of the last `count` numbers of a run up to `step` steps.

    None: of all numbers but the one before learning.
    """

    def value(seed: Seed) -> float:
        there = seed.y[(seed.x > 0) & (seed.x <= step)]
        return float(there[-count if count else None :].mean())

    return value


def after(step: float) -> Callable[[Seed], float]:
    """Returns what takes the last number of a run up to `step` steps."""
    return lambda seed: float(seed.y[np.flatnonzero(seed.x <= step)[-1]])


@dataclasses.dataclass(frozen=True)
class Picture:
    """One picture, its words and its table.

    Attributes:
        name: Of the file, without its ending.
        what: Is drawn, with its unit.
        where: The task, and what all its settings share.
        settings: A panel each.
        columns: Of the table, after the setting's own.
        ends_at: What a run is said to end at: the number of its panel, alt text and table.
        smooth: Each point is the mean of so many rows.
        low: The least that the axis shows; None: what the data ask for.
        down: Less is better, so the smallest comes first.
        more: A second column that is drawn beneath: its name and what it is.
        across: What the horizontal axis counts.
        table_only: Settings that the table has and the picture has not.
        sources: Files that the data come from.
    """

    name: str
    what: str
    where: str
    settings: Sequence[Setting]
    columns: Sequence[Column]
    ends_at: Callable[[Seed], float] = last
    smooth: int = 1
    low: float | None = None
    down: bool = False
    more: tuple[str, str] | None = None
    across: str = "environment steps"
    table_only: Sequence[Setting] = ()
    sources: Sequence[Path] = ()

    def mean(self, seeds: Sequence[Seed]) -> float:
        """Returns what runs ended at on average."""
        return float(np.mean([self.ends_at(seed) for seed in seeds]))

    def by_value(self) -> list[Setting]:
        """Returns the settings, the best one first."""
        return sorted(self.settings, key=lambda s: self.mean(s.seeds), reverse=not self.down)

    def digest(self, more: bytes) -> str:
        """Returns a digest of the data, of what is said about them and of `more`."""
        words = [(s.label, [*s.peers]) for s in self.settings]
        shown = (self.name, self.what, self.where, self.smooth, self.low, self.down, words)
        found = hashlib.sha256(repr(shown).encode() + more)
        for path in sorted(set(self.sources)):
            found.update(path.name.encode() + path.read_bytes())
        return f"sha256:{found.hexdigest()}"

    def alt(self) -> str:
        """Returns the picture's words for those who cannot see it."""
        parts = []
        for setting in self.by_value():
            values = [short(self.ends_at(seed)) for seed in setting.seeds]
            each = f" ({', '.join(values)})" if values[1:] else ""
            parts.append(f"{setting.label}: {short(self.mean(setting.seeds))}{each}")
        seeds = max(len(setting.seeds) for setting in self.settings)
        count = "one seed" if seeds == 1 else f"{seeds} seeds"
        return f"{self.what}, {self.where}, {count}; at the end: {'; '.join(parts)}"


def short(value: float) -> str:
    """Writes a number as tables do, with a plain minus."""
    return str(rounded(value))


def steps(value: float) -> str:
    """Writes a number of steps: 91k."""
    return f"{value / 1000:.0f}k"


def runs(pattern: str, root: Path) -> list[Run]:
    """Returns the runs whose folders match a pattern, by seed."""
    found = load_runs([str(path) for path in sorted(root.glob(pattern))])
    return sorted(found, key=lambda run: (int(run.settings["seed"]), run.run_dir.name))


def logged(
    root: Path, label: str, pattern: str, column: str, peers: Mapping[str, str] | None = None
) -> tuple[Setting, list[Path]]:
    """Reads a setting from logs.

    Args:
        root: Where the folders are.
        label: What tells it from the others.
        pattern: Of its folders' names.
        column: Of the log, to draw.
        peers: Name of another library -> pattern of its folders.

    Returns:
        The setting and the files that it was read from.
    """
    files = []

    def seeds(pattern: str) -> list[Seed]:
        found = []
        for run in runs(pattern, root):
            files.extend([run.run_dir / "log.csv", run.run_dir / "config.json"])
            x_name = STEPS if STEPS in run.log else "Step"
            found.append(Seed(*curve(run.log, x_name, column), run.log, run.settings))
        return found

    others = {name: seeds(one) for name, one in (peers or {}).items()}
    return Setting(label, seeds(pattern), others), files


def rows(file: Path) -> list[dict[str, Any]]:
    """Returns the objects of a file of JSON lines."""
    text = file.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line]
