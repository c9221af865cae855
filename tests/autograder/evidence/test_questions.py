"""Several runs together: copies, seeds, sweeps; the rules themselves, bands and the command."""

from __future__ import annotations

import fnmatch
import shutil
from pathlib import Path

import numpy as np
import pytest

from autograder.base.results import BLANK, FAILED, PASSED
from autograder.evidence.curves import curves, reference_band
from autograder.evidence.judging import MISCONCEPTIONS, read_folder
from autograder.evidence.policies import shapes
from autograder.evidence.reference import make_bands
from autograder.evidence.rules import questions
from autograder.evidence.run_folder import Run
from autograder.evidence.settings import different, sweep_faults, total_steps
from cs285.configs.dqn import PRESETS
from tests.autograder.evidence.fabrications import KINDS
from tests.autograder.evidence.run_folders import (
    NAME,
    TEN_TEN,
    balancing,
    document,
    edit_log,
    edit_settings,
    misconceptions,
    save,
    verdict,
    write_run,
)
from tests.running import ROOT, handout_commands

QUESTIONS = questions("hw3")
RESULTS = ROOT / "docs/results/data"
SWEEP = {"num_target_updates", "num_grad_steps_per_target_update"}


def test_one_run_under_two_seeds_is_a_copy(run_folder: Path) -> None:
    twin = run_folder.with_name("hw3_q4_10_10_2")
    shutil.copytree(run_folder, twin)
    assert verdict(run_folder.parent).verdict == PASSED  # twice the same folder is no lie
    edit_settings(twin, seed=2)
    save(twin, balancing(11.0))
    assert misconceptions(run_folder.parent) == ["evidence.duplicate"]
    assert "the same Critic_Loss" in verdict(run_folder.parent).message


def test_many_runs_of_one_question_are_not_all_played(run_folder: Path) -> None:
    for number in range(15):
        shutil.copytree(run_folder, run_folder.with_name(f"hw3_q4_10_10_{number:02d}"))
    message = verdict(run_folder.parent).message
    assert message.count("the weights reach") == 1
    assert message.count("were not played") == 11
    assert "no more than 12 folders" in message


def test_runs_of_a_study_lie_in_its_folder(run_folder: Path) -> None:
    data = run_folder.parent
    study = data / "hw3_q4_10_10"
    study.mkdir()
    run_folder.rename(study / "hw3_q4_10_10_s1")
    assert verdict(data).verdict == BLANK  # it is a folder like any other
    (study / "study.toml").write_text("")
    assert verdict(data).verdict == PASSED
    study.rename(data.parent / "elsewhere")
    study.symlink_to(data.parent / "elsewhere")
    assert verdict(data).verdict != PASSED  # links are not followed


def test_one_run_for_two_questions_is_a_copy(run_folder: Path) -> None:
    twin = run_folder.with_name("hw3_q4_1_100_CartPole-v0")
    write_run(twin, TEN_TEN.replace("-ntu 10 -ngsptu 10", "-ntu 1 -ngsptu 100"), seed=5)
    shutil.copy(run_folder / "policy.safetensors", twin)
    for question in ("q4_10_10", "q4_1_100"):
        assert misconceptions(run_folder.parent, question) == ["evidence.duplicate"]
        assert "the same weights" in verdict(run_folder.parent, question).message


def test_a_wrong_run_beside_a_right_one_costs_nothing(run_folder: Path) -> None:
    write_run(run_folder.with_name("hw3_q4_10_10_first_try"), seed=3)
    edit_settings(run_folder.with_name("hw3_q4_10_10_first_try"), learning_rate=0.5)
    found = verdict(run_folder.parent)
    assert found.verdict == PASSED
    assert "learning_rate is 0.5" in found.message


def test_a_curve_that_stays_low_is_told(tmp_path: Path) -> None:
    write_run(tmp_path / NAME, best=0.1)
    assert misconceptions(tmp_path) == ["evidence.below_threshold"]


def reference(question: str) -> list[Path]:
    (asked,) = [q for q in QUESTIONS if q.id == f"hw3.runs.{question}"]
    return sorted(f for pattern in asked.folders for f in RESULTS.glob(pattern))


@pytest.mark.parametrize("question", [q.id.rpartition(".")[2] for q in QUESTIONS])
def test_the_reference_lacks_nothing_but_its_weights(tmp_path: Path, question: str) -> None:
    for folder in reference(question):
        shutil.copytree(folder, tmp_path / folder.name)
    found = verdict(tmp_path, question)
    if question == "q3":  # three seeds of a value are there, not of four values
        assert found.verdict == FAILED
        return
    assert [m.id for m in found.misconceptions] == ["evidence.missing"]
    lines = [line for line in found.message.splitlines() if line.startswith("hw3_")]
    assert lines == [f"{f.name}: policy.safetensors is not there" for f in reference(question)]


