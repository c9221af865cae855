"""Asks for distributions over known tables: what they say of known actions, and who learns."""

from __future__ import annotations

import contextlib
import functools
import re
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.core import fingerprint
from autograder.hw3.policy_case import (
    ACTIONS,
    BATCH,
    POINTS,
    STATES,
    PolicyCase,
    forward_case,
    update_case,
)
from autograder.hw3.policy_world import KINDS, build, first_whole, moving, stand_in
from autograder.hw3.probes.policy_update import call_update
from autograder.probing import Student

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
        return torch.arange(ACTIONS)[:, None].repeat(1, len(case.state))
    size = (POINTS, len(case.state), len(case.mean))
    drawn = np.random.default_rng(33).uniform(-2.0, 3.0, size)
    return torch.tensor(drawn, dtype=torch.float32)


def probe(student: Student, seed: int) -> None:
    """Asks for distributions, with arrays if tensors are refused."""
    for kind, discrete in KINDS.items():
        results = f"log-probabilities of {kind} actions"
        how = functools.partial(moving_inputs, student, forward_case(seed, False), discrete)
        student.try_moves(results, how)
    first_whole(student, *(functools.partial(play, student, seed, way) for way in (False, True)))


def play(student: Student, seed: int, as_array: bool) -> bool:
    """Tries every case with both kinds of actions, and tells whether none crashed."""
    trials = [
        student.try_out(
            f"{kind}, {name}", functools.partial(ask, student, case, discrete, as_array)
        )
        for kind, discrete in KINDS.items()
        for name, case in cases(seed).items()
    ]
    return not any(trial.crash for trial in trials)


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


def gradient(log_prob: torch.Tensor, parameter: torch.Tensor) -> np.ndarray:
    """Returns the direction in which a weighted sum grows; zeros where no gradient arrives."""
    weights = np.random.default_rng(34).uniform(-1.0, 1.0, log_prob.shape[:2])
    shaped = torch.tensor(weights).reshape(weights.shape + (1,) * (log_prob.ndim - 2))
    found = None
    if log_prob.requires_grad:
        total = (shaped * log_prob).sum()
        (found,) = torch.autograd.grad(total, parameter, retain_graph=True, allow_unused=True)
    if found is None:
        return np.zeros(parameter.shape)
    return np.asarray(found / max(float(found.norm()), 1e-9))


def sums_itself(student: Student) -> bool:
    """Tells whether the own update sums the log-probabilities of an action's components.

    Then it is the same step where they come summed, in a column.
    """
    case, changes = update_case(0), []
    with contextlib.suppress(Exception):  # whatever is wrong with it, is the update's
        for joined in (True, False):
            policy = build(student, case, discrete=False)
            policy.forward = functools.partial(in_columns, stand_in(policy, case, joined), joined)
            before = plain(policy.mean_net.table).copy()
            call_update(policy, case.observations(), case.action(False), case.advantage.copy())
            changes.append(plain(policy.mean_net.table) - before)
    sizes = [max(float(np.linalg.norm(change)), 1e-9) for change in changes]
    steps = [change / size for change, size in zip(changes, sizes, strict=True)]
    same = len(steps) == 2 and np.allclose(steps[0], steps[1], atol=1e-5)
    return same and bool(steps[0].any())


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
        total: np.ndarray = rows.reshape(BATCH, -1).sum(1)
        return total

    other = case.state.copy()
    other[1] = int(np.setdiff1d(np.arange(STATES), case.state)[0])
    table = "logits" if discrete else "mean"
    raised = getattr(case, table) + np.eye(STATES, dtype=np.float32)[case.state[2]] * (
        np.arange(len(case.table(discrete)))[:, None] == 0
    )
    name = "self.logits_na" if discrete else "self.mean_net"
    moves = {
        "observation in one row": replace(case, state=other),
        f"{name} in one state": replace(case, **{table: raised.astype(np.float32)}),
    }
    if not discrete:
        for number in range(len(case.spread)):
            spread = case.spread.copy()
            spread[number] *= 1.5
            moves[f"self.logstd[{number}]"] = replace(case, spread=spread)
    fingerprint.note(seen, log_prob, case, moves)
