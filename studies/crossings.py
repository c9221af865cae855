"""Where two mean curves cross, and from which step on one of them is ahead for good."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Crossing:
    """Two curves that cross on a task.

    Attributes:
        task: The environment.
        ahead: The method that is ahead at the end, or, if both end level, was so for longer.
        behind: The other one.
        since: The step from which `ahead` is ahead to the end; None if both end level.
        shares: Of the steps at which `ahead` is ahead, and at which it is behind.
        times: How often the lead changes.
    """

    task: str
    ahead: str
    behind: str
    since: float | None
    shares: tuple[float, float]
    times: int

    def __str__(self) -> str:
        """Says it in a sentence or two."""
        mine, other = (f"{100 * share:.0f} %" for share in self.shares)
        if self.since is None:
            begin = f"{self.ahead} and {self.behind} end level. {self.ahead} was ahead at {mine}"
            rest = f" of the steps, {self.behind} at {other}"
        else:
            begin = f"{self.ahead} is ahead of {self.behind} from step {self.step} to the end"
            rest = f"; earlier it was behind at {other} of all steps"
        return f"{begin}{rest}{f', and they cross {self.times} times' if self.times > 1 else ''}."

    @property
    def step(self) -> str:
        """The step from which one is ahead, as exactly as evaluations far apart allow."""
        return "" if self.since is None else f"{float(f'{self.since:.2g}'):,.0f}"


def crossing(
    task: str, names: tuple[str, str], x: np.ndarray, difference: np.ndarray
) -> Crossing | None:
    """Returns where two curves cross, as straight lines between their points; None if nowhere.

    Args:
        task: The environment.
        names: Of both methods.
        x: Steps, ascending; shape (n,).
        difference: Of the first curve and the second one at these; shape (n,).
    """
    signs = np.sign(difference)
    led = signs[signs != 0]
    times = int((led[1:] != led[:-1]).sum())
    if not times:
        return None
    before, after, width = difference[:-1], difference[1:], np.diff(x)
    whole = np.abs(before) + np.abs(after)
    whole[whole == 0] = 1.0
    # The part of each piece where the first one is above: all, none, or up to where they meet.
    above, below = (
        (width * (np.maximum(sign * before, 0) + np.maximum(sign * after, 0)) / whole).sum()
        / (x[-1] - x[0])
        for sign in (1, -1)
    )
    first = signs[-1] > 0 if signs[-1] else above >= below
    ahead, behind = names if first else names[::-1]
    shares = (float(above), float(below)) if first else (float(below), float(above))
    if not signs[-1]:
        return Crossing(task, ahead, behind, None, shares, times)
    i = int(np.flatnonzero(signs != signs[-1])[-1])
    since = float(x[i] + width[i] * abs(before[i]) / whole[i])
    return Crossing(task, ahead, behind, since, shares, times)
