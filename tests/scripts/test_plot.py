"""scripts/plot.py: which runs are one experiment, what is drawn of them, and clear refusals."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))  # as python does for `python scripts/plot.py`

import plot  # noqa: E402

from cs285.infrastructure.base.errors import UserError  # noqa: E402


def make_run(
    parent: Path, exp_name: str, seed: int, returns: list[float], step: int = 100, **settings: Any
) -> Path:
    """Makes a run directory whose returns were logged every `step` environment steps."""
    number = len(list(parent.iterdir()))
    run_dir = parent / f"hw3_{exp_name}_Toy-v1_{number}"
    run_dir.mkdir()
    known = {"env_name": "Toy-v1", "exp_name": exp_name, "seed": seed, "gamma": 0.99}
    (run_dir / "config.json").write_text(json.dumps({"settings": known | settings}))
    rows = [f"{i},{i * step},{y},{y + 1}\n" for i, y in enumerate(returns)]
    header = "Step,Train_EnvstepsSoFar,Train_AverageReturn,Train_BestReturn\n"
    (run_dir / "log.csv").write_text(header + "".join(rows))
    return run_dir


def grouped(*run_dirs: Path) -> dict[str, list[int]]:
    """Returns label -> seeds."""
    groups = plot.group_runs(plot.load_runs([str(path) for path in run_dirs]))
    return {label: [run.settings["seed"] for run in runs] for label, runs in groups.items()}


@pytest.fixture
def axes_drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Keeps the axes of every picture that is drawn."""
    kept: list[Any] = []
    original = plot.new_axes

    def keep(*args: Any) -> Any:
        kept.append(original(*args))
        return kept[-1]

    monkeypatch.setattr(plot, "new_axes", keep)
    return kept


def legend(axes: Any) -> tuple[str, list[str]]:
    """Returns the note above the legend, and its lines."""
    box = axes.get_figure().legends[0]
    return box.get_title().get_text(), [text.get_text() for text in box.get_texts()]


# ------------------------------------------------------------------ which runs are one experiment


def test_seeds_are_one_experiment_without_the_seed_in_their_names(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, f"q2_dqn_{seed}", seed, [1.0]) for seed in (3, 1, 2)]
    assert grouped(*runs) == {"q2_dqn": [1, 2, 3]}


def test_seeds_under_one_name_are_one_experiment(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, "q4_100_1", seed, [1.0]) for seed in (1, 2)]
    assert grouped(*runs) == {"q4_100_1": [1, 2]}


def test_a_last_number_that_is_no_seed_stays(tmp_path: Path) -> None:
    one = make_run(tmp_path, "q4_100_1", 1, [1.0], ntu=100)
    two = make_run(tmp_path, "q4_1_100", 1, [1.0], ntu=1)
    assert grouped(one, two) == {"q4_100_1": [1], "q4_1_100": [1]}


def test_names_tell_experiments_of_the_same_settings_apart(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, f"{name}_{s}", s, [1.0]) for name in ("old", "new") for s in (1, 2)]
    assert grouped(*runs) == {"old": [1, 2], "new": [1, 2]}


def test_settings_tell_experiments_of_the_same_name_apart(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, "q3", 1, [1.0], gamma=gamma) for gamma in (0.9, 0.99)]
    assert grouped(*runs) == {"q3, gamma=0.9": [1], "q3, gamma=0.99": [1]}


def test_where_a_run_was_kept_is_no_difference(tmp_path: Path) -> None:
    one = make_run(tmp_path, "q3", 1, [1.0], no_gpu=True, data_dir="here")
    two = make_run(tmp_path, "q3", 2, [1.0], no_gpu=False, data_dir="there")
    assert grouped(one, two) == {"q3": [1, 2]}


def test_a_setting_that_an_older_run_lacks_is_no_difference(tmp_path: Path) -> None:
    older = make_run(tmp_path, "q3", 1, [1.0])
    newer = make_run(tmp_path, "q3", 2, [2.0], activation="relu")
    assert grouped(older, newer) == {"q3": [1, 2]}


def test_the_same_directory_twice_counts_once(tmp_path: Path) -> None:
    run_dir = make_run(tmp_path, "q3", 1, [1.0])
    assert grouped(run_dir, run_dir) == {"q3": [1]}


def test_one_seed_run_twice_is_no_second_sample(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, "q3", seed, [1.0]) for seed in (1, 2, 1)]
    assert grouped(*runs) == {"q3": [1, 2], "q3, again Toy-v1_2": [1]}


