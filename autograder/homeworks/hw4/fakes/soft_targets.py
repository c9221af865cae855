"""Asks for SAC's targets, and for the values that they are made of: two blanks of one function."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np
import torch

from autograder.base.record import Trial
from autograder.running.probing import StandIn, Student

BACKUP, TARGETS = "hw4.sac.backup", "hw4.sac.targets"


@dataclass(frozen=True)
class SoftBatch:
    """The arguments of `soft_targets`."""

    re_n: np.ndarray
    terminal_n: np.ndarray
    next_q_kn: np.ndarray
    next_log_pi_n: np.ndarray
    alpha: float
    discount: float
    q_backup: str


def ask(student: Student, case: SoftBatch) -> tuple[Any, Any]:
    """Returns V and y: what the two blanks have left when the function ends, or raises.

    V is None if there is no such variable. Q is a copy: to exchange its rows in place is right.
    """
    left: dict[str, Any] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "return" and frame.f_code.co_name == "soft_targets":
            left["v_kn"] = frame.f_locals.get("v_kn")

    columns = (torch.as_tensor(column) for column in (case.re_n, case.terminal_n))
    next_q_kn, log_pi_n = torch.tensor(case.next_q_kn), torch.as_tensor(case.next_log_pi_n)
    alpha = torch.tensor([case.alpha])
    soft_targets = student.module("agents.sac_agent").soft_targets
    sys.setprofile(note)
    try:
        y = soft_targets(*columns, next_q_kn, log_pi_n, alpha, case.discount, case.q_backup)
    except BaseException:
        student.notes["V is a tensor"] = isinstance(left.get("v_kn"), torch.Tensor)
        raise
    finally:
        sys.setprofile(None)
    return left.get("v_kn"), y


def owner_of(trial: Trial) -> str:
    """Returns to which of the two blanks an exception belongs: the second has a V."""
    crash = trial.crash
    of_first = crash is None or "q_backup" in crash.source or crash.source.startswith("v_kn =")
    return BACKUP if of_first or not trial.arrays.get("V is a tensor") else TARGETS


def targets(local: Mapping[str, Any]) -> Any:
    """Stands in for the targets: what they are made of suffices."""
    return local["v_kn"]


def values(local: Mapping[str, Any]) -> Any:
    """Stands in for the values: those of the critics as they are."""
    return local["next_q_kn"]


STAND_INS = {BACKUP: StandIn(values, ("v_kn",)), TARGETS: StandIn(targets, ("y_kn",))}
