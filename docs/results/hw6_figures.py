"""The pictures of the results of homework 6, whose numbers are in two files of JSON lines."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import columns
import numpy as np
from series import Column, Picture, Seed, Setting, mean_of_last, rows

FOUR = "0.5,0.1,0.01,0.001"
BROKEN = f"{FOUR},0,0,0"
NAMES = {"ssbas": "SSBAS", "ucb1": "UCB1", "exp3": "EXP3", "d3rb": "D3RB", "esbas": "ESBAS"}
NAMES |= {"d3rb(ucb1,ssbas,exp3)": "D3RB over rules"}


def grid(file: Path) -> Picture:
    """Tables on the grid of fruits: members alone, and rules that choose among them."""
    found: dict[str, list[Seed]] = {}
    for row in rows(file):
        middle = (np.arange(len(row["curve"])) + 0.5) * row["episodes"] / len(row["curve"])
        found.setdefault(_label(row), []).append(Seed(middle, np.array(row["curve"])))
    settings = [Setting(label, seeds) for label, seeds in found.items()]
    extra = [one for one in settings if one.label.endswith(("only", "besides"))]
    table = [
        columns.mean_and_spread("whole run", lambda seed: float(seed.y.mean()), 1),
        columns.mean_and_spread("last tenth", mean_of_last(10), 1),
        columns.number("seeds"),
    ]
    return Picture(
        "hw6_grid",
        "Steps an episode (fewer is better)",
        "the grid of fruits",
        [one for one in settings if one not in extra],
        table,
        ends_at=mean_of_last(10),
        down=True,
        across="episodes",
        table_only=extra,
        sources=[file],
    )


def _label(row: dict[str, Any]) -> str:
    """Returns what a run on the grid is called."""
    name = NAMES.get(row["selector"], row["selector"])
    if row["own_experience"]:
        return f"{name}, own experience only"
    if row["alphas"] == BROKEN:
        return f"{name}, three broken members besides"
    return name if row["alphas"] == FOUR else f"alone, α {row['alphas']}"


def evaluations(file: Path, name: str, where: str, prefix: str) -> list[Picture]:
    """Returns two pictures of runs with networks: evaluations, and what choosing cost.

    Args:
        file: The runs.
        name: Of the first file; the second one ends in `_regret`.
        where: The task.
        prefix: Of the runs' names.
    """
    scores: dict[str, list[Seed]] = {}
    costs: dict[str, list[Seed]] = {}
    for row in rows(file):
        run = row["run"]
        if not run.startswith(prefix) or run.endswith("own"):
            continue
        run = run.removeprefix(prefix)
        alone = f"{run.upper().replace('E', 'e')} alone"
        label = NAMES.get(run, run if run == "uniform" else alone)
        step, score = np.array(row["eval"], float).T
        scores.setdefault(label, []).append(Seed(step, score, settings={"row": row}))
        if run in ("ssbas", "uniform"):
            costs.setdefault(label, []).append(Seed(*np.array(row["regret"], float).T))
    shared: dict[str, Any] = {"sources": [file]}
    first = Picture(
        name, "Evaluation return", where, _settings(scores), [*_evaluated(), *_played()], **shared
    )
    regret = [columns.each("regret at the end (seeds 1, 2, 3)"), columns.mean("mean")]
    return [
        first,
        Picture(
            f"{name}_regret",
            "Regret (reward)",
            where,
            _settings(costs),
            regret,
            down=True,
            **shared,
        ),
    ]


def _settings(groups: dict[str, list[Seed]]) -> list[Setting]:
    """Returns a setting for each group of seeds."""
    return [Setting(label, seeds) for label, seeds in groups.items()]


def _evaluated() -> list[Column]:
    """Returns the columns about evaluations."""
    mean = columns.mean_and_spread("mean of all after step 0", columns.after_start)
    return [columns.each("last evaluation (seeds 1, 2, 3)"), mean]


def _played() -> list[Column]:
    """Returns the column about who played."""

    def plays(seeds: Sequence[Seed]) -> str:
        counts = [seed.settings["row"].get("plays") or [] for seed in seeds]
        several = [" ".join(map(str, one)) for one in counts if len(one) > 1]
        return "; ".join(several)

    return [("episodes of each member", plays)]


def homework_6(data: Path) -> list[Picture]:
    """Choosing among algorithms."""
    runs = partial(evaluations, data / "hw6_runs.jsonl")
    return [
        grid(data / "hw6_grid.jsonl"),
        *runs("hw6_cartpole", "CartPole-v1, learning rates of DQN", "q2_"),
        *runs("hw6_pendulum", "Pendulum-v1", "q3_"),
        *runs("hw6_lander", "LunarLanderContinuous-v3, discounts of SAC", "q4_"),
    ]