def test_a_folder_without_rows_is_told_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(tmp_path, "q3", 1, [1.0])
    empty = make_run(tmp_path, "q4", 1, [])
    (none := tmp_path / "none").mkdir()
    assert grouped(run, empty, none) == {"q3": [1]}
    notes = capsys.readouterr().err.splitlines()
    assert len(notes) == 2 and all(note.startswith("note: left out: ") for note in notes)
    assert f"{empty / 'log.csv'} has no rows yet" in notes[0]


def test_a_folder_of_runs_stands_for_them_all(tmp_path: Path) -> None:
    (study := tmp_path / "study").mkdir()
    run = make_run(study, "q3", 1, [1.0])
    make_run(study, "q3", 2, [1.0])
    assert grouped(study, run) == {"q3": [1, 2]}
    assert grouped(tmp_path) == {"q3": [1, 2]}  # as does a folder of such folders


# ------------------------------------------------------------------ what is drawn


def test_seeds_are_put_on_one_axis_by_interpolation() -> None:
    one = (np.array([0.0, 10.0, 20.0]), np.array([0.0, 100.0, 200.0]))
    two = (np.array([5.0, 15.0, 40.0]), np.array([1.0, 3.0, 8.0]))
    x_n, y_sn = plot.align("q", [one, two])
    assert x_n.tolist() == [5.0, 10.0, 15.0, 20.0]
    np.testing.assert_allclose(y_sn, [[50, 100, 150, 200], [1, 2, 3, 4]], rtol=1e-12)


def test_seeds_without_common_steps_are_refused() -> None:
    one, two = (np.array([0.0, 10.0]), np.zeros(2)), (np.array([20.0, 30.0]), np.zeros(2))
    with pytest.raises(UserError, match="q2 have no steps in common"):
        plot.align("q2", [one, two])


@pytest.mark.parametrize(
    ("band", "low", "high"),
    # Of 10, 20, 60 (mean 30): the sample deviation is sqrt((400 + 100 + 900) / 2).
    [("range", 10, 60), ("std", 30 - math.sqrt(700), 30 + math.sqrt(700))],
)
def test_mean_and_band(
    tmp_path: Path, axes_drawn: list[Any], band: str, low: float, high: float
) -> None:
    values = {1: 10.0, 2: 20.0, 3: 60.0}
    runs = [make_run(tmp_path, f"q2_{s}", s, [0.0, y]) for s, y in values.items()]
    out = tmp_path / "q2.png"
    assert plot.main([*map(str, runs), "-o", str(out), "--band", band]) == 0
    assert out.read_bytes().startswith(b"\x89PNG")
    axes = axes_drawn[0]
    assert axes.get_lines()[0].get_xydata().tolist() == [[0, 0], [100, 30]]
    edges = axes.collections[0].get_paths()[0].vertices
    at_end = edges[edges[:, 0] == 100][:, 1]
    assert (at_end.min(), at_end.max()) == pytest.approx((low, high), rel=1e-12)
    assert legend(axes) == (
        f"Line: mean over seeds. Band: {plot.BANDS[band]}.",
        ["q2 (3 seeds, ends at 30)"],
    )
    assert axes.get_title(loc="left") == "Toy-v1"


def test_two_experiments_with_two_columns_differ_in_colour_and_style(
    tmp_path: Path, axes_drawn: list[Any]
) -> None:
    pairs = (("a", 0), ("b", 1))
    runs = [make_run(tmp_path, name, 1, [1.0, 2.0 + 5 * g], gamma=g) for name, g in pairs]
    columns = "Train_AverageReturn,Train_BestReturn"
    args = ["--y", columns, "--title", "Two", "-o", str(tmp_path / "out.svg")]
    assert plot.main([*map(str, runs), *args]) == 0
    lines = axes_drawn[0].get_lines()
    looks = [(line.get_color(), line.get_linestyle()) for line in lines]
    first, second = plot.COLOURS[:2]
    assert looks == [(first, "-"), (first, "--"), (second, "-"), (second, "--")]
    assert all(best.get_zorder() < mean.get_zorder() for mean, best in (lines[:2], lines[2:]))
    note, texts = legend(axes_drawn[0])
    assert note == ""  # one seed each: no band to explain
    assert texts[1] == "a: Best mean training return so far (1 seed, ends at 3)"
    assert axes_drawn[0].get_title(loc="left") == "Two"
    assert "<svg" in (tmp_path / "out.svg").read_text()


