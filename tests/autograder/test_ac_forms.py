"""Actor-critic's checks on whole files that run here: with bases of their own, other contracts."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.base.judgement import Judgement
from tests.autograder.corpus import files_of, reference_files, right
from tests.autograder.corpus.older_handouts import (
    AC,
    AC_TRAIN,
    ADVANTAGE,
    START,
    VALUE,
    VALUE_UPDATE,
    method,
)
from tests.autograder.judging import CHECKS, judge_package

OLDER_FILES = files_of([
    right("", VALUE, (START, f"{START}from .base_critic import BaseCritic\n"),
          ("(nn.Module):", "(nn.Module, BaseCritic):"),
          method(VALUE, "BootstrappedContinuousCritic.update", VALUE_UPDATE)),
    right("", AC, (START, f"{START}from .base_agent import BaseAgent\n"),
          ("class ACAgent(PathAgent):", "class ACAgent(BaseAgent):"),
          method(AC, "ACAgent.train", AC_TRAIN),
          method(AC, "ACAgent.estimate_advantage", ADVANTAGE)),
])  # fmt: skip
OLDER_CRITIC, OLDER_AGENT = OLDER_FILES[VALUE], OLDER_FILES[AC]
OLDER_BASES = {
    "critics/base_critic.py": "class BaseCritic(object):\n    pass\n",
    "agents/base_agent.py": "class BaseAgent(object):\n    def __init__(self, **kwargs):\n"
    "        super(BaseAgent, self).__init__(**kwargs)\n",
}
IDS = ("hw3.critic.update", "hw3.ac.train", "hw3.ac.advantage")


def judge_files(folder: Path, files: dict[str, str]) -> dict[str, Judgement]:
    """Judges a submission that holds these files and no others."""
    for path, text in files.items():
        (folder / "cs285" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "cs285" / path).write_text(text)
    return judge_package(folder / "cs285", [check for check in CHECKS if check.id in IDS])


def test_older_files_are_judged_as_they_are(tmp_path: Path):
    files = OLDER_BASES | {VALUE: OLDER_CRITIC, AC: OLDER_AGENT}
    judgements = judge_files(tmp_path, files)
    assert all(judgement.passed for judgement in judgements.values()), judgements


@pytest.mark.slow
def test_a_base_that_is_missing_is_named(tmp_path: Path):
    judgements = judge_files(tmp_path, {VALUE: OLDER_CRITIC, AC: OLDER_AGENT})
    assert all(j.ids == ["crash.no_module"] for j in judgements.values()), judgements
    assert any("import BaseCritic" in note for note in judgements[IDS[0]].notes)


def test_mistakes_in_older_files_are_named(tmp_path: Path):
    critic = OLDER_CRITIC.replace(" * (1 - terminal_n)", "")
    agent = OLDER_AGENT.replace("ob_no, ac_na, next_ob_no, re_n", "ob_no, ac_na, re_n, next_ob_no")
    agent = agent.replace("self.actor.update(ob_no, ac_na, advantage)", "0.0")
    judgements = judge_files(tmp_path, OLDER_BASES | {VALUE: critic, AC: agent})
    named = {name: sorted(judgement.ids) for name, judgement in judgements.items()}
    assert named == {
        "hw3.critic.update": ["critic.no_mask"],
        "hw3.ac.train": ["ac_train.critic_swapped", "ac_train.no_actor_update"],
        "hw3.ac.advantage": [],
    }


def test_a_critic_of_columns_goes_with_an_agent_that_knows(tmp_path: Path):
    critic = OLDER_CRITIC.replace("self.critic_network(obs).squeeze(1)", "self.critic_network(obs)")
    critic = critic.replace("self.forward(next_ob_no)", "self.forward(next_ob_no)[:, 0]")
    critic = critic.replace("(self.forward(ob_no)", "(self.forward(ob_no)[:, 0]")
    agent = OLDER_AGENT.replace("forward_np(ob_no)", "forward_np(ob_no)[:, 0]")
    agent = agent.replace("forward_np(next_ob_no)", "forward_np(next_ob_no)[:, 0]")
    judgements = judge_files(tmp_path, OLDER_BASES | {VALUE: critic, AC: agent})
    assert all(judgement.passed for judgement in judgements.values()), judgements


def test_updates_may_answer_with_logs_if_both_sides_agree(tmp_path: Path):
    path = "policies/MLP_policy.py"
    number = reference_files()[path]
    log = number.replace("return float(loss.item())", "return {'Training Loss': loss.item()}")
    loss = "loss['Actor_Loss'] = actor_loss"
    files = OLDER_BASES | {VALUE: OLDER_CRITIC}
    files[AC] = OLDER_AGENT.replace(loss, f"{loss}['Training Loss']")
    assert judge_files(tmp_path / "agree", files | {path: log})["hw3.ac.train"].passed
    assert not judge_files(tmp_path / "not", files | {path: number})["hw3.ac.train"].passed
