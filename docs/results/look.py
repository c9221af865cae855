"""How a picture of the results looks: a panel for each setting, light and dark in one SVG file.

Thin lines are seeds, the thick one is their mean. Pale lines are the means of the other panels, and
dashed grey ones are another library. Panels are sorted by what they ended at.
"""

from __future__ import annotations

import html
import io
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from series import Picture, Seed, Setting, short

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "diagrams"))
from svg import COLOURS, variables  # noqa: E402

from cs285.infrastructure.base.schedules import learning_begins  # noqa: E402
from cs285.infrastructure.logging.plotting import random_play, short_number  # noqa: E402

INK, SOFT, LINE, FAINT = (COLOURS[name][0] for name in ("ink", "soft", "line", "faint"))
BLUE, GREEN = COLOURS["blue"][0], COLOURS["green"][0]
SHOWN = 640  # pixels, where there is room
WIDTH = 4.8  # inches; on a telephone of 400 pixels letters are then some 11 high
FONT = "system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif"
RC: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "cs285",
    "font.size": 9.5,
    "text.color": INK,
    "axes.labelcolor": SOFT,
    "axes.edgecolor": LINE,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "axes.linewidth": 0.8,
}


def smoothed(seed: Seed, count: int) -> np.ndarray:
    """Returns the mean of each number and the `count` - 1 before it; at the start of fewer."""
    window = np.ones(count)
    weight = np.convolve(np.ones(len(seed.y)), window)[: len(seed.y)]
    return np.convolve(seed.y, window)[: len(seed.y)] / weight


