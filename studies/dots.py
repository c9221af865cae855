"""Pictures of estimates, as rliable draws them: a dot and its interval on a line, a row each.

They are plain HTML, placed by percentages. So they fit any width, and take the page's colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studies import measures
from studies.comparison import Comparison, Entry, Pair
from studies.measures import Estimate, Measure

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


def of_task(comparison: Comparison, entries: Sequence[Entry], measure: Measure) -> Dots:
    """Returns a measure of final scores on a task, of each method with seeds enough for it."""
    rows = [
        (one.method, comparison.on_task(measure, one.task, one.final), one.seeds < 2)
        for one in entries
    ]
    return _picture(comparison, f"Final score, {measure.value}", rows)


def over_tasks(comparison: Comparison, measure: Measure) -> Dots | None:
    """Returns a measure of the methods that have all tasks; None if there are not several."""
    found = {name: comparison.over_tasks(measure, name) for name in comparison.methods}
    rows = [(name, one, False) for name, one in found.items() if one is not None]
    if len(rows) < 2 or len(comparison.tasks) < 2:
        return None
    return _picture(comparison, f"Normalised final score, {measure.value}", rows)


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


def _picture(
    comparison: Comparison, title: str, rows: Sequence[tuple[str, Estimate, bool]]
) -> Dots:
    """Places estimates on the scale that contains all of them and their intervals."""
    few = [f"{name} ({one})" for name, one, _ in rows if one.needs]
    rows = [row for row in rows if not row[1].needs]
    if not rows:
        needed = f"not shown, {measures.IQM_SEEDS} seeds needed of each method on each task."
        return Dots(title, missing=needed)
    missing = f"not shown, {', '.join(few)}." if few else ""
    ends = [end for _, one, _ in rows for end in (one.value, *(one.ends or ()))]
    low, high = min(ends), max(ends)
    room = 0.04 * (high - low) or max(abs(low), 1.0) * 0.1
    low, high = low - room, high + room

    def place(value: float) -> float:
        return round(float(100 * (value - low) / (high - low)), 2)

    dots = []
    for name, one, hollow in sorted(rows, key=lambda row: -row[1].value):
        start, stop = (place(end) for end in one.ends) if one.ends else (0.0, 0.0)
        dots.append(
            Dot(
                name,
                comparison.methods.index(name),
                str(one),
                place(one.value),
                start if one.ends else None,
                round(stop - start, 2),
                hollow,
            )
        )
    ticks = [(f"{value:,.6g}", place(value)) for value in round_numbers(low, high)]
    return Dots(title, dots, ticks, missing=missing)


def round_numbers(low: float, high: float) -> list[float]:
    """Returns a few round numbers between two ends."""
    rough = (high - low) / TICKS
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(times * power for times in (1, 2, 2.5, 5, 10) if times * power >= rough)
    first, last = np.ceil(low / step), np.floor(high / step)
    return [float(number * step) + 0.0 for number in np.arange(first, last + 1)]
