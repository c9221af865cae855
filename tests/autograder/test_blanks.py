"""What is not filled in yet is called that, whatever stands around it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from autograder.misconceptions.wording import in_words
from autograder.source.blanks import find_regions
from autograder.source.reference import fill, strip
from tests.autograder import corpus
from tests.autograder.corpus import PACKAGE, homes, reference_files
from tests.autograder.judging import FORMULA, judge_package

BLANKS = [check.id for check in FORMULA]
SLOW = pytest.mark.slow
EVERY_OTHER = [blank for n, blank in enumerate(BLANKS) if n % 3]


def write(folder: Path, empty: str) -> Path:
    """Writes the solved package with one blank empty, or all of them for "all"."""
    shutil.copytree(PACKAGE, folder / "cs285", ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in reference_files().items():
        if empty == "all":
            (folder / "cs285" / path).write_text(strip(text, path))
        elif empty in {region.id for region in find_regions(text, path)}:
            (folder / "cs285" / path).write_text(fill(text, {empty: None}, path))
    return folder / "cs285"


def test_every_blank_has_its_check() -> None:
    assert sorted(BLANKS) == sorted(blank for blank in homes() if blank.startswith("hw3."))


def test_nothing_filled_in(tmp_path: Path) -> None:
    judgements = judge_package(write(tmp_path, "all"), FORMULA)
    assert [i for i, j in judgements.items() if j.blank] == BLANKS


@pytest.mark.parametrize(
    "blank", [*BLANKS[::3], *(pytest.param(b, marks=SLOW) for b in EVERY_OTHER)]
)
def test_one_blank_is_empty(tmp_path: Path, blank: str) -> None:
    judgements = judge_package(write(tmp_path, blank), FORMULA)
    assert [i for i, j in judgements.items() if j.blank] == [blank]
    assert [i for i, j in judgements.items() if not j.passed] == [blank]


@pytest.mark.parametrize("seed", [0, *(pytest.param(s, marks=SLOW) for s in (1, 2, 77, 1077))])
def test_the_reference_passes(seed: int) -> None:
    assert not [i for i, j in judge_package(None, seed=seed).items() if not j.passed]


@pytest.mark.slow
def test_another_blanks_error_does_not_pass(tmp_path: Path) -> None:
    body = (
        "class BlankError(NotImplementedError):\n    blank = 'hw3.no.such_blank'\nraise BlankError"
    )
    package = corpus.write(tmp_path, [corpus.wrong("", blank, "", body=body) for blank in BLANKS])
    assert not [i for i, judgement in judge_package(package, FORMULA).items() if judgement.passed]


def test_a_helper_that_crashes_is_quoted_and_nothing_of_ours_is(tmp_path: Path) -> None:
    """Where a helper stands outside of the class, a stand-in finds no `self` beside it."""
    call = "action = pick(self.replay_buffer.encode_recent_observation())"
    package = corpus.write(tmp_path, [corpus.wrong("", "hw3.dqn.act", "", body=call)])
    agent = package / "agents" / "dqn_agent.py"
    agent.write_text(f"{agent.read_text()}\n\ndef pick(recent):\n    raise ValueError('no idea')\n")
    judged = judge_package(package, [check for check in FORMULA if ".dqn." in check.id])
    message = {
        name: [*map(in_words, judgement.unknown)]
        for name, judgement in judged.items()
        if judgement.unknown
    }
    assert list(message) == ["hw3.dqn.act"]
    assert "ValueError: no idea" in message["hw3.dqn.act"][0]


def test_a_step_that_keeps_another_frame_costs_the_action_nothing(tmp_path: Path) -> None:
    stepped = "self.last_obs, reward, terminated, truncated, _ = self.env.step(action)"
    kept = "self.replay_buffer_idx = self.replay_buffer.store_frame(self.last_obs)"
    change = (stepped, f"{stepped}\n{kept}")
    package = corpus.write(tmp_path, [corpus.wrong("", "hw3.dqn.step", "", change)])
    judged = judge_package(package, [c for c in FORMULA if c.id in ("hw3.dqn.act", "hw3.dqn.step")])
    assert judged["hw3.dqn.act"].passed
    assert judged["hw3.dqn.step"].ids == ["step.frame_stored"]
