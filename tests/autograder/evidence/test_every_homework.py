"""The rules of every homework beside its handout, and weights of each kind of agent."""

from __future__ import annotations

import dataclasses
import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import save

from autograder.base import checks as homeworks
from autograder.base.results import PASSED, Verdict
from autograder.evidence import judging
from autograder.evidence.judging import judge_each, read_folder
from autograder.evidence.policies import load_weights, make_policy, shapes, untrained
from autograder.evidence.rules import Play, RunQuestion, questions
from autograder.evidence.run_folder import Run
from autograder.evidence.settings import different, total_steps
from cs285.agents.segment_agent import orthogonal_init
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.training.agent import DeterministicPolicy
from cs285.policies.deterministic_policy import DeterministicActor
from cs285.policies.MLP_policy import MLPPolicy
from cs285.policies.squashed_policy import SquashedPolicy
from tests.autograder.evidence.run_folders import (
    document,
    edit_log,
    edit_settings,
    script_module,
)
from tests.running import handout_commands, studies
from tests.studies.test_handout_studies import asked_of
from tests.studies.test_spinning_up import planned

ALL = {name: questions(name) for name in homeworks.names()}
COMMANDS = {
    name: [line for line in handout_commands(name) if "exp_name q" in line]
    for name, asked in ALL.items()
    if asked and name != "hw3"  # which has more commands than questions: test_questions.py
}
PAIRS = [(name, line) for name, lines in COMMANDS.items() for line in lines]
BY_ID = {question.id: question for asked in ALL.values() for question in asked}


def question_of(homework: str, command: str) -> RunQuestion:
    """The question that a command's run folder belongs to."""
    settings = document(command)["settings"]
    folder = f"{homework}_{settings['exp_name']}_{settings['env_name']}_2026"
    (found,) = [
        question
        for question in ALL[homework]
        if any(fnmatch.fnmatchcase(folder, pattern) for pattern in question.folders)
    ]
    return found


@pytest.mark.parametrize(("homework", "command"), PAIRS, ids=[line for _, line in PAIRS])
def test_the_rules_ask_for_what_the_handout_says(homework: str, command: str) -> None:
    config, question = document(command), question_of(homework, command)
    run = Run(Path("run"), config["script"], config["settings"], {})
    assert run.script == question.script
    if not question.sweep:
        assert not different(question, run)
    assert total_steps(question, run) == question.steps
    assert run.settings["env_name"] in question.task.names
    assert run.settings["eval_episodes"] >= question.eval_episodes


@pytest.mark.parametrize("homework", COMMANDS)
def test_every_question_has_its_command(homework: str, tmp_path: Path) -> None:
    asked = {question_of(homework, command).id for command in COMMANDS[homework]}
    for command in studies():
        if f"--exp_name {homework}_" in command:
            asked |= {asked_of(run.name).id for run in planned(command, tmp_path)[0]}
    assert asked == {question.id for question in ALL[homework]}


def with_scales(policy: MLPPolicy) -> MLPPolicy:
    """Lets a policy scale its observations by some that it has seen."""
    norm = ptu.RunningNorm(17)
    orthogonal_init(policy.mean_net, 0.01)
    policy.mean_net.insert(0, norm)
    norm.update(torch.randn(500, 17) * torch.arange(1, 18) + 3.0)
    return policy


