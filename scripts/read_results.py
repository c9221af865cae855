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
from cs285.infrastructure.logging.logger import aligned
from scripts.experiments import Run, group_runs, load_runs

# Columns of results: the name, and how the number is written for people.
RESULTS = {
    "steps": "{:,.0f}",
    "Train_AverageReturn": "{:,.1f}",
    "Eval_AverageReturn": "{:,.1f}",
    "best": "{:,.1f}",
    "hours": "{:.2f}",
}
Row = dict[str, str]


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
    """Returns one row a run: environment, experiment, seed and results; a missing one is a dash."""
    rows = []
    for exp, run in ((exp, run) for exp, runs in groups.items() for run in runs):
        settings = run.settings
        row = {"env": str(settings["env_name"]), "exp": exp, "seed": str(settings["seed"])}
        for name, value in read_results(run).items():
            row[name] = RESULTS[name].format(value) if math.isfinite(value) else "-"
        rows.append(row)
    return rows


def table_of_experiments(groups: Mapping[str, Sequence[Run]]) -> list[Row]:
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


def as_text(rows: Sequence[Row]) -> str:
    """Returns rows with the same keys as lines of text, numbers to the right."""
    cells = [list(rows[0]), *(list(row.values()) for row in rows)]
    cells.insert(1, ["-" * max(map(len, column)) for column in zip(*cells, strict=True)])
    return "\n".join(aligned(cells, left=2))


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
