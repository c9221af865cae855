"""A comparison as one HTML file that needs nothing else: tables, and figures within it."""

from __future__ import annotations

import functools
import io
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from cs285.infrastructure.logging.plotting import COLOURS, draw_line, new_axes
from studies import dots
from studies.comparison import JUDGED, Comparison, Entry, Pair
from studies.measures import IQM_SEEDS, MANY, Measure, Range

TEMPLATES = Path(__file__).with_name("templates")
SIZES = {"wide": (7.5, 3.9), "narrow": (4.0, 3.4)}  # inches, of a figure
INK, LINE = "#010203", "#040506"  # stand for the page's colours, which the reader's screen decides
LOOK = dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), INK)
LOOK |= {"axes.edgecolor": INK, "svg.hashsalt": "cs285", "svg.fonttype": "none"}
OPEN_CROSSINGS = 3  # sentences about a task's crossing curves that need no click
SIZE = re.compile(r' (?:width|height)="[\d.]+pt"')


def render(
    comparison: Comparison, title: str, runs: Sequence[str], columns: Sequence[str], digest: str
) -> str:
    """Returns the page.

    Args:
        comparison: What it shows.
        title: The heading.
        runs: The names of the runs' folders.
        columns: Of their logs: the one across, and the one that is compared.
        digest: Of the runs and of how they are shown; it shows whether the page is stale.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    tasks = [
        {
            "name": task,
            "cut": comparison.cuts.get(task),
            "possible": possible(comparison.possible[task]),
            "crossings": [str(one) for one in comparison.crossings if one.task == task],
            "figures": {
                name: figure(comparison, comparison.on(task), columns, size)
                for name, size in SIZES.items()
            },
            "rows": rows(comparison, comparison.on(task)),
        }
        for task in comparison.tasks
    ]
    return environment.get_template("compare.html").render(
        title=title,
        runs=runs,
        y_name=columns[1],
        digest=digest,
        methods=comparison.methods,
        tasks=tasks,
        overall=overall(comparison),
        dots=functools.partial(dots.of_rows, comparison.methods),
        chances=dots.of_chances,
        pairs=[pair for pair in comparison.pairs if not pair.needs],
        open=[pair for pair in comparison.pairs if pair.needs],
        without_verdict=without_verdict,
        colours=colour_of,
        tested=sum(pair.adjusted is not None for pair in comparison.pairs),
        against=comparison.against,
        by_measure=JUDGED[comparison.judge],
        warnings=list(comparison.warnings()),
        many=MANY,
        iqm_seeds=IQM_SEEDS,
        open_crossings=OPEN_CROSSINGS,
        p_value=p_value,
    )


def without_verdict(pairs: Sequence[Pair]) -> str:
    """Returns one sentence about the pairs that have no verdict."""
    needs = sorted({pair.needs for pair in pairs})
    seeds = f"{needs[0]}" if len(needs) == 1 else f"{needs[0]} to {needs[-1]}"
    many = len(pairs) > 1
    begin = f"{len(pairs)} pairs have no verdict" if many else "One pair has no verdict"
    return f"{begin} {pairs[0].measure}: {seeds} seeds needed of each method on each task."


def colour_of(number: int) -> str:
    """Returns the colour of a method, by its number, as the page's style has it."""
    return f"var(--m{number % len(COLOURS)})" if number >= 0 else "var(--ink)"


def possible(ends: Range) -> str:
    """Writes what values there can be; "" where nothing is known."""
    low, high = (f"{end:,.6g}" for end in ends)
    if math.isinf(ends[0]):
        return "" if math.isinf(ends[1]) else f"at most {high}"
    return f"at least {low}" if math.isinf(ends[1]) else f"from {low} to {high}"


def p_value(p: float | None) -> str:
    """Writes a p-value as exactly as it decides something; a dash where there is none."""
    if p is None:
        return "\u2013"
    if p < 0.001:
        return "< 0.001"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def rows(comparison: Comparison, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Returns a line for each method on a task, the best final mean first."""
    found = []
    for entry in sorted(entries, key=lambda entry: -float(entry.final.mean())):
        found.append(
            {
                "method": entry.method,
                "seeds": entry.seeds,
                "final": comparison.on_task(Measure.MEAN, entry.task, entry.final),
                "iqm": comparison.on_task(Measure.IQM, entry.task, entry.final),
                "area": comparison.on_task(Measure.MEAN, entry.task, entry.area),
            }
        )
    return found


def overall(comparison: Comparison) -> list[dict[str, Any]]:
    """Returns a line for each method that has all tasks, if there are several of both."""
    found: list[dict[str, Any]] = []
    for method in comparison.methods:
        mean = comparison.over_tasks(Measure.MEAN, method)
        if mean is None or len(comparison.tasks) < 2:
            continue
        runs = sum(entry.seeds for entry in comparison.entries if entry.method == method)
        iqm = comparison.over_tasks(Measure.IQM, method)
        found.append({"method": method, "runs": runs, "iqm": iqm, "mean": mean})
    found.sort(key=lambda row: -row["mean"].value)
    return found if len(found) > 1 else []


def figure(
    comparison: Comparison,
    entries: Sequence[Entry],
    columns: Sequence[str],
    size: tuple[float, float],
) -> str:
    """Returns a task's mean curves, each with its seeds' range, as SVG in the page's colours."""
    import matplotlib

    x_name, y_name = columns
    with matplotlib.rc_context(dict[Any, Any](LOOK)):
        axes = new_axes("", x_name, [y_name])
        picture = axes.get_figure(root=True)
        assert picture is not None
        picture.set_size_inches(*size)
        picture.patch.set_visible(False)
        axes.patch.set_visible(False)
        axes.grid(color=LINE, linewidth=0.6)
        # A method has one colour on all tasks, if there are colours enough.
        everywhere = len(comparison.methods) <= len(COLOURS)
        order = comparison.methods if everywhere else [entry.method for entry in entries]
        for entry in entries:
            colour = COLOURS[order.index(entry.method) % len(COLOURS)]
            draw_line(axes, entry.x, entry.y.mean(axis=0), entry.method, y_name, color=colour)
            if entry.seeds > 1:
                low, high = entry.y.min(axis=0), entry.y.max(axis=0)
                axes.fill_between(entry.x, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.legend(frameon=False, fontsize="small")
        stream = io.StringIO()
        picture.savefig(stream, format="svg", bbox_inches="tight", metadata={"Date": None})
    text = stream.getvalue()
    svg = SIZE.sub("", text[text.index("<svg") :], count=2)  # the page decides the width
    names = {INK: "var(--ink)", LINE: "var(--line)"}
    names |= {colour.lower(): colour_of(number) for number, colour in enumerate(COLOURS)}
    for colour, name in names.items():
        svg = svg.replace(colour, name)
    return svg
