"""Answers about `ACAgent.estimate_advantage`: a formula with switches, and its standard form."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import numpy as np

from autograder.hw3.value_case import BATCH, LEVEL, TRAIN_ORDER, ValueCase, value_case
from autograder.judge import (
    ABS,
    Choice,
    Factor,
    Judgement,
    Outcome,
    choices,
    close,
    difference,
    explain,
    judge_blank,
    judge_crash,
    mistakes_in,
    right_choice,
)
from autograder.probing import Crash, Observation, Trial
from autograder.recording import secret

BLANK = "hw3.ac.advantage"
# advantage = sign * (reward + future(V(s'), T) - V(s)), each with its right form first
REWARD = Factor(
    "reward",
    {
        "r": None,
        "0": "advantage.reward_missing",
        "-r": "advantage.reward_sign",
        "gamma r": "advantage.reward_discounted",
        "(1-T) r": "advantage.reward_masked",
        "standardized": "advantage.rewards_standardized",
    },
)
DISCOUNT = Factor(
    "discount",
    {
        "gamma": None,
        "1": "advantage.no_discount",
        "gamma^2": "advantage.discount_twice",
        "0.99": "advantage.discount_fixed",
        "0": "advantage.no_future",
    },
)
MASK = Factor(
    "mask",
    {
        "1-T": None,
        "1": "advantage.no_mask",
        "T": "advantage.mask_inverted",
        "2-T": "advantage.mask_doubled",
        "-1-T": "advantage.mask_not_one_minus",  # ~ of whole numbers
        "d(v*1-T)": "advantage.mask_precedence",
        "dv*1-T": "advantage.mask_precedence",
        "d*1-Tv": "advantage.mask_precedence",
        "d(1-Tv)": "advantage.mask_precedence",
    },
)
FUTURE_SIGN = Factor("future_sign", {"+": None, "-": "advantage.minus_future"})
STATES = Factor(  # (whose value the future is, whose value is subtracted)
    "states",
    {
        "next, present": None,
        "present, present": "advantage.future_of_present_state",
        "next, next": "advantage.next_value_subtracted",
        "present, next": "advantage.states_swapped",
        "next row, present": "advantage.value_of_next_row",
    },
)
BASELINE = Factor(
    "baseline",
    {
        "-": None,
        "0": "advantage.no_baseline",
        "+": "advantage.baseline_added",
        "mean": "advantage.baseline_mean",
        "gamma": "advantage.baseline_discounted",
        "gamma (1-T)": "advantage.baseline_in_brackets",
        "1-T": "advantage.baseline_masked",
    },
)
SIGN = Factor("sign", {"+": None, "-": "advantage.sign"})
FORM = Factor(
    "form",
    {
        "as it is": None,
        "standardized": "advantage.always_standardized",
    },
)
FACTORS = (REWARD, DISCOUNT, MASK, FUTURE_SIGN, STATES, BASELINE, SIGN, FORM)
KNOWN_CRASHES = (  # a part of the text -> the mistake behind it
    ("truth value of an array", "advantage.mask_of_whole_batch"),
    ("Boolean value of Tensor", "advantage.mask_of_whole_batch"),
    ("invert", "advantage.mask_not_one_minus"),
    ("could not be broadcast", "advantage.sizes"),
    ("must match the size", "advantage.sizes"),
    ("object has no attribute 'shape'", "advantage.no_array"),
)
# Relative to the student's own advantages of the same batch, when the setting is on.
STANDARD: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "advantage.not_standardized": lambda a, std: a,
    "advantage.not_centred": lambda a, std: a / std,
    "advantage.not_scaled": lambda a, std: a - a.mean(),
    "advantage.std_precedence": lambda a, std: a - a.mean() / std,
    "advantage.variance": lambda a, std: (a - a.mean()) / std**2,
    "advantage.centre_added": lambda a, std: (a + a.mean()) / std,
    "advantage.scale_multiplied": lambda a, std: (a - a.mean()) * std,
}


@secret(lambda seed: itertools.product([value_case(seed)], choices(FACTORS)))
def advantage(case: ValueCase, choice: Choice) -> np.ndarray:
    """Returns the advantages, shape (BATCH,), that the switches lead to."""
    end, table = case.terminal.astype(np.float64), case.table.astype(np.float64)
    reward = case.reward.astype(np.float64)
    following, subtracted = choice["states"].split(", ")
    v_next = table[case.next_state if following == "next" else case.state]
    if following == "next row":  # 0 stands after the last
        v_next = np.append(v_next[1:], 0.0)
    v = table[case.state if subtracted == "present" else case.next_state]
    d = {
        "gamma": case.gamma,
        "1": 1.0,
        "gamma^2": case.gamma**2,
        "0.99": 0.99,
        "0": 0.0,
    }[choice["discount"]]
    future = {
        "1-T": d * (1 - end) * v_next,
        "1": d * v_next,
        "T": d * end * v_next,
        "2-T": d * (2 - end) * v_next,
        "-1-T": d * (-1 - end) * v_next,
        "d(v*1-T)": d * (v_next - end),
        "dv*1-T": d * v_next - end,
        "d*1-Tv": d - end * v_next,
        "d(1-Tv)": d * (1 - end * v_next),
    }[choice["mask"]]
    got = {
        "r": reward,
        "0": 0 * reward,
        "-r": -reward,
        "gamma r": case.gamma * reward,
        "(1-T) r": (1 - end) * reward,
        "standardized": (reward - reward.mean()) / reward.std(),
    }[choice["reward"]]
    baseline = {
        "-": v,
        "0": 0 * v,
        "+": -v,
        "mean": np.full(BATCH, v.mean()),
        "gamma": case.gamma * v,
        "gamma (1-T)": case.gamma * (1 - end) * v,
        "1-T": (1 - end) * v,
    }[choice["baseline"]]
    adv_n = got + (future if choice["future_sign"] == "+" else -future) - baseline
    adv_n = adv_n if choice["sign"] == "+" else -adv_n
    standard: np.ndarray = (adv_n - adv_n.mean()) / max(adv_n.std(), ABS)
    return adv_n if choice["form"] == "as it is" else standard


def judge_advantage(seen: Observation, seed: int) -> Judgement:
    """Judges the advantages with our critic; what fails there may pass with the student's own."""
    ours = judge_trials(seen, "", seed)
    if ours.blank or ours.passed or "own_raw" not in seen:
        return ours
    own = judge_trials(seen, "own_", seed)
    return own if own.passed else ours


