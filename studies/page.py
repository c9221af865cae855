"""A comparison as one HTML file that needs nothing else: tables, and figures within it."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cs285.infrastructure.logging.plotting import COLOURS, draw_line, new_axes
from studies import measures
from studies.comparison import Comparison, Entry

TEMPLATES = Path(__file__).with_name("templates")
WIDTH, HEIGHT = 7.5, 4.2  # inches
SIZE = re.compile(r' (?:width|height)="[\d.]+pt"')


def render(
    comparison: Comparison, title: str, runs: Sequence[str], x_name: str, y_name: str
) -> str:
    """Returns the page.

    Args:
        comparison: What is compared.
        title: The heading.
        runs: The names of the runs' folders.
        x_name: The column across.
        y_name: The column that is compared.
    """
    import jinja2  # slow, and not there without the extra `studies`

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
            "figure": figure(comparison, comparison.on(task), x_name, y_name),
            "rows": rows(comparison, comparison.on(task)),
        }
        for task in comparison.tasks
    ]
    return environment.get_template("compare.html").render(
        title=title,
        runs=runs,
        methods=comparison.methods,
        measure=y_name,
        tasks=tasks,
        overall=overall(comparison),
        improvements=list(comparison.improvements()),
        warnings=list(comparison.warnings()),
    )


def rows(comparison: Comparison, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Returns a line for each method on a task, the best final mean first."""
    found = []
    for entry in sorted(entries, key=lambda entry: -float(entry.final.mean())):
        found.append(
            {
                "method": entry.method,
                "seeds": entry.seeds,
                "final": comparison.estimate([entry.final], measures.mean),
                "iqm": comparison.estimate([entry.final], measures.iqm),
                "area": comparison.estimate([entry.area], measures.mean),
            }
        )
    return found


def overall(comparison: Comparison) -> list[dict[str, Any]]:
    """Returns a line for each method that has all tasks, if there are several of both."""
    found: list[dict[str, Any]] = []
    for method in comparison.methods:
        scores = comparison.normalised(method)
        if scores is None or len(comparison.tasks) < 2:
            continue
        found.append(
            {
                "method": method,
                "runs": sum(map(len, scores)),
                "iqm": comparison.estimate(scores, measures.iqm),
                "mean": comparison.estimate(scores, measures.mean),
            }
        )
    found.sort(key=lambda row: -row["iqm"].value)
    return found if len(found) > 1 else []


def figure(comparison: Comparison, entries: Sequence[Entry], x_name: str, y_name: str) -> str:
    """Returns a task's mean curves with their bootstrap bands, as SVG."""
    import matplotlib

    axes = new_axes("", x_name, [y_name])
    picture = axes.get_figure(root=True)
    assert picture is not None
    picture.set_size_inches(WIDTH, HEIGHT)
    # A method has one colour on all tasks, if there are colours enough.
    everywhere = len(comparison.methods) <= len(COLOURS)
    order = comparison.methods if everywhere else [entry.method for entry in entries]
    for entry in entries:
        colour = COLOURS[order.index(entry.method) % len(COLOURS)]
        draw_line(axes, entry.x, entry.y.mean(axis=0), entry.method, y_name, color=colour)
        if entry.seeds > 1:
            low, high = measures.band(entry.y, np.random.default_rng(0))
            axes.fill_between(entry.x, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.legend(frameon=False, fontsize="small")
    stream = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "cs285", "svg.fonttype": "none"}):
        picture.savefig(stream, format="svg", bbox_inches="tight", metadata={"Date": None})
    text = stream.getvalue()
    return SIZE.sub("", text[text.index("<svg") :], count=2)  # the page's width decides
