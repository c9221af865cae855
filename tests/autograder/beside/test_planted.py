"""Mistakes planted in our own agents are found where they are; all parts of a story are seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from autograder.base import checks as homeworks
from autograder.base.checks import Check
from autograder.grading.judging import judge_seen
from autograder.misconceptions.catalogue import question
from autograder.misconceptions.mutants import MutantTree
from autograder.misconceptions.stories import Agent
from autograder.running.declared import load
from autograder.running.see import see
from autograder.source import reference

WHOLE = [c for name in homeworks.names() for c in homeworks.checks(name) if c.beside]
BY_NAME = {check.id.rpartition("_")[2]: check for check in WHOLE}
PLANTED = [
    ("ddpg", "hw4.ddpg.targets", ("(1.0 - terminal_n)", "(1.0 - 0.5 * terminal_n)")),
    ("ddpg", "hw4.ddpg.actor", ("loss = -critic(", "loss = critic(")),
    ("td3", "hw4.td3.targets", (".min(dim=0).values", ".mean(dim=0)")),
    ("td3", "hw4.td3.critic", (".square().mean(dim=1).sum()", ".abs().mean(dim=1).sum()")),
    ("td3", "hw4.td3.delay", ("turn = update % policy_delay == 0", "turn = True")),
    ("pg", "hw2.pg.advantage", ("adv_n = q_values - value_n", "adv_n = q_values - 0.5 * value_n")),
    ("pg", "hw2.pg.baseline", ("(q_n - self.q_mean) / (self", "q_n / (self")),
]  # fmt: skip


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted[1])
def test_a_planted_mistake_is_found_where_it_is(
    planted: tuple[str, str, tuple[str, str]],
) -> None:
    name, blank, (old, new) = planted
    path, check = f"agents/{name}_agent.py", BY_NAME[name]
    text = reference.texts()[path]
    assert old in text
    tree = MutantTree({path: text.replace(old, new, 1)})
    all_trainings = replace(check, probe=check.probe.partition(":")[0], owners=())
    seen = see(tree, all_trainings, 0)
    assert list(judge_seen(check, seen, 0).blamed) == [blank]


@pytest.mark.slow
@pytest.mark.parametrize("check", WHOLE, ids=lambda check: check.id)
def test_our_own_training_is_known_and_all_its_parts_are_seen(check: Check) -> None:
    agent, trainings = Agent(question(check)), load(check.full_probe.partition(":")[0]).trainings
    compared = [name for name, case in trainings.items() if not case.free]
    every = [next(agent.references(name)) for name in compared]
    assert all(agent.decide & ours.keys() >= {"batch", "log", "kept"} for ours in every)
    for part in agent.parts:
        assert any(f"{part} returned" in ours for ours in every), part
    for name in agent.networks:
        assert any(moves(ours[f"{name} weights"]) for ours in every if f"{name} weights" in ours)


def moves(rows: Sequence[np.ndarray] | np.ndarray) -> bool:
    """Returns whether a network learns."""
    return bool(np.abs(np.asarray(rows)[-1, 3:]).max() > 0.01)
