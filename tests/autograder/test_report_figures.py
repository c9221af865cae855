"""What the figures of a report show: numbers by hand, and logs full of nonsense."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.base.results import FAILED, PASSED
from autograder.evidence.curves import Band, Curve
from autograder.reports import curves, items
from autograder.reports.figures import READABLE, heat_map
from tests.autograder.small_class import room_of

BAND = Band("Return", 3, (0.0, 100.0), (25.0, 100.0), (0.0, 80.0), (50.0, 120.0))


def test_head_numbers(tmp_path: Path) -> None:
    room = room_of(tmp_path, a="111", b="011", c="000", d="1E1", e="", f="11-")
    heads = items.heads(room)
    assert (heads.students, heads.handed_in, heads.graded) == (6, 5, 5)
    assert heads.mean == pytest.approx((60 + 50 + 0 + 40 + 30) / 5)
    assert (heads.median, heads.full, heads.grader_errors) == (40, 1, 1)
    problems = {student.id: student.problem for student in room.students}
    assert problems == {
        "a": "",
        "b": "",
        "c": "",
        "d": "grader error in t.1: points are missing",
        "e": "not handed in",
        "f": "graded in part so far",
    }
    assert [student.id for student in room.students if student.unsettled] == ["d", "f"]


def test_each_mistake_counts_a_student_once(tmp_path: Path) -> None:
    found = items.misconceptions(
        room_of(tmp_path, a="111", b="001", c="000", d="011", e="110").students
    )
    assert [(one.id, [s.id for s in one.who]) for one in found] == [
        ("a.one", ["b", "c", "d"]),
        ("b.two", ["c"]),
        ("no name: t.2", ["e"]),
    ]
    assert found[0].blanks == ["t.0", "t.1", "t.2"]
    assert [one.named for one in found] == [True, True, False]


def test_difficulty_and_discrimination_by_hand(tmp_path: Path) -> None:
    signs = ["111", "111", "111", "111", "111", "111", "100", "010", "001", "000", "010", "E11"]
    room = room_of(tmp_path, **{f"s{n:02}": sign for n, sign in enumerate(signs)})
    first = items.items(room)[0]
    assert (first.judged, first.shares[PASSED], first.shares[FAILED]) == (11, 7 / 11, 4 / 11)
    assert first.mean == pytest.approx(70 / 11)
    rest = np.array([50] * 6 + [0, 20, 30, 0, 20])
    passed = np.array([1] * 7 + [0] * 4)
    gap = rest[passed == 1].mean() - rest[passed == 0].mean()
    by_hand = gap / rest.std() * np.sqrt(7 / 11 * 4 / 11)
    assert first.discrimination == pytest.approx(by_hand)


def test_no_correlation_from_few_or_from_all_alike(tmp_path: Path) -> None:
    assert items.correlation([1.0, 0.0] * 4, list(map(float, range(8)))) is None
    assert items.correlation([1.0] * 20, list(map(float, range(20)))) is None
    assert items.correlation([1.0, 0.0] * 10, [5.0] * 20) is None
    assert items.correlation([1.0, 0.0] * 10, [2.0, 1.0] * 10) == pytest.approx(1.0)
    room = room_of(tmp_path, **{f"s{n}": "110" if n % 2 else "001" for n in range(40)})
    assert items.items(room)[2].warning.startswith("who passes does worse")


def test_ties_are_told_as_ties(tmp_path: Path) -> None:
    room = room_of(tmp_path / "two", a="101", b="011", c="001", d="111")
    assert [item.blank.id for item in items.hardest(items.items(room))] == ["t.0", "t.1"]
    assert [one.id for one in items.most_frequent(items.misconceptions(room.graded))] == ["a.one"]
    room = room_of(tmp_path / "one", a="1E1", c="101")
    assert [item.blank.id for item in items.hardest(items.items(room))] == ["t.1"]
    found = items.most_frequent(items.misconceptions(room.graded))
    assert [one.id for one in found] == ["a.one", "b.two"]
    assert items.hardest(items.items(room_of(tmp_path / "none", a="1E1", b="111"))) == []
    assert items.most_frequent([]) == []


def test_every_score_lies_in_one_bin() -> None:
    counted = items.bins(list(range(101)), 100)
    assert counted[0] == (0, 9, 10)
    assert counted[-1] == (90, 100, 11)
    assert sum(count for _, _, count in counted) == 101
    assert items.bins([0, 3, 3], 3) == [(0, 0, 1), (1, 1, 0), (2, 3, 2)]
    assert items.bins([], 0) == [(0, 0, 0)]


def test_heat_map_has_signs_where_they_fit_and_shapes_where_not(tmp_path: Path) -> None:
    room = room_of(tmp_path, a="100", b="111")
    small = heat_map(room.blanks, room.graded)
    assert small.step >= READABLE
    assert [student.id for student, _ in small.columns] == ["b", "a"]
    assert [sign for _, _, sign in small.signs] == list("✓✓✓✓✗✗")
    large = heat_map(room.blanks, room.graded * 150)
    assert not large.signs
    assert large.width <= 901
    heights = {kind: set(re.findall(r"v([\d.]+)", path)) for kind, path in large.paths.items()}
    assert heights[PASSED].isdisjoint(heights[FAILED])
    assert sum(path.count("M") for path in large.paths.values()) == 3 * 300


def test_of_a_blank_that_nobody_was_judged_on_no_share_is_told(tmp_path: Path) -> None:
    room = room_of(tmp_path, a="1E0", b="0E0")
    rows = heat_map(room.blanks, room.graded).rows
    assert [share for _, _, share in rows] == [0.5, None, 0.0]


def test_curves_that_are_nonsense_are_left_out() -> None:
    nan, inf = float("nan"), float("inf")
    odd: Any = ["x", None]
    assert (
        curves.figure("q1", [Curve("q1", "a", (), ()), Curve("q1", "b", (1,), (2,))], None) is None
    )
    assert curves.figure("q1", [Curve("q1", "a", (nan, 2, 3), (1, inf, 1e300))], None) is None
    points = curves.usable_points(Curve("q1", "a", (3, 1, 2, *odd), (30, 10, nan, 5, 5, 7)))
    assert [array.tolist() for array in points] == [[1, 3], [10, 30]]


def test_one_wild_curve_does_not_flatten_the_others() -> None:
    good = [Curve("q1", f"{n}", (0, 50, 100), (0, 50 + n, 100)) for n in range(30)]
    wild = Curve("q1", "wild", (0, 1e11), (-1e11, 1e11))
    drawn = curves.figure("q1", [*good, wild], BAND)
    assert drawn is not None
    assert drawn.number == 31
    assert drawn.y_ticks[-1][1] == "100"
    assert drawn.x_ticks[-1][1] == "100"
    assert drawn.fan
    assert not drawn.lines


def test_curves_and_quantiles_by_hand() -> None:
    grid = np.array([0.0, 1.0, 2.0])
    many = [(np.array([0.0, 1.0 if n < 5 else 2.0]), np.array([float(n)] * 2)) for n in range(11)]
    low, middle, high = curves.quantiles(many, grid)
    assert (low[0], middle[0], high[0]) == (1, 5, 9)
    assert middle[2] == 7.5  # only six of them go that far
    ends = [Curve("q", "a", (0, 50), (0, 40)), Curve("q", "b", (0, 50), (0, 39))]
    figure = curves.figure("q", ends, BAND)  # all its runs are above 40 there
    assert figure is not None
    assert figure.below == 1
    assert [line.below for line in figure.lines] == [False, True]


def test_a_single_run_of_the_reference_is_no_bound() -> None:
    one = replace(BAND, runs=1, low=BAND.mean, high=BAND.mean)
    figure = curves.figure("q", [Curve("q", "a", (0, 50), (0, 0))], one)
    assert figure is not None
    assert figure.mean
    assert not figure.band
    assert figure.below is None
    assert not figure.lines[0].below


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.2, 8e5), (1e-7, 3e-7), (-1e9, 1e9)])
def test_ticks_lie_inside_and_are_round(low: float, high: float) -> None:
    found = curves.ticks(low, high)
    assert 3 <= len(found) <= 7
    assert all(low <= tick <= high for tick in found)
    assert curves.short(1_500_000) == "1.5M"
    assert curves.short(200) == "200"
