"""Lets a portfolio step through episodes: who acts at each step, and when the rule is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autograder.homeworks.hw6.fakes.portfolio import Portfolio
from autograder.running.experiments import note_row
from autograder.running.probing import Student

LENGTHS, MANY = (3, 1, 4, 2, 1, 5, 2), (1,) * 200  # steps; one choice in ten is seen among many


@dataclass(frozen=True)
class Episodes:
    """A portfolio, and the steps of each episode that it plays."""

    portfolio: Portfolio
    lengths: tuple[int, ...] = LENGTHS


def cases(seed: int) -> Mapping[str, Episodes]:
    """Returns what is tried."""
    within = Portfolio(seed, playing=4, within_episode=True)
    return {
        "several members": Episodes(Portfolio(seed, playing=4)),
        "one member": Episodes(Portfolio(seed, members=1)),
        "a run that goes on within an episode": Episodes(within),
        "many episodes": Episodes(Portfolio(seed, playing=4), MANY),
    }


def observe(student: Student, case: Episodes) -> dict[str, Any]:
    """Notes each step, however far it comes; the second member seems the best."""
    steps, portfolio = sum(case.lengths), case.portfolio
    agent, log = portfolio.build(student, portfolio.arms(steps), case.lengths)
    student.notes["who acts at each step"] = log
    for k in range(1, portfolio.members):
        agent.record.add(k, -float(k))

    def end_episode(score: float) -> None:
        agent.between_episodes = True  # which is another blank's

    agent.end_episode = end_episode
    for agent.t in range(steps):
        agent.step_env()
        row = {
            "who is said to play after each step": agent.playing,
            "how often the rule has been asked after each step": agent.selector.asked,
            "whether an episode is over after each step": bool(agent.between_episodes),
            "the observation that is acted on at each step": agent.members[log[-1]].acted_on,
            "rule_told": bool(agent.selector.credited),
        }
        note_row(student, row)
    return {}
