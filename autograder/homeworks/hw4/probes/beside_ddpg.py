"""DDPG as a whole: the student's agent trains under the script that ours had."""

from __future__ import annotations

from typing import Any

from autograder.homeworks.hw4.fakes.whole_agents import NETWORKS, beside, training
from autograder.running.watching import Part

ACTS = "policies.deterministic_policy:DeterministicActor.get_action"
WITH_TARGET_ACTOR = {**NETWORKS, "target actor": "actor_target"}
QUIET: dict[str, Any] = {"exploration_noise": 0.0}
BESIDE = beside(
    {
        "DDPG": training(
            "DDPG", 60, 16, size=3, level=0.5, learning_rate=3e-3, tau=0.05, **QUIET
        ),
        "DDPG with values of hundreds": training(
            "DDPG", 40, 8, updates=2, pay=40, size=300, level=-1, learning_rate=2e-2, tau=0.3,
            discount=0.9, **QUIET
        ),
        "DDPG with batches of one": training(
            "DDPG", 40, 1, size=3, level=0.5, learning_rate=3e-3, tau=1.0, discount=1.0, **QUIET
        ),
    },
    (
        Part(ACTS, "get_action", returns=lambda ac_na: ac_na),
        Part("agents.ddpg_agent:bellman_targets", "targets", returns=lambda y_n: y_n),
        Part("agents.ddpg_agent:policy_loss", "policy_loss", returns=lambda loss: loss),
        Part("agents.ddpg_agent:polyak_update", "polyak_update"),
    ),
    WITH_TARGET_ACTOR,
)  # fmt: skip
cases, observe, probe = BESIDE.cases, BESIDE.observe, BESIDE.probe
