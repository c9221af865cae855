"""Probe of the policy gradient step: how one call of `update` moves a table of logits or means."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np
import torch

from autograder.hw3.policy_case import BATCH, PolicyCase, other_advantage, update_case
from autograder.hw3.policy_world import (
    BACKWARD,
    KINDS,
    build,
    moving,
    stand_in,
    watch_forward,
)
from autograder.hw3.value_world import hands_over_tensors
from autograder.probing import Student, Trial

PARTS = (("ob", "state"), ("ac",), ("adv",))  # how the names of `update`'s parameters begin
ADVANTAGE, ALL = "advantage", "all"  # what a student's own agent may hand over as tensors


class ZeroCritic:
    """Values every state at nothing, as a tensor or as an array, whichever it is asked for."""

    def forward(self, obs: Any) -> torch.Tensor:
        """Returns zeros. Shape (n,)."""
        return torch.zeros(len(obs))

    __call__ = forward

    def forward_np(self, obs: Any) -> np.ndarray:
        """Returns zeros. Shape (n,), float32."""
        return np.zeros(len(obs), np.float32)


def look_at_agent(student: Student, seen: dict[str, Any]) -> None:
    """Notes whether the student's own agent hands advantages over as a tensor."""
    agent_class = student.module("agents.ac_agent").ACAgent
    agent = agent_class.__new__(agent_class)
    agent.__dict__.update(critic=ZeroCritic(), gamma=0.9, standardize_advantages=False)
    obs, ones = update_case(0).observations(), np.ones(BATCH, np.float32)
    advantage = agent.estimate_advantage(ob_no=obs, next_ob_no=obs, re_n=ones, terminal_n=0 * ones)
    seen["tensor"] = isinstance(advantage, torch.Tensor)


def call_update(policy: Any, *parts: Any) -> None:
    """Calls `update` with observations, actions and advantages, whatever their names and order."""
    names = list(inspect.signature(policy.update).parameters)
    given = {}
    for starts, part in zip(PARTS, parts, strict=True):
        name = next((n for n in names if n.lower().startswith(starts) and n not in given), None)
        if name is None:
            policy.update(*parts)
            return
        given[name] = part
    policy.update(**given)


def flat(tensors: list[Any]) -> np.ndarray:
    """Returns the numbers of tensors one after the other."""
    return np.concatenate([t.detach().numpy().reshape(-1) for t in tensors])


def arguments(policy: Any, case: PolicyCase, as_tensor: str) -> list[Any]:
    """Returns observations, actions and advantages: arrays, or tensors as `as_tensor` says."""
    arrays = [case.observations(), case.action(policy.discrete), case.advantage.copy()]
    tensors = {"": 0, ADVANTAGE: 1, ALL: 3}[as_tensor]
    given: list[Any] = list(arrays[: 3 - tensors])
    return given + [torch.tensor(a, dtype=torch.float32) for a in arrays[3 - tensors :]]


def learn(
    policy: Any, case: PolicyCase, seen: dict[str, Any], name: str, as_tensor: str = ""
) -> None:
    """Calls `update` once and notes, under `name`, what moved and what the optimizer was told.

    The notes are made even if `update` raises something, and the tables are put back.
    """
    parameters = moving(policy)
    before = [p.detach().clone() for p in parameters]
    pulls: list[np.ndarray] = []
    hooks = [
        p.register_hook(_writer(policy, pulls, i, before))  # type: ignore[no-untyped-call]
        for i, p in enumerate(parameters)
    ]
    policy.optimizer.tape.clear()
    given, kept = (arguments(policy, case, as_tensor) for _ in range(2))
    try:
        call_update(policy, *given)
    finally:
        same = [
            np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(given, kept, strict=True)
        ]
        seen["inputs_changed"] = seen.get("inputs_changed", False) or not all(same)
        seen[f"{name}_change"] = flat(parameters) - flat(before)
        seen[f"{name}_pulls"] = np.array(pulls).reshape(-1, flat(before).size)
        seen[f"{name}_tape"] = np.array(policy.optimizer.tape, np.int64)
        if "asked" in seen:
            seen[f"{name}_asked"] = seen.pop("asked")
        for hook in hooks:
            hook.remove()
        with torch.no_grad():
            for parameter, old in zip(parameters, before, strict=True):
                parameter.copy_(old)


