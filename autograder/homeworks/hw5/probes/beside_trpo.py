"""TRPO as a whole: the student's agent trains under the script that ours had."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from autograder.homeworks.hw5.fakes import environments
from autograder.homeworks.hw5.fakes.environments import training
from autograder.running.probing import Student
from autograder.running.training import Beside, Training
from autograder.running.watching import Part

AGENT = "agents.trpo_agent"
PARTS = (
    Part(
        f"{AGENT}:surrogate",
        "surrogate",
        ("log_prob_n", "old_log_prob_n", "adv_n"),
        lambda objective: objective,
    ),
    Part(f"{AGENT}:fisher_product", "fisher_product", ("vector",), lambda product: product),
    Part(f"{AGENT}:conjugate_gradient", "conjugate_gradient", ("b",), lambda x: x),
    Part(
        f"{AGENT}:scale_to_trust_region",
        "scale_to_trust_region",
        ("direction", "h_direction"),
        lambda step: step,
    ),
    Part(f"{AGENT}:line_search", "line_search", returns=tuple),
    Part(f"{AGENT}:TRPOAgent.update", "update", ("ob_no", "ac_na", "adv_n")),
    Part(f"{AGENT}:TRPOAgent.train", "train"),
)


def agent(student: Student, env: gym.Env[Any, Any], case: Training) -> Any:
    """Builds the student's agent; the critic sees all rows at once."""
    sizes = {"hidden": "8", "num_epochs": 3, "cg_steps": 6}
    return environments.agent(student, case, "TRPO", **sizes, **case.settings)


BESIDE = Beside(
    trainings={
        "TRPO, discrete": training(True, 1.0, max_kl=0.02),
        "TRPO, continuous": training(False, 5.0, max_kl=0.05, damping=0.3),
        "TRPO, steps too long": training(False, 5.0, 4, max_kl=0.6, line_search_shrink=0.5),
    },
    agent=agent,
    parts=PARTS,
    networks={"actor": "actor", "critic": "critic"},
    trained={"critic": ("critic", "critic")},
    log=("Actor_Loss", "Critic_Loss", "KL", "Entropy", "Step_Fraction", "Gradient_Norm"),
)
cases, observe, probe = BESIDE.cases, BESIDE.observe, BESIDE.probe
