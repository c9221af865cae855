"""Whole agents: the right one learns and passes; what a broken one cannot learn is named.

How often either goes wrong is measured by benchmarks/probe_rates.py.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import numpy as np
import pytest

from autograder.base.checks import LEVELS, Check
from autograder.base.judgement import Judgement
from autograder.base.record import Crash, Record, Trial
from autograder.base.results import read_misconceptions
from autograder.homeworks.hw3.levels import judge_learning as judges
from autograder.homeworks.hw3.levels.probe_learning import AGENTS, GAMMA
from benchmarks.probe_rates import BROKEN, upper_bound
from tests.autograder import judging
from tests.autograder.corpus import Entry, homes, reference_files, write, wrong
from tests.autograder.judging import judge_package
from tests.running import ALL

CHECKS = {check.id: check for check in judging.CHECKS if check.level != LEVELS[0]}
PROBE = [check for check in CHECKS.values() if check.level == "tiny"]
MISCONCEPTIONS = read_misconceptions("homeworks/hw3/levels/misconceptions_learning.json")
DQN, DOUBLE, AC, CONTINUOUS = (check.id for check in PROBE)
# The first agent with each misconception; all agents with CS285_ALL=1.
OF_EACH = {BROKEN[key].misconceptions: key for key in reversed(BROKEN)}
BROKEN_AGENTS = [key for key in BROKEN if ALL or key in OF_EACH.values()]


def judge_entries(check_id: str, folder: Path | None, entries: list[Entry]) -> Judgement:
    package = write(folder, entries) if folder else None
    return judge_package(package, [CHECKS[check_id]])[check_id]


@pytest.mark.parametrize("check", CHECKS.values(), ids=lambda check: check.id)
def test_checks_name_what_there_is(check: Check) -> None:
    for place in (check.probe, check.judged_by):
        module, function = place.split(":")
        assert callable(getattr(importlib.import_module(f"autograder.{module}"), function))
    assert check.level in LEVELS
    assert set(check.needs) <= homes().keys()
    assert set(check.owners) == {homes()[blank][0] for blank in check.needs}
    assert set(check.owners) <= reference_files().keys()


def test_every_mistake_is_in_use_and_explained() -> None:
    used = set(re.findall(r'"(learning\.\w+)"', Path(judges.__file__).read_text()))
    assert used == MISCONCEPTIONS.keys()
    assert all(len(misconception.title) <= 70 for misconception in MISCONCEPTIONS.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    "check",
    PROBE,
    ids=lambda check: check.id,
)
def test_reference_learns_everything(check: Check) -> None:
    verdict = judge_entries(check.id, None, [])
    assert verdict.passed, verdict
    assert not verdict.notes


def test_an_agent_of_each_kind_is_broken() -> None:
    assert {check for check, _ in BROKEN_AGENTS} == {check.id for check in PROBE}


@pytest.mark.slow
@pytest.mark.parametrize("key", BROKEN_AGENTS, ids=lambda key: " ".join(key))
def test_broken_agent_is_named(tmp_path: Path, key: tuple[str, str]) -> None:
    verdict = judge_entries(key[0], tmp_path, [BROKEN[key]])
    assert verdict.ids == list(BROKEN[key].misconceptions), verdict


# What whole agents would have learned, without any agent


def trial_of(**arrays: np.ndarray) -> Trial:
    """The same for each of the agents."""
    return Trial({f"{k}{agent}": np.array(v) for k, v in arrays.items() for agent in range(AGENTS)})


def q_trial(env: str, q: np.ndarray, share: float = 1.0) -> Trial:
    """Q-values, and play of which `share` follows them."""
    states = list(judges.exact_q(env, GAMMA))
    played = [
        (s, row.argmax() if i < share * 50 else row.argmin())
        for s, row in zip(states, q, strict=True)
        for i in range(50)
    ]
    return trial_of(values=q, actions=np.array(played, np.float64))


def dqn_record(gamma: float = GAMMA, share: float = 1.0) -> Record:
    """What DQN would learn with this discount."""
    tables = {lesson.env: judges.exact_q(lesson.env, gamma) for lesson in judges.LESSONS}
    return {e: q_trial(e, np.array(list(t.values())), share) for e, t in tables.items()}


def changed(**values: list[list[float]]) -> Judgement:
    """The verdict on exact values, except for these."""
    record = dqn_record() | {env: q_trial(env, np.array(q)) for env, q in values.items()}
    return judges.judge_dqn(record, 0)


def test_exact_values_pass() -> None:
    assert judges.judge_dqn(dqn_record(), 0).passed


@pytest.mark.parametrize(
    ("values", "misconceptions"),
    [
        ({"ConstantReward": [[5.0, 5.0]]}, ["terminal_not_masked"]),
        ({"ConstantReward": [[0.0, 0.0]]}, ["no_reward"]),
        ({"ConstantReward": [[np.nan, 1.0]]}, ["constant_reward"]),
        ({"RewardFromObservation": [[0.0, 0.0], [0.0, 0.0]]}, ["reward_from_observation"]),
        ({"TwoSteps": [[1.0, 1.0], [1.0, 1.0]]}, ["no_discount"]),
        ({"TwoSteps": [[0.0, 0.0], [1.0, 1.0]]}, ["no_future"]),
        ({"TwoSteps": [[2.7, 2.7], [1.0, 1.0]]}, ["target_never_synced"]),
        ({"TwoSteps": [[0.4, 0.4], [1.0, 1.0]]}, ["two_steps"]),
        ({"ActionMatters": [[1.0, -1.0]]}, ["action_matters"]),
        ({"ActionAndObservationMatter": [[0.2, -1.8], [-1.0, 1.0]]}, ["action_and_observation"]),
        ({"AlwaysTruncated": [[2.1, 2.2]]}, ["time_limit_is_terminal"]),
        ({"AlwaysTruncated": [[9.0, 9.0]]}, ["always_truncated"]),
        # An environment says nothing new if an easier one was not learned ...
        ({"ConstantReward": [[5.0, 5.0]], "TwoSteps": [[4.0, 4.0], [5.0, 5.0]]},
         ["terminal_not_masked"]),
        # ... and two that ask for different skills are both named.
        ({"RewardFromObservation": [[0.0, 0.0], [0.0, 0.0]], "ActionMatters": [[0.0, 0.0]]},
         ["reward_from_observation", "action_matters"]),
        ({"TwoSteps": [[1.0, 1.0], [1.0, 1.0]], "AlwaysTruncated": [[20.0, 20.0]],
          "ActionMatters": [[0.0, 0.0]]}, ["no_discount", "action_matters"]),
    ],
)  # fmt: skip
def test_values_tell_the_mistake(
    values: dict[str, list[list[float]]], misconceptions: list[str]
) -> None:
    verdict = changed(**values)
    assert verdict.ids == [f"learning.{name}" for name in misconceptions]
    assert len(verdict.notes) == len(values)


def test_play_against_its_own_values_is_named() -> None:
    verdict = judges.judge_dqn(dqn_record(share=0.5), 0)
    assert verdict.ids == ["learning.acts_otherwise"]
    assert "50%" in verdict.notes[0]


def test_one_agent_that_learned_is_enough() -> None:
    record = dqn_record()
    record["TwoSteps"].arrays["values0"] = np.array([[0.1, 0.1], [1.0, 1.0]])
    assert judges.judge_dqn(record, 0).passed


def actor_critic_record(**trials: Trial) -> Record:
    record = {}
    for lesson in judges.LESSONS:
        rows = judges.exact_q(lesson.env, GAMMA).values()
        best = np.array([[row.index(max(row))] * 20 for row in rows], np.float64)
        record[lesson.env] = trial_of(values=np.array([max(row) for row in rows]), actions=best)
    return record | trials


@pytest.mark.parametrize(
    ("value", "actions", "misconceptions"),
    [
        (1.0, [1.0] * 20, []),
        (-1.0, [0.0] * 20, ["learning.worst_action"]),
        (0.0, [0.0, 1.0] * 10, ["learning.action_matters"]),
        (0.0, [1.0] * 20, ["learning.action_matters"]),
    ],
)
def test_actor_critic_must_value_and_act(
    value: float, actions: list[float], misconceptions: list[str]
) -> None:
    trial = trial_of(values=np.array([value]), actions=np.array([actions]))
    verdict = judges.judge_actor_critic(actor_critic_record(ActionMatters=trial), 0)
    assert verdict.ids == misconceptions


def test_continuous_actions_are_judged_by_what_they_earn() -> None:
    good = np.tile([1.0, -1.0], (1, 20, 1))
    both = np.concatenate([-good, good])
    right_one = {
        "ContinuousActionMatters": trial_of(values=np.ones(1), actions=good),
        "ContinuousActionAndObservationMatter": trial_of(values=np.ones(2), actions=both),
    }
    assert judges.judge_continuous(right_one, 0).passed
    no_state = trial_of(values=np.ones(2), actions=np.abs(both) * 0)
    record = right_one | {"ContinuousActionAndObservationMatter": no_state}
    found = judges.judge_continuous(record, 0).ids
    assert found == ["learning.continuous_action_and_observation"]
    flat = trial_of(values=np.ones(1), actions=good[:, :, 0])
    found = judges.judge_continuous(right_one | {"ContinuousActionMatters": flat}, 0).ids
    assert found == ["learning.continuous_action"]


# Crashes, blanks


def test_a_blank_is_told_apart_from_a_mistake() -> None:
    record = dqn_record()
    record["TwoSteps"].crash = Crash("BlankError", "not filled in", blank="hw3.dqn.sync")
    verdict = judges.judge_dqn(record, 0)
    assert verdict.blank and not verdict.ids
    assert verdict.notes == ["waits for hw3.dqn.sync"]


def test_a_probe_that_never_began_does_not_pass() -> None:
    verdict = judges.judge_dqn({"probe": Trial({}, Crash("ImportError", "no such module"))}, 0)
    assert verdict.unknown and not verdict.passed


@pytest.mark.parametrize(
    ("check_id", "entry"),
    [
        (DQN, wrong("D23", "hw3.dqn.step", "learning.episode_never_ends",
                    ("if terminated or truncated:", "if False:"))),
        (AC, wrong("", "hw3.rollouts.sample_trajectory", "learning.episode_never_ends",
                   ("rollout_done = terminated or truncated or len(acs) >= max_path_length",
                    "rollout_done = False"))),
    ],
)  # fmt: skip
def test_an_episode_that_never_ends_does_not_hang(
    tmp_path: Path, check_id: str, entry: Entry
) -> None:
    assert judge_entries(check_id, tmp_path, [entry]).ids == list(entry.misconceptions)


def test_upper_bound_of_a_rate() -> None:
    assert upper_bound(0, 500) == pytest.approx(1 - 0.05 ** (1 / 500))
    assert upper_bound(2, 50) == pytest.approx(0.1206, abs=1e-3)  # Clopper and Pearson's table