def lander_weights(seed: int, scale: float = 0.5) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    shapes = {"0": (64, 8), "2": (64, 64), "4": (4, 64)}
    found = {}
    for name, shape in shapes.items():
        found[f"{name}.weight"] = rng.normal(0, scale, shape).astype(np.float32)
        found[f"{name}.bias"] = rng.normal(0, scale, shape[0]).astype(np.float32)
    return found


def copy_lander(data: Path, question: str = "q2_dqn") -> list[Path]:
    """Copies the reference's three runs, with weights that nobody trained."""
    copied = []
    for seed, folder in enumerate(reference(question)):
        shutil.copytree(folder, data / folder.name)
        save(data / folder.name, lander_weights(seed))
        copied.append(data / folder.name)
    return copied


def test_random_weights_under_good_logs_of_dqn(tmp_path: Path) -> None:
    copy_lander(tmp_path)
    found = verdict(tmp_path, "q2_dqn")
    assert [misconception.id for misconception in found.misconceptions] == [
        "evidence.weights_below_claim"
    ]
    assert "no weights reach -100" in found.message


FALL = {
    "AverageReturn": -200,
    "MinReturn": -400,
    "MaxReturn": 0,
    "StdReturn": 50,
    "AverageEpLen": 99,
}


def paint_a_fall(run: Path, fall: dict[str, float]) -> None:
    """Lets a log end with what random weights play, so that they hold its claim."""
    for name, number in fall.items():
        edit_log(run, f"Train_{name}", -1, str(number))


def test_random_weights_under_a_painted_fall_of_a_sweep(tmp_path: Path) -> None:
    for run, freq in zip(copy_lander(tmp_path), (300, 1000, 9000), strict=True):
        edit_settings(run, target_update_freq=freq)
        paint_a_fall(run, FALL)
        run.rename(run.with_name(f"hw3_q3_{freq}"))
    assert misconceptions(tmp_path, "q3") == ["evidence.weights_below_claim"]
    assert "no weights reach -100" in verdict(tmp_path, "q3").message


@pytest.mark.slow
def test_random_weights_under_a_painted_fall_of_pac_man(tmp_path: Path) -> None:
    (folder,) = reference("q1")
    run = tmp_path / folder.name
    shutil.copytree(folder, run)
    (question,) = [q for q in QUESTIONS if q.id == "hw3.runs.q1"]
    rng = np.random.default_rng(0)
    wanted = shapes(question, {}).items()
    save(run, {name: rng.normal(0, 0.05, shape).astype(np.float32) for name, shape in wanted})
    paint_a_fall(run, {"AverageReturn": 60, "MinReturn": 0, "StdReturn": 20})
    found = verdict(tmp_path, "q1")  # judged once: a step in a game is slow
    assert (found.verdict, found.points) == (FAILED, 0)
    assert [one.id for one in found.misconceptions] == ["evidence.weights_below_claim"]
    assert "no weights reach 550" in found.message


def test_seeds_of_dqn_differ(tmp_path: Path) -> None:
    first, second, _ = copy_lander(tmp_path)
    edit_settings(first, seed=2)
    assert "2 of 3 right runs of different seeds" in verdict(tmp_path, "q2_dqn").message
    shutil.rmtree(second)
    assert misconceptions(tmp_path, "q2_dqn") == ["evidence.too_few"]


def test_a_single_learner_counts_as_double_dqn_only_if_it_is(tmp_path: Path) -> None:
    for folder in copy_lander(tmp_path):
        folder.rename(folder.with_name(folder.name.replace("q2_dqn", "q2_doubledqn")))
    assert misconceptions(tmp_path, "q2_doubledqn") == ["evidence.wrong_setting"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([{"size": 32}, {"size": 128}, {"size": 64}], ""),
        ([{"size": 32}, {"size": 128}, {"batch_size": 64}], "together they change"),
        ([{"size": 32}, {"size": 128, "batch_size": 8}, {"size": 16}], "batch_size, size"),
        ([{"size": 32}, {"size": 32}, {"size": 64}], "size has 2 different values"),
        ([{}, {}, {}], "none of them changes anything"),
    ],
)
def test_a_sweep_varies_one_setting(changes: list[dict[str, int]], words: str) -> None:
    (question,) = [q for q in QUESTIONS if q.sweep]
    base = document("python scripts/run_hw3_dqn.py --env_name LunarLander-v3")["settings"]
    swept = [Run(Path(f"run{n}"), "", base | change, {}) for n, change in enumerate(changes)]
    lines = [line for _, line in sweep_faults(question, swept)]
    assert (words == "" and not lines) or any(words in line for line in lines)


