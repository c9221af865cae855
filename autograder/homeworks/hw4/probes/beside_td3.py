"""TD3 as a whole: the student's agent trains under the script that ours had."""

from __future__ import annotations

from autograder.homeworks.hw4.fakes.whole_agents import beside, training
from autograder.homeworks.hw4.probes.beside_ddpg import ACTS, QUIET, WITH_TARGET_ACTOR
from autograder.running.watching import Part

CALM = {**QUIET, "target_noise": 0.0}
BESIDE = beside(
    {
        "TD3": training(
            "TD3", 60, 16, size=3, level=0.5, learning_rate=3e-3, tau=0.05, **CALM
        ),
        "TD3 with values of hundreds": training(
            "TD3", 40, 8, updates=2, pay=40, size=300, level=-1, learning_rate=2e-2, tau=0.3,
            discount=0.9, policy_delay=3, **CALM
        ),
        "TD3 with batches of one": training(
            "TD3", 40, 1, size=3, level=0.5, learning_rate=3e-3, tau=1.0, discount=1.0,
            policy_delay=1, **CALM
        ),
    },
    (
        Part(ACTS, "get_action", returns=lambda ac_na: ac_na),
        Part("agents.td3_agent:smoothed_action", "smoothed_action", returns=lambda ac_na: ac_na),
        Part("agents.td3_agent:clipped_double_targets", "targets", returns=lambda y_n: y_n),
        Part("agents.td3_agent:twin_critic_loss", "twin_critic_loss", returns=lambda loss: loss),
        Part("agents.td3_agent:is_actors_turn", "is_actors_turn", returns=bool),
        Part("agents.td3_agent:polyak_update", "polyak_update"),
    ),
    WITH_TARGET_ACTOR,
)  # fmt: skip
cases, observe, probe = BESIDE.cases, BESIDE.observe, BESIDE.probe