KINDS: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "DDPG": ("hw4.runs.q1", lambda: DeterministicActor(3, 1, [256, 256], 0.1), {}),
    "TD3": ("hw4.runs.q5_td3", lambda: DeterministicActor(17, 6, [256, 256], 0.1), {}),
    "SAC": ("hw4.runs.q5_sac", lambda: SquashedPolicy(17, 6, [256, 256]), {}),
    "a list of layers": (
        "hw4.runs.q3_sac",
        lambda: SquashedPolicy(3, 1, [40, 30]),
        {"hidden": "40,30"},
    ),
    "PPO": ("hw5.runs.q2_cheetah", lambda: with_scales(MLPPolicy(6, 17, 2, 64, False)), {}),
    "PPO as seen": ("hw5.runs.q2_as_seen", lambda: MLPPolicy(6, 17, 2, 64, False), {}),
    "TRPO": ("hw5.runs.q3_trpo", lambda: MLPPolicy(2, 4, 2, 64, True), {}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_weights_play_as_the_policy_itself(kind: str, tmp_path: Path) -> None:
    """Evaluations of these agents draw nothing, so their actions are equal."""
    id, made, changes = KINDS[kind]
    question = BY_ID[id]
    torch.manual_seed(3)
    policy = made()
    settings = {name: one[0] if isinstance(one, tuple) else one for name, one in
                question.settings.items()} | changes  # fmt: skip
    wanted = shapes(question, settings)
    safe = {name: value.detach().numpy() for name, value in policy.state_dict().items()}
    assert wanted == {name: array.shape for name, array in safe.items()}
    weights = load_weights(save({n: np.array(a, order="C") for n, a in safe.items()}), wanted)
    mine, theirs = make_policy(question, weights, 0.0), DeterministicPolicy(policy)
    rng = np.random.default_rng(4)
    for obs in rng.normal(0.0, 5.0, (20, question.task.ob_dim)).astype(np.float32):
        np.testing.assert_allclose(mine(obs, rng), theirs.get_action(obs)[0], atol=1e-5)


DATE = "2026-01-01_00-00-00"
SHORT = "--threads 1 --eval_episodes 10 "
HONEST = {
    "hw4.runs.q1": (SHORT + "--num_timesteps 700 --eval_freq 350 --scalar_log_freq 350", 700),
    "hw4.runs.q3_sac": (SHORT + "--num_timesteps 700 --eval_freq 350 --scalar_log_freq 350", 700),
    "hw5.runs.q2_pendulum": (SHORT + "-n 3", 3),
    "hw5.runs.q3_trpo": (SHORT + "-n 1", 1),  # after three its weights reach nearly all there is
    "hw2.runs.q1_sb_rtg_dsa": (SHORT + "-n 3", 3),
}


def short_run(id: str, data: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """Trains a question's run for some steps, and lets the rules ask for no more."""
    homework = id.partition(".")[0]
    flags, steps = HONEST[id]
    command = next(line for line in COMMANDS[homework] if question_of(homework, line).id == id)
    words = [*command.split()[2:], *flags.split(), "--data_dir", str(data)]
    assert script_module(command.split()[1].split("/")[1].removesuffix(".py")).main(words) == 0
    short = dataclasses.replace(
        BY_ID[id], steps=steps, play=Play(4, 12, 9_000), reach=None, hold=None, runs=1
    )
    monkeypatch.setattr(judging, "questions", lambda _: (short,))
    (folder,) = data.iterdir()
    # The judge's draws follow from a run's name: with a date of its own, one honest run of a
    # thousand would fail.
    fixed = folder.with_name(f"{folder.name[: -len(DATE)]}{DATE}")
    return folder.rename(fixed), homework


def verdict(homework: str, data: Path) -> Verdict:
    """The verdict on the only question."""
    (found,) = judge_each(read_folder(homework, data), 0)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("id", HONEST)
def test_an_honest_short_run_passes_and_a_lie_does_not(
    id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, homework = short_run(id, tmp_path, monkeypatch)
    found = verdict(homework, tmp_path)
    assert found.verdict == PASSED, found.message
    task = BY_ID[id].task
    edit_log(folder, "Eval_AverageReturn", -1, f"{task.returns[1] - 1.0}")
    lied = verdict(homework, tmp_path)
    assert [one.id for one in lied.misconceptions] == ["evidence.weights_below_claim"]
    edit_settings(folder, discount=0.5)
    assert "discount is 0.5" in verdict(homework, tmp_path).message


@pytest.mark.slow
def test_a_run_that_was_stopped_gets_one_true_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, homework = short_run("hw4.runs.q1", tmp_path, monkeypatch)
    lines = (folder / "log.csv").read_text().splitlines()
    (folder / "log.csv").write_text("\n".join(lines[:-1]) + "\n")
    found = verdict(homework, tmp_path)
    assert found.message == f"{folder.name}: 350 of 700 steps"


def test_weights_of_ppo_are_untrained_while_their_biases_are_0() -> None:
    """Its last layer is drawn so small that PyTorch's own bounds would say nothing."""
    question = BY_ID["hw5.runs.q2_as_seen"]
    policy = MLPPolicy(6, 17, 2, 64, False)
    orthogonal_init(policy.mean_net, 0.01)
    weights = {name: value.detach().numpy() for name, value in policy.state_dict().items()}
    assert untrained(question, weights) == "mean_net.0"
    for layer in (0, 2, 4):
        weights[f"mean_net.{layer}.bias"] = weights[f"mean_net.{layer}.bias"] + np.float32(1e-4)
    assert untrained(question, weights) == ""