def test_two_columns_of_one_experiment_differ_in_colour(
    tmp_path: Path, axes_drawn: list[Any]
) -> None:
    run_dir = make_run(tmp_path, "a", 1, [1.0, 2.0])
    columns = "Train_AverageReturn,Train_BestReturn"
    plot.main([str(run_dir), "--y", columns, "-o", str(tmp_path / "out.png")])
    assert [line.get_color() for line in axes_drawn[0].get_lines()] == list(plot.COLOURS[:2])


def test_many_experiments_all_look_different(tmp_path: Path, axes_drawn: list[Any]) -> None:
    runs = [make_run(tmp_path, f"e{i}", 1, [1.0, 2.0 + i], gamma=i) for i in range(16)]
    plot.main([*map(str, runs), "-o", str(tmp_path / "out.png")])
    looks = {(line.get_color(), line.get_linestyle()) for line in axes_drawn[0].get_lines()}
    assert len(looks) == 16


def test_identical_runs_can_be_told_apart(tmp_path: Path, axes_drawn: list[Any]) -> None:
    runs = [make_run(tmp_path, f"e{i}", 1, [1.0, 2.0], gamma=i) for i in range(2)]
    plot.main([*map(str, runs), "-o", str(tmp_path / "out.png")])
    one, other = axes_drawn[0].get_lines()
    assert one.get_linestyle() == "-" and other.get_linestyle() == "--"  # one is seen between
    assert other.get_zorder() > one.get_zorder() and one.get_color() != other.get_color()
    assert legend(axes_drawn[0])[1][1].endswith("the same as e0")


def test_what_is_longer_than_the_picture_goes_on_below(
    tmp_path: Path, axes_drawn: list[Any]
) -> None:
    name = "bench_h64-64_cli0.1_and_so_on_and_on"
    runs = [make_run(tmp_path, f"{name}{i}", 1, [1.0, 2.0], gamma=i) for i in range(2)]
    plot.main([*map(str, runs), "-o", str(tmp_path / "out.png")])
    message = legend(axes_drawn[0])[1][1]
    assert f"the same as {name}0" in message.replace("\n", " ")
    assert max(map(len, message.split("\n"))) <= 95 < len(message)


def test_several_environments_are_named_in_title_and_legend(
    tmp_path: Path, axes_drawn: list[Any]
) -> None:
    runs = [make_run(tmp_path, f"q{i}", 1, [1.0], env_name=f"Env-v{i}") for i in (2, 1)]
    plot.main([*map(str, runs), "-o", str(tmp_path / "out.png")])
    assert axes_drawn[0].get_title(loc="left") == "Env-v1 and Env-v2"
    assert legend(axes_drawn[0])[1][0] == "q2 on Env-v2 (1 seed, ends at 1)"


@pytest.mark.parametrize(
    ("smooth", "expected"),
    [("1", [0, 3, 6, 0, 6]), ("3", [1.5, 3, 3, 4, 3]), ("99", [3, 3, 3, 3, 3])],
)
def test_smoothing(
    tmp_path: Path, axes_drawn: list[Any], smooth: str, expected: list[float]
) -> None:
    run_dir = make_run(tmp_path, "a", 1, [0.0, 3.0, 6.0, 0.0, 6.0])
    plot.main([str(run_dir), "--smooth", smooth, "-o", str(tmp_path / "out.png")])
    line = axes_drawn[0].get_lines()[0]
    np.testing.assert_allclose(line.get_ydata(), expected, rtol=1e-12)
    assert line.get_xdata().tolist() == [0, 100, 200, 300, 400]
    assert ("neighbouring rows" in legend(axes_drawn[0])[0]) == (smooth != "1")


def test_evaluations_are_drawn_where_every_run_has_them(
    tmp_path: Path, axes_drawn: list[Any]
) -> None:
    run_dir = make_run(tmp_path, "a", 1, [1.0])
    text = "Step,Eval_AverageReturn,Train_AverageReturn\n0,5.0,1.0\n"
    (run_dir / "log.csv").write_text(text)
    plot.main([str(run_dir), "-o", str(tmp_path / "out.png")])
    (run_dir / "log.csv").write_text(text.replace("5.0", "nan"))
    plot.main([str(run_dir), "-o", str(tmp_path / "out.png")])
    assert [axes.get_lines()[0].get_ydata().tolist() for axes in axes_drawn] == [[5.0], [1.0]]


def test_a_seed_that_ended_early_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = make_run(tmp_path, "a", 1, [1.0] * 11)
    short = make_run(tmp_path, "a", 2, [1.0] * 3)
    assert plot.main([str(whole), str(short), "-o", str(tmp_path / "out.png")]) == 0
    note = capsys.readouterr().err
    assert "a is drawn up to 200 of 1k" in note and str(short) in note


