"""What the student's own code around a policy does with it: nobody has to follow our conventions.

Two blanks are right where they fit each other: a `forward` and an `update`, or a `get_action` and a
rollout.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any
from unittest.mock import MagicMock

import torch

from autograder.homeworks.hw3.fakes.actor_critic import (
    build_agent,
    build_critic,
    hands_over_tensors,
)
from autograder.homeworks.hw3.fakes.policy import (
    PolicyCase,
    build,
    build_watched,
    stand_in,
    update_case,
)
from autograder.homeworks.hw3.fakes.transitions import (
    ACTOR_ORDER,
    ADVANTAGE_ORDER,
    call,
    value_case,
)
from autograder.running.guard import aside
from autograder.running.probing import Student
from autograder.running.unit_steps import UnitSteps


def comes_apart(student: Student) -> bool:
    """Returns whether the own `forward` gives each component of an action a log-probability."""
    with aside():
        case = replace(update_case(0), discrete=False)
        answer = build(student, case).forward(torch.tensor(case.observations()))
        return bool(answer.log_prob(torch.tensor(case.move)).ndim > 1)
    return False


def sums_itself(student: Student) -> bool:
    """Returns whether the own update sums the log-probabilities of an action's components.

    Then it is the same step where they come summed, in a column.
    """
    case, steps = replace(update_case(0), discrete=False), []
    for joined in (True, False):
        policy = build(student, case)
        policy.optimizer = watched = UnitSteps([policy.mean_net.table])
        policy.forward = functools.partial(in_columns, stand_in(policy, case, joined), joined)
        with aside():
            call(policy.update, ACTOR_ORDER, case.arrays())
            steps += watched.moves[:1]
    if len(steps) < 2 or not steps[0].any():
        return False
    return torch.allclose(steps[0], steps[1], atol=1e-5)


def in_columns(forward: Any, joined: bool, observation: Any) -> Any:
    """Returns a distribution whose log-probabilities are a column, if they are joined."""
    answer = forward(observation)
    if joined:
        log_prob = answer.log_prob
        answer.log_prob = lambda action: log_prob(action)[:, None]
    return answer


def tensors_for_the_actor(student: Student) -> int:
    """Returns how many of the actor's arguments are tensors where the own agent calls it."""
    if hands_over_tensors(student, "actor"):
        return len(ACTOR_ORDER)
    with aside():
        case = value_case(0)
        agent = build_agent(student, case)
        agent.critic = build_critic(student, case)
        advantages = call(agent.estimate_advantage, ADVANTAGE_ORDER, case.arrays())
        return int(isinstance(advantages, torch.Tensor))
    return 0


def own_rollout(student: Student, case: PolicyCase) -> tuple[Any, Any]:
    """Returns what the own rollout shows the own policy, and the action it takes, in one step."""
    obs, env, shown = case.observations()[0], MagicMock(), dict[str, Any]()
    env.reset.return_value, env.step.return_value = (obs, {}), (obs, 0.0, True, False, {})
    with aside():
        policy = build_watched(student, case)
        get_action = policy.get_action
        policy.get_action = lambda obs: get_action(shown.setdefault("obs", obs))
        student.module("infrastructure.rollouts").sample_trajectory(env, policy, 1)
    return shown.get("obs"), env.step.call_args.args[0] if env.step.called else None
