"""Schedules: values at, between and beyond the given points, and how people write them."""

import numpy as np
import pytest

from cs285.configs.dqn import PRESETS
from cs285.infrastructure.base.schedules import PiecewiseSchedule

POINTS = [(10.0, 2.0), (20.0, 1.0), (60.0, 5.0), (61.0, -1.0)]


@pytest.mark.parametrize(
    ("t", "value"),
    [
        (-5, 2.0),  # before the first point, its value
        (10, 2.0),
        (12.5, 1.75),  # a quarter of the way from 2 to 1: near the left end, not the right
        (17.5, 1.25),
        (20, 1.0),  # exactly at a breakpoint
        (30, 2.0),  # a quarter of the way from 1 to 5
        (60, 5.0),
        (60.5, 2.0),
        (61, -1.0),
        (1e9, -1.0),  # after the last point, its value
    ],
)
def test_value_by_hand(t: float, value: float) -> None:
    assert PiecewiseSchedule(POINTS).value(t) == value  # these sums are exact in binary


def test_values_against_numpy() -> None:
    rng = np.random.default_rng(0)
    times, values = np.cumsum(rng.uniform(0.1, 9.0, 12)), rng.normal(size=12)
    schedule = PiecewiseSchedule(list(zip(times, values, strict=True)))
    asked = np.concatenate([times, np.linspace(-1.0, times[-1] + 1.0, 500)])
    expected = np.interp(asked, times, values)
    # The same numbers, rounded in another order.
    np.testing.assert_allclose([schedule.value(t) for t in asked], expected, rtol=0, atol=1e-12)


def test_a_single_point_never_changes() -> None:
    assert [PiecewiseSchedule([(3, 0.5)]).value(t) for t in (0, 3, 9)] == [0.5] * 3


@pytest.mark.parametrize(
    "points", [[], [(0, 1), (0, 2)], [(5, 1), (4, 2)], [(0, 1), (9, 1), (8, 1)]]
)
def test_times_must_rise(points: list[tuple[float, float]]) -> None:
    with pytest.raises(ValueError, match="rising times"):
        PiecewiseSchedule(points)


@pytest.mark.parametrize(
    ("text", "times", "values"),
    [
        ("1e-3", [0], [1e-3]),
        ("0:1.0,1e6:0.1,25e6:0.01", [0, 1e6, 25e6], [1.0, 0.1, 0.01]),
        ("7:2", [7], [2]),
    ],
)
def test_parse(text: str, times: list[float], values: list[float]) -> None:
    schedule = PiecewiseSchedule.parse(text)
    assert (schedule.times, schedule.values) == (times, values)


@pytest.mark.parametrize("text", ["", "fast", "0:1,2", "0:1,", "0:a", "a:0", "5:1,4:2", "0:1:2"])
def test_parse_refuses_what_it_cannot_read(text: str) -> None:
    with pytest.raises(ValueError):
        PiecewiseSchedule.parse(text)


@pytest.mark.parametrize(
    ("preset", "t", "epsilon"),
    [("atari", 0, 1.0), ("atari", 500_000, 0.55), ("atari", 10**6, 0.1), ("other", 50_000, 0.02)],
)
def test_exploration_of_the_presets(preset: str, t: int, epsilon: float) -> None:
    text = PRESETS[preset]["exploration"]
    assert PiecewiseSchedule.parse(text).value(t) == pytest.approx(epsilon)
