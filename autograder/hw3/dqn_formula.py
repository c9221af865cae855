"""What an update of DQN's critic does: the Bellman target as a formula with switches, in NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autograder.hw3.critic_case import (
    ACTIONS,
    BATCH,
    CriticCase,
    clipped_case,
    critic_case,
    large_case,
    second_case,
)
from autograder.judge import Choice, Factor, Outcome, every
from autograder.recording import secret

# y = reward + sign * discount * future * value, each with its right form first
REWARD = Factor(
    "reward",
    {
        "r": None,
        "0": "target.reward_missing",
        "gamma r": "target.reward_discounted",
        "(1-T) r": "target.reward_masked",
        "-r at end": "target.reward_sign_at_end",
        "-r": "target.reward_sign",
        "sign(r)": "target.reward_clipped",
    },
)
DISCOUNT = Factor(
    "discount",
    {
        "gamma": None,
        "1": "target.no_discount",
        "gamma^2": "target.discount_twice",
        "0": "target.no_future",
    },
)
MASK = Factor(
    "mask",
    {
        "1-T": None,
        "1": "target.no_mask",
        "T": "target.mask_inverted",
        "2-T": "target.mask_doubled",
        "~T": "target.mask_not_one_minus",
    },
)
SIGN = Factor("sign", {"+": None, "-": "target.minus"})
NET = Factor("net", {"target": None, "online": "target.online_net"})
STATE = Factor(
    "state",
    {
        "next": None,
        "present": "target.present_state",
        "row below": "target.row_below",  # the present state of the batch's next row, 0 at the end
    },
)
REDUCE = Factor(
    "reduce",
    {
        "max": None,
        "taken": "target.taken_action",
        "index": "target.index_as_value",
        "mean": "target.mean_over_actions",
        "min": "target.min_over_actions",
        "sum": "target.sum_over_actions",
        "batch max": "target.max_over_batch",
    },
)
SPREAD = Factor(
    "spread",
    {
        "rows": None,
        "pairs": "target.broadcast",
    },
)
CUT = Factor("cut", {"cut": None, "uncut": "target.not_cut", "pred": "target.prediction_cut"})
STEP = Factor("step", {"down": None, "up": "gradient.uphill", "none": "gradient.no_step"})
LOSS = Factor("loss", {"parabola": None, "huber": None})
TARGET_FACTORS = (REWARD, DISCOUNT, MASK, SIGN, NET, STATE, REDUCE, SPREAD, CUT, STEP, LOSS)


def _asked(*factors: Factor) -> Callable[[int], Iterable[tuple[Any, ...]]]:
    """Returns what a function of a case and these factors will be asked."""

    def asked(seed: int) -> Iterable[tuple[Any, ...]]:
        cases = (critic_case(seed), second_case(seed), large_case(seed), clipped_case(seed))
        return itertools.product(cases, every(*factors))

    return asked


@secret(_asked(NET, STATE, REDUCE))
def next_value(case: CriticCase, choice: Choice) -> np.ndarray:
    """Returns each transition's value of what comes next, as plain DQN computes it."""
    table = case.target if choice["net"] == "target" else case.online
    states, counts = states_valued(case, choice)
    rows = table[:, states].T  # (BATCH, ACTIONS)
    if choice["reduce"] == "taken":
        return np.asarray(rows[np.arange(BATCH), case.action] * counts)
    if choice["reduce"] == "index":
        return np.asarray(rows.argmax(1) * counts, np.float64)
    if choice["reduce"] == "batch max":
        return np.asarray(rows.max() * counts)
    reduce: dict[str, Callable[..., Any]]
    reduce = {"max": np.max, "mean": np.mean, "min": np.min, "sum": np.sum}
    return np.asarray(reduce[choice["reduce"]](rows, axis=1) * counts)


@secret(_asked(STATE))
def states_valued(case: CriticCase, choice: Choice) -> tuple[np.ndarray, np.ndarray]:
    """Returns the state that each target values, and what it counts. Shapes (BATCH,)."""
    if choice["state"] == "row below":
        return np.roll(case.state, -1), np.arange(BATCH, 0, -1) > 1
    return case.next_state if choice["state"] == "next" else case.state, np.ones(BATCH)


