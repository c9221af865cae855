"""How a step of the bootstrapped critic moves a table of values: a formula with switches."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autograder.hw3.probe_critic_update import TRIALS
from autograder.hw3.value_case import BATCH, STATES, ValueCase, value_case
from autograder.judge import ABS, Choice, Factor, every
from autograder.recording import secret

# target = reward + future(V, T), each with its right form first
REWARD = Factor(
    "reward",
    {
        "r": None,
        "0": "critic.reward_missing",
        "-r": "critic.reward_sign",
        "gamma r": "critic.reward_discounted",
        "(1-T) r": "critic.reward_masked",
        "standardized": "critic.rewards_standardized",
        "piled": "critic.rewards_pile_up",  # each computation adds to the targets before
    },
)
DISCOUNT = Factor(
    "discount",
    {
        "gamma": None,
        "1": "critic.no_discount",
        "gamma^2": "critic.discount_twice",
        "0": "critic.no_future",
    },
)
MASK = Factor(
    "mask",
    {
        "1-T": None,
        "1": "critic.no_mask",
        "T": "critic.mask_inverted",
        "2-T": "critic.mask_doubled",
        "-1-T": "critic.mask_not_one_minus",  # ~ of whole numbers
        "d(v*1-T)": "critic.mask_precedence",
        "dv*1-T": "critic.mask_precedence",
        "d*1-Tv": "critic.mask_precedence",
        "d(1-Tv)": "critic.mask_precedence",
        "flips": "critic.mask_flips",  # right, inverted, right ... each time it is computed
    },
)
SIGN = Factor("sign", {"+": None, "-": "critic.minus"})
STATE = Factor(  # (whose value is the target's, whose value is fitted)
    "states",
    {
        "next, present": None,
        "present, present": "critic.target_of_present_state",
        "next, next": "critic.fits_next_state",
        "present, next": "critic.states_swapped",
    },
)
BASE = Factor("base", {"0": None, "V(s)": "critic.advantage_as_target"})
FORM = Factor(
    "form",
    {
        "as it is": None,
        "standardized": "critic.targets_standardized",
        "with n - 1": "critic.targets_standardized",  # as torch does
    },
)
# With (n, 1) against (n,), every row meets every row: which of reward, terminal and value run
# along the other axis than the prediction does.
SPREAD = Factor(
    "spread",
    {"": None} | dict.fromkeys(("rTv", "r", "T", "v", "rT", "rv", "Tv"), "critic.broadcast"),
)
CUT = Factor(
    "cut",
    {
        "cut": None,
        "uncut": "critic.not_cut",
        "late": "critic.cut_late",  # from the second step on each target
        "pred": "critic.prediction_cut",
    },
)
RETAIN = Factor("retain", {"freed": None, "kept": None})  # backward(retain_graph=True)
LOSS = Factor(
    "loss",
    {
        "square": None,
        "abs": "critic.loss_not_squared",
        "pred - target": "critic.loss_not_squared",
        "target - pred": "critic.loss_not_squared",  # or its square: the same direction
    },
)
PREDICTION = Factor(  # when V(s) is computed
    "prediction",
    {
        "each step": None,
        "each target": "critic.prediction_kept",
        "once": "critic.prediction_kept",
    },
)
STEP = Factor("step", {"down": None, "up": "critic.uphill"})
GRADIENTS = Factor(
    "gradients",
    {
        "zeroed": None,
        "piled": "critic.gradients_pile_up",
        "piled in block": "critic.gradients_pile_up",  # zeroed at each new target alone
    },
)
SCHEDULE = Factor(
    "schedule",
    {
        "right": None,
        "swapped": "critic.loops_swapped",
        "once": "critic.targets_once",
        "targets alone": "critic.too_few_steps",  # a step for each target
        "steps alone": "critic.too_few_steps",  # the steps of one target
        "single": "critic.too_few_steps",
        "inner again": "critic.nested_twice",  # NT * NG times NG
        "outer again": "critic.nested_twice",  # NT times NT * NG
        "steps in both": "critic.one_count_twice",
        "targets in both": "critic.one_count_twice",
        "target less": "critic.loop_off_by_one",
        "target more": "critic.loop_off_by_one",
        "step less": "critic.loop_off_by_one",
        "step more": "critic.loop_off_by_one",
    },
)
TARGETS = Factor(
    "targets", {"each round": None, "each step": "critic.targets_every_step"}
)  # when they are computed again
FORMULA = (REWARD, DISCOUNT, MASK, SIGN, STATE, BASE, FORM, SPREAD, CUT, LOSS, STEP)
FACTORS = (*FORMULA, RETAIN, GRADIENTS, SCHEDULE, TARGETS, PREDICTION)


@secret(lambda seed: ((c, *counts) for c in every(SCHEDULE, TARGETS) for counts in TRIALS.values()))
def schedule(choice: Choice, targets: int, steps: int) -> list[int]:
    """Returns how many gradient steps follow each computation of targets."""
    rounds: list[int] = {
        "right": [steps] * targets,
        "swapped": [targets] * steps,
        "once": [targets * steps],
        "targets alone": [1] * targets,
        "steps alone": [steps],
        "single": [1],
        "inner again": [steps] * (targets * steps),
        "outer again": [targets * steps] * targets,
        "steps in both": [steps] * steps,
        "targets in both": [targets] * targets,
        "target less": [steps] * (targets - 1),
        "target more": [steps] * (targets + 1),
        "step less": [steps - 1] * targets if steps > 1 else [],
        "step more": [steps + 1] * targets,
    }[choice["schedule"]]
    return [1] * sum(rounds) if choice["targets"] == "each step" else rounds


@secret(lambda seed: itertools.product([value_case(seed)], every(DISCOUNT, MASK, SIGN), (0, 1)))
def future(case: ValueCase, choice: Choice, odd: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns what multiplies the next value, and what is added, for each terminal flag.

    Args:
        case: The batch.
        choice: The switches.
        odd: Whether targets have been computed once before, or three times, or ...

    Returns:
        Both of shape (BATCH,).
    """
    end = case.terminal.astype(np.float64)
    d = {"gamma": case.gamma, "1": 1.0, "gamma^2": case.gamma**2, "0": 0.0}[choice["discount"]]
    one, zero = np.ones(BATCH), np.zeros(BATCH)
    slope, offset = {
        "1-T": (d * (1 - end), zero),
        "1": (d * one, zero),
        "T": (d * end, zero),
        "2-T": (d * (2 - end), zero),
        "-1-T": (d * (-1 - end), zero),
        "d(v*1-T)": (d * one, -d * end),
        "dv*1-T": (d * one, -end),
        "d*1-Tv": (-end, d * one),
        "d(1-Tv)": (-d * end, d * one),
        "flips": (d * (end if odd else 1 - end), zero),
    }[choice["mask"]]
    sign = 1.0 if choice["sign"] == "+" else -1.0
    return sign * slope, sign * offset


