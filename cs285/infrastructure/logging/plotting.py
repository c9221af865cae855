"""Pictures of logs: the learning curve of a run, and the parts that scripts/plot.py draws with."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cs285.infrastructure.base.config import read_config_json
from cs285.infrastructure.base.env_record import shown_settings
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.schedules import learning_begins
from cs285.infrastructure.logging.logger import SCALARS, read_log, rounded

if TYPE_CHECKING:  # matplotlib is slow to import: `new_axes` does it, when there is a picture
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart with any common colour blindness; no yellow, too pale here.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINE_HEIGHT, FEW_LINES = 0.19, 5  # inches; lines below a picture that take no room from it yet
RETURNS = ("Eval_AverageReturn", "Train_AverageReturn", "Train_BestReturn")
# What uniformly random actions score, by `python benchmarks/random_play.py`: [environment, longest
# episode in steps (null: its own), frames of a step (null: no Atari game), mean, standard deviation
# of the return].
RANDOM_PLAY = Path(__file__).with_name("random_play.json")


def draw_learning_curve(run_dir: Path) -> Path | None:
    """Draws the returns of one run, so far, into its learning_curve.png.

    Returns:
        The path of the picture, or None where the log holds no return yet.
    """
    drawn = learning_curve(run_dir)
    return drawn and save_picture(drawn[0], Path(run_dir) / "learning_curve.png", drawn[1])


def learning_curve(run_dir: Path) -> tuple[Axes, str] | None:
    """Draws the returns of one run, so far, from its folder.

    Returns:
        The axes, and the note for `with_legend`; None where the log holds no return yet.
    """
    log = read_log(run_dir)
    y_names = [name for name in RETURNS if has_numbers(log, name)]
    if not y_names:
        return None
    x_name = "Train_EnvstepsSoFar" if has_numbers(log, "Train_EnvstepsSoFar") else "Step"
    settings = shown_settings(read_config_json(run_dir))
    title = f"{settings['exp_name']} on {settings['env_name']}, seed {settings['seed']}"
    axes, note = new_axes(title, x_name, y_names), ""
    for name, colour in zip(y_names, COLOURS, strict=False):
        draw_line(axes, *curve(log, x_name, name), SCALARS[name][1], name, color=colour)
    if has_numbers(log, "Eval_AverageReturn") and has_numbers(log, "Eval_StdReturn"):
        mean_n, std_n = log["Eval_AverageReturn"], log["Eval_StdReturn"]
        # One episode has no spread.
        std_n = np.where(log.get("Eval_NumEpisodes", np.full_like(std_n, 2)) > 1, std_n, np.nan)
        x_n, low_n = curve(log | {"low": mean_n - std_n}, x_name, "low")
        x_n, high_n = curve(log | {"high": mean_n + std_n}, x_name, "high")
        if len(x_n):
            axes.fill_between(x_n, low_n, high_n, color=COLOURS[0], alpha=0.2, linewidth=0)
            note = "Band: mean \u00b1 one standard deviation over the episodes of an evaluation."
    mark(axes, [settings], x_name, y_names)
    return axes, "\n".join(filter(None, [episodes_note([log], y_names), note]))


def episode_limit(settings: Mapping[str, Any]) -> int | None:
    """Returns where a run's flags cut its episodes, in steps; None: where the task does."""
    # In DQN `ep_len` was the length of a film; all others cut each episode there.
    name = "max_episode_steps" if "frame_history_len" in settings else "ep_len"
    limit: int | None = settings.get(name)
    return limit


def random_play(settings: Mapping[str, Any]) -> tuple[float, float] | None:
    """Returns mean and standard deviation of random play, where measured, for a run's settings."""
    rows = json.loads(RANDOM_PLAY.read_text(encoding="utf-8")) if RANDOM_PLAY.exists() else []
    asked = settings["env_name"], episode_limit(settings)
    for env_name, longest, game, mean, std in rows:
        # Runs of earlier versions, and of PPO, lack settings of a game: theirs is the first one.
        same = all(settings.get(key) in (None, value) for key, value in (game or {}).items())
        if (env_name, longest) == asked and same:
            return mean, std
    return None


