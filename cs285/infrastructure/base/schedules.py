"""Schedules: hyperparameters that change with time, such as exploration and learning rate."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from cs285.infrastructure.base.errors import UserError


class PiecewiseSchedule:
    """A value that moves along straight lines between given points, then stays at the last.

    Between neighbours (t0, v0) and (t1, v1):  value(t) = v0 + (t - t0) / (t1 - t0) * (v1 - v0).
    """

    def __init__(self, endpoints: Sequence[tuple[float, float]]) -> None:
        """Stores the points.

        Args:
            endpoints: Pairs (time, value), times rising. Time is in steps of whoever asks.

        Raises:
            ValueError: If there are no points or their times do not rise.
        """
        self.times = [time for time, _ in endpoints]
        self.values = [value for _, value in endpoints]
        if not endpoints or any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise ValueError(f"endpoints need rising times, got {list(endpoints)}")

    @classmethod
    def parse(cls, text: str) -> PiecewiseSchedule:
        """Reads "0:1.0,1e6:0.1", times and values, or "1e-3", a value that never changes.

        Raises:
            ValueError: If it is neither, holds a value that is not finite or is negative, or its
                times do not rise.
        """
        points = text.split(",") if ":" in text else [f"0:{text}"]
        pairs = [point.partition(":") for point in points]
        endpoints = [(float(time), float(value)) for time, _, value in pairs]
        if not all(math.isfinite(number) and number >= 0 for pair in endpoints for number in pair):
            raise ValueError(f"times and values are numbers from 0 up, got {text!r}")
        return cls(endpoints)

    def value(self, t: float) -> float:
        """Returns the value at time `t`; before the first point and after the last, theirs."""
        right = bisect_right(self.times, t)
        if right == 0:
            return self.values[0]
        if right == len(self.times):
            return self.values[-1]
        t0, t1 = self.times[right - 1], self.times[right]
        v0, v1 = self.values[right - 1], self.values[right]
        return v0 + (t - t0) / (t1 - t0) * (v1 - v0)


def schedule_of(name: str, text: str, positive: bool = False) -> PiecewiseSchedule:
    """Returns the schedule that a flag gives, of numbers up to 1.

    Args:
        name: The flag's name.
        text: Its value.
        positive: Refuse a value of 0.

    Raises:
        UserError: If it is none.
    """
    try:
        schedule = PiecewiseSchedule.parse(text)
    except ValueError:
        schedule = None
    if schedule is None or max(schedule.values) > 1 or (positive and min(schedule.values) == 0):
        raise UserError(
            f"--{name} takes a number from 0 to 1, or time:value,... with rising times, not "
            f"{text!r}"
        )
    return schedule


def learning_begins(settings: Mapping[str, Any]) -> int:
    """Returns how many steps a run takes before the one after which it first learns.

    That is `learning_starts`. DQN learns only at multiples of `learning_freq`, and not before its
    memory can fill a batch; the frames after cut episodes fill it too, so that may be a few steps
    sooner than is said here. Others learn at multiples of `horizon_len`.

    Args:
        settings: Those of a run, as in its config.json.
    """
    starts: int = settings.get("learning_starts") or 0
    freq: int | None = settings.get("learning_freq")
    if freq is None:
        horizon: int = settings.get("horizon_len") or 1
        return (starts // horizon + 1) * horizon - 1
    batch_size: int = settings["batch_size"]
    return math.ceil(max(starts, batch_size) / freq) * freq
