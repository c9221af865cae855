"""Draws runs against each other: one line an experiment, the mean of its seeds, with a band.

    python scripts/plot.py data/hw3_q2_* -o q2.png
    python scripts/plot.py data/hw3_q1_* -o q1.png --y Train_AverageReturn,Train_BestReturn
    python scripts/plot.py data/bench --select clip0-1 --legend "clip 0.1" --est max

Runs are one experiment when all their settings but the seed are the same.
"""

from __future__ import annotations

import dataclasses
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # this tree, not an installed one
from cs285.infrastructure.base.config import cli, parse_config, written_for
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.settings import flag, operand
from cs285.infrastructure.logging.logger import SCALARS, rounded
from cs285.infrastructure.logging.plotting import (
    COLOURS,
    align,
    curve,
    draw_line,
    episodes_note,
    mark,
    new_axes,
    random_play,
    save_picture,
    short_number,
)
from scripts.experiments import Run, columns, digest, group_runs, load_runs

LEGEND_WIDTH = 95  # characters that fit a picture
LINE_STYLES = ("-", "--", ":", "-.")
BANDS = {
    "range": "from the lowest to the highest seed",
    "std": "mean \u00b1 one standard deviation over seeds",
}
LINES: dict[str, Any] = {"mean": np.mean, "max": np.max, "min": np.min}


@dataclasses.dataclass(frozen=True)
class PlotConfig:
    """The flags of this script."""

    run_dirs: tuple[str, ...] = operand("RUN_DIR", "folders of runs", many=True)
    output: str = flag("comparison.png", "png, pdf or svg file", "-o")
    x: str = flag(
        None, "column across; default: Train_EnvstepsSoFar, or else Step", "-x", "--xaxis"
    )
    y: tuple[str, ...] = flag(
        None, "columns up; default: Eval_AverageReturn, ...", "-y", "--value", many=True
    )
    smooth: int = flag(1, "average over so many rows", "-s", positive=True)
    legend: tuple[str, ...] = flag((), "what the lines are called, in order", "-l", many=True)
    count: bool = flag(False, "draw each seed by itself")
    est: str = flag("mean", "what the line over seeds is", choices=tuple(LINES))
    select: tuple[str, ...] = flag((), "only runs with all of this in their path", many=True)
    exclude: tuple[str, ...] = flag((), "only runs with none of this in their path", many=True)
    title: str = flag(None, "title; default: the environment")
    band: str = flag("range", "what the band over seeds shows", choices=tuple(BANDS))


