"""Answers about `ACAgent.train`: who must be called how often, with what, and in which order."""

from __future__ import annotations

import itertools

import numpy as np

from autograder.hw3.probe_ac_train import (
    ABSENT,
    ACTOR_UPDATES,
    ADVANTAGE,
    CRITIC_UPDATES,
    KINDS,
    MISSING,
    UNKNOWN,
)
from autograder.hw3.value_case import TRAIN_ORDER, ValueCase, value_case
from autograder.judge import Judgement, close, judge_blank, judge_crash
from autograder.probing import Crash, Observation, Trial
from autograder.recording import secret

BLANK = "hw3.ac.train"
REWARD, NEXT = TRAIN_ORDER.index("reward"), TRAIN_ORDER.index("next_obs")
SWAPPED = {"reward": NEXT, "next_obs": REWARD}
ARGUMENTS = {
    "critic": "ac_train.critic_arguments",
    "advantage": "ac_train.advantage_arguments",
    "actor": "ac_train.actor_arguments",
}
KNOWN_CRASHES = (  # kind of exception, a part of its text -> the mistake behind it
    ("KeyError", "", "ac_train.no_such_setting"),
    ("AttributeError", "_updates", "ac_train.no_such_setting"),
)
MOST_UPDATES = 3 * CRITIC_UPDATES  # of the critic, after which advantages can be recognised
Call = tuple[str, tuple[int, ...]]  # what was called, and what its arguments were


def read_calls(trial: Trial) -> list[Call]:
    """Reads the tape."""
    names = list(KINDS)
    rows = zip(trial.arrays["kinds"], trial.arrays["roles"], strict=True)
    return [(names[int(kind)], tuple(int(role) for role in roles)) for kind, roles in rows]


def judge_train(seen: Observation, seed: int) -> Judgement:
    """Judges numbers of calls, their order, their arguments, and the names of the losses."""
    verdict = Judgement()
    trial = seen["train"] if "train" in seen else seen["probe"]
    crash = trial.crash
    if crash is not None and crash.blank:
        return judge_blank(crash, BLANK, verdict)
    if crash is not None:
        judge_crash(crash, known_crash(crash), verdict)
    if "kinds" not in trial.arrays:
        return verdict
    calls = read_calls(trial)
    kinds, gradients = [kind for kind, _ in calls], trial.arrays["gradients"]
    _judge_arguments(calls, verdict)
    _judge_advantages(calls, trial, value_case(seed), verdict)
    if any(k != "advantage" and not g for k, g in zip(kinds, gradients, strict=False)):
        verdict.unknown.append("critic or actor are updated where no gradients are computed")
    if np.any(trial.arrays["changed"]):
        verdict.name("ac_train.inputs_changed")
    if crash is None:
        _judge_counts(kinds, verdict)
        _judge_losses(trial, kinds, verdict)
    return verdict


def known_crash(crash: Crash) -> str | None:
    """Returns the mistake behind an exception, if it tells one of this blank's."""
    for kind, text, mistake in KNOWN_CRASHES:
        if crash.kind == kind and text in crash.text:
            return mistake
    return None


def _judge_counts(kinds: list[str], verdict: Judgement) -> None:
    """Each is updated as often as its setting says, the critic first."""
    numbers = kinds.count("critic"), kinds.count("actor")
    if 0 in numbers:
        verdict.name(*(["ac_train.no_critic_update"] if not numbers[0] else []))
        verdict.name(*(["ac_train.no_actor_update"] if not numbers[1] else []))
        _judge_number(numbers, verdict)
        return
    updates = [kind for kind in kinds if kind != "advantage"]
    changes = sum(a != b for a, b in zip(updates, updates[1:], strict=False))
    if changes > 1:
        verdict.name("ac_train.interleaved")  # loops within one another have other numbers too
        return
    if updates[0] == "actor":
        verdict.name("ac_train.actor_first")
    _judge_number(numbers, verdict)


