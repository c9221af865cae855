"""Answers about DQN's critic: the Bellman target as a formula with switches, in NumPy."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.hw3.critic_case import ACTIONS, BATCH, CriticCase, critic_case, second_case
from autograder.hw3.probe_dqn_critic import CLIP_AT
from autograder.judge import (
    Choice,
    Factor,
    Judgement,
    Outcome,
    close,
    difference,
    explain,
    judge_crash,
    mistakes_in,
    right_choice,
    same_direction,
)
from autograder.probing import Crash, Observation, Trial

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
STATE = Factor("state", {"next": None, "present": "target.present_state"})
REDUCE = Factor(
    "reduce",
    {
        "max": None,
        "taken": "target.taken_action",
        "index": "target.index_as_value",
        "mean": "target.mean_over_actions",
        "min": "target.min_over_actions",
        "sum": "target.sum_over_actions",
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


def next_value(case: CriticCase, choice: Choice) -> np.ndarray:
    """Returns each transition's value of what comes next, as plain DQN computes it."""
    table = case.target if choice["net"] == "target" else case.online
    states = case.next_state if choice["state"] == "next" else case.state
    rows = table[:, states].T  # (BATCH, ACTIONS)
    if choice["reduce"] == "taken":
        return np.asarray(rows[np.arange(BATCH), case.action])
    if choice["reduce"] == "index":
        return np.asarray(rows.argmax(1), np.float64)
    reduce: dict[str, Callable[..., Any]]
    reduce = {"max": np.max, "mean": np.mean, "min": np.min, "sum": np.sum}
    return np.asarray(reduce[choice["reduce"]](rows, axis=1))


def bellman(case: CriticCase, choice: Choice, value: np.ndarray) -> np.ndarray:
    """Returns the targets, shape (BATCH,), from the values of what comes next."""
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
    return np.asarray(reward + sign * discount[choice["discount"]] * mask * value)


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
    ones = dict(choice) | {"reward": "0", "spread": "rows"}
    per_value = bellman(case, ones, np.ones(BATCH))
    states = case.next_state if choice["state"] == "next" else case.state
    share = np.zeros((BATCH, ACTIONS))
    rows = case.online[:, states].T
    if choice["reduce"] == "taken":
        share[np.arange(BATCH), case.action] = 1
    elif choice["reduce"] in ("max", "min"):
        pick = rows.argmax(1) if choice["reduce"] == "max" else rows.argmin(1)
        share[np.arange(BATCH), pick] = 1
    elif choice["reduce"] in ("mean", "sum"):
        share[:] = 1 / ACTIONS if choice["reduce"] == "mean" else 1
    for i in range(BATCH):
        change[:, states[i]] -= towards[i] * per_value[i] * share[i]


def predict_update(case: CriticCase, choice: Choice) -> Outcome:
    """Predicts what one update of plain DQN does."""
    target = bellman(case, choice, next_value(case, choice))
    leaks = choice["cut"] != "cut" and choice["net"] == "target" and choice["reduce"] != "index"
    return {
        "change": change_of_table(case, choice, target),
        "target": target,
        "leak": np.array(leaks and choice["step"] != "none"),
    }


def judge_targets(seen: Observation, seed: int) -> Judgement:
    """Judges the Bellman targets, and the gradient step around them."""
    case = critic_case(seed)
    verdict = Judgement()
    once = seen["once"]
    if once.crash:
        return judge_update_crash(once, verdict)
    _judge_first_step(once, case, verdict)
    if not verdict.passed:
        return verdict
    _judge_double_branch(seen["double"], case, verdict)
    _judge_further_steps(seen, seed, verdict)
    return verdict


def _judge_first_step(once: Trial, case: CriticCase, verdict: Judgement) -> None:
    """Names what explains the change of the table after one update."""
    seen = once.arrays
    leak = bool(seen["target_grad1"] > 0)

    def agrees(outcome: Outcome) -> bool:
        return leak == bool(outcome["leak"]) and same_direction(seen["change1"], outcome["change"])

    predict = functools.partial(predict_update, case)
    found = explain(TARGET_FACTORS, predict, agrees)
    if found is None:
        right = predict(right_choice(TARGET_FACTORS))
        verdict.unknown.append(_first_difference(seen, right, case))
        return
    verdict.name(*mistakes_in(found, TARGET_FACTORS))
    if found["step"] == "none":  # nothing moved: what the loss was given still tells the target
        _judge_loss_arguments(seen, case, verdict)
    if np.abs(seen["target_change1"]).max() > 0:
        verdict.name("target.network_moves")


def _judge_loss_arguments(
    seen: dict[str, np.ndarray], case: CriticCase, verdict: Judgement
) -> None:
    """Names mistakes in the targets from what `self.loss` was called with."""
    target = targets_given(seen, case)
    if target is None:
        return
    factors = (REWARD, DISCOUNT, MASK, SIGN, NET, STATE, REDUCE)

    def predict(choice: Choice) -> Outcome:
        return {"target": bellman(case, choice, next_value(case, choice))}

    found = explain(factors, predict, lambda outcome: close(target, outcome["target"]))
    if found:
        verdict.name(*mistakes_in(found, factors))