def judge_trials(seen: Observation, prefix: str, seed: int) -> Judgement:
    """Judges the two trials with one critic: raw, and standardised."""
    verdict = Judgement()
    raw = seen.get(prefix + "raw", seen["probe"])
    standard = seen.get(prefix + "standardized", seen["probe"])
    if raw.crash is not None and raw.crash.blank:
        return judge_blank(raw.crash, BLANK, verdict)
    _judge_inputs((raw, standard), verdict)
    if raw.crash is not None:
        return _judge_crash(raw.crash, verdict)
    adv_n = _judge_shape(raw.arrays["adv_n"], verdict)
    if adv_n is not None:
        _judge_values(adv_n, value_case(seed), verdict)
    if bool(raw.arrays["reaches_critic"]):
        verdict.name("advantage.carries_graph")
    _judge_standard(raw, standard, verdict)
    _judge_large(raw, seen.get(prefix + "large"), verdict)
    return verdict


def _judge_inputs(trials: tuple[Trial, ...], verdict: Judgement) -> None:
    """The batch belongs to the caller."""
    for trial in trials:
        for role, moved in zip(TRAIN_ORDER, trial.arrays.get("changed", ()), strict=False):
            if moved and role == "reward":
                verdict.name("advantage.rewards_changed")
            elif moved:
                verdict.name("advantage.inputs_changed")


