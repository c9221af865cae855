"""The thresholds of handed-in runs, each approached from both sides."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from autograder.evidence import bound, claims, judging
from autograder.evidence.claims import Claim
from autograder.evidence.play import Played, Player
from autograder.evidence.rules import RunQuestion, questions
from autograder.evidence.run_folder import Run
from autograder.evidence.settings import setting_faults

HAIR = 1e-6
BY_ID = {question.id: question for question in questions("hw3")}
DQN, CRITIC = BY_ID["hw3.runs.q2_dqn"], BY_ID["hw3.runs.q4_10_10"]


def run_of(question: RunQuestion, curve: Sequence[float], **changes: Any) -> Run:
    """Returns a run with the settings that a question asks for, and this curve."""
    wanted = {k: v[0] if isinstance(v, tuple) else v for k, v in question.settings.items()}
    total = "num_timesteps" if question.dqn else "n_iter"
    settings = {
        **wanted, "seed": 1, "env_name": question.task.env_name, total: question.steps,
        "eval_episodes": question.eval_episodes, **changes,
    }  # fmt: skip
    steps = np.linspace(1, settings[total], len(curve))
    log = {"Step": steps, question.column: np.array(curve), "Eval_AverageEpLen": np.full(2, 100.0)}
    return Run(Path("run"), question.script, settings, log)


@pytest.mark.parametrize(
    ("curve", "faults"),
    [
        ([70.0, 50.0, 30.0], 0),  # both thresholds, to the last bit
        ([70.0 - HAIR, 50.0, 30.0], 1),
        ([70.0, 50.0, 30.0 - HAIR], 1),
        ([70.0 - HAIR, 50.0, 30.0 - HAIR], 2),
        ([70.0, 20.0, 30.0], 0),  # in between it may be anything
    ],
)
def test_what_a_curve_must_reach_and_where_it_must_end(curve: list[float], faults: int) -> None:
    asked = dataclasses.replace(CRITIC, reach=70.0, hold=30.0)
    found = list(judging._curve_faults(asked, run_of(asked, curve)))
    assert [name for name, _ in found] == ["evidence.below_threshold"] * faults
    assert not list(judging._curve_faults(BY_ID["hw3.runs.q4_1_1"], run_of(asked, curve)))


def run_folder(
    question: RunQuestion, best: float, reached: float, holds: bool = True
) -> judging.JudgedRun:
    claim = Claim("", reached, holds, False)
    return judging.JudgedRun("run", run_of(question, [best, best]), claims=[claim])


@pytest.mark.parametrize(
    ("best", "reached", "holds", "passed"),
    [
        (100.0, -100.0, 2, True),
        (100.0 - HAIR, -100.0, 2, False),
        (100.0, -100.0 - HAIR, 2, False),
        (100.0, -100.0, 1, False),
        (100.0, -100.0, 3, True),
    ],
)
def test_what_one_of_three_runs_must_reach(
    best: float, reached: float, holds: int, passed: bool
) -> None:
    """The peak of the best curve, what the best weights play, and how many weights must hold."""
    asked = dataclasses.replace(DQN, peak=100.0, proof=-100.0, holds=2)
    runs = [
        run_folder(asked, best, -500.0, holds > 0),
        run_folder(asked, 1.0, reached, holds > 1),
        run_folder(asked, 2.0, -400.0, holds > 2),
    ]
    assert (not list(judging._group_faults(asked, runs))) == passed


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"num_timesteps": 450_000}, None),  # nine tenths of 500,000
        ({"num_timesteps": 449_999}, "evidence.too_short"),
        ({"num_timesteps": 500_001}, "evidence.too_many_steps"),
        ({"eval_episodes": 10}, None),
        ({"eval_episodes": 9}, "evidence.wrong_setting"),
        ({"eval_episodes": None}, "evidence.wrong_setting"),
        ({"eval_batch_size": 999}, "evidence.wrong_setting"),  # of an earlier version
        ({"eval_batch_size": 1000, "eval_episodes": None}, None),
    ],
)
def test_how_many_steps_a_run_has(changes: dict[str, Any], fault: str | None) -> None:
    found = [name for name, _ in setting_faults(DQN, run_of(DQN, [1.0, 2.0], **changes))]
    assert found == ([fault] if fault else [])


class Plays:
    """Plays so many episodes that all return the same."""

    def __init__(self, mean: float) -> None:
        """Of this return."""
        self.mean, self.episodes = mean, list[int]()

    def play(self, episodes: int) -> Played:
        """Notes how many were asked for."""
        self.episodes.append(episodes)
        return Played(np.full(episodes, self.mean), np.full(episodes, 100.0))


def while_learning(claim: float, reached: float, **changes: Any) -> tuple[bool, list[int]]:
    """Returns whether a claim of training episodes holds, and how many episodes were played."""
    asked = dataclasses.replace(DQN, **{"proof": None, **changes})
    player = Plays(reached)
    found = claims._while_learning(asked, run_of(asked, [claim, claim]), cast(Player, player))
    assert found.reached == pytest.approx(reached) and not found.certain
    return found.holds, player.episodes


@pytest.mark.parametrize(
    ("reached", "holds", "looks"),
    [
        (120.0 + HAIR, True, 1),  # of 400 above random play it keeps three quarters
        (120.0 - HAIR, True, 2),
        (20.0 + HAIR, True, 2),  # a half
        (20.0 - HAIR, False, 2),
    ],
)
def test_how_much_weights_keep_of_what_was_learned(reached: float, holds: bool, looks: int) -> None:
    """A first look is enough above three quarters; in doubt the judge plays on."""
    assert DQN.task.random == -180.0
    played = [DQN.play.first, DQN.play.more][:looks]
    assert while_learning(220.0, reached) == (holds, played)
    # Where something must be proven, a first look is enough only if it proves that as well.
    assert while_learning(220.0, 150.0, proof=150.0)[1] == [DQN.play.first]
    assert while_learning(220.0, 150.0, proof=150.0 + HAIR)[1] == [DQN.play.first, DQN.play.more]


@pytest.mark.parametrize(
    ("chances", "holds", "looks"),
    [
        ([bound.DOUBTFUL], True, 1),
        ([bound.DOUBTFUL - HAIR, bound.DOUBTFUL], True, 2),
        ([bound.DOUBTFUL - HAIR, bound.ALPHA + HAIR], True, 2),
        ([bound.DOUBTFUL - HAIR, bound.ALPHA], False, 2),
    ],
)
def test_how_unlikely_an_evaluation_may_be(
    chances: list[float], holds: bool, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (bound.ALPHA, bound.DOUBTFUL) == (1e-3, 0.1)
    left = iter(chances)
    monkeypatch.setattr(bound, "evaluation_p_value", lambda *_: next(left))
    player = Plays(50.0)
    found = claims._evaluated(CRITIC, run_of(CRITIC, [60.0, 60.0]), cast(Player, player), 0)
    assert (found.holds, found.certain) == (holds, True)
    assert player.episodes == [CRITIC.play.first, CRITIC.play.more][:looks]
    assert next(left, None) is None