def _writer(policy: Any, pulls: list[np.ndarray], index: int, tensors: list[Any]) -> Any:
    """Returns a hook that writes down minus the gradient of one parameter among its zeros."""

    def write(grad: torch.Tensor) -> None:
        policy.optimizer.tape.append(BACKWARD)
        parts = [-grad if i == index else torch.zeros_like(t) for i, t in enumerate(tensors)]
        pulls.append(flat(parts))

    return write


def update_twice(
    student: Student,
    seed: int,
    discrete: bool,
    neighbour: str,
    as_tensor: str,
    seen: dict[str, Any],
) -> None:
    """Updates fresh policies with two sets of advantages, and one policy twice.

    Args:
        student: Whose policy.
        seed: Of the batch.
        discrete: Kind of actions.
        neighbour: Which `forward`: "own"; "ours"; or "components", ours with a log-probability
            for each component of a continuous action.
        as_tensor: What is handed over as a tensor: nothing, `ADVANTAGE` or `ALL`.
        seen: Where notes are made, see `learn`.
    """
    case = update_case(seed)
    other = other_advantage(case)
    for name, batch, luck in (("a", case, 0), ("b", other, 1), ("again", case, 2)):
        policy = _policy_with(student, case, discrete, neighbour, seen)
        torch.manual_seed(seed + luck)
        np.random.seed(seed + luck)
        learn(policy, batch, seen, name, as_tensor)
    policy = _policy_with(student, case, discrete, neighbour, seen)
    for number, batch in enumerate((case, other), 1):
        learn(policy, batch, seen, f"in_turn{number}", as_tensor)


def probe_update(student: Student, seed: int) -> None:
    """Updates policies with `forward` ours, in the shape of the student's own, and with theirs.

    What does not go with arrays is tried with tensors, where `train` hands those over.
    """
    case = update_case(seed)

    def own_shape(seen: dict[str, Any]) -> None:
        answer = build(student, case, discrete=False).forward(torch.tensor(case.observations()))
        seen["components"] = answer.log_prob(torch.tensor(case.move)).ndim > 1

    components = student.try_out("own_shape", own_shape).arrays.get("components", False)
    agent = student.try_out("agent", lambda seen: look_at_agent(student, seen))

    def update(kind: str, neighbour: str, as_tensor: str) -> Trial:
        name = f"{kind}_{neighbour}{'_tensor' if as_tensor == ADVANTAGE else ''}"
        how = functools.partial(update_twice, student, seed, KINDS[kind], neighbour, as_tensor)
        return student.try_out(name, how)

    ways = [(kind, neighbour) for kind in KINDS for neighbour in ("ours", "own")]
    ways += [("continuous", "components")] if components else []
    crashed = any([update(*way, "").crash for way in ways])
    if crashed and hands_over_tensors(student, "actor"):
        for way in ways:
            update(*way, ALL)
    elif agent.arrays.get("tensor", False):
        for kind in KINDS:
            for neighbour in ("own", "ours"):
                update(kind, neighbour, ADVANTAGE)


def _policy_with(
    student: Student, case: PolicyCase, discrete: bool, neighbour: str, seen: dict[str, Any]
) -> Any:
    """Builds a policy whose `forward` is the student's own or ours, and is watched."""
    policy = build(student, case, discrete)
    ours = stand_in(policy, case, joined=neighbour != "components")
    watch_forward(policy, seen, policy.forward if neighbour == "own" else ours)
    return policy
