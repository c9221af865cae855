"""Ends episodes: whom the rule credits, with which score, and what comes next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.homeworks.hw6.fakes.portfolio import Portfolio
from autograder.homeworks.hw6.fakes.rules import finite
from autograder.running.experiments import note_row
from autograder.running.probing import Student, number_in

EPISODES = 6
NOTHING = (-1.0, -1.0)


def cases(seed: int) -> Mapping[str, Portfolio]:
    """Returns several members, and one."""
    return {"several members": Portfolio(seed), "one member": Portfolio(seed, members=1)}


def observe(student: Student, case: Portfolio) -> dict[str, Any]:
    """Ends episodes, whose scores are another blank's; notes what the rule is credited with."""
    agent, _ = case.build(student, case.arms(EPISODES))
    scores = np.random.default_rng([285, 72, case.seed]).uniform(0.2, 0.8, EPISODES)
    scores[2], rule = 0.0, agent.selector
    for k, x in enumerate(scores.tolist()):
        before, who = len(rule.credited), (2 + 3 * k) % case.members
        episodes = agent.record.plays_k.sum()
        score = float(-50 - 9 * k if k % 2 else 30 + k)
        # Scores of other returns are others: who credits an earlier one, or a mean, is found out.
        agent.scaled = lambda s, x=x, score=score: x + 0.001 * (s - score)
        agent.playing, agent.between_episodes = who, False
        agent.end_episode(score)
        arm, credited = rule.credited[-1] if len(rule.credited) > before else NOTHING
        between = agent.between_episodes
        row = {
            "how often the rule is told of an episode": len(rule.credited) - before,
            "episodes in the record": finite(agent.record.plays_k.sum() - episodes),
            "whom it is told of": finite(arm),
            "with which score": finite(credited),
            "whether the next step is one between episodes": number_in(between) == 1,
            "who plays stays": agent.playing == who,
            "rule_asked": rule.asked > 0,
        }
        note_row(student, row)
    return {}
