"""Takes policy gradient steps: how two calls of `update` move a table of logits or means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw3.fakes import policy as fake
from autograder.homeworks.hw3.fakes.policy import BATCH, PolicyCase, build, moving, stand_in
from autograder.homeworks.hw3.fakes.policy_neighbours import comes_apart, tensors_for_the_actor
from autograder.homeworks.hw3.fakes.transitions import ACTOR_ORDER, call
from autograder.running.experiments import Moves, shifted
from autograder.running.probing import Student
from autograder.running.unit_steps import STEP_SIZE, UnitSteps, flat

JOINED, APART, OWN = "joined", "apart", "own"  # whose `forward`, and of ours, which
Form = tuple[str, int]  # one of these; how many arguments are tensors, from the last one


def cases(seed: int) -> Mapping[str, PolicyCase]:
    """Returns what is tried: each kind of actions, and again after a step by other advantages."""
    first = fake.kinds(fake.update_case(seed))
    first["one component"] = fake.one_component(first["continuous"])
    return first | {
        f"{name}, again": replace(fake.other_advantage(case), earlier=case)
        for name, case in first.items()
    }


def forms(student: Student) -> Iterator[Form]:
    """Yields our `forward`, first in the shape of the student's own; the own one; and tensors."""
    forwards = [APART, JOINED, OWN] if comes_apart(student) else [JOINED, OWN]
    yield from ((forward, 0) for forward in forwards)
    tensors = tensors_for_the_actor(student)
    yield from ((forward, tensors) for forward in forwards if tensors)


def moves(seed: int) -> Iterator[Moves]:
    """Moves each argument of one update."""
    for kind, case in fake.kinds(fake.update_case(seed)).items():
        other = (case.choice[3] + 1) % len(case.logits)
        farther = shifted(case, "move", 3, case.move[3] + 0.05)
        moved = {
            "adv_n in one row": shifted(case, "advantage", 2),
            "observations in one row": shifted(case, "state", 1, case.nowhere),
            "actions in one row": shifted(farther, "choice", 3, other),
        }
        yield Moves(f"updates with {kind} actions", case, moved, pulls)


def pulls(student: Student, case: PolicyCase) -> np.ndarray:
    """Returns how far one update pulls each row's logit, or mean, to its action."""
    policy = build(student, case)
    policy.forward = stand_in(policy, case)
    (table, *_), before = moving(policy), case.table / case.scale
    call(policy.update, ACTOR_ORDER, case.arrays())
    change = ((table.detach().numpy() - before) * case.scale)[:, case.state].T
    if case.discrete:
        return np.asarray(change[np.arange(BATCH), case.choice])
    return np.asarray((change * np.sign(case.move - case.mean[:, case.state].T)).sum(1))


def observe(student: Student, case: PolicyCase, form: Form = (JOINED, 0)) -> dict[str, Any]:
    """Returns the steps of one update, whose length plays no part, however it ends."""
    forward, tensors = form
    policy, knob = build(student, case), torch.zeros(1, requires_grad=True)
    policy.optimizer = steps = UnitSteps(moving(policy))
    if forward != OWN:
        policy.forward = stand_in(policy, case, forward == JOINED, knob)
    weights = [parameter.detach().clone() for parameter in steps.watched]
    if case.earlier:
        call(policy.update, ACTOR_ORDER, fake.lend(student, case.earlier, tensors))
        steps.begin()
        knob.grad = None
        with torch.no_grad():  # our `forward` is right at these numbers alone
            for parameter, weight in zip(steps.watched, weights, strict=True):
                parameter.copy_(weight)
    with student.up_to_a_crash(), steps.counting():
        call(policy.update, ACTOR_ORDER, fake.lend(student, case, tensors))
    change = torch.stack([torch.zeros_like(flat(weights)), *steps.moves]).sum(0)
    taken = sum(bool(move.any()) for move in steps.moves)
    message = flat(weights) + STEP_SIZE * change
    return {
        "no_backward": steps.backwards == 0,
        "gradient_arrives": steps.arrived,
        "steps_before_backward": steps.early and steps.backwards > 0,
        "steps": taken,
        "more_steps": taken > 1,  # how many, and where to, is anybody's choice
        "change": change / max(float(change.norm()), 1e-9),
        "gradient_left": taken == 0 and steps.downhill,
        "moves_otherwise": not torch.allclose(flat(steps.watched), message, atol=1e-5),
        "entropy": 0.0 if knob.grad is None else -float(knob.grad.sign()),
    }