def mark(
    axes: Axes, settings: Sequence[Mapping[str, Any]], x_name: str, y_names: Sequence[str]
) -> None:
    """Marks where warm-up ends and what random play scores, if these runs have that in common."""
    grey: dict[str, Any] = {"color": "0.45", "linewidth": 1, "zorder": 1}
    starts = {learning_begins(one) for one in settings}
    known = {random_play(one) for one in settings}
    end, found = starts.pop(), known.pop()
    in_steps = x_name in ("Step", "Train_EnvstepsSoFar")
    if not starts and in_steps and 0 < end < axes.get_xlim()[1]:
        axes.axvline(end, linestyle=":", label=f"learning begins, at {short_number(end)}", **grey)
    if not known and found and set(y_names) <= set(RETURNS):
        mean, std = found
        axes.axhline(mean, linestyle=(0, (6, 4)), label=f"random play: {rounded(mean)}", **grey)
        # An axis that shows less than the spread of random play makes its noise look like news.
        low, high = axes.get_ylim()
        axes.set_ylim(min(low, mean - std), max(high, mean + std))


def episodes_note(logs: Sequence[Mapping[str, np.ndarray]], y_names: Sequence[str]) -> str:
    """Returns how many episodes are in each evaluation that is drawn, and what was played there.

    Logs that do not have these numbers, or have different ones of the latter, add nothing.
    """
    counts = [log.get("Eval_NumEpisodes", np.array([np.nan])) for log in logs]
    known = not any(np.isnan(count_n).all() for count_n in counts)
    if not known or not any(y_name.startswith("Eval_") for y_name in y_names):
        return ""
    low, high = min(map(np.nanmin, counts)), max(map(np.nanmax, counts))
    number = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    chances = {float(x) for log in logs for x in log.get("Eval_Epsilon", ()) if np.isfinite(x)}
    drawn = f"; chance of a random action: {chances.pop():g}" if len(chances) == 1 else ""
    return f"Episodes in each evaluation: {number}{drawn}."


def has_numbers(log: Mapping[str, np.ndarray], name: str) -> bool:
    """Says whether column `name` is in the log and holds at least one finite number."""
    return name in log and bool(np.isfinite(log[name]).any())


