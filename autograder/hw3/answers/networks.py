"""Given networks: their sizes, activations, optimizers and copies."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question(
    "hw3.given.networks",
    __file__,
    given=(
        "infrastructure/pytorch_util.py",
        "critics/dqn_critic.py",
        "critics/bootstrapped_continuous_critic.py",
        "policies/MLP_policy.py",
        "agents/ac_agent.py",
        "agents/dqn_agent.py",
    ),
)
