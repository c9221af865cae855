"""The pictures of the results of homework 6, whose numbers are in two files of JSON lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import columns
import numpy as np
from series import Column, Picture, Seed, Setting, mean_of_last, rows

from studies.verdicts import difference, holm

FOUR = "0.5,0.1,0.01,0.001"
BROKEN = f"{FOUR},0,0,0"
NAMES = {"ssbas": "SSBAS", "ucb1": "UCB1", "exp3": "EXP3", "d3rb": "D3RB", "esbas": "ESBAS"}
NAMES |= {"d3rb(ucb1,ssbas,exp3)": "D3RB over rules"}
OWN = "own experience only"
TRAINED = "mean of all training episodes"
LOGGED = 100  # episodes that `Train_AverageReturn` is a mean of


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
        return f"{name}, {OWN}"
    if row["alphas"] == BROKEN:
        return f"{name}, three broken members besides"
    return name if row["alphas"] == FOUR else f"alone, α {row['alphas']}"


def evaluations(file: Path, name: str, where: str, prefix: str, seeds: str) -> list[Picture]:
    """Returns two pictures of runs with networks: evaluations, and what choosing cost.

    Args:
        file: The runs.
        name: Of the first file; the second one ends in `_regret`.
        where: The task.
        prefix: Of the runs' names.
        seeds: Those of the runs, in words.
    """
    scores: dict[str, list[Seed]] = {}
    costs: dict[str, list[Seed]] = {}
    for row in rows(file):
        if row["run"].startswith(prefix):
            label = _run_label(row["run"].removeprefix(prefix))
            step, score = np.array(row["eval"], float).T
            scores.setdefault(label, []).append(Seed(step, score, settings={"row": row}))
            if label in ("SSBAS", "uniform"):
                costs.setdefault(label, []).append(Seed(*np.array(row["regret"], float).T))
    settings = _settings(scores)
    apart = [one for one in settings if one.label.endswith(OWN)]
    shared: dict[str, Any] = {"sources": [file]}
    return [
        Picture(
            name,
            "Evaluation return",
            where,
            [one for one in settings if one not in apart],
            [*_evaluated(seeds), columns.mean_and_spread(TRAINED, trained), *_played()],
            table_only=apart,
            **shared,
        ),
        Picture(
            f"{name}_regret",
            "Regret (reward)",
            where,
            _settings(costs),
            [columns.each(f"regret at the end ({seeds})"), columns.mean("mean")],
            down=True,
            **shared,
        ),
    ]


def _run_label(run: str) -> str:
    """Returns what a run is called, by its name without the question's."""
    if run.endswith("own"):
        return f"{_run_label(run.removesuffix('own').strip('_') or 'ssbas')}, {OWN}"
    alone = f"{run.upper().replace('E', 'e')} alone"
    return NAMES.get(run, run if run == "uniform" else alone)


def trained(seed: Seed) -> float:
    """Returns the mean return of all training episodes of a run.

    The log has the mean of the last hundred episodes. CartPole has more, and a reward of 1 a step.
    """
    row = seed.settings["row"]
    episodes = sum(row["plays"])
    return float(row["train"][-1][1] if episodes <= LOGGED else row["steps"] / episodes)


def choosing(tasks: Mapping[str, Picture]) -> str:
    """Returns the table of what choosing is worth with networks.

    Args:
        tasks: The evaluations of each task, by the label of its best member.

    Two questions are tested, each over all tasks: whether SSBAS is ahead of uniform while it
    trains, and in its evaluations. Holm's rule adjusts their p-values.
    """
    heads = ["", "SSBAS", "uniform", "best member", "SSBAS - uniform", "p", "SSBAS - best member"]
    lines = [heads, ["---"] * len(heads)]
    tested = []
    for measure, value in MEASURES.items():
        pairs = []
        for best, picture in tasks.items():
            found = {one.label: np.array([value(s) for s in one.seeds]) for one in picture.settings}
            ssbas, uniform, alone = found["SSBAS"], found["uniform"], found[best]
            pairs.append((ssbas, uniform))
            means = [f"{one.mean():.0f}" for one in (ssbas, uniform, alone)]
            means[-1] += f" ({best})"
            differences = [_difference(ssbas, uniform), "", _difference(ssbas, alone)]
            lines.append([f"{measure}, {picture.where.split(',')[0]}", *means, *differences])
        tested.append(difference(*map(list, zip(*pairs, strict=True))).p or 1.0)
    for measure, p in zip(MEASURES, holm(tested), strict=True):
        together = f"{measure}, {len(tasks)} tasks together"
        lines.append([together, *[""] * 4, f"{p:.3f}", ""])
    return "\n".join(f"| {' | '.join(cells)} |".replace("  ", " ") for cells in lines)


def _difference(scores: np.ndarray, others: np.ndarray) -> str:
    """Writes a difference of means with its interval."""
    found = difference([scores], [others])
    low, high = found.ends or (np.nan, np.nan)
    return f"{found.value:.0f} ({low:.0f} to {high:.0f})"


MEASURES = {"Training": trained, "Evaluations": columns.after_start}


def _settings(groups: dict[str, list[Seed]]) -> list[Setting]:
    """Returns a setting for each group of seeds."""
    return [Setting(label, seeds) for label, seeds in groups.items()]


def _evaluated(seeds: str) -> list[Column]:
    """Returns the columns about evaluations."""
    mean = columns.mean_and_spread("mean of all after step 0", columns.after_start)
    return [columns.each(f"last evaluation ({seeds})"), mean]


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
        *runs("hw6_cartpole", "CartPole-v1, learning rates of DQN", "q2_", "seeds 1 to 5"),
        *runs("hw6_pendulum", "Pendulum-v1", "q3_", "seeds 1 to 5"),
        *runs("hw6_lander", "LunarLanderContinuous-v3, discounts of SAC", "q4_", "seeds 1, 2, 3"),
    ]