def _judge_number(numbers: tuple[int, int], verdict: Judgement) -> None:
    """Judges the numbers of calls, where there are any."""
    critic, actor = numbers
    if numbers == (ACTOR_UPDATES, CRITIC_UPDATES):
        verdict.name("ac_train.counts_swapped")
        return
    if critic not in (0, CRITIC_UPDATES):
        verdict.name("ac_train.critic_once" if critic == 1 else "ac_train.critic_count")
    if actor not in (0, ACTOR_UPDATES):
        verdict.name("ac_train.actor_once" if actor == 1 else "ac_train.actor_count")


def _judge_arguments(calls: list[Call], verdict: Judgement) -> None:
    """Each array arrives where it belongs."""
    for kind, roles in calls:
        order = [name for name in KINDS[kind] if name != "advantage"]
        right = [TRAIN_ORDER.index(name) for name in order]
        wrong = {
            order[i]: roles[i] for i in range(len(right)) if roles[i] not in (right[i], ABSENT)
        }
        if wrong == SWAPPED and kind == "critic":
            verdict.name("ac_train.critic_swapped")
        elif wrong:
            verdict.name(ARGUMENTS[kind])


def _judge_advantages(calls: list[Call], trial: Trial, case: ValueCase, verdict: Judgement) -> None:
    """The actor gets the advantages that the critic estimates after its last update."""
    before = np.cumsum([kind == "critic" for kind, _ in calls])  # updates of the critic by then
    behind = [int(n) for n, (kind, _) in zip(before, calls, strict=True) if kind == "advantage"]
    actor = [(int(n), r[2]) for n, (kind, r) in zip(before, calls, strict=True) if kind == "actor"]
    if len(actor) != len(trial.arrays["given"]):
        verdict.unknown.append("the actor was not given advantages at each of its updates")
    for (updates, role), given in zip(actor, trial.arrays["given"], strict=False):
        known = behind[role - ADVANTAGE] if role >= ADVANTAGE else None
        if role == UNKNOWN:
            known = _recognise(given, case, updates)
        _judge_given(role, known, updates, verdict)
    if len(behind) > len({role for _, role in actor}):
        verdict.notes.append("advantages are estimated more often than they are used")


@secret(lambda seed: itertools.product([value_case(seed)], range(MOST_UPDATES + 1)))
def advantages_after(case: ValueCase, updates: int) -> np.ndarray:
    """Returns what the advantages are after so many updates of the critic. Shape (BATCH,)."""
    value = case.table.astype(np.float64) * (1 + updates)
    mask = case.gamma * (1 - case.terminal)
    return np.asarray(case.reward + mask * value[case.next_state] - value[case.state])


def _recognise(given: np.ndarray, case: ValueCase, updates: int) -> int | None:
    """Returns after how many critic updates an advantage was computed in `train` itself."""
    for number in range(min(updates, MOST_UPDATES) + 1):
        adv_n = advantages_after(case, number)
        if close(given, adv_n) or close(given, (adv_n - adv_n.mean()) / adv_n.std()):
            return number
    return None


def _judge_given(role: int, known: int | None, updates: int, verdict: Judgement) -> None:
    """Judges what one update of the actor got for an advantage."""
    if role == MISSING:
        verdict.name("ac_train.advantage_missing")
    elif role == REWARD:
        verdict.name("ac_train.rewards_as_advantage")
    elif known is None:
        verdict.name("ac_train.advantage_argument")
    elif known < updates:
        verdict.name("ac_train.advantage_early")


def _judge_losses(trial: Trial, kinds: list[str], verdict: Judgement) -> None:
    """The critic's losses were all below 0, and the actor's above."""
    critic, actor = (float(trial.arrays[name]) for name in ("Critic_Loss", "Actor_Loss"))
    if {"critic", "actor"} <= set(kinds) and (critic > 0 or actor < 0):
        verdict.name("ac_train.losses_swapped")
    elif np.isnan(critic) or np.isnan(actor):
        verdict.notes.append("train does not return both losses, so they are not logged")
