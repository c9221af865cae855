"""What is given to students: the reference passes, other handouts' files pass, mistakes differ."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from autograder.homeworks.hw3.fakes import given_code
from autograder.running.worker import run_probe
from autograder.source.blanks import strip
from autograder.source.submission import Tree
from tests.autograder.corpus import Entry, reference_files, right, write
from tests.autograder.corpus.given_networks import FAR_REACHING
from tests.autograder.judging import CHECKS, judge_package

pytestmark = pytest.mark.slow

GIVEN = [check for check in CHECKS if check.of_given]
MARGIN = 0.005  # five times the judge's tolerance
OLDER_WRAPPERS = """
import numpy as np

class EpisodicLifeEnv:
    def __init__(self, env=None):
        self.env, self.lives = env, 0
"""
OLDER_BUFFER = """
class MemoryOptimizedReplayBuffer(object):
    def __init__(self, size, frame_history_len, lander=False):
        self.size, self.obs = size, None
"""
OLDER_UTIL = """
import torch
from torch import nn

device = None

def build_mlp(input_size, output_size, n_layers, size, activation="tanh",
              output_activation="identity"):
    bend = {"tanh": nn.Tanh(), "relu": nn.ReLU(), "identity": nn.Identity()}
    layers, in_size = [], input_size
    for _ in range(n_layers):
        layers += [nn.Linear(in_size, size), bend[activation]]
        in_size = size
    return nn.Sequential(*layers, nn.Linear(in_size, output_size), bend[output_activation])
"""


@pytest.mark.parametrize("seed", [0, 1, 17])
def test_the_reference_passes_quickly(seed: int) -> None:
    judge_package(None, GIVEN, seed)  # imports
    began = time.process_time()
    judgements = judge_package(None, GIVEN, seed)
    assert all(judgement.passed for judgement in judgements.values()), judgements
    assert time.process_time() - began < len(GIVEN)  # a second each; in fact a tenth


def test_nothing_that_is_looked_at_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file is missing nothing is looked at, and all passes: not so in our own code."""
    monkeypatch.setattr(given_code, "is_missing", lambda crash: False)
    for check in GIVEN:
        trials = run_probe(Tree(), check.full_probe, check.owners, 0).trials
        assert trials and not [name for name, trial in trials.items() if trial.crash], check.id


def test_the_handout_passes(tmp_path: Path) -> None:
    for path, text in reference_files().items():
        (tmp_path / "cs285" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "cs285" / path).write_text(strip(text, path))
    assert all(j.passed for j in judge_package(tmp_path / "cs285", GIVEN).values())


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("infrastructure/atari_wrappers.py", OLDER_WRAPPERS),
        ("infrastructure/replay/replay_buffer.py", OLDER_BUFFER),
        ("infrastructure/base/schedules.py", "raise SystemExit"),
        ("infrastructure/environments/envs.py", "import gym_of_old"),
        ("infrastructure/pytorch_util.py", OLDER_UTIL),
        ("critics/dqn_critic.py", "from .base_critic import BaseCritic"),
    ],
)
def test_files_with_an_interface_of_their_own_are_not_judged(
    tmp_path: Path, path: str, text: str
) -> None:
    package = write(tmp_path, [])
    (package / path).write_text(text)
    assert all(j.passed for j in judge_package(package, GIVEN).values())


def test_the_agent_may_move_the_schedule_on(tmp_path: Path) -> None:
    """V38: here it moves by itself, and nothing happens."""
    update = "log = self.critic.update(ob_no, ac_na, next_ob_no, re_n, terminal_n)"
    moved_on = (update, f"{update}\nself.critic.learning_rate_scheduler.step()")
    agent = right("", "hw3.dqn.update", moved_on)
    judgements = judge_package(write(tmp_path, [agent]))
    assert all(j.passed for j in judgements.values()), judgements


def test_missing_files_are_not_judged(tmp_path: Path) -> None:
    package = write(tmp_path, [])
    shutil.rmtree(package / "infrastructure")
    (package / "critics" / "dqn_critic.py").unlink()
    assert all(j.passed for j in judge_package(package, GIVEN).values())


@pytest.mark.parametrize("entry", FAR_REACHING, ids=lambda entry: entry.name)
def test_what_blanks_lean_on(tmp_path: Path, entry: Entry) -> None:
    judgements = judge_package(write(tmp_path, [entry]), GIVEN)
    verdict = judgements.pop(entry.judged_by)
    assert sorted(verdict.ids) == sorted(entry.misconceptions)
    assert not verdict.unknown
    assert all(j.passed for j in judgements.values())
