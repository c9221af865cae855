"""Comparisons: the measures against rliable's own numbers, what is told, and the page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cs285.infrastructure.base.errors import UserError
from studies import dots, measures, page
from studies.comparison import Comparison
from studies.measures import Estimate, Measure
from tests.running import CHROMIUM, ROOT, run

DATA = "docs/results/data"
COMPARE = "python scripts/compare.py"
PACMAN = f"{DATA}/hw3_q1_MsPacman-v0_2026-11-21_15-31-40"
ONE = np.random.default_rng(0).normal(1, 1, (5, 2))
OTHER = np.random.default_rng(1).normal(0, 1, (5, 2))


def columns(table: np.ndarray) -> list[np.ndarray]:
    return list(table.T)


def test_measures_are_those_of_rliable() -> None:
    """By rliable 1.2.0: aggregate_iqm, aggregate_mean, probability_of_improvement."""
    assert Measure.IQM.of(columns(ONE)) == pytest.approx(1.0941, abs=1e-4)
    assert Measure.IQM.of(columns(OTHER)) == pytest.approx(0.3937, abs=1e-4)
    assert Measure.MEAN.of(columns(OTHER)) == pytest.approx(0.2249, abs=1e-4)
    squares = np.arange(10.0).reshape(5, 2) ** 2
    assert Measure.IQM.of(columns(squares)) == pytest.approx(23.1667, abs=1e-4)
    assert Measure.IQM.of([np.arange(7.0) ** 2]) == 11.0
    chance = measures.probability_of_improvement
    assert chance(columns(ONE), columns(OTHER)) == pytest.approx(0.82)
    assert chance(columns(ONE.round()), columns(OTHER.round())) == pytest.approx(0.77)


def curves(*levels: float) -> list[tuple[np.ndarray, np.ndarray]]:
    steps = np.arange(0, 101.0, 5)
    return [(steps, level * np.minimum(1, steps / 50)) for level in levels]


def test_a_final_score_is_the_last_number_and_the_area_is_the_mean_over_steps() -> None:
    steps = np.array([0.0, 50.0, 90.0, 100.0])
    (entry,) = Comparison({"task": {"a": [(steps, np.array([0.0, 8.0, 8.0, 3.0]))]}}).entries
    assert entry.final.tolist() == [3.0]  # not the mean of the last steps, nor an interpolated one
    (entry,) = Comparison({"task": {"a": curves(8.0)}}).entries
    assert entry.area == pytest.approx([6.0])  # half the way up to 8, and half at 8


def test_runs_are_cut_where_the_shortest_of_a_task_ends() -> None:
    short = [(x[:11], y[:11] / 2) for x, y in curves(8.0)]
    compared = Comparison({"task": {"a": curves(8.0), "b": short}})
    assert [entry.x[-1] for entry in compared.entries] == [50.0, 50.0]
    assert [entry.final.tolist() for entry in compared.entries] == [[8.0], [4.0]]
    assert "task: cut at 50 steps" in next(compared.warnings())
    with pytest.raises(UserError, match="no steps in common"):
        Comparison({"task": {"a": curves(8.0), "b": [(np.array([500.0]), np.array([1.0]))]}})


def test_an_evaluation_that_only_some_runs_have_is_not_what_they_end_at() -> None:
    """One library evaluates at the end of a run, the other one does not."""
    short = (np.array([0.0, 50, 95]), np.array([0.0, 5, 10]))
    more = (np.array([0.0, 50, 95, 100]), np.array([0.0, 5, 10, 99]))
    found = Comparison({"task": {"theirs": [short, short], "ours": [more, more]}})
    assert [entry.final.tolist() for entry in found.entries] == [[10.0, 10.0]] * 2


def test_whole_episodes_that_end_a_little_apart_are_not_cut() -> None:
    long = [(np.array([0.0, 98.0, 107.0]), np.array([0.0, 190.0, 200.0]))]
    compared = Comparison({"task": {"a": curves(8.0), "b": long}})
    assert compared.entries[1].final.tolist() == [200.0] and not compared.cuts


BETTER, WORSE = (5.0, 6.0, 7.0, 8.0, 9.0), (1.0, 2.0, 3.0, 4.0, 4.5)


def verdicts_of(compared: Comparison) -> list[str]:
    return [pair.verdict for pair in compared.pairs]


def test_a_method_is_better_only_where_seeds_can_show_it() -> None:
    (found,) = Comparison({"task": {"a": curves(*WORSE), "b": curves(*BETTER)}}).pairs
    assert (found.method, found.other, found.verdict) == ("b", "a", "better at the end")
    assert found.p == found.adjusted == pytest.approx(2 / 252)
    assert found.difference.value == pytest.approx(7 - 2.9)
    few = Comparison({"task": {"a": curves(*WORSE[:3]), "b": curves(*BETTER[:3])}})
    assert verdicts_of(few) == ["no verdict at the end: 4 seeds needed"]
    assert "1 pair has no verdict" in next(few.warnings())
    alike = Comparison({"task": {"a": curves(*BETTER), "b": curves(*BETTER)}})
    assert verdicts_of(alike) == ["no difference shown at the end"]
    assert not list(alike.warnings())


def test_one_seed_on_any_task_leaves_no_verdict() -> None:
    both = {"a": curves(*WORSE), "b": curves(*BETTER)}
    compared = Comparison({"one": both, "two": both | {"b": curves(99.0)}})
    assert verdicts_of(compared) == ["no verdict at the end: one seed on two, 3 needed"]
    assert compared.pairs[0].p is None and compared.pairs[0].difference.ends is None
    four = {f"task {i}": {"a": curves(1.0), "b": curves(9.0)} for i in range(4)}
    assert verdicts_of(Comparison(four)) == ["no verdict at the end: one seed on task 0, 2 needed"]


def test_many_pairs_need_more_evidence() -> None:
    three = {"a": curves(*WORSE), "b": curves(*BETTER), "c": curves(*WORSE)}
    compared = Comparison({"task": three})
    assert [pair.adjusted for pair in compared.pairs] == pytest.approx([6 / 252, 1, 6 / 252])
    many = {f"m{i}": curves(*(10.0 * i + np.arange(5.0))) for i in range(5)}
    assert set(verdicts_of(Comparison({"task": many}))) == {"no verdict at the end: 6 seeds needed"}
    assert verdicts_of(Comparison({"task": many}, against="m0")) == ["better at the end"] * 4
    with pytest.raises(UserError, match="no method x; there are m0, m1"):
        Comparison({"task": many}, against="x")


def test_pairs_without_a_chance_do_not_count_among_the_tested() -> None:
    few = {"a": curves(*WORSE), "b": curves(*BETTER), "c": curves(1.0)}
    adjusted = [pair.adjusted for pair in Comparison({"task": few}).pairs]
    assert adjusted == [pytest.approx(2 / 252), None, None]


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
        (Estimate(5106.2, (4431.4, 5515.1)), "5,106 [4,431, 5,515]"),
        (Estimate(0.561, (0.17, 0.89)), "0.56 [0.17, 0.89]"),
        (Estimate(3.0, (3.0, 3.0)), "3.0"),
        (Estimate(3.0), "3.0"),
        (Estimate(-7.0, (-14.0, -0.2)), "-7 [-14, 0]"),
        (Estimate(float("nan"), needs=8), "8 seeds needed"),
    ],
)
def test_numbers_have_the_digits_that_they_are_worth(estimate: Estimate, text: str) -> None:
    assert str(estimate) == text


def test_the_command_tells_and_writes_a_page_that_needs_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    three = " ".join(map(folders, ("hw4_q5_ddpg_H*", "hw4_q5_td3_H*", "hw4_q5_sac_H*")))
    status, out, _ = run(f"{COMPARE} {three} --by algorithm -o {page}")
    assert status == 0
    assert "3 pairs have no verdict" in out and "no verdict at the end: 5 seeds needed" in out
    text = page.read_text()
    for word in ("ddpg", "td3", "sac", "HalfCheetah-v5", "5 seeds needed", "<svg", "sha256:"):
        assert word in text
    assert str(ROOT) not in text and "<script" not in text
    links = re.findall(r'(?:src|href)="([^"#][^"]*)"', text)
    assert not links, "everything is within"


def folders(pattern: str) -> str:
    return " ".join(sorted(str(path) for path in (ROOT / DATA).glob(pattern)))


@pytest.mark.slow
def test_runs_of_different_settings_are_never_pooled(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    status, _, error = run(f"{COMPARE} {folders('hw4_q6_*')} --by algorithm -o {page}")
    assert status == 2 and len(error.strip().splitlines()) == 1 and not page.exists()
    assert (
        "ddpg on Pendulum-v1 has runs of different settings: tau (0.005, 0.05, 0.0, 1.0)" in error
    )
    assert "--by algorithm,tau" in error
    status, out, _ = run(f"{COMPARE} {folders('hw4_q6_*')} --by algorithm,tau -o {page}")
    assert status == 0 and "ddpg, tau=0.005  3 " in out and "ddpg, tau=1.0    3 " in out


def test_a_repeated_seed_is_no_second_sample(tmp_path: Path) -> None:
    (first, *_) = sorted((ROOT / DATA).glob("hw4_q1_ddpg_*"))
    again = tmp_path / "again"
    shutil.copytree(first, again)
    words = f"{folders('hw4_q1_ddpg_*')} {again} --by algorithm -o {tmp_path / 'page.html'}"
    status, _, error = run(f"{COMPARE} {words}")
    assert status == 2 and f"leave out {first} or {again}" in error


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nowhere", "nowhere is not a directory"),
        (f"{PACMAN} --y Nothing", "no numbers for 'Nothing'"),
        (f"{PACMAN} -o page.txt", "-o page.txt"),
        (f"{PACMAN} --by tau", "--by tau: tau is neither algorithm nor a setting"),
        (f"{PACMAN} --against dqn", "there is no method dqn; there are q1"),
    ],
)
@pytest.mark.slow
def test_bad_input_gets_one_line(words: str, message: str) -> None:
    status, _, error = run(f"{COMPARE} {words}")
    assert status == 2 and message in error and len(error.strip().splitlines()) == 1


def test_a_missing_package_is_named(tmp_path: Path) -> None:
    (tmp_path / "scipy.py").write_text("raise ModuleNotFoundError('no scipy', name='scipy')")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    words = [sys.executable, "scripts/compare.py", str(ROOT / PACMAN)]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 2 and 'scipy is missing: pip install -e ".[studies]"' in done.stderr


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


def rendered(runs: Any) -> str:
    return page.render(Comparison(runs), "title", ["run"], ("Step", "Return"), "sha256:0")


def test_pairs_without_a_verdict_are_one_sentence() -> None:
    three = {"a": curves(*WORSE), "b": curves(*BETTER), "c": curves(1.0)}
    text = rendered({"task": three})
    (summary,) = re.findall(r"<summary>(2 pairs.*?)</summary>", text)
    assert summary.startswith("2 pairs have no verdict at the end: ")
    assert 'data-label="Verdict">better at the end' in text
    assert 'data-label="Verdict">no verdict' not in text
    assert "have no verdict" not in rendered({"task": {"a": curves(*WORSE), "b": curves(*BETTER)}})


def test_a_dot_lies_in_its_interval_and_on_the_line() -> None:
    compared = Comparison({"task": {"a": curves(*WORSE), "b": curves(*BETTER), "c": curves(7.0)}})
    table = page.rows(compared, compared.entries)
    picture = dots.of_rows(compared.methods, "Final", table, "final")
    assert [row.name for row in picture.rows] == ["b", "c", "a"]
    for row in picture.rows:
        assert 0 <= row.at <= 100
        assert row.start is None or row.start < row.at < row.start + row.width
    assert picture.rows[1].hollow and picture.rows[1].start is None  # one seed has no interval
    places = [place for _, place in picture.ticks]
    assert places == sorted(places) and 2 <= len(places) <= 6
    (chance, *_) = dots.of_chances(compared.pairs).rows
    assert chance.name == "b over a" and chance.at == 100 and not chance.hollow


def test_a_picture_has_the_pages_colours() -> None:
    text = rendered({"task": {"a": curves(*WORSE), "b": curves(*BETTER)}})
    assert "var(--m0)" in text and "var(--m1)" in text
    svg = "".join(re.findall(r"<svg.*?</svg>", text, re.DOTALL))
    assert not re.findall(r"(?:fill|stroke): #(?!f{6})[0-9a-f]{6}", svg)