def _judge_shape(adv_n: np.ndarray, verdict: Judgement) -> np.ndarray | None:
    """Names a wrong shape; returns the advantages in the right one, if they can be had."""
    if adv_n.shape == (BATCH,):
        return adv_n
    _name_shape(adv_n.shape, verdict)
    return adv_n.reshape(BATCH) if adv_n.shape in ((BATCH, 1), (1, BATCH)) else None


def _name_shape(shape: tuple[int, ...], verdict: Judgement) -> None:
    if shape == (BATCH, BATCH):
        verdict.name("advantage.broadcast")
    elif shape in ((BATCH, 1), (1, BATCH)):
        verdict.name("advantage.column")
    elif shape in ((), (1,)):
        verdict.name("advantage.one_number")
    else:
        verdict.unknown.append(f"adv_n: shape {shape}, expected {(BATCH,)}")


def _judge_values(adv_n: np.ndarray, case: ValueCase, verdict: Judgement) -> None:
    """Names what explains the advantages."""

    def predict(choice: Choice) -> Outcome:
        return {"adv_n": advantage(case, choice)}

    found = explain(FACTORS, predict, lambda outcome: close(adv_n, outcome["adv_n"]))
    right = advantage(case, right_choice(FACTORS))
    if found is None and close(adv_n, right - right.mean()):
        verdict.name("advantage.always_standardized")
    elif found is None:
        verdict.unknown.append(difference("adv_n", adv_n, right))
    else:
        verdict.name(*mistakes_in(found, FACTORS))


def _judge_large(raw: Trial, large: Trial | None, verdict: Judgement) -> None:
    """Judges advantages where everything counted in rewards is larger."""
    if not verdict.passed or large is None or large.crash:
        return
    if not close(large.arrays["adv_n"] / LEVEL, raw.arrays["adv_n"]):
        verdict.name("advantage.clipped")


def _judge_standard(raw: Trial, standard: Trial, verdict: Judgement) -> None:
    """Judges advantages with the setting on, after those with the setting off."""
    if standard.crash is not None:
        if not bool(raw.arrays["is_tensor"]):
            _judge_crash(standard.crash, verdict)
        elif "advantage.carries_graph" not in verdict.mistakes:
            verdict.name("advantage.tensor")
        return
    if bool(standard.arrays["reaches_critic"]):
        verdict.name("advantage.carries_graph")
    a, b = raw.arrays["adv_n"].reshape(-1), standard.arrays["adv_n"].reshape(-1)
    if len(a) == len(b) == BATCH and np.all(np.isfinite(a)) and a.std() > ABS:
        _judge_standard_form(a.astype(np.float64), b, verdict)


def _judge_standard_form(raw: np.ndarray, standard: np.ndarray, verdict: Judgement) -> None:
    """Judges standardised advantages as a function of the student's own raw ones."""
    spreads = [raw.std(), raw.std(ddof=1)]
    if any(close(standard, (raw - raw.mean()) / std) for std in spreads):
        return
    if "advantage.always_standardized" in verdict.mistakes:
        # What is standardised without being asked is not when it is: the setting is reversed.
        verdict.mistakes.remove("advantage.always_standardized")
        verdict.name("advantage.setting_reversed")
        return
    for mistake, form in STANDARD.items():
        if any(close(standard, form(raw, std)) for std in spreads):
            verdict.name(mistake)
            return
    expected = (raw - raw.mean()) / raw.std()
    verdict.unknown.append(difference("standardised adv_n", standard, expected))


def _judge_crash(crash: Crash, verdict: Judgement) -> Judgement:
    """Translates an exception into the mistake behind it, where known."""
    shape = re.search(r"adv_n has shape \(([\d, ]*)\)", crash.text)
    if shape:
        _name_shape(tuple(int(n) for n in shape[1].split(",") if n.strip()), verdict)
        return verdict
    known = next((mistake for text, mistake in KNOWN_CRASHES if text in crash.text), None)
    return judge_crash(crash, known, verdict)
