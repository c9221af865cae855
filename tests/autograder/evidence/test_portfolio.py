"""Runs of homework 6: a short one that is honest, what cannot be in one, and its policies."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import torch

from autograder.base.results import PASSED, Verdict
from autograder.evidence import judging
from autograder.evidence.judging import judge_each, read_folder
from autograder.evidence.policies import MisfitError, make_policy, shapes
from autograder.evidence.rules import Play, questions
from cs285.infrastructure.training.agent import DeterministicPolicy
from cs285.policies.deterministic_policy import DeterministicActor
from cs285.policies.squashed_policy import SquashedPolicy
from tests.autograder.evidence.run_folders import (
    edit_log,
    edit_settings,
    save,
    script_module,
)
from tests.running import handout_commands

QUESTIONS = questions("hw6")
ASKED = {question.id.rpartition(".")[2]: question for question in QUESTIONS}
COMMANDS = [line for line in handout_commands("hw6") if "_hw6.py" in line and "debug" not in line]
SHORT = "--num_timesteps 3000 --eval_freq 1000 --scalar_log_freq 500 --threads 1"


def test_the_questions_are_worth_20_points() -> None:
    assert sum(question.points for question in QUESTIONS) == 20


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Question 2's run, ended early."""
    (command,) = [line for line in COMMANDS if line.endswith("q2_ssbas")]
    data = tmp_path_factory.mktemp("portfolio")
    words = [*command.split()[2:], *SHORT.split(), "--data_dir", str(data)]
    assert script_module("run_hw6").main(words) == 0
    return data


@pytest.fixture
def run(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of it, to be changed; it is all that is asked for."""
    play, question = Play(8, 40, 9_000), ASKED["q2_ssbas"]
    short = dataclasses.replace(question, steps=3_000, play=play, reach=None, hold=None)
    monkeypatch.setattr(judging, "questions", lambda homework: (short,))
    shutil.copytree(trained, tmp_path / "data")
    (folder,) = (tmp_path / "data").iterdir()
    yield folder


def verdict(run: Path) -> Verdict:
    (found,) = judge_each(read_folder("hw6", run.parent), 0)
    return found


def test_an_honest_run_passes(run: Path) -> None:
    found = verdict(run)
    assert found.verdict == PASSED, found
    assert "the last evaluation claims" in found.message


@pytest.mark.parametrize(
    ("column", "text", "words"),
    [
        ("Best_Member", "3", "policy.safetensors: "),
        ("Eval_AverageReturn", "600", "and CartPole-v1 gives 1 to 500"),
        ("Eval_AverageReturn", "", "the last row of log.csv has no Eval_AverageReturn"),
        ("Eval_AverageEpLen", "501", "and CartPole-v1 gives 1 to 500"),
    ],
)
def test_claims_that_cannot_be(run: Path, column: str, text: str, words: str) -> None:
    edit_log(run, column, -1, text)
    found = verdict(run)
    assert found.points == 0
    assert words in found.message


def test_other_members_are_another_experiment(run: Path) -> None:
    edit_settings(run, members="dqn,dqn,dqn", selector="uniform")
    assert [misconception.id for misconception in verdict(run).misconceptions] == [
        "evidence.wrong_setting"
    ]


def test_weights_of_another_member_or_of_nobody(run: Path) -> None:
    weights = safetensors.numpy.load_file(run / "policy.safetensors")
    own = next(iter(weights)).partition(".")[0]
    other = str((int(own) + 1) % 3)
    save(run, {name.replace(own, other, 1): array for name, array in weights.items()})
    assert [m.id for m in verdict(run).misconceptions] == ["evidence.weights_do_not_fit"]
    rng = np.random.default_rng(0)
    save(run, {n: rng.normal(0, 1, a.shape).astype(np.float32) for n, a in weights.items()})
    edit_log(run, "Eval_AverageReturn", -1, "499")
    edit_log(run, "Eval_AverageEpLen", -1, "499")
    assert [m.id for m in verdict(run).misconceptions] == ["evidence.weights_below_claim"]


@pytest.mark.parametrize("best", [0, 1, 2])
def test_actions_are_those_of_the_members_own_policies(best: int) -> None:
    """DDPG, TD3 and SAC, in this order."""
    policy: torch.nn.Module = (
        SquashedPolicy(3, 1, [64, 64]) if best == 2 else DeterministicActor(3, 1, [64, 64], 0.1)
    )
    weights = {f"{best}.{name}": value.numpy() for name, value in policy.state_dict().items()}
    question = ASKED["q3_ssbas"]
    assert shapes(question, question.settings, best) == {n: a.shape for n, a in weights.items()}
    quiet = DeterministicPolicy(policy)
    mine, rng = make_policy(question, weights, 0.0), np.random.default_rng(best)
    for obs in rng.normal(size=(20, 3)).astype(np.float32):
        np.testing.assert_allclose(mine(obs, rng), quiet.get_action(obs)[0], atol=1e-6)


@pytest.mark.parametrize("settings", [{"hidden": None}, {"hidden": "64,x"}, {"hidden": "9999"}, {}])
def test_a_size_that_nobody_tells(settings: dict[str, str]) -> None:
    with pytest.raises(MisfitError):
        shapes(ASKED["q3_ssbas"], settings, 0)
    with pytest.raises(MisfitError):
        shapes(ASKED["q3_ssbas"], {"hidden": "64,64"}, float("nan"))
