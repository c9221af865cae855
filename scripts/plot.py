"""Draws runs against each other: one line an experiment, the mean of its seeds, with a band.

    python scripts/plot.py data/hw3_q2_* -o q2.png
    python scripts/plot.py data/hw3_q1_* -o q1.png --y Train_AverageReturn,Train_BestReturn

Runs are one experiment when all their settings but the seed are the same.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cs285.infrastructure.config import (
    UserError,
    cli,
    flag,
    operand,
    parse_config,
    read_config_json,
)
from cs285.infrastructure.logger import SCALARS, read_log, rounded
from cs285.infrastructure.plotting import (
    COLOURS,
    RETURNS,
    curve,
    draw_line,
    episodes_note,
    has_numbers,
    mark,
    new_axes,
    save_picture,
    short_number,
)

# Settings that say where a run is kept and how closely it is watched, not what is learned.
NOT_THE_EXPERIMENT = {
    *("seed", "exp_name", "no_gpu", "which_gpu", "threads", "data_dir", "resume"),
    *("checkpoint_secs", "save_params", "video_log_freq"),
}
LINE_STYLES = ("-", "--", ":", "-.")
BANDS = {
    "range": "from the lowest to the highest seed",
    "std": "mean \u00b1 one standard deviation over seeds",
}


@dataclasses.dataclass(frozen=True)
class Run:
    """One run directory, read."""

    run_dir: Path
    settings: dict[str, Any]
    log: dict[str, np.ndarray]
    script: str = ""

    def last(self, name: str) -> float:
        """Returns the last number in column `name` of the log, nan where there is none."""
        if not has_numbers(self.log, name):
            return float("nan")
        return float(self.log[name][np.isfinite(self.log[name])][-1])


def load_runs(run_dirs: Sequence[str]) -> list[Run]:
    """Reads each run directory once, however often it is named; what is none is told and left out.

    Raises:
        UserError: If no run is left.
    """
    runs, problems = [], []
    for run_dir in dict.fromkeys(Path(name) for name in run_dirs):
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


def _load(run_dir: Path) -> Run:
    """Reads a run; raises UserError if it is none, or has logged nothing yet."""
    if not run_dir.is_dir():
        raise UserError(f"{run_dir} is not a directory: give directories of runs, data/hw3_...")
    config, log = read_config_json(run_dir), read_log(run_dir)
    if not len(log.get("Step", ())):
        raise UserError(f"{run_dir / 'log.csv'} has no rows yet")
    return Run(run_dir, config["settings"], log, str(config.get("script", "")))


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


def draw_comparison(
    groups: Mapping[str, Sequence[Run]],
    out_path: Path,
    x_name: str,
    y_names: Sequence[str],
    title: str = "",
    smooth: int = 1,
    band: str = "range",
) -> Path:
    """Draws experiments against each other, each the mean of its seeds with a band.

    Args:
        groups: Label of an experiment -> its runs, one a seed.
        out_path: The picture to write; its ending is the format (png, pdf or svg).
        x_name: Column for the horizontal axis.
        y_names: Columns to draw.
        title: Title of the picture.
        smooth: Values are averaged over this many neighbouring rows of a log (1: as logged).
        band: What the band over two or more seeds shows, a key of `BANDS`.

    Returns:
        `out_path`.
    """
    axes = new_axes(title, x_name, y_names)
    for i, (label, runs) in enumerate(groups.items()):
        for j, y_name in enumerate(y_names):
            # A colour for each experiment, or where there is but one, for each of its columns.
            colour_index, style_index = (i, i // len(COLOURS) + j) if len(groups) > 1 else (j, 0)
            colour = COLOURS[colour_index % len(COLOURS)]
            x_n, y_sn = align(label, [_smoothed(run, x_name, y_name, smooth) for run in runs])
            mean_n = y_sn.mean(axis=0)
            what = f"{label}: {SCALARS.get(y_name, ('', y_name, ''))[1]}" if y_names[1:] else label
            seeds = f"{len(runs)} seed{'s' if len(runs) > 1 else ''}"
            text = f"{what} ({seeds}, ends at {rounded(mean_n[-1])})"
            style = LINE_STYLES[style_index % 4]
            draw_line(axes, x_n, mean_n, text, y_name, color=colour, linestyle=style)
            if len(runs) > 1:
                low_n, high_n = _band(y_sn, band)
                axes.fill_between(x_n, low_n, high_n, color=colour, alpha=0.18, linewidth=0)
    all_runs = [run for runs in groups.values() for run in runs]
    mark(axes, [run.settings for run in all_runs], x_name, y_names)
    several = any(len(runs) > 1 for runs in groups.values())
    notes = [note] if (note := episodes_note([run.log for run in all_runs], y_names)) else []
    notes += [f"Line: mean over seeds. Band: {BANDS[band]}."] if several else []
    if smooth > 1:
        notes.append(f"Each value averaged over {smooth} neighbouring rows of the log.")
    return save_picture(axes, out_path, "\n".join(notes))


def align(label: str, curves: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, ...]:
    """Puts seeds that were logged at different steps on one axis, by linear interpolation.

    Only the part that every seed covers is kept: beyond the end of some, the mean of the others
    would jump for no reason but who is left.

    Args:
        label: The experiment, for the error message.
        curves: (x, y) of each seed, shape (n_seed,) each, x ascending.

    Returns:
        x, shape (n,), and y, shape (seeds, n).

    Raises:
        UserError: If there is no such part.
    """
    first, last = max(x_n[0] for x_n, _ in curves), min(x_n[-1] for x_n, _ in curves)
    if first > last:
        raise UserError(f"the seeds of {label} have no steps in common: leave the shortest out")
    x_n = np.unique(np.concatenate([x_n for x_n, _ in curves]))
    x_n = x_n[(x_n >= first) & (x_n <= last)]
    return x_n, np.stack([np.interp(x_n, *seed) for seed in curves])


def _smoothed(run: Run, x_name: str, y_name: str, smooth: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns x and the moving average of y over `smooth` rows, shape (n,) each."""
    x_n, y_n = curve(run.log, x_name, y_name)
    window = np.ones(smooth)
    centred = slice((smooth - 1) // 2, (smooth - 1) // 2 + len(y_n))
    # Near both ends the window holds fewer rows, which count as fewer, not as zeros.
    weight_n = np.convolve(np.ones(len(y_n)), window)[centred]
    return x_n, np.convolve(y_n, window)[centred] / weight_n


def _band(y_sn: np.ndarray, band: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns the lower and upper edge, shape (n,) each, of seeds of shape (seeds, n)."""
    if band == "range":
        return y_sn.min(axis=0), y_sn.max(axis=0)
    mean_n, std_n = y_sn.mean(axis=0), y_sn.std(axis=0, ddof=1)
    return mean_n - std_n, mean_n + std_n


def _check_columns(runs: Sequence[Run], x_name: str, y_names: Sequence[str]) -> None:
    """Refuses columns that a run cannot be drawn with.

    Raises:
        UserError: Naming the run, the column and the columns that do hold numbers.
    """
    for run in runs:
        for name in (x_name, *y_names):
            if not has_numbers(run.log, name) or not len(curve(run.log, x_name, name)[0]):
                known = ", ".join(key for key in run.log if has_numbers(run.log, key))
                raise UserError(f"{run.run_dir} has no numbers for {name!r}; it has {known}")


def _note_short_runs(groups: Mapping[str, Sequence[Run]], x_name: str) -> None:
    """Tells of experiments whose curve stops early because one seed does."""
    for label, runs in groups.items():
        ends = [float(np.nanmax(run.log[x_name])) for run in runs]
        if min(ends) < 0.9 * max(ends):
            short = runs[ends.index(min(ends))]
            print(
                f"note: {label} is drawn up to {short_number(min(ends))} of "
                f"{short_number(max(ends))} ({x_name}), where {short.run_dir} ends",
                file=sys.stderr,
            )


@dataclasses.dataclass(frozen=True)
class PlotConfig:
    """The flags of this script."""

    run_dirs: tuple[str, ...] = operand("RUN_DIR", "folders of runs", many=True)
    output: str = flag("comparison.png", "png, pdf or svg file", "-o")
    x: str = flag(None, "column across; default: Train_EnvstepsSoFar, or else Step")
    y: str = flag(None, "column up, or several with commas; default: Eval_AverageReturn, ...")
    smooth: int = flag(1, "average over so many rows", positive=True)
    title: str = flag(None, "title; default: the environment")
    band: str = flag("range", "what the band over seeds shows", choices=tuple(BANDS))


@cli
def main(argv: Sequence[str]) -> int:
    """Draws the picture that the command line asks for; returns the exit status."""
    args, _ = parse_config(PlotConfig, argv, "Draws runs against each other: mean over seeds.")
    output = Path(args.output)
    if output.suffix not in (".png", ".pdf", ".svg"):
        raise UserError(f"-o {output}: the name must end in .png, .pdf or .svg")
    if not output.parent.is_dir():
        raise UserError(f"-o {output}: there is no directory {output.parent}")
    runs = load_runs(args.run_dirs)

    def first_in_all(*names: str) -> str:
        return next((n for n in names if all(has_numbers(r.log, n) for r in runs)), names[-1])

    x_name = args.x or first_in_all("Train_EnvstepsSoFar", "Step")
    y_names = args.y.split(",") if args.y else [first_in_all(*RETURNS[:2])]
    _check_columns(runs, x_name, y_names)
    groups = group_runs(runs)
    _note_short_runs(groups, x_name)
    envs = {str(run.settings["env_name"]) for run in runs}
    title = args.title if args.title is not None else " and ".join(sorted(envs))
    if len(envs) > 1:
        groups = {f"{label} on {g[0].settings['env_name']}": g for label, g in groups.items()}
    try:
        print(draw_comparison(groups, output, x_name, y_names, title, args.smooth, args.band))
    except OSError as error:
        raise UserError(f"-o {output} cannot be written: {error.strerror}") from error
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
