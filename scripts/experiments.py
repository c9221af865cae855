"""Folders of runs, read, and put together to experiments: for the scripts that draw and tell."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cs285.infrastructure.base.config import read_config_json
from cs285.infrastructure.base.env_record import shown_settings
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.logging.logger import read_log
from cs285.infrastructure.logging.plotting import RETURNS, curve, final_score, has_numbers

# Settings that say where a run is kept and how closely it is watched, not what is learned.
NOT_THE_EXPERIMENT = {
    *("seed", "exp_name", "no_gpu", "which_gpu", "threads", "data_dir", "resume"),
    *("checkpoint_secs", "keep_checkpoint", "save_params", "video_log_freq"),
}

# Columns as Spinning Up calls them -> as the logs here do.
SPELLINGS = {
    "TotalEnvInteracts": "Train_EnvstepsSoFar",
    "Epoch": "Step",
    "Time": "TimeSinceStart",
    "AverageEpRet": "Train_AverageReturn",
    "AverageTestEpRet": "Eval_AverageReturn",
}


@dataclasses.dataclass(frozen=True)
class Run:
    """One run directory, read."""

    run_dir: Path
    settings: dict[str, Any]
    log: dict[str, np.ndarray]
    script: str = ""

    def last(self, name: str, x_name: str = "Step") -> float:
        """Returns what the run ends at in column `name` of its log, nan where it has no number."""
        if name not in self.log:
            return float("nan")
        return final_score(curve(self.log, x_name, name))


def digest(runs: Sequence[Run], args: Any, *more: object) -> str:
    """Returns a digest of runs as they lie on the disk, and of how they are shown.

    A page or a picture keeps it, so that it can be found to be older than its data. The places of
    folders do not count, their names do.

    Args:
        runs: That are shown.
        args: The flags of the script that shows them.
        more: Whatever else decides what is seen.
    """
    kept = {k: v for k, v in vars(args).items() if k not in ("run_dirs", "output")}
    found = hashlib.sha256(repr((sorted(kept.items()), more)).encode())
    for run in sorted(runs, key=lambda run: run.run_dir.name):
        for file in ("config.json", "log.csv"):
            content = (run.run_dir / file).read_bytes()
            found.update(f"\n{run.run_dir.name}/{file} {len(content)}\n".encode() + content)
    return f"sha256:{found.hexdigest()}"


def load_runs(names: Sequence[str]) -> list[Run]:
    """Reads each run directory once, however often it is named; what is none is told and left out.

    A directory of runs, such as a grid's, stands for them all, however deep they lie in it.

    Raises:
        UserError: If no run is left.
    """
    runs, problems = [], []
    found = [_runs_in(Path(name)) or [Path(name)] for name in names]
    for run_dir in dict.fromkeys(itertools.chain(*found)):
        try:
            runs.append(_load(run_dir))
        except UserError as error:
            problems.append(str(error))
    if not runs:
        more = f"; nor is there one in {len(problems) - 1} others" if problems[1:] else ""
        raise UserError(problems[0] + more)
    for problem in problems:
        print(f"note: left out: {problem}", file=sys.stderr)
    return runs


def _runs_in(folder: Path) -> list[Path]:
    """Returns the run directories in a directory that is none itself, in order of their paths."""
    if (folder / "config.json").exists():
        return []
    return [file.parent for file in sorted(folder.rglob("config.json"))]


def _load(run_dir: Path) -> Run:
    """Reads a run; raises UserError if it is none, or has logged nothing yet."""
    if not run_dir.is_dir():
        raise UserError(f"{run_dir} is not a directory: give directories of runs, data/hw3_...")
    config, log = read_config_json(run_dir), read_log(run_dir)
    if not len(log.get("Step", ())):
        raise UserError(f"{run_dir / 'log.csv'} has no rows yet")
    return Run(run_dir, shown_settings(config), log, str(config.get("script", "")))


def group_runs(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Puts the seeds of one experiment together.

    Runs are one experiment when their settings but the seed are the same, and so are their
    names: either as they stand, or all without the seed at the end (q2_dqn_1, q2_dqn_2, ...).
    A setting that one of that name is too old to have does not tell the others from it. A second
    run with the same seed is no second sample: it is an experiment of its own.

    Returns:
        Label for a legend -> runs in order of seed.
    """
    alike: dict[str, list[Run]] = {}
    for run in runs:
        rivals = [r for r in runs if r.settings["exp_name"] == run.settings["exp_name"]]
        known = set(run.settings).intersection(*(r.settings for r in rivals)) - NOT_THE_EXPERIMENT
        what = {key: run.settings[key] for key in known}
        alike.setdefault(repr(sorted(what.items())), []).append(run)
    groups = [group for same in alike.values() for group in _by_name(same)]
    groups = [once for name, members in groups for once in _each_seed_once(name, members)]
    labels = _labels(groups)
    return {label: members for label, (_, members) in zip(labels, groups, strict=True)}


