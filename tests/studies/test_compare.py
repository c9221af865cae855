"""Comparisons: the measures against rliable's own numbers, what is told, and the page."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from studies import measures
from studies.comparison import Comparison, Estimate
from tests.running import CHROMIUM, ROOT, run

DATA = "docs/results/data"
COMPARE = "python scripts/compare.py"
ONE = np.random.default_rng(0).normal(1, 1, (5, 2))
OTHER = np.random.default_rng(1).normal(0, 1, (5, 2))


def columns(table: np.ndarray) -> list[np.ndarray]:
    return list(table.T)


def test_measures_are_those_of_rliable() -> None:
    """By rliable 1.2.0: aggregate_iqm, aggregate_mean, probability_of_improvement."""
    assert measures.iqm(columns(ONE)) == pytest.approx(1.0941, abs=1e-4)
    assert measures.iqm(columns(OTHER)) == pytest.approx(0.3937, abs=1e-4)
    assert measures.mean(columns(OTHER)) == pytest.approx(0.2249, abs=1e-4)
    squares = np.arange(10.0).reshape(5, 2) ** 2
    assert measures.iqm(columns(squares)) == pytest.approx(23.1667, abs=1e-4)
    assert measures.iqm([np.arange(7.0) ** 2]) == 11.0
    chance = measures.probability_of_improvement
    assert chance(columns(ONE), columns(OTHER)) == pytest.approx(0.82)
    assert chance(columns(ONE.round()), columns(OTHER.round())) == pytest.approx(0.77)


def test_intervals_are_those_of_rliable() -> None:
    """By get_interval_estimates with 50,000 draws; ours are as many, of other random numbers."""
    rng = np.random.default_rng(3)
    _, low, high = measures.interval(measures.iqm, columns(ONE), rng, 50_000)
    assert (low, high) == pytest.approx((0.5708, 1.6187), abs=0.02)
    _, low, high = measures.improvement(columns(ONE), columns(OTHER), rng, 20_000)
    assert (low, high) == pytest.approx((0.58, 1.0), abs=0.021)


def test_a_band_holds_the_mean_and_narrows_with_seeds() -> None:
    rng = np.random.default_rng(0)
    widths = []
    for seeds in (3, 30):
        curves = rng.normal(0, 1, (seeds, 50)) + np.arange(50)
        low, high = measures.band(curves, rng)
        assert (low <= curves.mean(0)).all() and (curves.mean(0) <= high).all()
        widths.append((high - low).mean())
    assert widths[1] < widths[0] / 2


def test_so_many_seeds_can_tell() -> None:
    assert [measures.can_tell(n, n) for n in (1, 2, 3, 4, 5)] == [False] * 3 + [True] * 2


def curves(*levels: float) -> list[tuple[np.ndarray, np.ndarray]]:
    steps = np.arange(0, 101.0, 5)
    return [(steps, level * np.minimum(1, steps / 50)) for level in levels]


def test_a_final_score_is_the_last_tenth_and_the_area_is_the_mean_over_steps() -> None:
    (entry,) = Comparison({"task": {"a": curves(8.0)}}).entries
    assert entry.final == pytest.approx([8.0])
    assert entry.area == pytest.approx([6.0])  # half the way up to 8, and half at 8


def test_runs_are_cut_where_the_shortest_of_a_task_ends() -> None:
    short = [(x[:11], y[:11]) for x, y in curves(8.0)]
    compared = Comparison({"task": {"a": curves(8.0), "b": short}})
    assert [entry.x[-1] for entry in compared.entries] == [50.0, 50.0]
    with pytest.raises(ValueError, match="no steps in common"):
        Comparison({"task": {"a": curves(8.0), "b": [(np.array([500.0]), np.array([1.0]))]}})


def test_who_is_better_is_told_only_where_it_can_be() -> None:
    better, worse = (5.0, 6.0, 7.0, 8.0, 9.0), (1.0, 2.0, 3.0, 4.0, 4.5)
    (found,) = Comparison({"task": {"a": curves(*worse), "b": curves(*better)}}).improvements()
    assert (found.method, found.says) == ("b", "better")
    few = Comparison({"task": {"a": curves(*worse[:3]), "b": curves(*better[:3])}})
    assert [one.says for one in few.improvements()] == ["too few seeds"]
    assert "too few seeds" in next(few.warnings())
    alike = Comparison({"task": {"a": curves(*better), "b": curves(*better)}})
    assert [one.says for one in alike.improvements()] == ["no difference shown"]
    assert not list(alike.warnings())


def test_over_tasks_scores_lie_between_the_worst_and_the_best_run() -> None:
    runs = {"one": {"a": curves(1.0, 3.0), "b": curves(2.0)}, "two": {"a": curves(700.0)}}
    compared = Comparison({**runs, "two": {**runs["two"], "b": curves(100.0, 900.0)}})
    found = compared.normalised("a")
    assert found is not None
    assert [column.tolist() for column in found] == [[0.0, 1.0], pytest.approx([0.75])]
    assert Comparison(runs).normalised("b") is None


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (Estimate(5106.2, 4431.4, 5515.1), "5,106 [4,431, 5,515]"),
        (Estimate(0.561, 0.17, 0.89), "0.56 [0.17, 0.89]"),
        (Estimate(3.0, 3.0, 3.0), "3.0"),
    ],
)
def test_numbers_have_the_digits_that_they_are_worth(estimate: Estimate, text: str) -> None:
    assert str(estimate) == text


def test_the_command_tells_and_writes_a_page_that_needs_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    folders = sorted(str(path) for path in (ROOT / DATA).glob("hw4_q[123]_*"))
    status, out, _ = run(f"{COMPARE} {' '.join(folders)} --by algorithm -o {page}")
    assert status == 0
    assert "too few seeds to tell methods apart: ddpg (3), td3 (3), sac (3)" in out
    text = page.read_text()
    for word in ("ddpg", "td3", "sac", "Pendulum-v1", "too few seeds", "<svg"):
        assert word in text
    assert str(ROOT) not in text and "<script" not in text
    links = re.findall(r'(?:src|href)="([^"#][^"]*)"', text)
    assert not links, "everything is within"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nowhere", "nowhere is not a directory"),
        (f"{DATA}/hw3_q1_MsPacman-v0_2026-11-21_15-31-40 --y Nothing", "no numbers for 'Nothing'"),
        (f"{DATA}/hw3_q1_MsPacman-v0_2026-11-21_15-31-40 -o page.txt", "-o page.txt"),
    ],
)
def test_bad_input_gets_one_line(words: str, message: str) -> None:
    status, _, error = run(f"{COMPARE} {words}")
    assert status == 2 and message in error and len(error.strip().splitlines()) == 1


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium here")
@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_fits_its_window(tmp_path: Path, width: int) -> None:
    """Nothing is wider than the window, so nothing is scrolled but tables within their own box."""
    page = ROOT / "docs/results/compare_hw4.html"
    probe = tmp_path / "page.html"
    measure = "<script>document.title = document.documentElement.scrollWidth</script>"
    probe.write_text(page.read_text().replace("</body>", f"{measure}</body>"))
    words = [
        str(CHROMIUM),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--window-size={width},900",
    ]
    done = subprocess.run(
        [*words, "--dump-dom", probe.as_uri()], capture_output=True, text=True, env=os.environ
    )
    (title,) = re.findall(r"<title>(\d+)</title>", done.stdout)
    assert int(title) <= max(width, 500)  # headless windows are not narrower than 500
