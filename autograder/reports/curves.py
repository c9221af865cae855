"""Learning curves of handed-in runs as figures; what students write in logs may be anything."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from autograder.evidence.curves import Band, Curve

WIDTH, HEIGHT = 420.0, 200.0
POINTS = 80  # of a drawn line
LARGEST = 1e12
FEW = 12  # curves that are drawn one by one; of more, the quantiles
TELLING = 3  # runs of the reference from which the lowest of them is a bound worth a word


@dataclass(frozen=True)
class Line:
    """One drawn line."""

    label: str
    path: str
    last: float
    below: bool
    """Whether it ends below the reference's runs."""


@dataclass
class CurveFigure:
    """One question's curves.

    Attributes:
        question: Such as "q1".
        number: How many curves there are.
        lines: Those that are drawn one by one.
        fan: The area between the 10 % and 90 % quantiles of many curves, as an SVG path.
        median: Their median, as an SVG path.
        band: The area in which the reference's runs lie, as an SVG path.
        mean: Their mean, as an SVG path.
        runs: How many they are.
        column: The log's name of it, if that is known.
        below: How many curves end below all of them; None if they are too few to compare with.
        x_ticks: (position, text) along the bottom.
        y_ticks: (position, text) along the side.
    """

    question: str
    number: int
    lines: list[Line] = field(default_factory=list)
    fan: str = ""
    median: str = ""
    band: str = ""
    mean: str = ""
    runs: int = 0
    column: str = ""
    below: int | None = None
    x_ticks: list[tuple[float, str]] = field(default_factory=list)
    y_ticks: list[tuple[float, str]] = field(default_factory=list)


Points = tuple[np.ndarray, np.ndarray]


def figure(question: str, curves: Sequence[Curve], band: Band | None) -> CurveFigure | None:
    """Draws the curves of one question; None if none of them can be drawn."""
    drawn = {}
    for curve in curves:
        points = usable_points(curve)
        if len(points[0]) > 1:
            drawn[curve] = points
    if not drawn:
        return None
    scale = _scale(list(drawn.values()), band)
    found = CurveFigure(question, len(drawn))
    if len(drawn) <= FEW:
        for curve, points in drawn.items():
            path, last = scale.path(*thin(points)), float(points[1][-1])
            found.lines.append(Line(curve.label, path, last, ends_below(points, band)))
    else:
        grid = np.linspace(*scale.x, POINTS)
        low, middle, high = quantiles(list(drawn.values()), grid)
        found.fan = scale.area(grid, low, high)
        found.median = scale.path(grid, middle)
    if band:
        _add_band(found, band, scale)
        if band.runs >= TELLING:
            found.below = sum(ends_below(points, band) for points in drawn.values())
    found.x_ticks = [(scale.across(tick), short(tick)) for tick in ticks(*scale.x)]
    found.y_ticks = [(scale.down(tick), short(tick)) for tick in ticks(*scale.y)]
    return found


def _add_band(found: CurveFigure, band: Band, scale: Scale) -> None:
    """Draws the reference's own runs."""
    x, mean, low, high = (np.array(part) for part in (band.x, band.mean, band.low, band.high))
    found.runs, found.column = band.runs, band.column
    found.mean = scale.path(x, mean)
    found.band = scale.area(x, low, high) if band.runs > 1 else ""


def usable_points(curve: Curve) -> Points:
    """Returns the points of a curve that are finite numbers, from left to right."""
    pairs = [
        (float(x), float(y))
        for x, y in zip(curve.x, curve.y, strict=False)
        if isinstance(x, int | float) and isinstance(y, int | float)
        if abs(x) < LARGEST and abs(y) < LARGEST  # NaN is not
    ]
    pairs.sort()
    array = np.array(pairs, dtype=float).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def thin(points: Points) -> Points:
    """Returns at most `POINTS` of a line's points, ends included."""
    x, y = points
    if len(x) <= POINTS:
        return points
    chosen = np.unique(np.linspace(0, len(x) - 1, POINTS).round().astype(int))
    return x[chosen], y[chosen]


def quantiles(curves: Sequence[Points], grid: np.ndarray) -> np.ndarray:
    """Returns the 10 %, 50 % and 90 % quantiles; a curve counts only as far as it goes."""
    stacked = np.array([np.interp(grid, x, y, left=np.nan, right=np.nan) for x, y in curves])
    found = np.full((3, len(grid)), np.nan)
    there = ~np.isnan(stacked).all(axis=0)
    found[:, there] = np.nanquantile(stacked[:, there], [0.1, 0.5, 0.9], axis=0)
    return found


def ends_below(points: Points, band: Band | None) -> bool:
    """Returns whether a curve ends below every one of the reference's runs, if those suffice."""
    if band is None or band.runs < TELLING:
        return False
    x, y = points
    return bool(y[-1] < np.interp(x[-1], band.x, band.low))


@dataclass(frozen=True)
class Scale:
    """From numbers to places in the figure."""

    x: tuple[float, float]
    y: tuple[float, float]

    def across(self, value: float) -> float:
        """Returns a place from the left."""
        return WIDTH * (value - self.x[0]) / (self.x[1] - self.x[0])

    def down(self, value: float) -> float:
        """Returns a place from the top; what lies far outside is kept near."""
        share = (value - self.y[0]) / (self.y[1] - self.y[0])
        return HEIGHT * (1 - min(max(share, -0.5), 1.5))

    def path(self, x: np.ndarray, y: np.ndarray) -> str:
        """Returns a line as an SVG path."""
        there = np.isfinite(y)
        pairs = zip(x[there], y[there], strict=True)
        return "".join(
            f"{'L' if n else 'M'}{self.across(a):.1f} {self.down(b):.1f}"
            for n, (a, b) in enumerate(pairs)
        )

    def area(self, x: np.ndarray, low: np.ndarray, high: np.ndarray) -> str:
        """Returns what lies between two lines as an SVG path."""
        there = np.isfinite(low) & np.isfinite(high)
        x, low, high = x[there], low[there], high[there]
        around = np.concatenate([x, x[::-1]]), np.concatenate([high, low[::-1]])
        return self.path(*around) + "z" if len(x) > 1 else ""


def _scale(curves: Sequence[Points], band: Band | None) -> Scale:
    """Returns a scale on which nearly everything fits; a single wild curve does not stretch it."""
    x = np.concatenate([x for x, _ in curves])
    y = np.concatenate([np.quantile(y, [0.0, 1.0]) for _, y in curves])
    lows, highs = [np.quantile(y, 0.05)], [np.quantile(y, 0.95)]
    ends = np.array([points[0][-1] for points in curves])
    left, right = float(np.quantile(x, 0.01)), float(np.quantile(ends, 0.95))
    if band:
        lows.append(min(band.low))
        highs.append(max(band.high))
        left, right = min(left, band.x[0]), max(right, band.x[-1])
    low, high = float(min(lows)), float(max(highs))
    margin = 0.06 * (high - low) or 1.0
    return Scale((left, right if right > left else left + 1.0), (low - margin, high + margin))


def ticks(low: float, high: float, number: int = 5) -> list[float]:
    """Returns about `number` round numbers within a range."""
    rough = (high - low) / number
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough)
    first = math.ceil(low / step)
    return [n * step for n in range(first, first + 20) if n * step <= high]


def short(number: float) -> str:
    """Returns a number for an axis: 200k, 1.5M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:.4g}{letter}"
    return f"{number:.4g}"