def _each_seed_once(name: str, runs: Sequence[Run]) -> list[tuple[str, list[Run]]]:
    """Sets repeated seeds apart, under the name and the time at the end of their folders' names."""
    first: dict[int, Run] = {}
    again = []
    for run in sorted(runs, key=lambda run: run.run_dir.name):
        if first.setdefault(int(run.settings["seed"]), run) is not run:
            began = "_".join(run.run_dir.name.split("_")[-2:])
            again.append((f"{name}, again {began}", [run]))
    return [(name, [first[seed] for seed in sorted(first)]), *again]


def _by_name(runs: Sequence[Run]) -> list[tuple[str, list[Run]]]:
    """Splits runs of the same settings into experiments by name: pairs (name, runs by seed)."""
    names = [str(run.settings["exp_name"]) for run in runs]
    stems = [n.removesuffix(f"_{r.settings['seed']}") for n, r in zip(names, runs, strict=True)]
    groups: dict[str, list[Run]] = {}
    for name, stem, run in zip(names, stems, runs, strict=True):
        # A last number that no second run shares may be part of the name: q4_100_1 stays so.
        shared = len(set(names)) > 1 and stems.count(stem) > 1
        groups.setdefault(stem if shared else name, []).append(run)
    return [(k, sorted(v, key=lambda run: int(run.settings["seed"]))) for k, v in groups.items()]


def _labels(groups: Sequence[tuple[str, list[Run]]]) -> list[str]:
    """Returns a different label for each experiment: its name and, if need be, what differs."""
    labels = []
    for name, members in groups:
        settings = members[0].settings
        rivals = [other[0].settings for same, other in groups if same == name]
        differing = [
            f"{key}={value}"
            for key, value in settings.items()
            if key not in NOT_THE_EXPERIMENT and any(r.get(key) != value for r in rivals)
        ]
        labels.append(", ".join([name, *differing]))
    return labels


def first_in_all(runs: Sequence[Run], names: Sequence[str], x_name: str | None = None) -> str:
    """Returns the first of some columns that all runs have numbers in, in rows with an `x_name`.

    Raises:
        UserError: If there is none, naming the last of them, a run without it, and what that has.
    """
    for name in names:
        lacking = [
            run
            for run in runs
            if not has_numbers(run.log, name) or not len(curve(run.log, x_name or name, name)[0])
        ]
        if not lacking:
            return name
    known = ", ".join(key for key in lacking[0].log if has_numbers(lacking[0].log, key))
    raise UserError(f"{lacking[0].run_dir} has no numbers for {names[-1]!r}; it has {known}")


def columns(runs: Sequence[Run], x: str | None, y: Sequence[str] | None) -> tuple[str, list[str]]:
    """Returns the columns to draw: those asked for, or what all runs have; as `first_in_all`."""
    x_name = first_in_all(runs, [SPELLINGS.get(x, x)] if x else ("Train_EnvstepsSoFar", "Step"))
    wanted = [
        RETURNS[:2] if name == "Performance" else [SPELLINGS.get(name, name)]
        for words in y or ("Performance",)
        for name in words.split(",")
    ]
    return x_name, [first_in_all(runs, names, x_name) for names in wanted]