@secret(lambda seed: itertools.product([value_case(seed)], every(REWARD)))
def rewards(case: ValueCase, choice: Choice) -> np.ndarray:
    """Returns the part of the targets that is reward. Shape (BATCH,)."""
    reward = case.reward.astype(np.float64)
    return {
        "r": reward,
        "0": 0 * reward,
        "-r": -reward,
        "gamma r": case.gamma * reward,
        "(1-T) r": (1 - case.terminal) * reward,
        "standardized": np.asarray((reward - reward.mean()) / reward.std()),
        "piled": reward,
    }[choice["reward"]]


@secret(lambda seed: itertools.product([value_case(seed)], every(STATE)))
def states_of(case: ValueCase, choice: Choice) -> tuple[np.ndarray, np.ndarray]:
    """Returns whose value each target is made of, and whose is fitted. Shape (BATCH,) each."""
    target, fitted = choice["states"].split(", ")
    named = {"next": case.next_state, "present": case.state}
    return named[target], named[fitted]


@dataclass
class Rows:
    """Who meets whom in a loss: for each term, the row that each part of it comes from."""

    prediction: np.ndarray
    reward: np.ndarray
    terminal: np.ndarray
    value: np.ndarray


@functools.cache
def rows_of(spread: str) -> Rows:
    """Returns the rows of each term: `BATCH` terms, or `BATCH`**2 if shapes spread."""
    if not spread:
        each = np.arange(BATCH)
        return Rows(each, each, each, each)
    along, across = (index.reshape(-1) for index in np.indices((BATCH, BATCH)))
    parts = (across if part in spread else along for part in "rTv")
    return Rows(along, *parts)


def target_terms(
    case: ValueCase, choice: Choice, rows: Rows, history: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Returns targets, and how much of the last next value each holds.

    Args:
        case: The batch.
        choice: The switches.
        rows: Who meets whom.
        history: The tables from which targets were computed so far, the last one last.

    Returns:
        Both with one element for each term of the loss.
    """
    states, _ = states_of(case, choice)
    target = rewards(case, choice)[rows.reward]
    slope = np.zeros(len(target))
    first = 0 if choice["reward"] == "piled" else len(history) - 1
    for times in range(first, len(history)):
        slopes, offsets = future(case, choice, times % 2)
        slope = slopes[rows.terminal]
        target = target + slope * history[times][states][rows.value] + offsets[rows.terminal]
    if choice["base"] == "V(s)":
        target = target - history[-1][case.state][rows.prediction]
    if choice["form"] != "as it is":
        spread = target.std(ddof=0 if choice["form"] == "standardized" else 1)
        target = (target - target.mean()) / max(spread, ABS)
    return target, slope


def slope_of_loss(error: np.ndarray, choice: Choice) -> np.ndarray:
    """Returns minus the derivative of the loss by each prediction, up to a factor."""
    slopes: dict[str, np.ndarray] = {
        "square": error,
        "abs": np.sign(error),
        "pred - target": -np.ones_like(error),
        "target - pred": np.ones_like(error),
    }
    return slopes[choice["loss"]]


def direction(
    case: ValueCase, choice: Choice, table: np.ndarray, history: Sequence[np.ndarray], first: bool
) -> np.ndarray:
    """Returns where one gradient step moves the table, up to a factor. Shape (STATES,).

    Args:
        case: The batch.
        choice: The switches.
        table: The values at this step.
        history: See `target_terms`.
        first: Whether it is the first step on these targets.
    """
    rows = rows_of(choice["spread"])
    target, slope = target_terms(case, choice, rows, history)
    valued, fitted = states_of(case, choice)
    pull = slope_of_loss(target - table[fitted][rows.prediction], choice)
    change = np.zeros(STATES)
    if choice["cut"] != "pred":
        change += _by_state(fitted[rows.prediction], pull)
    if choice["cut"] in ("uncut", "pred") or (choice["cut"] == "late" and first):
        change -= _by_state(valued[rows.value], slope * pull)
        if choice["base"] == "V(s)":
            change += _by_state(case.state[rows.prediction], pull)
    return -change if choice["step"] == "up" else change


def _by_state(states: np.ndarray, amounts: np.ndarray) -> np.ndarray:
    """Sums amounts by the state that each is for. Shape (STATES,)."""
    return np.bincount(states, amounts, STATES)
