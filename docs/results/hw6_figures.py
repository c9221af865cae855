"""Draws the pictures of hw6.md from data/; docs/results/build.py calls it."""

from __future__ import annotations

import functools
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from cs285.infrastructure.logging.plotting import COLOURS

HERE = Path(__file__).parent
FOUR = "0.5,0.1,0.01,0.001"


def rows(name: str) -> list[dict[str, Any]]:
    """Returns the objects of a file of JSON lines."""
    return [json.loads(line) for line in (HERE / "data" / name).read_text().splitlines()]


def _panels(**more: Any) -> tuple[Any, Any]:
    """Returns a figure with two empty panels."""
    figure, axes = plt.subplots(1, 2, figsize=(12, 4.2), layout="constrained", **more)
    for side in axes:
        side.set_prop_cycle(color=COLOURS)
        side.grid(color="0.9", linewidth=0.6)
        side.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _finish(side: Any) -> None:
    """Sets the legend beneath a panel, where it covers no line."""
    side.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=3, frameon=False)


def digest(data: Path) -> str:
    """Returns a digest of a file of data, which the picture drawn from it keeps."""
    return f"sha256:{hashlib.sha256(data.read_bytes()).hexdigest()}"


def grid(out: Path) -> None:
    """Draws steps an episode on the grid: members alone, and rules that choose among them."""
    groups = defaultdict(list)
    for row in rows("hw6_grid.jsonl"):
        if row["alphas"] in FOUR.split(","):
            groups[f"alone, alpha {row['alphas']}"].append(row["curve"])
        elif row["alphas"] == FOUR and not row["own_experience"]:
            groups[row["selector"]].append(row["curve"])
    figure, axes = _panels(sharey=True)
    for name, curves in groups.items():
        x = np.arange(0.5, 100) * 200
        side = axes[0] if name.startswith("alone") else axes[1]
        side.plot(x, np.mean(curves, axis=0), label=name)
    for side, title in zip(axes, ("Members alone", "Chosen by"), strict=True):
        side.set(title=title, xlabel="episode", ylim=(14, 104))
        _finish(side)
    axes[0].set_ylabel("steps an episode (fewer is better)")
    figure.savefig(out, dpi=100, metadata={"Source": digest(HERE / "data/hw6_grid.jsonl")})


def runs(prefix: str, title: str, out: Path) -> None:
    """Draws evaluations, mean and range over seeds, and the regret that two rules log."""
    groups = defaultdict(list)
    for row in rows("hw6_runs.jsonl"):
        if row["run"].startswith(prefix):
            groups[row["run"].removeprefix(prefix)].append(row)
    figure, axes = _panels()
    for name, group in groups.items():
        steps = [step for step, _ in group[0]["eval"]]
        scores = np.array([[score for _, score in row["eval"]] for row in group])
        (line,) = axes[0].plot(steps, scores.mean(axis=0), label=name)
        spread = {"color": line.get_color(), "alpha": 0.15}
        axes[0].fill_between(steps, scores.min(axis=0), scores.max(axis=0), **spread)
        if name in ("ssbas", "uniform"):
            costs = np.array([[cost for _, cost in row["regret"]] for row in group])
            at = [step for step, _ in group[0]["regret"]]
            axes[1].plot(at, costs.mean(axis=0), label=name, color=line.get_color())
    axes[0].set(title=title, xlabel="environment steps", ylabel="evaluation return")
    axes[1].set(title="Regret", xlabel="environment steps", ylabel="reward")
    for side in axes:
        _finish(side)
    figure.savefig(out, dpi=100, metadata={"Source": digest(HERE / "data/hw6_runs.jsonl")})


# Name -> the file of data, and what draws the picture to a path.
PICTURES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "hw6_grid.png": ("hw6_grid.jsonl", grid),
    "hw6_cartpole.png": (
        "hw6_runs.jsonl",
        functools.partial(runs, "q2_", "CartPole-v1, DQN's learning rate"),
    ),
    "hw6_pendulum.png": ("hw6_runs.jsonl", functools.partial(runs, "q3_", "Pendulum-v1")),
    "hw6_lander.png": (
        "hw6_runs.jsonl",
        functools.partial(runs, "q4_", "LunarLanderContinuous-v3, SAC's discount"),
    ),
}
