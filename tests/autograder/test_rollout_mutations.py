"""Rollouts and the trainer: mistakes can be told apart, contracts hold."""

from __future__ import annotations

import itertools
from pathlib import Path

from autograder.base.judgement import Judgement
from autograder.grading.grader import judge_record
from autograder.homeworks.hw3.fakes.trainer import PATH_LENGTHS, SIZES, settings
from autograder.running.worker import run_probe
from autograder.source.submission import Tree
from tests.autograder.corpus import Entry, right, write, wrong
from tests.autograder.corpus.rollouts import PLAY, SINGLE
from tests.autograder.corpus.trainer import LEARN, learned
from tests.autograder.judging import CHECKS


def judged(folder: Path, *ids: str, seed: int = 3) -> list[Judgement]:
    found = []
    for check in (check for check in CHECKS if check.id in ids):
        record = run_probe(Tree(folder), check.full_probe, check.owners, seed)
        found.append(judge_record(check, record.trials, seed))
    assert len(found) == len(ids)
    return found


def test_settings_differ(seeds: list[int]) -> None:
    totals = set(itertools.accumulate(PATH_LENGTHS * 10))
    assert not totals & set(SIZES)
    for seed in seeds:
        sizes = [settings(seed)[name] for name in ("batch_size", "train_batch_size", "ep_len")]
        assert len(set(sizes)) == 3


def test_single_actions_are_right_with_a_policy_that_answers_so(tmp_path: Path) -> None:
    """What `get_action` answers is a contract of two blanks: both alone are wrong here."""
    unbatched = right("", PLAY, ("policy.get_action(ob)[0]", "policy.get_action(ob)"))
    own = right("", "policies/MLP_policy.py", *SINGLE)
    (verdict,) = judged(write(tmp_path, [unbatched, own]), PLAY)
    assert verdict.passed, verdict


def test_single_actions_do_not_hide_other_mistakes(tmp_path: Path) -> None:
    entry = wrong(
        "",
        PLAY,
        "rollout.never_terminal",
        ("policy.get_action(ob)[0]", "policy.get_action(ob)"),
        ("terminals.append(terminated)", "terminals.append(0)"),
    )
    own = right("", "policies/MLP_policy.py", *SINGLE)
    (verdict,) = judged(write(tmp_path, [entry, own]), PLAY)
    assert verdict.ids == ["rollout.never_terminal"]
    assert not verdict.unknown


def test_reordered_train_is_right_with_its_own_agent(tmp_path: Path) -> None:
    """An order of arguments that the student's own agent has is no mistake of the trainer."""
    order = "re_n: np.ndarray,\n        next_ob_no: np.ndarray,"
    other = "next_ob_no: np.ndarray,\n        re_n: np.ndarray,"
    agent = right("", "agents/ac_agent.py", (order, other))
    swapped = "all_logs.append(self.agent.train(ob_no, ac_na, next_ob_no, re_n, terminal_n))"
    own = right("", LEARN, body=learned(train=swapped))
    (verdict,) = judged(write(tmp_path / "both", [agent, own]), LEARN)
    assert verdict.passed, verdict
    (verdict,) = judged(write(tmp_path / "one", [own]), LEARN)
    assert verdict.ids == ["trainer_train.argument_order"]


def test_given_functions_are_watched(tmp_path: Path) -> None:
    entry = Entry("", "infrastructure/rollouts.py", None, (("timesteps += ", "timesteps = "),), ())
    (verdict,) = judged(write(tmp_path, [entry]), PLAY)
    assert verdict.unknown and not verdict.ids
