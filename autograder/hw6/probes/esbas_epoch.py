"""Lets epochs pass: with many arms, with one, with an arm that nobody plays."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from autograder.hw6.rule_case import NUM_ARMS, plays
from autograder.probing import Student

EPISODES = 40  # epochs of 1, 2, 4, 8 and 16, and the beginning of the next


def probe(student: Student, seed: int) -> None:
    """Plays, and notes what is left after each episode."""
    for name, num_arms in {"several arms": NUM_ARMS, "one arm": 1}.items():
        student.try_out(name, functools.partial(play, student, seed, num_arms))


def play(student: Student, seed: int, num_arms: int, seen: dict[str, Any]) -> None:
    """Notes the epoch, who may learn, and the counts after each episode."""
    selectors: Any = student.module("infrastructure.selectors")
    rule = selectors.ESBAS(num_arms, seed)
    epochs, learning, counted, totals = [], [], [], []
    for arm, x in zip(*plays(seed, EPISODES, num_arms), strict=True):
        rule.frozen = True  # as `choose` says, which uses another blank
        rule.update(int(arm), float(x))
        epochs.append(rule.beta)
        learning.append(not rule.frozen)
        counted.append(np.array(rule.plays_k))
        totals.append(np.array(rule.total_k))
    seen["epoch after each episode"] = np.array(epochs)
    seen["whether members learn after each episode"] = learning
    seen["plays_k after each episode"] = np.array(counted)
    seen["total_k after each episode"] = np.array(totals)