def curve(log: dict[str, np.ndarray], x_name: str, y_name: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns x and y, shape (n,) each, of the rows where both are numbers, in order of x."""
    finite_n = np.isfinite(log[x_name]) & np.isfinite(log[y_name])
    x_n, y_n = log[x_name][finite_n], log[y_name][finite_n]
    order_n = np.argsort(x_n, kind="stable")
    return x_n[order_n], y_n[order_n]


def align(
    label: str, curves: Sequence[tuple[np.ndarray, np.ndarray]], last: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Puts seeds that were logged at different steps on one axis, by linear interpolation.

    Only the part that every seed covers is kept: beyond the end of some, the mean of the others
    would jump for no reason but who is left.

    Args:
        label: The experiment, for the error message.
        curves: (x, y) of each seed, shape (n_seed,) each, x ascending.
        last: Where to end; None: where the shortest of these seeds does.

    Returns:
        x, shape (n,), and y, shape (seeds, n).

    Raises:
        UserError: If there is no such part.
    """
    first = max(x_n[0] for x_n, _ in curves)
    last = min(x_n[-1] for x_n, _ in curves) if last is None else last
    if first > last:
        raise UserError(f"the seeds of {label} have no steps in common: leave the shortest out")
    x_n = np.unique(np.concatenate([x_n for x_n, _ in curves] + [[first, last]]))
    x_n = x_n[(x_n >= first) & (x_n <= last)]
    return x_n, np.stack([np.interp(x_n, *seed) for seed in curves])


def final_score(points: tuple[np.ndarray, np.ndarray], until: float = np.inf) -> float:
    """Returns what a run ends at: its last number, as it was logged.

    Plots, tables and comparisons all take it from here.

    Args:
        points: x, ascending, and y of the run, as `curve` returns them.
        until: The last x that counts.

    Returns:
        nan where there is none.
    """
    x_n, y_n = points
    y_n = y_n[x_n <= until]
    return float(y_n[-1]) if len(y_n) else float("nan")


def axis_label(names: Sequence[str]) -> str:
    """Returns what the columns are and their unit; several columns share the unit they have."""
    units = {SCALARS[name][0] for name in names if name in SCALARS}
    if len(names) == 1 and units:
        return f"{SCALARS[names[0]][1]}\n({units.pop()})"
    return units.pop().capitalize() if len(units) == 1 else ", ".join(names)


def short_number(value: float) -> str:
    """Writes a number of steps for a tick: 500, 20k, 1.5M."""
    for size, suffix in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{suffix}"
    return f"{value:g}"


def new_axes(title: str, x_name: str, y_names: Sequence[str]) -> Axes:
    """Returns labelled, empty axes in a figure of their own."""
    from matplotlib.figure import Figure  # without pyplot: no window, nothing kept between calls

    axes = Figure(figsize=(7.2, 4.8), dpi=150, layout="constrained").add_subplot()
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel(axis_label([x_name]).replace("\n", " "))
    axes.set_ylabel(axis_label(y_names))
    axes.xaxis.set_major_formatter(lambda value, _: short_number(value))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}".replace("-", "\u2212"))
    axes.grid(color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def draw_line(
    axes: Axes, x_n: np.ndarray, y_n: np.ndarray, label: str, name: str, **look: Any
) -> None:
    """Draws one curve; few points get dots, for a line through a single one is invisible.

    The best so far lies beneath the means that it is the best of, and a curve that equals an
    earlier one lets that one's colour be seen between its dashes.
    """
    look |= {"ms": 3, "marker": "o" if len(x_n) < 30 else "", "linewidth": 1.6, "zorder": 2}
    if name == "Train_BestReturn":
        look |= {"linewidth": 1.0, "zorder": 1.5, "marker": ""}
    for line in axes.get_lines():
        if np.array_equal(line.get_xydata(), np.column_stack([x_n, y_n])):
            look |= {"linestyle": (0, (3, 6)), "zorder": 2.5}
            label = f"{label}, the same as {str(line.get_label()).partition(' (')[0]}"
            break
    axes.plot(x_n, y_n, label=label, **look)


def with_legend(axes: Axes, note: str = "") -> Figure:
    """Adds the legend, headed by `note`, below the axes; returns their figure."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    axes.margins(x=0.01)
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))  # a curve that starts late shows it
    texts = [str(text) for text in axes.get_legend_handles_labels()[1]]
    lines = sum(text.count("\n") + 1 for text in [note, *texts])
    figure.set_figheight(figure.get_figheight() + LINE_HEIGHT * max(0, lines - FEW_LINES))
    legend = {"frameon": False, "fontsize": 9, "title_fontsize": 9, "alignment": "left"}
    figure.legend(loc="outside lower left", title=note, **legend)
    return figure


def save_picture(axes: Axes, path: Path, note: str = "", source: str | None = None) -> Path:
    """Adds the legend, headed by `note`, below the axes and writes the picture, whole or not.

    A PNG file keeps `source`, a digest of the data that it shows, as its text "Source".
    """
    figure = with_legend(axes, note)
    beside = path.with_name(path.name + ".tmp")
    kept = {"Source": source} if source and path.suffix == ".png" else None
    figure.savefig(beside, format=path.suffix[1:], metadata=kept)
    os.replace(beside, path)
    return path
