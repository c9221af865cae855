"""What a misconception does to learning, as far as `benchmarks/symptoms.py` has measured it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

MEASURED = Path(__file__).with_name("measured")
RIGHT = "right"
MEANINGS = {
    "Eval_AverageReturn": "Return of an evaluation",
    "Q_Mean": "Mean Q-value of a batch (Q_Mean)",
    "Entropy": "Entropy of the policy",
    "KL": "KL from the old policy",
    "Temperature": "Temperature",
    "Regret": "Regret, summed up",
    "Best_Share": "Share of plays that the best arm got so far",
}
MAPS = {
    "dqn": "The value of a state, max Q",
    "vpg": "The chance of a push to the right",
    "ppo": "The chance of a push to the right",
    "sac": "The torque that the policy applies",
}
TASKS = {
    "CartPole-v1": [
        "angle of the pole, \u221214\u00b0 to 14\u00b0",
        "angular speed, \u22122.5 to 2.5 rad/s",
    ],
    "Pendulum-v1": [
        "angle, \u2212180\u00b0 to 180\u00b0, 0 is upright",
        "angular speed, \u22128 to 8 rad/s",
    ],
}
LAST = 3  # evaluations that make the number at the end


def measured(blank: str) -> Mapping[str, Any] | None:
    """Returns what was measured of a blank; None where nothing was."""
    file = MEASURED / f"{blank}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


def described(data: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the measurements as the page shows them."""
    setup = data["setup"]
    task = setup["settings"].get("env_name", "")
    return {
        "columns": [[name, MEANINGS.get(name, name)] for name in setup["columns"]],
        "runs": data["runs"],
        "how": how(setup),
        "map": MAPS.get(setup["algorithm"], ""),
        "axes": TASKS.get(task, []),
        "task": task,
        "moment": "step" if "num_timesteps" in setup["settings"] else "iteration",
        "unit": "plays" if setup["algorithm"] == "bandit" else "environment steps",
        "bound": bound(setup),
    }


def how(setup: Mapping[str, Any]) -> str:
    """Returns how it was measured, in a sentence."""
    settings = setup["settings"]
    if setup["algorithm"] == "bandit":
        means = ", ".join(f"{mean:g}" for mean in settings["means"])
        return (
            f"Each line is the mean of 40 problems: {settings['rule']} plays {settings['plays']:,} "
            f"times one of {len(settings['means'])} arms, which pay 1 with the chances {means}."
        )
    flags = " ".join(f"--{name} {value}" for name, value in settings.items())
    return f"Each line is a training from another seed: {setup['algorithm']} {flags}."


def bound(setup: Mapping[str, Any]) -> float | None:
    """Returns the most that Q can be where each step pays 1; None elsewhere."""
    gamma = setup["settings"].get("discount")
    known = setup["algorithm"] == "dqn" and setup["settings"]["env_name"].startswith("CartPole")
    return 1 / (1 - gamma) if known and gamma is not None and gamma < 1 else None


def ends(runs: Sequence[Mapping[str, Any]], column: str) -> list[float]:
    """Returns where each seed's run ends: the mean of its last evaluations."""
    found = []
    for run in runs:
        points = run.get("columns", {}).get(column) or []
        if points:
            found.append(float(np.mean([value for _, value in points[-LAST:]])))
    return found


def sentence(data: Mapping[str, Any], misconception: str) -> str:
    """Returns how its runs end beside the right ones, in numbers."""
    runs, column = data["runs"], data["setup"]["columns"][0]
    if ended := runs[misconception][0].get("ended"):
        return f"The training ends with an error: {ended}"
    texts = [
        ", ".join(
            f"{value:,.0f}".replace("-", "\u2212") for value in sorted(ends(runs[name], column))
        )
        for name in (misconception, RIGHT)
    ]
    what = "The regret" if column == "Regret" else "The return"
    return f"{what} at the end, three seeds: {texts[0]}. Without the mistake: {texts[1]}."
