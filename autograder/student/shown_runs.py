"""A run in a notebook: its log, its curve and its film, without a line of the student's code."""

from __future__ import annotations

import base64
import csv
import html
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.student import children, tables

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
GREY = "#767676"


class ShownRun:
    """The folder of a run."""

    def __init__(self, folder: Path) -> None:
        """Takes the folder, which may still grow."""
        self.folder = folder

    @property
    def log(self) -> dict[str, list[float]]:
        """The columns of log.csv by name; nan where a row has no number."""
        file = self.folder / "log.csv"
        if not file.is_file():
            return {}
        with file.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        return {name: [_number(row[name]) for row in rows] for name in rows[0]} if rows else {}

    def film(self, *flags: str) -> Any:
        """Plays an episode with the run's policy, and shows it as a film."""
        words = ["scripts/enjoy.py", str(self.folder), "-n", "1", "--film", *flags]
        done = children.run(words)
        films = sorted((self.folder / "videos").glob("*.gif"), key=lambda f: f.stat().st_mtime)
        if done.returncode or not films:
            return shown(tables.note(children.last_line(done)))
        content = base64.b64encode(films[-1].read_bytes()).decode()
        source = f"data:image/gif;base64,{content}"
        return shown(f'<img src="{source}" alt="{html.escape(films[-1].stem)}">')

    def _repr_html_(self) -> str:
        """Returns its name, its length, and its learning curve."""
        steps = self.log.get("Train_EnvstepsSoFar", [math.nan])[-1]
        length = "" if math.isnan(steps) else f": {steps:,.0f} steps"
        words = f"<code>{html.escape(self.folder.name)}</code>{length}"
        return f"{words}<br>{_picture(self.folder / 'learning_curve.png')}"


class NoRun:
    """What `train` returns where nothing was trained: a blank is empty, or a setting is wrong."""

    folder = None
    log: dict[str, list[float]] = {}  # noqa: RUF012  (nobody writes into it)

    def __init__(self, why: str) -> None:
        """Keeps the line that the script ended with."""
        self.why = why

    def film(self, *flags: str) -> Any:
        """Shows why there is no film."""
        del flags
        return shown(self._repr_html_())

    def _repr_html_(self) -> str:
        """Returns why there is no run."""
        return tables.note(f"There is no run: {self.why}")


def draw(runs: Sequence[ShownRun | NoRun], column: str, line: float | None = None) -> Any:
    """Draws a column of several logs against environment steps.

    Args:
        runs: Each gets the name of its experiment.
        column: Such as "Q_Mean".
        line: A value to compare with, drawn dashed.
    """
    from matplotlib.figure import Figure

    with_rows = [run for run in runs if column in run.log]
    if not with_rows:
        return shown(tables.note(f"No run has logged {column} yet."))
    figure = Figure(figsize=(6.4, 3.0), dpi=110, layout="constrained")
    axes = figure.add_subplot()
    for run, colour in zip(with_rows, COLOURS, strict=False):
        steps, values = run.log["Train_EnvstepsSoFar"], run.log[column]
        pairs = [(x, y) for x, y in zip(steps, values, strict=True) if not math.isnan(x + y)]
        if pairs:
            xs, ys = zip(*pairs, strict=True)
            axes.plot(xs, ys, marker="o", ms=3, color=colour, label=_name(run))
    if line is not None:
        axes.axhline(line, color=GREY, lw=1, ls="--")
    axes.set(xlabel="environment steps", title=column)
    axes.legend(frameon=False)
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    return shown(_image(picture.getvalue(), column))


def shown(text: str) -> Any:
    """Returns HTML as a notebook shows it."""
    from IPython.display import HTML

    return HTML(text)


def _name(run: ShownRun | NoRun) -> str:
    return run.folder.name.split("_2")[0] if run.folder else ""


def _number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan


def _picture(file: Path) -> str:
    return _image(file.read_bytes(), "learning curve") if file.is_file() else ""


def _image(data: bytes, alt: str) -> str:
    content = base64.b64encode(data).decode()
    style = "max-width:100%;background:#fff"
    return f'<img src="data:image/png;base64,{content}" alt="{alt}" width="640" style="{style}">'
