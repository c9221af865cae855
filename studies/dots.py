"""Pictures of estimates, as rliable draws them: a dot and its interval on a line, a row each.

They are plain HTML, placed by percentages. So they fit any width, and take the page's colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from studies import measures
from studies.comparison import Pair
from studies.measures import Estimate

TICKS = 4


@dataclass(frozen=True)
class Dot:
    """One row of a picture.

    Attributes:
        name: Of the method, or of the pair.
        colour: The number of its colour; -1 for none of its own.
        text: The estimate in words.
        at: Where the dot is, in percent of the line.
        start: Where the interval begins; None where seeds do not suffice for one.
        width: The interval's width, in percent.
        hollow: Whether nothing follows from it yet.
    """

    name: str
    colour: int
    text: str
    at: float
    start: float | None = None
    width: float = 0.0
    hollow: bool = False


@dataclass(frozen=True)
class Dots:
    """A picture: rows on one scale.

    Attributes:
        title: What is estimated.
        missing: A sentence about methods with too few seeds; "" for none.
        rows: The rows, the best first.
        ticks: Numbers below the line, each with its place in percent.
        mark: A place of the line that is marked, in percent; None for none.
    """

    title: str
    rows: Sequence[Dot] = ()
    ticks: Sequence[tuple[str, float]] = ()
    mark: float | None = None
    missing: str = ""


def of_chances(pairs: Sequence[Pair]) -> Dots:
    """Returns the probability of improvement of each pair; half is no difference."""
    ordered = sorted(pairs, key=lambda pair: -pair.chance)
    rows = [
        Dot(
            f"{pair.method} over {pair.other}",
            -1,
            f"{pair.chance:.2f}",
            100 * pair.chance,
            hollow=not pair.better,
        )
        for pair in ordered
    ]
    ticks = [(f"{share:g}", 100.0 * share) for share in (0, 0.25, 0.5, 0.75, 1)]
    return Dots(f"Probability of improvement {pairs[0].measure}", rows, ticks, 50.0)


def of_rows(
    methods: Sequence[str], title: str, rows: Sequence[Mapping[str, Any]], column: str
) -> Dots:
    """Places the estimates in a column of a table on the scale that contains all of them.

    Args:
        methods: All that the page has, in the order of their colours.
        title: What is estimated.
        rows: Of the table; one with a single seed is hollow.
        column: Its name.
    """
    found: dict[str, Estimate] = {row["method"]: row[column] for row in rows}
    few = [f"{name} ({one})" for name, one in found.items() if one.needs]
    found = {name: one for name, one in found.items() if not one.needs}
    if not found:
        needed = f"not shown, {measures.IQM_SEEDS} seeds needed of each method on each task."
        return Dots(title, missing=needed)
    missing = f"not shown, {', '.join(few)}." if few else ""
    ends = [end for one in found.values() for end in (one.value, *(one.ends or ()))]
    low, high = min(ends), max(ends)
    room = 0.04 * (high - low) or max(abs(low), 1.0) * 0.1
    low, high = low - room, high + room

    def place(value: float) -> float:
        return round(float(100 * (value - low) / (high - low)), 2)

    dots = []
    single = {row["method"] for row in rows if row.get("seeds") == 1}
    for name, one in sorted(found.items(), key=lambda pair: -pair[1].value):
        start, stop = (place(end) for end in one.ends) if one.ends else (0.0, 0.0)
        dots.append(
            Dot(
                name,
                methods.index(name),
                str(one),
                place(one.value),
                start if one.ends else None,
                round(stop - start, 2),
                name in single,
            )
        )
    numbers = np.add(MaxNLocator(TICKS, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high), 0.0)
    ticks = [(f"{value:,.6g}", place(value)) for value in numbers if low <= value <= high]
    return Dots(title, dots, ticks, missing=missing)
