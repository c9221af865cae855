"""Handed-in runs: an honest one passes, and each kind of fabrication is caught and named."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.base.results import BLANK, FAILED, PASSED
from autograder.evidence import files, judging
from autograder.evidence.curves import curves
from autograder.evidence.judging import judge_each, read_folder
from autograder.evidence.rules import questions
from tests.autograder.evidence.fabrications import KINDS
from tests.autograder.evidence.run_folders import (
    TEN_TEN,
    balancing,
    edit_log,
    edit_settings,
    misconceptions,
    save,
    verdict,
)
from tests.running import only_run
from tests.running import run as run_script

ENOUGH = 30


def test_an_honest_run_passes(honest: Path) -> None:
    found = verdict(honest)
    assert (found.verdict, found.points, found.misconceptions) == (PASSED, 1, ()), found.message
    assert "the weights reach 200.0" in found.message


def test_the_same_seed_says_the_same_and_another_plays_other_games(run_folder: Path) -> None:
    save(run_folder, balancing(0.6))  # which balances for a while, and not each time as long
    first, again, other = (verdict(run_folder.parent, seed=seed).message for seed in (0, 0, 1))
    assert first == again != other


def test_what_is_not_handed_in_is_told_apart_from_what_is_wrong(honest: Path) -> None:
    found = {v.id: v for v in judge_each(read_folder("hw3", honest), 0)}
    assert len(found) == len(questions("hw3"))
    assert sum(v.max_points for v in found.values()) == 20
    assert {v.verdict for name, v in found.items() if name != "hw3.runs.q4_10_10"} == {BLANK}


@pytest.mark.parametrize("wrap", ["", "data", "submission"])
def test_the_folder_may_hold_the_data_folder(honest: Path, tmp_path: Path, wrap: str) -> None:
    target = tmp_path if wrap == "submission" else tmp_path / wrap
    where = target / "data" if wrap == "submission" else target
    shutil.copytree(honest, where, dirs_exist_ok=True)
    assert verdict(tmp_path).verdict == PASSED


def test_rows_of_a_log_without_evaluation_and_other_columns_are_all_right(run_folder: Path) -> None:
    log = run_folder / "log.csv"
    lines = log.read_text().splitlines()
    lines = [
        f"{line},{text}" for line, text in zip(lines, ["My_Own", *"012345678910"], strict=False)
    ]
    log.write_bytes(("\r\n".join(lines) + "\r\n").encode())
    edit_settings(run_folder, env_name="CartPole-v0", save_params=True, no_gpu=True, threads=2)
    assert verdict(run_folder.parent).verdict == PASSED


@pytest.mark.parametrize(
    ("change", "name"), KINDS, ids=lambda value: getattr(value, "__name__", "")
)
def test_what_is_wrong_is_named(
    run_folder: Path, change: Callable[[Path], None], name: str
) -> None:
    change(run_folder)
    found = verdict(run_folder.parent)
    assert (found.verdict, found.points) == (FAILED, 0), found.message
    assert f"evidence.{name}" in [misconception.id for misconception in found.misconceptions], found
    assert "Traceback" not in found.message
    assert len(found.message) < 3000
    assert found.message.isprintable() or "\n" in found.message
    curves(read_folder("hw3", run_folder.parent))


def test_a_folder_of_very_many_files_is_not_gone_through(
    run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_ENTRIES", 30)
    for number in range(40):
        (run_folder.parent / str(number)).mkdir()
    found = list(judge_each(read_folder("hw3", run_folder.parent), 0))
    assert {v.verdict for v in found} == {FAILED}
    assert curves(read_folder("hw3", run_folder.parent)) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"eval_batch_size": "many"},
        {"eval_batch_size": 10**15},
        {"eval_episodes": "many"},
        {"eval_episodes": 10**15},
        {"n_layers": "deep", "size": None},
        {"size": 10**12},
        {"n_iter": 1e300, "batch_size": -1},
        {"num_target_updates": True},
    ],
)
def test_settings_may_be_anything(run_folder: Path, changes: dict[str, object]) -> None:
    edit_settings(run_folder, **changes)
    found = verdict(run_folder.parent)
    many = 10**15 in (changes.get("eval_batch_size"), changes.get("eval_episodes"))
    assert found.verdict == (PASSED if many else FAILED), found


@pytest.mark.parametrize("text", ["1e308", "-1e308", "1e-320", "nan", "inf", "", "-0"])
@pytest.mark.parametrize(
    "column", ["Step", "Eval_AverageReturn", "Eval_AverageEpLen", "Train_EnvstepsSoFar"]
)
def test_numbers_may_be_anything(run_folder: Path, column: str, text: str) -> None:
    edit_log(run_folder, column, -1, text)
    found = verdict(run_folder.parent)
    assert found.verdict == (PASSED if column == "Train_EnvstepsSoFar" else FAILED), found
    assert len(found.message) < 1000
    curves(read_folder("hw3", run_folder.parent))


@pytest.mark.parametrize(
    ("column", "text", "passes"),
    [
        ("Eval_AverageReturn", "200.0009", True),  # single precision
        ("Eval_AverageReturn", "200.002", False),
        ("Eval_AverageEpLen", "0.9991", True),
        ("Eval_AverageEpLen", "0.998", False),
        ("Eval_AverageEpLen", "200.002", False),
    ],
)
def test_the_last_row_claims_what_the_task_gives(
    run_folder: Path, column: str, text: str, passes: bool
) -> None:
    edit_log(run_folder, column, -1, text)
    named = [misconception.id for misconception in verdict(run_folder.parent).misconceptions]
    assert ("evidence.impossible" not in named) == passes


def test_names_are_told_on_one_line(run_folder: Path) -> None:
    name = "hw3_q4_10_10_<script>alert(1)</script>".replace("/", "\\") + "\n\x1b[31m" + "x" * 150
    run_folder.rename(run_folder.parent / name)
    found = verdict(run_folder.parent)
    assert found.verdict == PASSED
    assert len(found.message.splitlines()) == 1
    assert "\x1b" not in found.message
    (curve,) = curves(read_folder("hw3", run_folder.parent))
    assert curve.label.isprintable() and len(curve.label) <= 100


@pytest.mark.slow
def test_an_honest_run_passes_a_long_look(honest: Path, long_look: None) -> None:
    assert "200.0 +/- 0.0 in 30 episodes" in verdict(honest).message


@pytest.mark.slow
def test_a_real_run_passes_and_its_edited_log_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, long_look: None
) -> None:
    """The run has learned the task after a third of the iterations that the question asks for."""
    asked = tuple(replace(question, steps=ENOUGH) for question in questions("hw3"))
    monkeypatch.setattr(judging, "questions", lambda _: asked)
    command = TEN_TEN.replace("-n 100", f"-n {ENOUGH}")
    assert f"-n {ENOUGH}" in command
    assert run_script(f"{command} --seed 4 --data_dir {tmp_path}")[0] == 0
    run = only_run(tmp_path)
    assert verdict(tmp_path).verdict == PASSED
    save(run, balancing(0.2))
    assert misconceptions(tmp_path) == ["evidence.weights_below_claim"]
