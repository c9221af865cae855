"""What can decide that a path ends, and what can be stored as terminal: formulas with switches."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from autograder.hw3.rollout_world import RUNAWAY, Episode, episodes
from autograder.judge import Choice, Factor, Outcome, every
from autograder.recording import secret

ON_TERMINATED = Factor("terminated", {"yes": None, "no": "rollout.ignores_terminated"})
ON_TRUNCATED = Factor("truncated", {"yes": None, "no": "rollout.ignores_truncated"})
ON_LIMIT = Factor(
    "limit",
    {
        "reached": None,
        "late": "rollout.one_step_too_many",
        "early": "rollout.one_step_too_few",
        "none": "rollout.no_limit",
        "below": "rollout.stops_at_once",
    },
)
# T, U, L: terminated, truncated, limit
JOIN = Factor(
    "join",
    {
        "T|U|L": None,
        "T&U|L": "rollout.and_for_or",
        "T&U&L": "rollout.and_for_or",
        "(T|U)&L": "rollout.and_for_or",
        "T|U&L": "rollout.and_for_or",
        "T&L|U": "rollout.and_for_or",
        "always": "rollout.stops_at_once",
        "not T|U|L": "rollout.stops_at_once",
    },
)
RIGHT = ("reached",)
END_FACTORS = (ON_TERMINATED, ON_TRUNCATED, ON_LIMIT, JOIN)

CUT, LOST = "rollout.cut_is_terminal", "rollout.terminal_lost_at_limit"
INVERTED = "rollout.terminal_inverted"


def stops(choice: Choice, flags: tuple[bool, bool], step: int, limit: int) -> bool:
    """Tells whether a path ends after a step, from 1, by some way of deciding it."""
    t, u = flags
    reached = {
        "reached": step >= limit,
        "late": step > limit,
        "early": step >= limit - 1,
        "none": False,
        "below": step < limit,
    }[choice["limit"]]
    t, u = t and choice["terminated"] == "yes", u and choice["truncated"] == "yes"
    return {
        "T|U|L": t or u or reached,
        "T&U|L": (t and u) or reached,
        "T&U&L": t and u and reached,
        "(T|U)&L": (t or u) and reached,
        "T|U&L": t or (u and reached),
        "T&L|U": (t and reached) or u,
        "always": True,
        "not T|U|L": not t or u or reached,
    }[choice["join"]]


def makes_sense(choice: Choice) -> bool:
    """Tells whether a combination is one that somebody would write, and that shows.

    What is ignored is not joined with `and`. Where the limit stands inside an `and`, or a path
    always ends at once, one step more or less at the limit changes nothing that matters.
    """
    ignores = "no" in (choice["terminated"], choice["truncated"])
    limit, join = choice["limit"], choice["join"]
    if join == "T|U|L":
        return limit != "below" or not ignores
    return not ignores and limit in (("reached", "late", "early") if join == "T&U|L" else RIGHT)


def predict_lengths(drawn: Iterable[Episode], choice: Choice) -> Outcome:
    """Returns how many steps each path has, 0 where it has no end; [] for what makes no sense."""
    if not makes_sense(choice):
        return {"lengths": np.empty(0, int)}
    return {"lengths": np.array([length_of(episode, choice) for episode in drawn])}


def _sensible() -> list[Choice]:
    """Returns all ways of deciding on the end that make sense."""
    return [choice for choice in every(*END_FACTORS) if makes_sense(choice)]


@secret(lambda seed: itertools.product(episodes(seed).values(), _sensible()))
def length_of(episode: Episode, choice: Choice) -> int:
    """Returns how many steps a path has, 0 where it has no end."""
    ends = (
        step
        for step in range(1, RUNAWAY + 1)
        if stops(choice, episode.flags(step), step, episode.limit)
    )
    return next(ends, 0)


def _asked(seed: int) -> Iterable[tuple[Any, ...]]:
    """Yields what `stored_terminals` will be asked: paths of any length that a mistake leads to."""
    for episode in episodes(seed).values():
        lengths = {length_of(episode, choice) for choice in _sensible()} - {0}
        yield from itertools.product([episode], sorted(lengths))


@secret(_asked)
def stored_terminals(episode: Episode, steps: int) -> list[tuple[str | None, np.ndarray]]:
    """Returns what may be stored as terminal for a path: the mistake, or None, and the rows."""
    flags = np.array([episode.flags(step) for step in range(1, steps + 1)], bool).reshape(-1, 2)
    return terminal_patterns(flags, episode.limit)


def terminal_patterns(flags: np.ndarray, limit: int) -> list[tuple[str | None, np.ndarray]]:
    """Returns what may be stored as terminal for a path: the mistake, or None, and the rows.

    Args:
        flags: (terminated, truncated) of each step. Shape (T, 2).
        limit: `max_path_length`.
    """
    number = len(flags)
    t, u = flags[:, 0], flags[:, 1]
    reached = np.arange(1, number + 1) >= limit
    last = np.arange(1, number + 1) == number
    done = t | u
    cuts = [last, done, done | reached, t | reached, t | last]
    return [
        (None, t),
        *((CUT, cut) for cut in cuts),
        (LOST, t & ~u),
        (LOST, t & ~reached),
        (LOST, t & ~(u | reached)),
        ("rollout.truncated_is_terminal", u),
        ("rollout.truncated_is_terminal", u | reached),
        ("rollout.never_terminal", np.zeros(number, bool)),
        ("rollout.always_terminal", np.ones(number, bool)),
        *((INVERTED, ~pattern) for pattern in (t, u, done, last, done | reached, reached)),
    ]