def mean_line(seeds: Sequence[Seed], smooth: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns steps and means over seeds, as far as all of them go."""
    first, end = max(seed.x[0] for seed in seeds), min(seed.x[-1] for seed in seeds)
    x = np.unique(np.concatenate([seed.x for seed in seeds]))
    x = x[(x >= first) & (x <= end)]
    return x, np.mean([np.interp(x, seed.x, smoothed(seed, smooth)) for seed in seeds], axis=0)


def shape(panels: int) -> tuple[int, int]:
    """Returns rows and columns; an odd number of panels leaves the last place to the legend."""
    return (1, 1) if panels == 1 else ((panels + 1) // 2, 2)


def draw(picture: Picture, source: str) -> str:
    """Returns the picture as SVG, which keeps `source`, a digest of its data."""
    import matplotlib
    from matplotlib.figure import Figure

    rows, cols = shape(len(picture.settings))
    with matplotlib.rc_context(RC):
        high = 2.2 if rows == 1 and cols == 1 else 1.25 * rows + 0.25
        figure = Figure(figsize=(WIDTH, high + 0.75), layout="constrained")
        grid = figure.subplots(rows, cols, sharex=True, sharey=True, squeeze=False).ravel()
        ordered = picture.by_value()
        for axes, setting in zip(grid, ordered, strict=False):
            _panel(axes, picture, setting, [s for s in ordered if s is not setting])
        _limits(grid[0], picture)
        spare = list(grid[len(ordered) :])
        for axes in spare:
            axes.set_visible(False)
        if spare:  # the panel above it shows the steps instead
            grid[len(ordered) - 2].tick_params(labelbottom=True)
        figure.get_layout_engine().set(wspace=0.05)
        title = (
            f"{picture.what}, over {picture.across}\nThe number is what a panel's runs ended at."
        )
        figure.suptitle(title, x=0.02, ha="left", fontsize=9.5, color=SOFT)
        _legend(figure, grid, bool(spare))
        file = io.StringIO()
        figure.savefig(
            file,
            format="svg",
            transparent=True,
            metadata={"Source": source, "Date": None, "Creator": None},
        )
    return _light_and_dark(file.getvalue(), picture)


def _panel(axes: Any, picture: Picture, setting: Setting, others: Sequence[Setting]) -> None:
    """Draws one setting."""
    for other in others:
        axes.plot(
            *mean_line(other.seeds, picture.smooth),
            color=FAINT,
            lw=1.1,
            zorder=1,
            label="the other panels' means",
        )
    for name, seeds in setting.peers.items():
        for seed in seeds:
            axes.plot(seed.x, seed.y, color=LINE, lw=1.1, ls="--", zorder=2, label=name)
    if picture.more:
        column, name = picture.more
        for seed in setting.seeds:
            axes.plot(*seed.of(column), color=GREEN, lw=1.2, ls="--", zorder=2, label=name)
    x, y = mean_line(setting.seeds, picture.smooth)
    if setting.seeds[1:]:
        for seed in setting.seeds:
            axes.plot(
                seed.x,
                smoothed(seed, picture.smooth),
                color=BLUE,
                lw=0.7,
                alpha=0.65,
                zorder=3,
                label="a seed",
            )
    few = "o" if len(x) < 4 else ""
    name = "mean of seeds" if setting.seeds[1:] else "one seed"
    axes.plot(x, y, color=BLUE, lw=2, marker=few, ms=3, zorder=4, label=name)
    axes.set_title(setting.label, loc="left", fontsize=9.5, fontweight="bold", pad=4)
    value = short(picture.mean(setting.seeds)).replace("-", "−")
    axes.set_title(value, loc="right", fontsize=9.5, color=BLUE, pad=4)
    _marks(axes, picture, setting)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=FAINT, lw=0.5, alpha=0.7)
    axes.tick_params(length=2.5, width=0.7)
    axes.xaxis.set_major_formatter(lambda value, _: short_number(value))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}".replace("-", "−"))
    axes.locator_params(axis="x", nbins=4)
    axes.locator_params(axis="y", nbins=4)


def _marks(axes: Any, picture: Picture, setting: Setting) -> None:
    """Marks what random play scores and where learning begins, where that is known."""
    settings = dict(setting.seeds[0].settings)
    if "env_name" not in settings or not re.search("return|score", picture.what):
        return
    if found := random_play(settings):
        axes.axhline(found[0], color=SOFT, lw=0.9, ls=(0, (1, 2)), zorder=1.5, label="random play")
    begins = learning_begins(settings)
    if begins > 0.01 * setting.seeds[0].x[-1]:
        axes.axvline(
            begins, color=SOFT, lw=0.9, ls=(0, (4, 2, 1, 2)), zorder=1.5, label="learning begins"
        )


def _limits(axes: Any, picture: Picture) -> None:
    """Lets the axes show the curves, and nothing else."""
    seeds = [
        seed for s in picture.settings for seed in [*s.seeds, *sum(map(list, s.peers.values()), [])]
    ]
    axes.set_xlim(min(0, min(seed.x[0] for seed in seeds)), max(seed.x[-1] for seed in seeds))
    if picture.low is not None:
        axes.set_ylim(bottom=picture.low)


def _legend(figure: Any, grid: Sequence[Any], spare: bool) -> None:
    """Explains each kind of line once, in the place that is left or below."""
    found: dict[str, Any] = {}
    for one in figure.axes:
        for handle, label in zip(*one.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    order = ("mean of seeds", "one seed", "a seed")
    names = sorted(found, key=lambda name: order.index(name) if name in order else len(order))
    handles = [found[name] for name in names]
    look: dict[str, Any] = {
        "frameon": False,
        "fontsize": 9.5,
        "alignment": "left",
        "handlelength": 1.8,
        "labelspacing": 0.25,
    }
    if not spare:
        figure.legend(handles, names, loc="outside lower left", ncols=2, **look)
        return
    figure.draw_without_rendering()  # places the panels; the legend must not move them
    figure.set_layout_engine("none")
    left, below = grid[-3].get_position(), grid[-2].get_position()
    holder = figure.add_axes((left.x0, below.y0, left.width, below.height))
    holder.axis("off")
    holder.legend(handles, names, loc="center left", borderaxespad=0, **look)


def _light_and_dark(text: str, picture: Picture) -> str:
    """Puts variables in place of colours, and the fonts of the reader's system."""
    for name, (light, _) in COLOURS.items():
        text = text.replace(light, f"var(--{name})")
    text = re.sub(r"font:( \w+)? (\d+(?:\.\d+)?)px [^;\"]+", rf"font:\1 \2px {FONT}", text)
    text = text.replace("'DejaVu Sans', ", "").replace('"DejaVu Sans", ', "")
    text = re.sub(
        r'(<svg [^>]*?)width="[^"]*" height="[^"]*"', rf'\1width="{SHOWN}"', text, count=1
    )
    text = re.sub(r'height="[^"]*pt"', "", text, count=1)
    head = f"<title>{html.escape(picture.alt())}</title>\n<style>{variables()}</style>\n"
    place = text.index(" <metadata>")
    text = re.sub(r"[ \t]+\n", "\n", text[:place] + head + text[place:])
    return re.sub(r"(?<= )(-?\d+\.\d\d)\d+(?=[ \n])", r"\1", text)  # half the size, as sharp
