"""One run as the illnesses see it: settings, log and networks, as far as they can be read."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from autograder.base.files import read_data
from autograder.base.text import one_line
from autograder.diagnose.nets import Net, Tensors, nets_of, read_tensors
from autograder.evidence.files import UnreadableError, entries
from autograder.evidence.run_folder import Run, read_run

LEAST_ROWS = 2
WHOLE, LAST, BEST = "weights.safetensors", "policy.safetensors", "best_policy.safetensors"


@dataclass(frozen=True)
class Agent:
    """The facts about an algorithm that illnesses need."""

    name: str = ""  # such as "DQN"; empty where a script of somebody else's made the run
    on_policy: bool = False  # learns from fresh data alone, so that rows are counted in iterations
    bootstraps: bool = False  # learns a Q-function from a memory
    # Several agents learn side by side; a row is about the one that played at the time.
    portfolio: bool = False
    # The setting for Adam's step size, and the range in which that learns; the members of a
    # portfolio have their own, which --members names.
    rate: str = "learning_rate"
    rates: tuple[float, float] = (math.nan, math.nan)


AGENTS: Mapping[str, Agent] = {
    script: Agent(**plain) for script, plain in read_data("diagnose/agents.json").items()
}
"""By the script that makes their runs."""


@dataclass(frozen=True)
class RunRecord:
    """A run, read."""

    run: Run  # settings and log
    # Name -> perceptron of the last weights, as far as they were kept; see `nets_of`.
    nets: Mapping[str, Net] = field(default_factory=dict)
    # Whether the last policy is, to the bit, the one of the best evaluation.
    same_as_best: bool = False
    remarks: tuple[str, ...] = ()  # what could not be read, a line each

    @property
    def agent(self) -> Agent:
        """The algorithm that learned."""
        return AGENTS.get(self.run.script, Agent())

    def setting(self, name: str) -> float:
        """Returns a setting as a number; nan if it is none."""
        value = self.run.settings.get(name)
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        return float(value) if plain and value is not None else math.nan

    def rows(self, name: str) -> np.ndarray:
        """Returns a column as it is, nan where there is nothing. Shape (rows,)."""
        return self.run.log.get(name, np.nan * self.run.log["Step"])

    def column(self, name: str) -> np.ndarray:
        """Returns a column's finite numbers; empty if it is not there. Shape (n,)."""
        rows = self.rows(name)
        finite: np.ndarray = rows[np.isfinite(rows)]
        return finite

    def most(self, name: str) -> float:
        """Returns a column's number farthest from 0; 0 if it has none."""
        return float(np.abs(self.column(name)).max(initial=0.0))

    @property
    def episode_length(self) -> float:
        """The longest mean length of episodes in a row of the log, in steps; at least 1."""
        return max(1.0, self.most("Train_AverageEpLen"), self.most("Eval_AverageEpLen"))

    @property
    def reward(self) -> float:
        """The largest mean reward of a step in a row, without its sign; nan if never seen."""
        lengths = np.maximum(self.rows("Train_AverageEpLen"), 1.0)
        means = np.abs(self.rows("Train_AverageReturn")) / lengths
        return float(np.fmax.reduce(means))

    @property
    def updates(self) -> float:
        """Gradient steps so far, at least: counted where they are logged, else one an iteration."""
        counted = self.most("Num_Param_Updates")
        return counted if "Num_Param_Updates" in self.run.log else self.most("Step")

    @property
    def gain(self) -> float:
        """By how many standard deviations of an early episode the last returns lie above the first.

        The mean of the last quarter of the rows minus that of the first; below 1, nothing that
        counts was learned. nan if there are too few returns. Evaluations stand in for training
        where that logs none.
        """
        kind = "Train" if len(self.column("Train_AverageReturn")) else "Eval"
        returns, spread = self.column(f"{kind}_AverageReturn"), self.column(f"{kind}_StdReturn")
        quarter = max(1, len(returns) // 4)
        if len(returns) < LEAST_ROWS:
            return math.nan
        rise = returns[-quarter:].mean() - returns[:quarter].mean()
        return float(rise / (spread[:quarter].mean() + 1e-8)) if len(spread) else math.nan


def read_record(folder: Path) -> RunRecord:
    """Reads a run folder. Nothing in it is trusted: sizes are bounded, links are not followed.

    Weights that are not there, or cannot be read, become a remark.

    Raises:
        UnreadableError: If there is no such folder, its log or its settings cannot be read, or the
            log has fewer than `LEAST_ROWS` rows; one line says which, and how to fix it.
    """
    if not folder.is_dir():
        raise UnreadableError("there is no such folder; name the one that contains log.csv")
    try:
        run = read_run(folder)
    except UnreadableError as error:
        raise UnreadableError(f"{error}; name a run's folder, as its script left it") from None
    rows = len(run.log["Step"])
    if rows < LEAST_ROWS:
        raise UnreadableError(
            f"log.csv has {rows} row, too few to judge a run by; "
            "let it run on, or log more often (--scalar_log_freq)"
        )
    remarks: list[str] = []
    tensors = _tensors(folder, _newest(folder), remarks)
    last, best = _tensors(folder, LAST, remarks), _tensors(folder, BEST, remarks)
    if not tensors:
        tensors = {f"policy.{name}": array for name, array in last.items()}
    if not tensors:
        remarks.append("there are no weights, so only log and settings were looked at")
    return RunRecord(run, nets_of(tensors), _equal(last, best), tuple(dict.fromkeys(remarks)))


def _equal(last: Tensors, best: Tensors) -> bool:
    """Returns whether both are there, and the same to the bit."""
    if not last or last.keys() != best.keys():
        return False
    return all(np.array_equal(last[name], best[name]) for name in last)


def _newest(folder: Path) -> str:
    """Returns where all networks are: at the end of a run, or in the last checkpoint before it."""
    saved = folder / "checkpoints"
    steps = [entry.name for entry in entries(saved)] if saved.is_dir() else []
    steps = sorted(step for step in steps if re.fullmatch(r"step_\d+(-\d+)?", step))
    whole = (folder / WHOLE).exists() or not steps
    return WHOLE if whole else f"checkpoints/{steps[-1]}/arrays.safetensors"


def _tensors(folder: Path, name: str, remarks: list[str]) -> Tensors:
    try:
        return read_tensors(folder / name) if (folder / name).exists() else {}
    except UnreadableError as error:
        remarks.append(f"{one_line(str(error))}; it was left out")
        return {}
