"""In Python because it is homework 3's probe, which calls `forward` in several accepted ways.

It takes policy gradient steps, also of large, small and lone advantages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from autograder.homeworks.hw3.fakes.policy import PolicyCase
from autograder.homeworks.hw3.fakes.policy_neighbours import comes_apart
from autograder.homeworks.hw3.probes import policy_update
from autograder.homeworks.hw3.probes.policy_update import APART, JOINED, OWN, Form
from autograder.running.experiments import Moves
from autograder.running.probing import Student

POLICY = "policies.pg_policy:MLPPolicyPG"
ROWS = ("state", "choice", "move", "advantage")


def cases(seed: int) -> Mapping[str, PolicyCase]:
    """Returns what is tried: what homework 3 tries, and batches as they are here."""
    every = {name: replace(case, policy=POLICY) for name, case in policy_update.cases(seed).items()}
    for kind in ("discrete", "continuous"):
        case = every[kind]
        alone: dict[str, Any] = {name: getattr(case, name)[:1] for name in ROWS}
        every |= {
            f"{kind}, large": replace(case, advantage=300 * case.advantage),
            f"{kind}, small": replace(case, advantage=case.advantage / 300),
            f"{kind}, one row": replace(case, **alone),
            f"{kind}, all bad": replace(case, advantage=-abs(case.advantage)),
        }
    return every


def forms(student: Student) -> Iterator[Form]:
    """Yields our `forward`, first in the shape of the student's own; then the own one."""
    for forward in [APART, JOINED, OWN] if comes_apart(student) else [JOINED, OWN]:
        yield forward, 0


def moves(seed: int) -> Iterator[Moves]:
    """Moves each argument of one update."""
    for moved in policy_update.moves(seed):
        its = {name: replace(case, policy=POLICY) for name, case in moved.moved.items()}
        yield replace(moved, case=replace(moved.case, policy=POLICY), moved=its)


def observe(student: Student, case: PolicyCase, form: Form = (JOINED, 0)) -> dict[str, Any]:
    """Returns the steps of one update, whose length plays no part, however it ends."""
    return policy_update.observe(student, case, form)
