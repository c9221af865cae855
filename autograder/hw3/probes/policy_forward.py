"""Asks for distributions over known tables: what they say of known actions, and who learns."""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.core import fingerprint
from autograder.hw3 import policy_world as world
from autograder.hw3.policy_world import KINDS, PolicyCase, build, forward_case, moving, stand_in
from autograder.hw3.probes.policy_update import arguments
from autograder.hw3.unit_steps import UnitSteps, direction
from autograder.probing import Student, aside, call_by_names

REFUSALS = "satisfy the constraint|within the support|positive-definite|std >= 0"


def cases(seed: int) -> dict[str, PolicyCase]:
    """Returns what is tried; "single": one row, and one component of an action."""
    wide = forward_case(seed, wide=True)
    single = replace(wide, mean=wide.mean[:1], spread=wide.spread[:1], state=wide.state[:1])
    return {"wide": wide, "narrow": forward_case(seed, wide=False), "single": single}


def points(case: PolicyCase, discrete: bool) -> torch.Tensor:
    """Returns actions whose log-probabilities tell a distribution.

    Shape (ACTIONS, n), each action in every state; or (POINTS, n, components).
    """
    if discrete:
        return torch.arange(world.ACTIONS)[:, None].repeat(1, len(case.state))
    size = (world.POINTS, len(case.state), len(case.mean))
    drawn = np.random.default_rng(33).uniform(-2.0, 3.0, size)
    return torch.tensor(drawn, dtype=torch.float32)


def probe(student: Student, seed: int) -> None:
    """Asks for distributions, with arrays if tensors are refused."""
    for kind, discrete in KINDS.items():
        results = f"log-probabilities of {kind} actions"
        how = functools.partial(moving_inputs, student, forward_case(seed, False), discrete)
        student.try_moves(results, how)
    ways = {
        f"{kind}, {name}": functools.partial(ask, student, case, discrete)
        for kind, discrete in KINDS.items()
        for name, case in cases(seed).items()
    }
    student.first_whole(ways, [(False,), (True,)])


def ask(
    student: Student, case: PolicyCase, discrete: bool, as_array: bool, seen: dict[str, Any]
) -> None:
    """Asks for a distribution over a known table, and what it thinks of known actions.

    Whether parameters that no distribution has are refused, or lead to no number, is one.
    """
    policy = build(student, case, discrete)
    obs: Any = case.observations()
    try:
        look_at(policy, policy.forward(obs if as_array else torch.tensor(obs)), case, seen)
    except (ValueError, RuntimeError) as error:
        if not re.search(REFUSALS, str(error)):
            raise
        seen["log_prob"] = np.array([np.nan])
    if not np.isfinite(plain(seen.get("log_prob", 0.0))).all():
        seen.clear()
        seen["is_a_distribution"] = False
    elif "log_prob" in seen and seen["log_prob"].ndim > 2:
        seen["components_apart"] = not sums_itself(student)
        seen["log_prob"] = seen["log_prob"].flatten(2).sum(2)


def plain(value: Any) -> np.ndarray:
    """Returns the numbers of a tensor."""
    return np.asarray(torch.as_tensor(value).detach())


def look_at(policy: Any, answer: Any, case: PolicyCase, seen: dict[str, Any]) -> None:
    """Notes what a distribution says of known actions, and which way its gradients point."""
    seen["is_a_distribution"] = True
    seen["nothing_returned"] = answer is None
    seen["no_distribution"] = answer is not None and not hasattr(answer, "log_prob")
    if not hasattr(answer, "log_prob"):
        return
    batch, event = (getattr(answer, f"{part}_shape", None) for part in ("batch", "event"))
    shape = answer.sample().shape if batch is None or event is None else batch + event
    seen["shape_of_a_sample"] = np.array(shape, np.int64)
    asked = points(case, policy.discrete)
    if shape != asked.shape[1:]:
        return
    seen["components_apart"] = False
    log_prob = torch.stack([torch.as_tensor(answer.log_prob(row)) for row in asked])
    seen["log_prob"] = log_prob
    for name, parameter in zip(("network", "logstd"), moving(policy), strict=False):
        seen[f"gradient_of_{name}"] = gradient(log_prob, parameter)


def gradient(log_prob: torch.Tensor, parameter: torch.Tensor) -> torch.Tensor:
    """Returns the direction in which a weighted sum grows; zeros where no gradient arrives."""
    weights = np.random.default_rng(34).uniform(-1.0, 1.0, log_prob.shape[:2])
    shaped = torch.tensor(weights).reshape(weights.shape + (1,) * (log_prob.ndim - 2))
    found = None
    if log_prob.requires_grad:
        total = (shaped * log_prob).sum()
        (found,) = torch.autograd.grad(total, parameter, retain_graph=True, allow_unused=True)
    return direction(torch.zeros(parameter.shape) if found is None else found)


def sums_itself(student: Student) -> bool:
    """Tells whether the own update sums the log-probabilities of an action's components.

    Then it is the same step where they come summed, in a column.
    """
    case, moves = world.update_case(0), []
    for joined in (True, False):
        policy = build(student, case, discrete=False)
        policy.optimizer = steps = UnitSteps([policy.mean_net.table])
        policy.forward = functools.partial(in_columns, stand_in(policy, case, joined), joined)
        with aside():
            call_by_names(policy.update, arguments(case, discrete=False))
            moves += steps.moves[:1]
    if len(moves) < 2 or not moves[0].any():
        return False
    return torch.allclose(moves[0], moves[1], atol=1e-5)


def in_columns(forward: Any, joined: bool, observation: Any) -> Any:
    """Returns a distribution whose log-probabilities are a column, if they are joined."""
    answer = forward(observation)
    if joined:
        log_prob = answer.log_prob
        answer.log_prob = lambda action: log_prob(action)[:, None]
    return answer


def moving_inputs(student: Student, case: PolicyCase, discrete: bool, seen: dict[str, Any]) -> None:
    """What the log-probability of one action in each state depends on."""

    def log_prob(case: PolicyCase) -> np.ndarray:
        policy = build(student, case, discrete)
        answer = policy.forward(torch.tensor(case.observations()))
        rows = plain(answer.log_prob(torch.tensor(case.choice if discrete else case.move)))
        total: np.ndarray = rows.reshape(world.BATCH, -1).sum(1)
        return total

    shifted, (_, at, state) = fingerprint.shifted, case.state[:3]
    table, suffix = ("logits", "na") if discrete else ("mean", "net")
    moves = {
        "observation in one row": shifted(case, "state", 1, case.nowhere - at),
        f"self.{table}_{suffix} in one state": shifted(case, table, (0, state)),
    }
    for number in range(0 if discrete else len(case.spread)):
        more = shifted(case, "spread", number, case.spread[number] / 2)
        moves[f"self.logstd[{number}]"] = more
    fingerprint.note(seen, log_prob, case, moves)