def draw_comparison(
    groups: Mapping[str, Sequence[Run]],
    x_name: str,
    y_names: Sequence[str],
    args: PlotConfig,
    source: str | None = None,
) -> Path:
    """Draws experiments against each other, each a line for its seeds, with a band.

    Args:
        groups: Label of an experiment -> its runs, one a seed.
        x_name: Column for the horizontal axis.
        y_names: Columns to draw.
        args: How they are drawn, and where.
        source: Digest of the data, for the picture to keep.

    Returns:
        The path of the picture.
    """
    axes = new_axes(args.title, x_name, y_names)
    for i, (label, runs) in enumerate(groups.items()):
        for j, y_name in enumerate(y_names):
            # A colour for each experiment, or where there is but one, for each of its columns.
            colour_index, style_index = (i, i // len(COLOURS) + j) if len(groups) > 1 else (j, 0)
            colour = COLOURS[colour_index % len(COLOURS)]
            x_n, y_sn = align(label, [_smoothed(run, x_name, y_name, args.smooth) for run in runs])
            line_n = LINES[args.est](y_sn, axis=0)
            what = f"{label}: {SCALARS.get(y_name, ('', y_name, ''))[1]}" if y_names[1:] else label
            seeds = f"{len(runs)} seed{'s' if len(runs) > 1 else ''}"
            ends_at = rounded(LINES[args.est]([run.last(y_name, x_name) for run in runs]))
            text = f"{what} ({seeds}, ends at {ends_at})"
            style = LINE_STYLES[style_index % 4]
            draw_line(axes, x_n, line_n, text, y_name, color=colour, linestyle=style)
            if len(runs) > 1:
                low_n, high_n = _band(y_sn, args.band)
                axes.fill_between(x_n, low_n, high_n, color=colour, alpha=0.18, linewidth=0)
    for line in axes.get_lines():  # a longer one would end beyond the picture's edge
        line.set_label(textwrap.fill(str(line.get_label()), LEGEND_WIDTH))
    all_runs = [run for runs in groups.values() for run in runs]
    mark(axes, [run.settings for run in all_runs], x_name, y_names)
    several = any(len(runs) > 1 for runs in groups.values())
    notes = [note] if (note := episodes_note([run.log for run in all_runs], y_names)) else []
    notes += [f"Line: {args.est} over seeds. Band: {BANDS[args.band]}."] if several else []
    if args.smooth > 1:
        what = f"Each value averaged over {args.smooth} neighbouring rows of the log"
        notes.append(f"{what}; \u201cends at\u201d is the last one by itself.")
    return save_picture(axes, Path(args.output), "\n".join(notes), source)


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


def selected(runs: Sequence[Run], select: Sequence[str], exclude: Sequence[str]) -> list[Run]:
    """Returns the runs whose folders' names hold all of `select` and none of `exclude`.

    Raises:
        UserError: If none is left.
    """
    kept = [
        run
        for run in runs
        if all(text in str(run.run_dir) for text in select)
        and not any(text in str(run.run_dir) for text in exclude)
    ]
    if not kept:
        rule = " ".join(
            ["--select", *select] * bool(select) + ["--exclude", *exclude] * bool(exclude)
        )
        raise UserError(f"{rule} leaves none of {len(runs)} runs, such as {runs[0].run_dir}")
    return kept


def legend(
    groups: Mapping[str, Sequence[Run]], count: bool, titles: Sequence[str]
) -> dict[str, Sequence[Run]]:
    """Returns the lines to draw: experiments, or with `count` each seed by itself, under `titles`.

    Raises:
        UserError: If there are not as many titles as lines.
    """
    if count:
        groups = {
            f"{k}, seed {r.settings['seed']}": [r] for k, runs in groups.items() for r in runs
        }
    if titles and len(set(titles)) != len(groups):
        raise UserError(
            f"--legend has {len(set(titles))} different titles for {len(groups)} lines: "
            + "; ".join(groups)
        )
    return dict(zip(titles or groups, groups.values(), strict=True))


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


@cli
def main(argv: Sequence[str]) -> int:
    """Draws the picture that the command line asks for; returns the exit status."""
    args, _ = parse_config(PlotConfig, argv, "Draws runs against each other: mean over seeds.")
    output = Path(args.output)
    if output.suffix not in (".png", ".pdf", ".svg"):
        raise UserError(f"-o {output}: the name must end in .png, .pdf or .svg")
    if not output.parent.is_dir():
        raise UserError(f"-o {output}: there is no directory {output.parent}")
    runs = selected(load_runs(args.run_dirs), args.select, args.exclude)
    x_name, y_names = columns(runs, args.x, args.y)
    groups = group_runs(runs)
    _note_short_runs(groups, x_name)
    envs = {str(run.settings["env_name"]) for run in runs}
    title = args.title if args.title is not None else " and ".join(sorted(envs))
    if len(envs) > 1:
        groups = {f"{label} on {g[0].settings['env_name']}": g for label, g in groups.items()}
    lines = legend(groups, args.count, args.legend)
    known = sorted({str(random_play(run.settings)) for run in runs})
    source, args = digest(runs, args, known), dataclasses.replace(args, title=title)
    with written_for("-o", output):
        print(draw_comparison(lines, x_name, y_names, args, source))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
