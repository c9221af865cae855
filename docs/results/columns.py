"""The columns of the tables of results, each computed from the runs of a setting."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from series import Column, Seed, after, last, mean_up_to, short, steps

Value = Callable[[Seed], float]


def each(title: str, value: Value = last) -> Column:
    """What each seed ended at, in the order of seeds."""
    return title, lambda seeds: ", ".join(short(value(seed)) for seed in seeds)


def mean(title: str, value: Value = last) -> Column:
    """The mean over seeds."""
    return title, lambda seeds: f"**{short(float(np.mean([value(s) for s in seeds])))}**"


def mean_and_spread(title: str, value: Value = last, digits: int = 0) -> Column:
    """The mean over seeds and their standard deviation."""

    def text(seeds: Sequence[Seed]) -> str:
        values = [value(seed) for seed in seeds]
        if len(values) == 1:
            return f"{values[0]:.{digits}f}"
        return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1):.{digits}f}"

    return title, text


def first(title: str, least: float) -> Column:
    """After how many steps each seed first reached `least`."""

    def one(seed: Seed) -> str:
        there = np.flatnonzero(seed.y >= least)
        return steps(seed.x[there[0]]) if len(there) else "never"

    return title, lambda seeds: ", ".join(map(one, seeds))


def at(title: str, step: float) -> Column:
    """What each seed had after `step` steps."""
    return each(title, after(step))


def best(title: str) -> Column:
    """The best of each seed on the way."""
    return each(title, lambda seed: float(seed.y.max()))


def share(title: str, count: int, least: float) -> Column:
    """How many of the last `count` numbers of each seed reached `least`."""
    return title, lambda seeds: ", ".join(
        f"{np.count_nonzero(seed.y[-count:] >= least)}" for seed in seeds
    )


def rows_mean(title: str, begin: int, end: int) -> Column:
    """The mean of the rows from `begin` to `end`, counted from 1, of each seed."""
    return each(title, lambda seed: float(seed.y[begin - 1 : end].mean()))


def other(title: str, column: str) -> Column:
    """What another column of the log ended at, for each seed."""

    def text(seeds: Sequence[Seed]) -> str:
        values = [float(seed.of(column)[1][-1]) for seed in seeds]
        return ", ".join(short(v) if abs(v) >= 10 else f"{v:.2g}" for v in values)

    return title, text


def number(title: str) -> Column:
    """How many seeds there are."""
    return title, lambda seeds: str(len(seeds))


after_start: Value = mean_up_to(np.inf)
"""The mean of all evaluations but the one before learning."""


def of_evaluations(
    write: Callable[[str, Value], Column] = mean,
    up_to: float = np.inf,
    what: str = "evaluations",
) -> list[Column]:
    """The means of the last five evaluations, or other rows, and of all, up to a step.

    They stand beside the last evaluation, because one may be half of the one before.
    """
    return [
        write(f"last five {what}", mean_up_to(up_to, 5)),
        write(f"all {what}", mean_up_to(up_to)),
    ]
