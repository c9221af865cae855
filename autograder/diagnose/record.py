"""One run as the illnesses see it: settings, log and networks, as far as they can be read."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from autograder.base.files import read_data
from autograder.diagnose.nets import Net, Tensors, nets_of
from autograder.diagnose.weights import (
    BEST,
    LAST,
    Snapshot,
    is_finished,
    read_snapshot,
    tensors_of,
)
from autograder.evidence.files import UnreadableError
from autograder.evidence.run_folder import Run, read_run

LEAST_ROWS = 2


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
    # Whether the last policy of a finished run is, to the bit, the one of the best evaluation.
    same_as_best: bool = False
    remarks: tuple[str, ...] = ()  # what could not be read, a line each
    finished: bool = True
    snapshot: Snapshot = field(default_factory=Snapshot)  # where `nets` are from

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
        return float(np.fmax.reduce(means, initial=np.nan))

    @property
    def step(self) -> float:
        """How far the run has come, in steps or iterations: by its log, or its checkpoint."""
        return float(np.fmax(self.most("Step"), np.nan_to_num(self.snapshot.step)))

    @property
    def updates(self) -> float:
        """Gradient steps so far, at least: counted where they are logged, else one an iteration."""
        counted = self.most("Num_Param_Updates")
        return counted if "Num_Param_Updates" in self.run.log else self.most("Step")

    @property
    def updates_of_nets(self) -> float:
        """Gradient steps that `nets` have taken, at least: a checkpoint is older than the log."""
        if self.finished:
            return self.updates
        of_nets = self.snapshot.step if self.agent.on_policy else self.snapshot.updates
        return min(self.updates, float(np.nan_to_num(of_nets)))

    @property
    def begins(self) -> float:
        """After which step the first update comes, by the settings; nan if they do not say it.

        Agents that learn from fresh data begin with their first batch.
        """
        return 0.0 if self.agent.on_policy else self.run.begins

    @property
    def random_until(self) -> float:
        """Until which step actions are drawn whatever the policy is; nan if none are."""
        older = self.setting("random_steps")  # its name in runs of earlier versions
        return float(np.fmax(self.setting("start_steps"), older))

    @property
    def waits(self) -> bool:
        """Whether no update was taken, and the warm-up is not over: nothing can be wrong yet."""
        planned, counted = self.setting("num_timesteps"), "Num_Param_Updates" in self.run.log
        if self.agent.on_policy:
            return self.step == 0
        if (counted or len(self.run.log["Step"])) and self.updates > 0:
            return False
        return bool(self.step <= self.begins and not self.begins >= planned)

    @property
    def gain(self) -> float:
        """By how many standard deviations of an early episode the last returns lie above the first.

        The mean of the last quarter of the rows minus that of the first; below 1, nothing that
        counts was learned. nan if there are too few returns, or no early episodes differ.
        Evaluations stand in for training where that logs none.
        """
        kind = "Train" if len(self.column("Train_AverageReturn")) else "Eval"
        returns, spread = self.column(f"{kind}_AverageReturn"), self.column(f"{kind}_StdReturn")
        quarter = max(1, len(returns) // 4)
        if len(returns) < LEAST_ROWS:
            return math.nan
        rise = returns[-quarter:].mean() - returns[:quarter].mean()
        early = spread[:quarter][spread[:quarter] > 0]  # it is 0 of a single episode
        return float(rise / early.mean()) if len(early) else math.nan


def read_record(folder: Path) -> RunRecord:
    """Reads a run folder. Nothing in it is trusted: sizes are bounded, links are not followed.

    The run may be in training. Weights that are not there, or cannot be read, become a remark.

    Raises:
        UnreadableError: If there is no such folder, its log or its settings cannot be read, or the
            log has fewer than `LEAST_ROWS` rows though learning has begun; one line says which, and
            how to fix it.
    """
    if not folder.is_dir():
        raise UnreadableError("there is no such folder; name the one that contains log.csv")
    finished = is_finished(folder)
    try:
        run = read_run(folder, may_be_empty=not finished)
    except UnreadableError as error:
        raise UnreadableError(f"{error}; name a run's folder, as its script left it") from None
    remarks: list[str] = []
    snapshot = read_snapshot(folder, remarks)
    last, best = tensors_of(folder, LAST, remarks), tensors_of(folder, BEST, remarks)
    if not snapshot.tensors:
        alone = {f"policy.{name}": array for name, array in last.items()}
        snapshot = dataclasses.replace(snapshot, tensors=alone)
    if not snapshot.tensors:
        remarks.append("there are no weights, so only log and settings were looked at")
    record = RunRecord(
        run,
        nets_of(snapshot.tensors),
        finished and _equal(last, best),
        tuple(dict.fromkeys(remarks)),
        finished,
        snapshot,
    )
    require_rows(record)
    return record


def require_rows(record: RunRecord) -> None:
    """Raises UnreadableError if a log is too short to judge a run that learns."""
    rows = len(record.run.log["Step"])
    if rows >= LEAST_ROWS or record.waits:
        return
    if record.finished:
        fix = "let it run on, or log more often (--scalar_log_freq)"
    else:
        fix = "look again when it has run on; --scalar_log_freq is the steps from row to row"
    raise UnreadableError(
        f"log.csv has {rows} row{'s' * (rows != 1)}, too few to judge a run by; {fix}"
    )


def _equal(last: Tensors, best: Tensors) -> bool:
    """Returns whether both are there, and the same to the bit."""
    if not last or last.keys() != best.keys():
        return False
    return all(np.array_equal(last[name], best[name]) for name in last)
