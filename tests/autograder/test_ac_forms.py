"""Actor-critic's checks on whole files that run here: with bases of their own, other contracts."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.base.results import Judgement
from tests.autograder.corpus import files_of, right
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
