"""Whether compiled updates learn as plain ones do: five trainings of each kind are compared.

The margins stood in docs/compiled.md before any of these runs was made. A run's score is the mean
of `Train_AverageReturn` over the last tenth of its log. As many runs go on at a time as there are
cores, one thread each.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import itertools
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from common import ROOT, Cores, publish, table, usable_cpus
from scipy import stats

from cs285.infrastructure.logging.logger import read_log

LEVEL = 0.95
HOW = {"plain": [], "compiled": ["--compile"]}
# Title, margin in units of return, and our command.
TASKS: dict[str, tuple[str, float, str]] = {
    "dqn": (
        "DQN on LunarLander-v3, 500,000 steps",
        75.0,
        "run_hw3_dqn.py --env_name LunarLander-v3 --no_gpu",
    ),
    "ppo": (
        "PPO on HalfCheetah-v5, 150 iterations of 2,048 steps",
        400.0,
        "run_hw5_ppo.py --env_name HalfCheetah-v5 -n 150 -b 2048 --no_gpu",
    ),
}


def train(cores: Cores, key: str, how: str, seed: int) -> float:
    """Trains once; returns the score."""
    script, *flags = TASKS[key][2].split()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(ROOT / "scripts" / script), *flags, *HOW[how]]
        command += ["--seed", str(seed), "--exp_name", how, "--data_dir", folder]
        cores.run(command, folder)
        (run_folder,) = Path(folder).glob("*/log.csv")
        returns = np.asarray(read_log(run_folder.parent)["Train_AverageReturn"], float)
        document = json.loads((run_folder.parent / "config.json").read_text())
    if bool(document.get("compiler")) != (how == "compiled"):
        raise RuntimeError(f"{key} {how} {seed} was not {how}")
    score = float(np.mean(returns[-(len(returns) // 10) :]))
    print(key, how, seed, round(score, 1), file=sys.stderr, flush=True)
    return score


def verdict(plain: list[float], compiled: list[float], margin: float) -> list[str]:
    """Returns the interval of the difference by Welch's test, and whether it is in the margin."""
    found: Any = stats.ttest_ind(compiled, plain, equal_var=False)
    low, high = found.confidence_interval(LEVEL)
    inside = -margin < low and high < margin
    difference = np.mean(compiled) - np.mean(plain)
    words = "equal" if inside else "not decided" if low < margin and high > -margin else "different"
    return [f"{difference:.0f} ({low:.0f} to {high:.0f})", f"{margin:.0f}", words]


def main() -> None:
    """Trains all, and compares."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("tasks", nargs="*", choices=[*TASKS, []], help="default: both")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="into docs/results/performance.md")
    args = parser.parse_args()
    if args.seeds < 2:
        parser.error("--seeds: an interval needs at least 2")
    cores, seeds = Cores(), range(1, args.seeds + 1)
    asked = list(itertools.product(args.tasks or TASKS, seeds, HOW))
    with concurrent.futures.ThreadPoolExecutor(usable_cpus()) as pool:
        futures = {(k, h, s): pool.submit(train, cores, k, h, s) for k, s, h in asked}
        scores = {one: future.result() for one, future in futures.items()}
    runs, verdicts = [], []
    for key in args.tasks or TASKS:
        title, margin, command = TASKS[key]
        of = {how: [scores[key, how, seed] for seed in seeds] for how in HOW}
        for how, values in of.items():
            each = ", ".join(f"{value:.0f}" for value in values)
            runs.append(
                [title, how, each, f"{np.mean(values):.0f}", f"{np.std(values, ddof=1):.0f}"]
            )
        verdicts.append(
            [f"`python scripts/{command}`", *verdict(of["plain"], of["compiled"], margin)]
        )
    how = (
        f"Seeds 1 to {args.seeds}, plain and with `--compile`. A score is the mean of "
        "`Train_AverageReturn` over the last tenth of a run. The interval is of Welch's test."
    )
    heads = ["run", "updates", "score of each seed", "mean", "standard deviation"]
    answers = ["command", "compiled - plain (95 % interval)", "margin", "so they are"]
    publish(
        "Learning with compiled updates",
        how,
        [table(heads, runs), table(answers, verdicts)],
        args.write,
    )


if __name__ == "__main__":
    main()