def bellman(case: CriticCase, choice: Choice, value: np.ndarray) -> np.ndarray:
    """Returns the targets, shape (BATCH,), from the values of what comes next."""
    fixed, share = target_parts(case, choice)
    return np.asarray(fixed + share * value)


@secret(_asked(REWARD, DISCOUNT, MASK, SIGN))
def target_parts(case: CriticCase, choice: Choice) -> tuple[np.ndarray, np.ndarray]:
    """Returns, for each target, what it is without the next value, and what that counts in it."""
    end = case.terminal
    reward = {
        "r": case.reward,
        "0": 0 * case.reward,
        "gamma r": case.gamma * case.reward,
        "(1-T) r": (1 - end) * case.reward,
        "-r at end": np.where(end == 1, -case.reward, case.reward),
        "-r": -case.reward,
        "sign(r)": np.sign(case.reward),
    }[choice["reward"]]
    discount = {"gamma": case.gamma, "1": 1.0, "gamma^2": case.gamma**2, "0": 0.0}
    mask = {
        "1-T": 1 - end,
        "1": 1 + 0 * end,
        "T": end,
        "2-T": 2 - end,
        "~T": -1 - end,  # what bitwise not makes of whole numbers
    }[choice["mask"]]
    sign = 1.0 if choice["sign"] == "+" else -1.0
    return reward, np.asarray(sign * discount[choice["discount"]] * mask)


def slope(error: np.ndarray, choice: Choice) -> np.ndarray:
    """Returns minus the derivative of the loss by the prediction, up to a factor."""
    return np.clip(error, -1.0, 1.0) if choice["loss"] == "huber" else error


def change_of_table(case: CriticCase, choice: Choice, target: np.ndarray) -> np.ndarray:
    """Returns how one step down the gradient changes the online table, up to a factor."""
    change = np.zeros_like(case.online, dtype=np.float64)
    if choice["step"] == "none":
        return change
    predicted = case.online[case.action, case.state]
    if choice["spread"] == "pairs":  # (n, 1) against (n,): every prediction meets every target
        # The mean over targets; just so if the targets were averaged before the loss.
        towards = slope(target[:, None] - predicted, choice).mean(axis=0)
    else:
        towards = slope(target - predicted, choice)
    if choice["cut"] != "pred":
        change[case.action, case.state] += towards
    if choice["cut"] != "cut" and choice["net"] == "online":
        _flow_into_target(case, choice, change, towards)
    return -change if choice["step"] == "up" else change


def _flow_into_target(
    case: CriticCase, choice: Choice, change: np.ndarray, towards: np.ndarray
) -> None:
    """Adds what flows into a target that was made by the online network and not cut."""
    _, per_value = target_parts(case, choice)
    states, share = values_used(case, choice)
    for i in range(BATCH):
        change[:, states[i]] -= towards[i] * per_value[i] * share[i]


@secret(_asked(STATE, REDUCE))
def values_used(case: CriticCase, choice: Choice) -> tuple[np.ndarray, np.ndarray]:
    """Returns the state whose values each target uses, and what those of its actions count.

    Shapes (BATCH,) and (BATCH, ACTIONS).
    """
    states, counts = states_valued(case, choice)
    share = np.zeros((BATCH, ACTIONS))
    rows = case.online[:, states].T
    if choice["reduce"] == "batch max":
        row, action = np.unravel_index(rows.argmax(), rows.shape)
        share[:, action] = counts
        return np.full(BATCH, states[row]), share
    if choice["reduce"] == "taken":
        share[np.arange(BATCH), case.action] = 1
    elif choice["reduce"] in ("max", "min"):
        pick = rows.argmax(1) if choice["reduce"] == "max" else rows.argmin(1)
        share[np.arange(BATCH), pick] = 1
    elif choice["reduce"] in ("mean", "sum"):
        share[:] = 1 / ACTIONS if choice["reduce"] == "mean" else 1
    return states, share * counts[:, None]


def predict_update(case: CriticCase, choice: Choice) -> Outcome:
    """Predicts what one update of plain DQN does."""
    target = bellman(case, choice, next_value(case, choice))
    leaks = choice["cut"] != "cut" and choice["net"] == "target" and choice["reduce"] != "index"
    return {
        "change": change_of_table(case, choice, target),
        "target": target,
        "leak": np.array(leaks and choice["step"] != "none"),
    }
