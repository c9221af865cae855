"""The learning curve: what is drawn, from whole and from broken logs, and how it is labelled."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.logging import plotting
from cs285.infrastructure.logging.plotting import (
    axis_label,
    curve,
    draw_learning_curve,
    has_numbers,
    new_axes,
    short_number,
)

HEADER = "Step,Train_EnvstepsSoFar,Train_AverageReturn,Eval_AverageReturn,Eval_StdReturn\n"


def make_run(run_dir: Path, log: str, env_name: str = "Toy-v0", **more: Any) -> Path:
    """Makes a run directory with the given text as its log."""
    settings = {"exp_name": "q1", "env_name": env_name, "seed": 3} | more
    (run_dir / "config.json").write_text(json.dumps({"settings": settings}))
    (run_dir / "log.csv").write_text(log)
    return run_dir


@pytest.fixture
def axes_drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Keeps the axes of every picture that is drawn."""
    kept: list[Any] = []

    def keep(*args: Any) -> Any:
        kept.append(new_axes(*args))
        return kept[-1]

    monkeypatch.setattr(plotting, "new_axes", keep)
    return kept


def legend_texts(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.get_figure().legends[0].get_texts()]


def test_draws_returns_over_environment_steps(tmp_path: Path, axes_drawn: list[Any]) -> None:
    rows = "0,100,1.0,2.0,0.5\n1,250,3.0,5.0,1.5\n2,400,nan,,\n"
    path = draw_learning_curve(make_run(tmp_path, HEADER + rows))
    assert path == tmp_path / "learning_curve.png"
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "config.json",
        "learning_curve.png",
        "log.csv",
    ]
    axes = axes_drawn[0]
    evaluation, training = axes.get_lines()
    assert evaluation.get_xydata().tolist() == [[100, 2.0], [250, 5.0]]
    assert training.get_xydata().tolist() == [[100, 1.0], [250, 3.0]]
    corners = {tuple(point) for point in axes.collections[0].get_paths()[0].vertices}
    assert {(100, 1.5), (100, 2.5), (250, 3.5), (250, 6.5)} <= corners
    assert axes.get_title(loc="left") == "q1 on Toy-v0, seed 3"
    assert axes.get_xlabel() == "Training so far (environment steps)"
    assert axes.get_ylabel() == "Reward per episode"
    assert legend_texts(axes) == [
        "Mean evaluation return",
        "Mean return of recent training episodes",
    ]
    assert "standard deviation" in axes.get_figure().legends[0].get_title().get_text()


def test_the_picture_has_every_line_in_its_colour(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i * 100},{i},{i + 9},1.0\n" for i in range(40))
    path = draw_learning_curve(make_run(tmp_path, HEADER + rows))
    picture = cv2.imread(str(path))
    assert picture is not None and picture.shape == (720, 1080, 3)
    for colour in plotting.COLOURS[:2]:
        blue_green_red = [int(colour[i : i + 2], 16) for i in (5, 3, 1)]
        # More pixels than the few cm of line in the legend: the curve itself is there.
        assert (picture == blue_green_red).all(axis=-1).sum() > 500


def test_a_run_without_evaluations_has_no_band(tmp_path: Path, axes_drawn: list[Any]) -> None:
    rows = "10,10,1.0,nan,nan\n20,20,3.0,nan,nan\n"
    draw_learning_curve(make_run(tmp_path, HEADER + rows))
    assert len(axes_drawn[0].get_lines()) == 1
    assert not axes_drawn[0].collections
    assert axes_drawn[0].get_figure().legends[0].get_title().get_text() == ""


def test_one_episode_has_no_band_and_the_number_is_told(
    tmp_path: Path, axes_drawn: list[Any]
) -> None:
    header = HEADER.replace("\n", ",Eval_NumEpisodes\n")
    rows = "0,100,1.0,2.0,0.0,1\n1,250,3.0,5.0,0.0,1\n"
    draw_learning_curve(make_run(tmp_path, header + rows))
    assert not axes_drawn[0].collections
    note = axes_drawn[0].get_figure().legends[0].get_title().get_text()
    assert note == "Episodes in each evaluation: 1."
    rows += "2,400,3.0,6.0,1.0,12\n3,500,3.0,8.0,2.0,12\n"
    draw_learning_curve(make_run(tmp_path, header + rows))
    corners = {tuple(point) for point in axes_drawn[1].collections[0].get_paths()[0].vertices}
    assert {(400, 5.0), (400, 7.0), (500, 6.0), (500, 10.0)} <= corners
    assert min(x for x, _ in corners) == 400
    note = axes_drawn[1].get_figure().legends[0].get_title().get_text()
    assert note.startswith("Episodes in each evaluation: 1 to 12.\nBand: ")


def test_the_best_so_far_lies_beneath_the_mean(tmp_path: Path, axes_drawn: list[Any]) -> None:
    log = "Step,Train_AverageReturn,Train_BestReturn\n1,1.0,1.0\n2,3.0,3.0\n3,2.0,3.0\n"
    draw_learning_curve(make_run(tmp_path, log))
    mean, best = axes_drawn[0].get_lines()
    assert best.get_zorder() < mean.get_zorder() and best.get_linewidth() < mean.get_linewidth()


LANDER = {
    "env_name": "LunarLander-v3",
    "learning_starts": 1000,
    "ep_len": 200,  # of DQN: of its films
    "frame_history_len": 1,
}