def targets_given(seen: dict[str, np.ndarray], case: CriticCase) -> np.ndarray | None:
    """Returns the targets as `self.loss` was given them, if that can be told; shape (BATCH,)."""
    predicted = case.online[case.action, case.state]
    given = [seen[name] for name in ("loss_first", "loss_second") if name in seen]
    targets = [g for g in given if g.shape == (BATCH,) and not close(g, predicted)]
    return targets[0] if len(targets) == 1 else None


def _first_difference(seen: dict[str, np.ndarray], right: Outcome, case: CriticCase) -> str:
    """Says where the targets, or else the change of the table, first differ."""
    given = targets_given(seen, case)
    if given is not None and not close(given, np.asarray(right["target"])):
        return difference("target", given, np.asarray(right["target"]))
    change = np.asarray(right["change"])
    scale = np.abs(change).max() / max(float(np.abs(seen["change1"]).max()), 1e-12)
    return difference("change of Q(a, s), scaled", seen["change1"] * scale, change)


def _judge_double_branch(double: Trial, case: CriticCase, verdict: Judgement) -> None:
    """With double Q on, the next values must be those of `double_q_values`, or equal to them."""
    if double.crash:
        crash = double.crash
        inline = "asked" not in double.arrays and "double_q" not in crash.source
        if crash.blank or not inline:  # else `update` computes double Q itself, judged elsewhere
            judge_update_crash(double, verdict)
        return
    if "asked" in double.arrays:
        value = np.linspace(-0.3, 0.3, BATCH)
        if not close(double.arrays["asked"], case.one_hot(case.next_state)):
            verdict.name("target.double_q_of_wrong_states")
            return
        right = right_choice(TARGET_FACTORS)
        expected = change_of_table(case, right, bellman(case, right, value))
        if not same_direction(double.arrays["change1"], expected):
            verdict.name("target.double_q_ignored")
        return
    plain = predict_update(case, right_choice(TARGET_FACTORS))
    if not double.arrays["has_method"]:
        return  # an older handout: `update` computes double Q itself, judged elsewhere
    if same_direction(double.arrays["change1"], np.asarray(plain["change"])):
        verdict.name("target.double_q_ignored")


def _judge_further_steps(seen: Observation, seed: int, verdict: Judgement) -> None:
    """Judges a second update, large gradients and large errors."""
    for name in ("twice", "clipped", "large"):
        if seen[name].crash:
            judge_update_crash(seen[name], verdict)
            return
    twice = seen["twice"].arrays
    right = right_choice(TARGET_FACTORS)
    second = predict_update(second_case(seed), right)["change"]
    first = predict_update(critic_case(seed), right)["change"]
    if not same_direction(twice["change2"], second):
        both = [second * (1 + k) + first for k in np.linspace(-0.6, 1.0, 9)]
        piled_up = any(same_direction(twice["change2"], b, 0.02) for b in both)
        verdict.name("gradient.pile_up" if piled_up else "gradient.second_differs")
    if not np.isclose(float(twice["rate_after1"]), 0.5) or not np.isclose(
        float(twice["rate_after2"]), 0.25
    ):
        verdict.name("gradient.schedule")
    if twice["graphs"] > 0:
        verdict.name("gradient.graph_kept")
    if float(np.abs(seen["clipped"].arrays["change1"]).max()) > CLIP_AT * 1.01:
        verdict.name("gradient.not_clipped")
    large = critic_case(seed, reward_scale=100.0)
    expected = np.asarray(predict_update(large, right)["change"])
    rows = expected != 0
    moved = seen["large"].arrays["change1"][rows]
    if np.any(moved * np.sign(expected[rows]) <= ABS_MOVE):
        verdict.name("gradient.large_errors_ignored")


ABS_MOVE = 1e-7
KNOWN_CRASHES = (  # what an exception's text matches -> the mistake behind it
    ("does not require grad|does not have a grad_fn", "target.prediction_cut"),
    (r"operator.invert|only implemented on integer and Boolean", "target.mask_not_one_minus"),
    ("nested_tensorlist", "gradient.no_step"),  # torch clips gradients that were thrown away
    ("Boolean value of Tensor|truth value of an array", "target.mask_of_whole_batch"),
    (rf"target has shape \({BATCH}, {ACTIONS}\)", "target.not_reduced"),
    (rf"target has shape \({BATCH}, {BATCH}\)", "target.broadcast"),
    (r"target has shape", "target.shape"),
    (rf"tensor a \({BATCH}\) must match .* tensor b \({ACTIONS}\)", "target.not_reduced"),
    (rf"tensor a \({ACTIONS}\) must match .* tensor b \({BATCH}\)", "target.not_reduced"),
)


def judge_update_crash(trial: Trial, verdict: Judgement) -> Judgement:
    """Translates an exception of the critic's update into the mistake behind it, where known."""
    crash = trial.crash
    assert crash is not None
    if crash.blank:
        verdict.blank = crash.blank == "hw3.dqn.targets"
        return verdict
    return judge_crash(crash, known_crash(crash), verdict)


def known_crash(crash: Crash) -> str | None:
    """Returns the mistake behind an exception, if it tells one of the critic's."""
    found = [mistake for text, mistake in KNOWN_CRASHES if re.search(text, crash.text)]
    return found[0] if found else None
