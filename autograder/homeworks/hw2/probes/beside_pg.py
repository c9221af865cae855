"""Policy gradient as a whole: the student's agent trains under the script that ours had.

Batches have hundreds of rows, so that a deviation may be that of a sample.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium as gym
import torch

from autograder.homeworks.hw2.fakes.pg import config
from autograder.running.probing import Student
from autograder.running.streams import fill
from autograder.running.training import Beside, Training
from autograder.running.watching import Part

STEPS = 400  # of a batch
CUT = ((8, True), (8, False), (20, True), (5, True))
SIZES = {"batch_size": STEPS, "train_batch_size": STEPS, "ep_len": 8}
SIZES |= {"eval_freq": 4, "scalar_log_freq": 4}
RATES: dict[str, Any] = {"learning_rate": 5e-3, "baseline_learning_rate": 5e-3, "discount": 0.95}


def itself(value: Any) -> Any:
    """Returns what a part returns."""
    return value


PARTS = (
    Part("agents.pg_agent:discounted_return", "discounted_return", returns=lambda total: [total]),
    Part("agents.pg_agent:reward_to_go", "reward_to_go", returns=itself),
    Part("agents.pg_agent:PGAgent.calculate_q_vals", "q_values", returns=itself),
    Part(
        "agents.pg_agent:PGAgent.estimate_advantage",
        "estimate_advantage",
        ("obs", "q_values", "terminals"),
        itself,
    ),
    Part(
        "agents.pg_agent:generalized_advantages",
        "generalized_advantages",
        ("reward_n", "value_n"),
        itself,
    ),
    Part("agents.pg_agent:standardize", "standardize", ("adv_n",), itself),
    Part("agents.pg_agent:PGAgent._fit_baseline", "fit_baseline"),
    Part(
        "policies.pg_policy:MLPPolicyPG.update",
        "actor.update",
        ("observations", "actions", "advantages"),
        trains="actor",
    ),
    Part(
        "critics.value_critic:ValueCritic.update",
        "critic.update",
        ("ob_no", "target_n"),
        trains="critic",
    ),
    *(
        Part(f"torch.nn.utils:{clip}", f"{who} clip", ("parameters",), within=f"{who}.update")
        for clip in ("clip_grad_norm_", "clip_grad_value_")
        for who in ("critic", "actor")
    ),
)


def agent(student: Student, env: gym.Env[Any, Any], case: Training) -> Any:
    """Builds the student's agent, with fixed weights."""
    module = student.module("agents.pg_agent")
    made = module.PGAgent(env, config(student.module, hidden="24,24", **RATES, **case.settings))
    actor = made.actor
    fill(actor.logits_na if case.discrete else actor.mean_net, 4)
    if made.critic is not None:
        fill(made.critic, 3)
    if not case.discrete:
        with torch.no_grad():
            actor.logstd.copy_(torch.tensor([-0.5, 0.3]))
    return made


def training(discrete: bool, pay: float, steps: int, **settings: Any) -> Training:
    """Returns a training; flags that are not given are off."""
    usual = {"baseline_gradient_steps": steps, **settings}
    return Training(8, SIZES, usual, CUT, pay, discrete=discrete)


ON = dict.fromkeys(("reward_to_go", "nn_baseline"), True)
LAMBDA = training(False, 20.0, 4, **ON, gae_lambda=0.9)
BESIDE = Beside(
    trainings={
        "reward-to-go and a baseline": training(True, 5.0, 3, **ON),
        "GAE, continuous actions": LAMBDA,
        "whole returns, standardised": training(True, 1.0, 1, standardize_advantages=True),
        "GAE, standardised, batches of 5,000": replace(
            LAMBDA,
            iterations=2,
            sizes={**SIZES, "batch_size": 5000, "train_batch_size": 5000, "ep_len": 1000},
            settings={**LAMBDA.settings, "standardize_advantages": True},
            ends=((1000, True), (1500, False)),
            noted=10,
        ),
    },
    agent=agent,
    parts=PARTS,
    networks={"critic": "critic", "actor": "actor"},
    trained={"critic": ("critic", "critic"), "actor": ("actor", "actor")},
    log=("Actor_Loss", "Baseline_Loss"),
    scripted_actions=True,
)
cases, observe, probe = BESIDE.cases, BESIDE.observe, BESIDE.probe
