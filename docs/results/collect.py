"""Keeps the data behind a curve: copies log.csv and config.json of finished runs beside it.

python docs/results/collect.py data/hw3_q4_*          # -> docs/results/data/hw3_q4_.../
python docs/results/collect.py data/hw6_q2_*          # -> lines of hw6_runs.jsonl
python scripts/plot.py docs/results/data/hw3_q4_* -o docs/results/q4.png
"""

from __future__ import annotations

import csv
import json
import shutil
import sys
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
PORTFOLIOS = DATA / "hw6_runs.jsonl"
SERIES = {"eval": "Eval_AverageReturn", "train": "Train_AverageReturn", "regret": "Regret"}
MISSING = ("", "nan")
WEIGHTS = "weights.safetensors"  # written at the end; other libraries' runs have none


def collect(run_dir: Path) -> Path:
    """Copies what curves are drawn from; returns the copy."""
    kept = DATA / run_dir.name
    kept.mkdir(parents=True, exist_ok=True)
    shutil.copy(run_dir / "log.csv", kept / "log.csv")
    config = (run_dir / "config.json").read_text()
    folder = json.loads(config)["settings"]["data_dir"]  # where it lay is nobody's business
    config = config.replace(f" --data_dir {folder}", "").replace(f'"{folder}"', '"data"')
    (kept / "config.json").write_text(config)
    return kept


def portfolio(run_dir: Path) -> dict[str, Any]:
    """Returns the line of a finished run of homework 6."""
    config = json.loads((run_dir / "config.json").read_text())
    with (run_dir / "log.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    settings, last = config["settings"], rows[-1]
    line = {"run": settings["exp_name"], "seed": settings["seed"]}
    line |= {"steps": settings["num_timesteps"], "finished": True}
    for name, column in SERIES.items():
        here = [(int(row["Step"]), row[column]) for row in rows]
        line[name] = [[step, round(float(x), 1)] for step, x in here if x not in MISSING]
    plays = [name for name in last if name.startswith("Plays_")]
    line["plays"] = [round(float(last[name])) for name in plays]
    line["best_member"] = round(float(last["Best_Member"]))
    line["steps_per_second"] = round(settings["num_timesteps"] / float(last["TimeSinceStart"]))
    return line | {"command": config["command"], "versions": config["versions"]}


def collect_portfolio(run_dir: Path) -> Path:
    """Adds the line of a run of homework 6, in the place of one with its name and seed."""
    new = portfolio(run_dir)
    lines = [json.loads(text) for text in PORTFOLIOS.read_text().splitlines()]
    kept = [one for one in lines if (one["run"], one["seed"]) != (new["run"], new["seed"])]
    lines = sorted([*kept, new], key=lambda one: (one["run"][:2], one["run"], one["seed"]))
    PORTFOLIOS.write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    return PORTFOLIOS


def is_finished(run_dir: Path) -> bool:
    """Returns whether a run has come to its end."""
    settings = json.loads((run_dir / "config.json").read_text())["settings"]
    if (run_dir / WEIGHTS).exists():
        return True
    last = int((run_dir / "log.csv").read_text().splitlines()[-1].split(",")[0])
    steps, every = (settings.get(name, 0) for name in ("num_timesteps", "eval_freq"))
    return last <= steps < last + max(every, 1)  # another library's: no evaluation was to follow


def main() -> None:
    """Collects the runs that the command line names, if they are finished."""
    for argument in map(Path, sys.argv[1:]):
        if is_finished(argument):
            is_portfolio = json.loads((argument / "config.json").read_text())["script"] == "run_hw6"
            kept = collect_portfolio(argument) if is_portfolio else collect(argument)
            sys.stdout.write(f"{kept}\n")


if __name__ == "__main__":
    main()