def test_spinning_ups_flags(tmp_path: Path, axes_drawn: list[Any]) -> None:
    returns = {("slow", 1): 1.0, ("slow", 2): 5.0, ("fast", 1): 20.0, ("wild", 1): 70.0}
    for (name, seed), y in returns.items():
        make_run(tmp_path, name, seed, [0.0, y], gamma=len(name) + y * (name != "slow"))
    given = [str(tmp_path), "-o", str(tmp_path / "out.png"), "--exclude", "wild"]
    ends = {"mean": 3, "max": 5, "min": 1}
    for est, end in ends.items():
        words = ["-x", "TotalEnvInteracts", "-y", "Performance", "-s", "1", "--est", est]
        assert plot.main([*given, *words, "-l", "quick", "not so quick"]) == 0
        note, texts = legend(axes_drawn[-1])
        assert note == f"Line: {est} over seeds. Band: {plot.BANDS['range']}."
        slow = f"not so quick (2 seeds, ends at {end})"
        assert texts == ["quick (1 seed, ends at 20)", slow]
        assert axes_drawn[-1].get_lines()[1].get_xydata().tolist() == [[0, 0], [100, end]]
    assert plot.main([*given, "--count", "--select", "slow", "Toy"]) == 0
    assert legend(axes_drawn[-1])[1] == [
        f"slow, seed {seed} (1 seed, ends at {y})" for seed, y in ((1, 1), (2, 5))
    ]
    columns = ["AverageEpRet", "Train_BestReturn"]
    assert plot.main([*given, "--select", "fast", "--value", *columns, "--xaxis", "Epoch"]) == 0
    ends_at = [line.get_xydata()[-1].tolist() for line in axes_drawn[-1].get_lines()]
    assert ends_at == [[1, 20], [1, 21]]


# ------------------------------------------------------------------ refusals


def refusal(capsys: pytest.CaptureFixture[str], *args: str | Path) -> str:
    """Runs the script, which must refuse in one line, and returns the line."""
    assert plot.main([str(arg) for arg in args]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    return captured.err


def test_refusals_are_one_clear_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_dir = make_run(tmp_path, "a", 1, [1.0])
    assert "missing is not a directory" in refusal(capsys, "missing")
    line = refusal(capsys, "missing", "gone", "lost")
    assert "missing is not a directory" in line and "2 others" in line
    (tmp_path / "empty").mkdir()
    assert "not a run directory" in refusal(capsys, "empty")
    assert "the name must end in .png" in refusal(capsys, run_dir, "-o", "picture")
    assert "there is no directory nowhere" in refusal(capsys, run_dir, "-o", "nowhere/a.png")
    assert "-o /proc/x.png cannot be written" in refusal(capsys, run_dir, "-o", "/proc/x.png")
    assert "--smooth takes" in refusal(capsys, run_dir, "--smooth", "0")
    assert "did you mean --smooth" in refusal(capsys, run_dir, "--smoth", "3")
    assert "--band takes one of range, std" in refusal(capsys, run_dir, "--band", "both")
    assert "RUN_DIR" in refusal(capsys)
    line = refusal(capsys, run_dir, "--y", "Train_AverageReturn,Loss")
    assert "no numbers for 'Loss'; it has Step, Train_EnvstepsSoFar" in line
    assert "--legend has 2 different titles for 1 lines: a" in refusal(
        capsys, run_dir, "--legend", "b", "c"
    )
    assert "--select b leaves none of 1 runs" in refusal(capsys, run_dir, "--select", "b")
    assert "--exclude a_Toy leaves none" in refusal(capsys, run_dir, "--exclude", "a_Toy")
    for text in ("", "Step,a\n", "Step,a\n1,2"):
        (run_dir / "log.csv").write_text(text)
        assert "has no rows yet" in refusal(capsys, run_dir)
    (run_dir / "log.csv").unlink()
    assert "log.csv is not there" in refusal(capsys, run_dir)
    assert not list(tmp_path.glob("*.png"))


def test_runs_as_a_script(tmp_path: Path) -> None:
    run_dir = make_run(tmp_path, "a", 1, [1.0, 2.0])
    command = [sys.executable, str(ROOT / "scripts" / "plot.py"), str(run_dir), "-o", "out.pdf"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "out.pdf\n", "")
    assert (tmp_path / "out.pdf").read_bytes().startswith(b"%PDF")
