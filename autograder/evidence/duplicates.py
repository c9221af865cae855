"""Runs that are copies of each other, with their settings changed."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from autograder.evidence.files import UnreadableError, read_bytes
from autograder.evidence.run_folder import WEIGHTS, Run

MOST_WEIGHTS = 2**24
CLOSE = 1e-3  # relative; losses and spreads of two seeds agree so closely only by chance
LEAST_ROWS, SHARE = 5, 0.5
TELLING = ("Training Loss", "Critic_Loss", "Train_StdReturn")


@dataclass(frozen=True)
class Known:
    """A run, and what makes it the run it is."""

    run: Run
    identity: Mapping[str, object]
    weights: str
    """Hash of the file; empty if there is none."""


def known(run: Run, identity: Mapping[str, object]) -> Known:
    """Returns what copies of a run are told by."""
    try:
        digest = hashlib.sha256(read_bytes(run.folder / WEIGHTS, MOST_WEIGHTS)).hexdigest()
    except UnreadableError:
        digest = ""
    return Known(run, identity, digest)


def copies(runs: Iterable[Known]) -> list[tuple[Run, Run, str]]:
    """Returns pairs of runs that are said to differ, with what they share.

    Two runs of the same settings and seed are the same run by right, on a CPU even to the last bit.
    """
    found = []
    for one, two in itertools.combinations(runs, 2):
        if one.identity == two.identity:
            continue
        if one.weights and one.weights == two.weights:
            found.append((one.run, two.run, "the same weights"))
        elif name := _shared_column(one.run, two.run):
            found.append((one.run, two.run, f"the same {name}"))
    return found


def _shared_column(one: Run, two: Run) -> str | None:
    """Returns a column in which two logs agree on most of the steps that both have."""
    _, rows, others = np.intersect1d(one.log["Step"], two.log["Step"], return_indices=True)
    for name in TELLING:
        if name not in one.log or name not in two.log:
            continue
        left, right = one.log[name][rows], two.log[name][others]
        telling = np.isfinite(left) & np.isfinite(right) & (left != 0)
        with np.errstate(all="ignore"):
            same = np.isclose(left[telling], right[telling], CLOSE, 0)
        if same.sum() >= max(LEAST_ROWS, SHARE * len(same)):
            return name
    return None
