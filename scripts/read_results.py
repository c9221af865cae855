"""Prints the results of runs as a table, and the mean and spread over seeds of each experiment.

    python scripts/read_results.py data/hw3_q2_*

Runs are one experiment as in scripts/plot.py: when all their settings but the seed are the same.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # this tree, not an installed one
from cs285.infrastructure.base.config import cli, parse_config
from cs285.infrastructure.base.settings import operand
from scripts.experiments import Run, group_runs, load_runs

# Columns of results: the name, and how the number is written for people.
RESULTS = {
    "steps": "{:,.0f}",
    "Train_AverageReturn": "{:,.1f}",
    "Eval_AverageReturn": "{:,.1f}",
    "best": "{:,.1f}",
    "hours": "{:.2f}",
}
Row = dict[str, str | float]


def read_results(run: Run) -> dict[str, float]:
    """Returns the results of a run, keys as in `RESULTS`, nan where its log does not tell.

    steps are environment steps; the returns are the last ones logged; best is Train_BestReturn,
    or where that is not logged the highest Eval_AverageReturn; hours are those of the clock.
    """
    best = run.last("Train_BestReturn")
    if math.isnan(best) and not math.isnan(run.last("Eval_AverageReturn")):
        best = float(np.nanmax(run.log["Eval_AverageReturn"]))
    steps = run.last("Train_EnvstepsSoFar")
    return {
        "steps": run.last("Step") if math.isnan(steps) else steps,
        "Train_AverageReturn": run.last("Train_AverageReturn"),
        "Eval_AverageReturn": run.last("Eval_AverageReturn"),
        "best": best,
        "hours": run.last("TimeSinceStart") / 3600,
    }


def table_of_runs(groups: Mapping[str, Sequence[Run]]) -> list[Row]:
    """Returns one row a run: environment, experiment, seed and results."""
    return [
        {"env": str(run.settings["env_name"]), "exp": label, "seed": str(run.settings["seed"])}
        | read_results(run)
        for label, runs in groups.items()
        for run in runs
    ]


def table_of_experiments(groups: Mapping[str, Sequence[Run]]) -> list[dict[str, str]]:
    """Returns one row an experiment of two or more seeds: mean and standard deviation as text."""
    rows = []
    for label, runs in groups.items():
        if len(runs) < 2:
            continue
        row = {"env": str(runs[0].settings["env_name"]), "exp": label, "seeds": str(len(runs))}
        results = [read_results(run) for run in runs]
        for name, form in RESULTS.items():
            values_s = np.array([result[name] for result in results])
            spread = form.format(values_s.std(ddof=1))  # a sample of the seeds there could be
            whole = np.isfinite(values_s).all()
            row[name] = f"{form.format(values_s.mean())} \u00b1 {spread}" if whole else "-"
        rows.append(row)
    return rows


def as_text(rows: Sequence[Mapping[str, str | float]]) -> str:
    """Returns rows with the same keys as lines of text, numbers to the right."""
    cells = [list(rows[0])]
    for row in rows:
        cells.append([_cell(name, value) for name, value in row.items()])
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    lines = []
    for line in cells:
        left = [text.ljust(width) for text, width in zip(line[:2], widths[:2], strict=True)]
        right = [text.rjust(width) for text, width in zip(line[2:], widths[2:], strict=True)]
        lines.append("  ".join(left + right).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def _cell(name: str, value: str | float) -> str:
    """Writes one value for people; a missing one is a dash."""
    if isinstance(value, str):
        return value
    return RESULTS[name].format(value) if math.isfinite(value) else "-"


@dataclasses.dataclass(frozen=True)
class ResultsConfig:
    """The flags of this script."""

    run_dirs: tuple[str, ...] = operand("RUN_DIR", "folders of runs", many=True)


@cli
def main(argv: Sequence[str]) -> int:
    """Prints the tables that the command line asks for; returns the exit status."""
    args, _ = parse_config(ResultsConfig, argv, "Prints results of runs, and means over seeds.")
    groups = group_runs(load_runs(args.run_dirs))
    print(as_text(table_of_runs(groups)))
    experiments = table_of_experiments(groups)
    if experiments:
        print("\nMean \u00b1 standard deviation over seeds")
        print(as_text(experiments))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
