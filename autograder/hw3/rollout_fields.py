"""Judges the arrays of a path: each row against what happened, and against known mistakes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from autograder.hw3.probe_rollouts import FIELDS
from autograder.hw3.rollout_ends import stored_terminals
from autograder.hw3.rollout_record import Rollout
from autograder.hw3.rollout_world import CONTINUOUS, PER_FRAME
from autograder.judge import Judgement, close, difference

STUCK, BATCHED = "rollout.ob_not_updated", "rollout.observation_batched"
AFTER, PRESENT = "rollout.observation_after_step", "rollout.next_is_present"
TOO_DEEP = "rollout.indexed_twice"
Candidate = tuple[str | None, np.ndarray]


def judge_fields(rollouts: Sequence[Rollout], seed: int, verdict: Judgement) -> None:
    """Judges the arrays of the paths, each in its turn."""
    whole = [field for field in FIELDS if _judge_rows(field, rollouts, verdict)]
    judges: dict[str, Callable[[], None]] = {
        "observation": lambda: _judge_observations(rollouts, "observation" in whole, verdict),
        "next_observation": lambda: _judge_next(rollouts, "observation" in whole, verdict),
        "action": lambda: _judge_stored_actions(rollouts, verdict),
        "reward": lambda: _judge_rewards(rollouts, seed, verdict),
        "terminal": lambda: _judge_terminals(rollouts, verdict),
    }
    for field in whole:
        judges[field]()


def _judge_rows(field: str, rollouts: Sequence[Rollout], verdict: Judgement) -> bool:
    """Judges whether an array has a row a step; returns whether it has."""
    steps = np.array([rollout.steps for rollout in rollouts])
    arrays = [rollout.fields.get(field, np.empty(0)) for rollout in rollouts]
    rows = np.array([len(array) if array.ndim else -1 for array in arrays])
    if np.array_equal(rows, steps):
        return True
    told = f"{field}: {rows.tolist()} rows for {steps.tolist()} steps"
    named = {
        "rollout.list_forgotten": 0 * steps,
        "rollout.appended_twice": 2 * steps,
        "rollout.last_step_missing": steps - 1,
    }
    for mistake, expected in named.items():
        if np.array_equal(rows, expected):
            verdict.name(mistake)
            verdict.notes.append(told)
            return False
    verdict.unknown.append(told)
    return False


def _match(
    field: str, observed: np.ndarray, candidates: Sequence[Candidate], verdict: Judgement
) -> None:
    """Names the first candidate that is what was stored; the first of all is right."""
    for mistake, expected in candidates:
        if close(observed, np.asarray(expected)):
            verdict.name(*([mistake] if mistake else []))
            return
    verdict.unknown.append(difference(f"path[{field!r}]", observed, np.asarray(candidates[0][1])))


def _frames(rollouts: Sequence[Rollout], name: str) -> np.ndarray:
    """Returns frames of all rollouts: "before", "after", the "first" one, or after a "reset"."""
    parts = []
    for rollout in rollouts:
        numbers = rollout.after.copy() if name in ("after", "reset") else rollout.before.copy()
        if name == "first":
            numbers[:] = numbers[0]
        if name == "reset" and rollout.resets[-1][0] == rollout.steps:
            numbers[-1] = rollout.resets[-1][1]
        parts.append(rollout.frames(numbers))
    return np.concatenate(parts)


def _stored(rollouts: Sequence[Rollout], field: str, verdict: Judgement) -> np.ndarray | None:
    """Returns stored frames of all rollouts in rows, whether or not each is in a batch of one."""
    parts = [rollout.fields[field] for rollout in rollouts]
    if all(part.ndim == 3 and part.shape[1] == 1 for part in parts):
        verdict.name(BATCHED)
        return np.concatenate([part[:, 0] for part in parts])
    if any(part.shape[1:] != parts[0].shape[1:] for part in parts):
        verdict.unknown.append(f"path[{field!r}]: rows of several shapes")
        return None
    return np.concatenate(parts)


def _judge_observations(rollouts: Sequence[Rollout], _: bool, verdict: Judgement) -> None:
    """Each row holds the frame that was acted in."""
    observed = _stored(rollouts, "observation", verdict)
    candidates = [
        (None, _frames(rollouts, "before")),
        (AFTER, _frames(rollouts, "after")),
        (AFTER, _frames(rollouts, "reset")),
        (STUCK, _frames(rollouts, "first")),
    ]
    if observed is not None:
        _match("observation", observed, candidates, verdict)


def _judge_next(rollouts: Sequence[Rollout], both: bool, verdict: Judgement) -> None:
    """Each row holds the frame that the step returned."""
    observed = _stored(rollouts, "next_observation", verdict)
    if observed is None:
        return
    stuck = [(None, _frames(rollouts, "first"))] if STUCK in verdict.mistakes else []
    candidates = [
        (None, _frames(rollouts, "after")),
        *stuck,
        ("rollout.next_is_reset", _frames(rollouts, "reset")),
        (PRESENT, _frames(rollouts, "before")),
    ]
    _match("next_observation", observed, candidates, verdict)
    if both and {AFTER, PRESENT} <= set(verdict.mistakes):
        verdict.mistakes = [m for m in verdict.mistakes if m not in (AFTER, PRESENT)]
        verdict.name("rollout.observations_swapped")


def _judge_stored_actions(rollouts: Sequence[Rollout], verdict: Judgement) -> None:
    """Each row holds the action that was taken, and not in a batch of its own."""
    for rollout in rollouts:
        stored = rollout.fields["action"]
        shape = (2,) if rollout.kind == CONTINUOUS else ()
        if stored.shape[1:] == (1, *shape):
            verdict.name("rollout.action_batch")
        elif stored.shape[1:] != shape:
            one = rollout.kind == CONTINUOUS and stored.ndim == 1
            if one:
                verdict.name(TOO_DEEP)
            else:
                told = f"path['action']: shape {stored.shape} for {rollout.kind} actions"
                verdict.unknown.append(told)
                return
        codes = stored.reshape(rollout.steps, -1)[:, 0]
        ignored = {"rollout.policy_ignored", "rollout.action_squashed"} & set(verdict.mistakes)
        if close(codes, rollout.taken) or ignored:
            continue
        same_state = np.array_equal(codes // PER_FRAME, rollout.taken // PER_FRAME)
        verdict.name("rollout.asked_twice" if same_state else "rollout.action_not_taken")


def _judge_rewards(rollouts: Sequence[Rollout], seed: int, verdict: Judgement) -> None:
    """Each row holds what the environment paid for the step."""
    paid = [rollout.rewards(seed) for rollout in rollouts]
    stored = [rollout.fields["reward"] for rollout in rollouts]
    if any(part.ndim != 1 for part in stored):
        verdict.unknown.append(f"path['reward']: shape {stored[0].shape}")
        return
    observed, right = np.concatenate(stored), np.concatenate(paid)
    done = np.concatenate([rollout.flags.any(axis=1) for rollout in rollouts])
    shifted = np.concatenate([np.roll(part, 1) for part in paid])
    first = np.concatenate([np.arange(len(part)) == 0 for part in paid])
    candidates = [
        (None, right),
        ("rollout.reward_clipped", np.clip(right, -1, 1)),
        ("rollout.reward_rounded", np.trunc(right)),
        ("rollout.reward_summed", np.concatenate([np.cumsum(part) for part in paid])),
        ("rollout.reward_shifted", np.where(first, observed, shifted)),
        ("rollout.reward_changed_at_end", np.where(done, observed, right)),
    ]
    _match("reward", observed, candidates, verdict)


def _judge_terminals(rollouts: Sequence[Rollout], verdict: Judgement) -> None:
    """Each row tells whether the step terminated the episode."""
    stored = [rollout.fields["terminal"] for rollout in rollouts]
    if any(part.ndim != 1 for part in stored):
        verdict.unknown.append(f"path['terminal']: shape {stored[0].shape}")
        return
    each = [stored_terminals(r.episode, r.steps) for r in rollouts]
    candidates = [
        (patterns[0][0], np.concatenate([p[1] for p in patterns]))
        for patterns in zip(*each, strict=True)
    ]
    _match("terminal", np.concatenate(stored), candidates, verdict)