def test_warm_up_and_random_play_are_marked(tmp_path: Path, axes_drawn: list[Any]) -> None:
    mean, std = plotting.random_play(LANDER) or (0.0, 0.0)
    rows = "".join(f"{i},{i},{mean + i % 3},nan,nan\n" for i in range(500, 3000, 100))
    draw_learning_curve(make_run(tmp_path, HEADER + rows, **LANDER))
    axes = axes_drawn[0]
    _, learning, play = axes.get_lines()
    assert set(learning.get_xdata()) == {1000} and set(play.get_ydata()) == {mean}
    assert "learning begins, at 1k" in legend_texts(axes)
    assert f"random play: {mean:.0f}" in legend_texts(axes)
    low, high = axes.get_ylim()  # a few points of noise do not fill the axis
    assert low <= mean - std and high >= mean + std


def test_what_was_not_measured_or_not_reached_is_not_marked(
    tmp_path: Path, axes_drawn: list[Any]
) -> None:
    rows = "0,100,1.0,2.0,0.5\n1,250,3.0,5.0,1.5\n"
    draw_learning_curve(make_run(tmp_path, HEADER + rows, "Toy-v0", learning_starts=1000))
    # An on-policy run cuts episodes at ep_len, for which random play was not measured.
    draw_learning_curve(make_run(tmp_path, HEADER + rows, "HalfCheetah-v2", n_iter=9, ep_len=77))
    assert [len(axes.get_lines()) for axes in axes_drawn] == [2, 2]


def test_random_play_is_that_of_the_very_same_game() -> None:
    pacman = {"env_name": "MsPacman-v0", "frame_history_len": 4}
    usual, course = (plotting.random_play(pacman | {"frame_skip": skip}) for skip in ("4", "2-4x4"))
    assert usual and course and course[0] > 1.5 * usual[0]  # a step is three times as long there
    assert plotting.random_play(pacman) == usual  # runs of versions that knew no other game
    assert plotting.random_play(pacman | {"frame_skip": "7"}) is None
    sticky = pacman | {"frame_skip": "4", "sticky_actions": 0.25}
    assert plotting.random_play(sticky) == usual
    never = plotting.random_play(sticky | {"sticky_actions": 0.0})
    assert never is not None and never != usual
    assert plotting.random_play(sticky | {"sticky_actions": 0.5}) is None
    vectors = {"env_name": "CartPole-v1", "frame_history_len": 1}
    assert plotting.random_play(vectors | {"frame_skip": "4"}) == plotting.random_play(
        {"env_name": "CartPole-v1"}
    )
    # An episode that is cut earlier scores less or more; nobody measured that.
    assert plotting.random_play({"env_name": "LunarLanderContinuous-v3", "ep_len": 500}) is None


def test_one_row_is_visible_and_step_stands_in_for_steps(
    tmp_path: Path, axes_drawn: list[Any]
) -> None:
    draw_learning_curve(make_run(tmp_path, "Step,Train_AverageReturn\n50,1.0\n"))
    line = axes_drawn[0].get_lines()[0]
    assert line.get_xydata().tolist() == [[50, 1.0]]
    assert line.get_marker() == "o"


@pytest.mark.parametrize("log", ["", HEADER, HEADER + "0,100,nan,nan,nan\n", HEADER + "0,1"])
def test_nothing_to_draw_yet(tmp_path: Path, log: str) -> None:
    assert draw_learning_curve(make_run(tmp_path, log)) is None
    assert not (tmp_path / "learning_curve.png").exists()


def test_a_last_line_cut_short_does_not_matter(tmp_path: Path, axes_drawn: list[Any]) -> None:
    draw_learning_curve(make_run(tmp_path, HEADER + "0,100,1.0,2.0,0.5\n1,200,7.0"))
    assert axes_drawn[0].get_lines()[0].get_xydata().tolist() == [[100, 2.0]]


def test_no_log_is_said_clearly(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"log\.csv is not there"):
        draw_learning_curve(tmp_path)


def test_curve_drops_gaps_and_sorts() -> None:
    log = {
        "x": np.array([3.0, 1.0, math.nan, 2.0]),
        "y": np.array([30.0, 10.0, 5.0, math.inf]),
    }
    x_n, y_n = curve(log, "x", "y")
    assert x_n.tolist() == [1.0, 3.0]
    assert y_n.tolist() == [10.0, 30.0]


def test_has_numbers() -> None:
    log = {"a": np.array([math.nan, 1.0]), "b": np.array([math.nan]), "c": np.empty(0)}
    assert [has_numbers(log, name) for name in "abcd"] == [True, False, False, False]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (500, "500"), (1000, "1k"), (22_500, "22.5k"), (1.5e6, "1.5M"), (-2e4, "-20k")],
)
def test_short_number(value: float, text: str) -> None:
    assert short_number(value) == text


@pytest.mark.parametrize(
    ("names", "label"),
    [
        (["Eval_AverageReturn"], "Mean evaluation return\n(reward per episode)"),
        (["Eval_AverageReturn", "Train_AverageReturn"], "Reward per episode"),
        (["Critic_Loss", "Exploration_Epsilon"], "Critic_Loss, Exploration_Epsilon"),
        (["a student's own"], "a student's own"),
    ],
)
def test_axis_label(names: list[str], label: str) -> None:
    assert axis_label(names) == label


def test_vertical_ticks_have_thousands_separators_and_minus_signs() -> None:
    form = new_axes("", "Step", ["Eval_AverageReturn"]).yaxis.get_major_formatter()
    assert [form(v, None) for v in (12_000, -1500, 0.05)] == ["12,000", "\u22121,500", "0.05"]


def test_matplotlib_is_imported_only_to_draw() -> None:
    code = "import sys, cs285.infrastructure.logging.plotting; print('matplotlib' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == "False", result.stderr