def handout_settings() -> list[tuple[str, str]]:
    found = []
    for command in handout_commands("hw3"):
        if "--frame_skip" in command:
            continue  # shown beside q1, see below
        settings = document(command)["settings"]
        folder = f"hw3_{settings['exp_name']}_{settings['env_name']}_2026"
        found += [
            (question.id, command)
            for question in QUESTIONS
            if any(fnmatch.fnmatchcase(folder, pattern) for pattern in question.folders)
        ]
    return found


def test_the_rules_ask_for_what_the_handout_says() -> None:
    asked = {question.id: question for question in QUESTIONS}
    commands = handout_settings()
    assert {name for name, _ in commands} == set(asked)
    for name, command in commands:
        config, question = document(command), asked[name]
        run = Run(Path(name), config["script"], config["settings"], {})
        assert len(different(question, run)) <= (1 if question.sweep else 0), command
        assert total_steps(question, run) == question.steps, command
        assert run.settings["env_name"] in question.task.names
        assert run.script == question.script
        assert run.settings["eval_batch_size"] is None
        assert run.settings["eval_episodes"] == question.eval_episodes
        free = set(run.settings) - set(question.settings)
        assert free <= FREE, free - FREE


def test_the_courses_own_game_is_no_evidence_for_q1() -> None:
    """Its steps are three times as long, and the judge does not play it."""
    (command,) = [line for line in handout_commands("hw3") if "--frame_skip" in line]
    config = document(command)
    run = Run(Path("q1_course"), config["script"], config["settings"], {})
    assert different(QUESTIONS[0], run) == ["frame_skip"]


@pytest.mark.parametrize(("kind", "name"), [("atari", "q1"), ("other", "q2_dqn")])
def test_the_rules_ask_for_the_presets(kind: str, name: str) -> None:
    preset = PRESETS[kind]
    (asked,) = [q.settings for q in QUESTIONS if q.id == f"hw3.runs.{name}"]
    assert {name: value for name, value in preset.items() if name not in FREE} == {
        name: asked[name] for name in preset if name not in FREE
    }


# Settings on which nothing depends that is judged.
FREE = {
    *("seed", "env_name", "exp_name", "no_gpu", "which_gpu", "threads", "data_dir", "resume"),
    *("target_return", "frame_skip", "sticky_actions", "compile"),
    *(
        "checkpoint_secs",
        "keep_checkpoint",
        "save_params",
        "scalar_log_freq",
        "eval_freq",
        "video_log_freq",
    ),
    *(
        "eval_episodes",
        "eval_epsilon",  # the judge plays with the run's own
        "eval_batch_size",  # but a claim of few episodes is none: there is a least
        "train_batch_size",
        "precision",
        "n_iter",
        "num_timesteps",
        "ep_len",
    ),
    *SWEEP,
}


def test_every_mistake_has_words_and_a_name_of_its_own() -> None:
    named = {f"evidence.{name}" for _, name in KINDS}
    more = {"duplicate", "below_threshold", "sweep", "too_few"}
    assert set(MISCONCEPTIONS) == named | {f"evidence.{name}" for name in more}


def test_bands_are_those_of_the_reference() -> None:
    bands = make_bands("hw3", RESULTS)
    assert len(bands) == len(QUESTIONS) - 1
    for name, band in bands.items():
        assert reference_band(name) == band, "python docs/results/reference_curves.py"
        assert len(band.x) == len(band.mean) == len(band.low) == len(band.high) <= 200
        assert (np.array(band.low) <= band.mean).all() and (np.array(band.mean) <= band.high).all()
    assert reference_band("hw3.runs.q3") is None
    assert reference_band("hw9.runs.q1") is None


def test_curves_are_thinned_and_stay_in_range(tmp_path: Path) -> None:
    names = ("q1", "q4_10_10", "q5_cheetah")
    for name in names:
        for folder in reference(name):
            shutil.copytree(folder, tmp_path / folder.name)
    damaged = next(tmp_path.glob("hw3_q1_*"))
    edit_log(damaged, "Train_AverageReturn", 50, "1e300")
    drawn = curves(read_folder("hw3", tmp_path))
    assert {c.question for c in drawn} == {
        f"hw3.runs.{q}" for q in ("q1", "q4_10_10", "q5_cheetah")
    }
    for curve in drawn:
        assert 2 <= len(curve.x) == len(curve.y) <= 200
        assert sorted(curve.x) == list(curve.x)
        assert max(curve.y) < 2000
