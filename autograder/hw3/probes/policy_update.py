"""Probe of the policy gradient step: how two calls of `update` move a table of logits or means."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.core import fingerprint
from autograder.hw3 import policy_world as world
from autograder.hw3.policy_world import BATCH, KINDS, PolicyCase, build, moving, stand_in
from autograder.hw3.unit_steps import STEP_SIZE, UnitSteps, flat
from autograder.hw3.value_case import ACTOR_ORDER, ADVANTAGE_ORDER, NAMES, call, value_case
from autograder.hw3.value_world import build_agent, build_critic, hands_over_tensors
from autograder.probing import Student, aside, call_by_names

JOINED, APART, OWN = "joined", "apart", "own"  # whose `forward`, and of ours, which


def arguments(case: PolicyCase, discrete: bool, tensors: int = 0) -> dict[str, Any]:
    """Returns what `update` is given, of which the last `tensors` are tensors."""
    arrays = [case.observations(), case.action(discrete), case.advantage.copy()]
    given: list[Any] = list(arrays[: 3 - tensors])
    given += [torch.tensor(a, dtype=torch.float32) for a in arrays[3 - tensors :]]
    return {NAMES[role]: value for role, value in zip(ACTOR_ORDER, given, strict=True)}


def probe(student: Student, seed: int) -> None:
    """Updates policies with our `forward`, in the shape of the student's own.

    Where that crashes: with the other shape, with the own `forward`, and with what the own agent
    hands over as tensors.
    """
    case = world.update_case(seed)
    for kind, discrete in KINDS.items():
        how = functools.partial(moving_inputs, student, case, discrete)
        student.try_moves(f"updates with {kind} actions", how)

    single = replace(case, mean=case.mean[:1], spread=case.spread[:1], move=case.move[:, :1])
    plays = {kind: (case, discrete) for kind, discrete in KINDS.items()}
    plays["one component"] = single, False
    ways = {name: functools.partial(learn, student, *each) for name, each in plays.items()}

    def forwards_and_tensors() -> Iterator[tuple[str, int]]:
        forwards = [APART, JOINED, OWN] if comes_apart(student, case) else [JOINED, OWN]
        yield from ((forward, 0) for forward in forwards)
        tensors = 3 if hands_over_tensors(student, "actor") else int(has_tensors(student))
        yield from ((forward, tensors) for forward in forwards if tensors)

    student.first_whole(ways, forwards_and_tensors())


def learn(
    student: Student,
    case: PolicyCase,
    discrete: bool,
    forward: str,
    tensors: int,
    seen: dict[str, Any],
) -> None:
    """Updates a policy twice, with other advantages, and notes each step, however it ends."""
    policy, knob = build(student, case, discrete), torch.zeros(1, requires_grad=True)
    policy.optimizer = steps = UnitSteps(moving(policy))
    if forward != OWN:
        policy.forward = stand_in(policy, case, forward == JOINED, knob)
    for name, batch in (("", case), ("_again", world.other_advantage(case))):
        steps.begin()
        knob.grad = None
        weights = [parameter.detach().clone() for parameter in steps.watched]
        given, kept = (arguments(batch, discrete, tensors) for _ in range(2))
        try:
            with steps.counting():
                call_by_names(policy.update, given)
        finally:
            change = torch.stack([torch.zeros_like(flat(weights)), *steps.moves]).sum(0)
            seen[f"no_backward{name}"] = steps.backwards == 0
            seen[f"gradient_arrives{name}"] = steps.arrived
            seen[f"steps_before_backward{name}"] = steps.early and steps.backwards > 0
            seen[f"steps{name}"] = taken = sum(bool(move.any()) for move in steps.moves)
            seen["more_steps"] = seen["steps"] > 1  # how many, and where to, is anybody's choice
            seen[f"change{name}"] = change / max(float(change.norm()), 1e-9)
            seen[f"gradient_left{name}"] = taken == 0 and steps.downhill
            moved = flat(weights) + STEP_SIZE * change
            as_told = torch.allclose(flat(steps.watched), moved, atol=1e-5)
            seen[f"moves_otherwise{name}"] = not as_told
            seen[f"entropy{name}"] = 0.0 if knob.grad is None else -float(knob.grad.sign())
            same = [np.array_equal(given[role], kept[role]) for role in given]
            seen[f"inputs_changed{name}"] = not all(same)
        with torch.no_grad():  # our `forward` is right at these numbers alone
            for parameter, weight in zip(steps.watched, weights, strict=True):
                parameter.copy_(weight)


def comes_apart(student: Student, case: PolicyCase) -> bool:
    """Tells whether the own `forward` gives each component of an action a log-probability."""
    with aside():
        answer = build(student, case, False).forward(torch.tensor(case.observations()))
        return bool(answer.log_prob(torch.tensor(case.move)).ndim > 1)
    return False


def has_tensors(student: Student) -> bool:
    """Tells whether the student's own agent hands advantages over as a tensor."""
    with aside():
        case = value_case(0)
        agent = build_agent(student, case)
        agent.critic = build_critic(student, case)
        advantages = call(agent.estimate_advantage, ADVANTAGE_ORDER, case.arrays())
        return isinstance(advantages, torch.Tensor)
    return False


def moving_inputs(student: Student, case: PolicyCase, discrete: bool, seen: dict[str, Any]) -> None:
    """What one update depends on: how far each row's logit, or mean, is pulled to its action."""

    def pulls(case: PolicyCase) -> np.ndarray:
        policy = build(student, case, discrete)
        policy.forward = stand_in(policy, case)
        (table, *_), before = moving(policy), case.table(discrete) / case.scale
        call_by_names(policy.update, arguments(case, discrete))
        change = ((table.detach().numpy() - before) * case.scale)[:, case.state].T
        if discrete:
            return np.asarray(change[np.arange(BATCH), case.choice])
        return np.asarray((change * np.sign(case.move - case.mean[:, case.state].T)).sum(1))

    shifted, other = fingerprint.shifted, (case.choice[3] + 1) % len(case.logits)
    farther = shifted(case, "move", 3, 0.05)
    moves = {
        "adv_n in one row": shifted(case, "advantage", 2),
        "observations in one row": shifted(case, "state", 1, case.nowhere - case.state[1]),
        "actions in one row": shifted(farther, "choice", 3, other - case.choice[3]),
    }
    fingerprint.note(seen, pulls, case, moves)
