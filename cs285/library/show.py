"""What a notebook shows: tables, figures and films."""

from __future__ import annotations

import base64
import functools
import html
import importlib.util
import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.logging.logger import aligned

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 10
"""Rows of a long table that are shown: so many of the first ones, and of the last."""


class Table(dict[str, np.ndarray]):
    """Columns of one length, by name; what pandas' DataFrame is, where that is not installed."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self)

    def __repr__(self) -> str:
        """Returns the table as text, with the columns that a wide terminal has room for."""
        return "\n".join(aligned(self._rows(), left=0))

    def _repr_html_(self) -> str:
        """Returns the table for a notebook."""
        head, *rows = self._rows()
        cells = [f"<tr>{''.join(f'<td>{html.escape(c)}</td>' for c in row)}</tr>" for row in rows]
        names = "".join(f"<th>{html.escape(name)}</th>" for name in head)
        return f"<table><tr>{names}</tr>{''.join(cells)}</table>"

    def _rows(self) -> list[list[str]]:
        """Returns the names, and the first and last rows, as texts."""
        count = len(next(iter(self.values()), ()))
        is_long = count > 2 * SHOWN and all(c.dtype.kind == "f" for c in self.values())
        numbers = [*range(SHOWN), *range(count - SHOWN, count)] if is_long else range(count)
        rows = [[_text(column[i]) for column in self.values()] for i in numbers]
        if is_long:
            rows.insert(SHOWN, ["..."] * len(self))
        return [self.columns, *rows]


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def table_of(log: Mapping[str, np.ndarray]) -> Any:
    """Returns a log as pandas' DataFrame where that is installed, else as a `Table`."""
    if importlib.util.find_spec("pandas") is None:
        return Table(log)
    return importlib.import_module("pandas").DataFrame(dict(log))


def figure_of(run_dir: Path) -> Figure:
    """Draws the learning curve of a run as a figure that shows itself in a notebook.

    Raises:
        UserError: If its log has no return yet.
    """
    from cs285.infrastructure.logging import plotting

    drawn = plotting.learning_curve(run_dir)
    if drawn is None:
        raise UserError(f"{run_dir}: the log has no return yet, so there is no curve")
    figure: Any = plotting.with_legend(*drawn)
    figure._repr_png_ = functools.partial(_png, figure)  # it needs no back end to show itself
    return figure  # type: ignore[no-any-return]


def _png(figure: Figure) -> bytes:
    content = io.BytesIO()
    figure.savefig(content, format="png")
    return content.getvalue()


class Film(os.PathLike[str]):
    """A filmed episode: the path of a GIF, with the same as WebM beside it."""

    def __init__(self, video: Path, score: float) -> None:
        """Keeps the path of the WebM, and the return of the episode."""
        self.video, self.score = video, score
        self.path = video.with_suffix(".gif")

    def __fspath__(self) -> str:
        """Returns the path of the GIF."""
        return str(self.path)

    def __str__(self) -> str:
        """Returns the path of the GIF."""
        return str(self.path)

    def __repr__(self) -> str:
        """Names the file, and the return of the episode in it."""
        return f"Film({str(self.path)!r}, score={self.score:g})"

    def _repr_html_(self) -> str:
        """Returns the film itself, so that a saved notebook contains it."""
        content = base64.b64encode(self.path.read_bytes()).decode()
        what = html.escape(f"an episode with the return {self.score:g}")
        return f'<img src="data:image/gif;base64,{content}" alt="{what}">'


def picture(path: Path) -> str:
    """Returns a PNG file as a part of a page; nothing if it is not there."""
    if not path.exists():
        return ""
    content = base64.b64encode(path.read_bytes()).decode()
    return f'<img src="data:image/png;base64,{content}" width="540" alt="learning curve">'
