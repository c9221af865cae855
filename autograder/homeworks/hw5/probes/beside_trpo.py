"""TRPO as a whole: the student's agent trains under the script that ours had."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from autograder.beside.streams import fill
from autograder.beside.training import Beside, Training
from autograder.beside.watching import Part
from autograder.homeworks.hw5.fakes.environments import ListedActions, side_by_side
from autograder.running.probing import Student

ENVIRONMENTS, STEPS = 2, 48  # environments side by side, and the steps of a batch
ENDS = ((7, True), (4, False), (11, True), (9, False), (1, True))
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
    """Builds the student's agent in worlds of its own; the critic sees all rows at once."""
    module = student.module(AGENT)
    sizes = {"hidden": (8,), "batch_size": STEPS, "minibatch_size": STEPS, "num_epochs": 3}
    width = 3 if case.discrete else 2
    own = module.TRPOSettings(4, width, case.discrete, **sizes, **case.settings)
    made = module.TRPOAgent(side_by_side(student, case, ENVIRONMENTS), own)
    made.collector.actor = ListedActions(case.discrete)
    fill(made.critic, 3, 2 * case.pay)
    fill(made.actor.logits_na if case.discrete else made.actor.mean_net, 4)
    return made


def training(discrete: bool, pay: float, iterations: int = 8, **settings: Any) -> Training:
    """Returns a training of a few iterations."""
    sizes = {"batch_size": STEPS, "train_batch_size": STEPS, "ep_len": 50, "steps_per_itr": STEPS}
    often = {"eval_freq": 4, "scalar_log_freq": 2}
    sizes |= often
    return Training(iterations, sizes, {"cg_steps": 6, **settings}, ENDS, pay, discrete=discrete)


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
