"""Answers about DQN's critic: which target, gradient and step explain how its table moved."""

from __future__ import annotations

import functools
import re

import numpy as np

from autograder.hw3.critic_case import (
    ACTIONS,
    BATCH,
    WORTH,
    CriticCase,
    clipped_case,
    critic_case,
    large_case,
    second_case,
)
from autograder.hw3.double_q_formula import FACTORS as DOUBLE_Q
from autograder.hw3.double_q_formula import double_value
from autograder.hw3.dqn_formula import (
    DISCOUNT,
    LOSS,
    MASK,
    NET,
    REDUCE,
    REWARD,
    SIGN,
    STATE,
    TARGET_FACTORS,
    bellman,
    change_of_table,
    next_value,
    predict_update,
)
from autograder.hw3.probe_dqn_critic import CLIP_AT
from autograder.judge import (
    Choice,
    Judgement,
    Outcome,
    close,
    difference,
    explain,
    judge_blank,
    judge_crash,
    mistakes_in,
    right_choice,
    same_direction,
)
from autograder.probing import Crash, Observation, Trial


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
    if verdict.passed:
        _judge_clipping(seen["large"].arrays["change1"], seed, verdict)
    return verdict


def _judge_first_step(once: Trial, case: CriticCase, verdict: Judgement) -> None:
    """Names what explains the change of the table after one update."""
    seen = once.arrays
    leak = bool(seen["target_grad1"] > 0)

    def agrees(outcome: Outcome) -> bool:
        return leak == bool(outcome["leak"]) and same_direction(seen["change1"], outcome["change"])

    predict = functools.partial(predict_update, case)
    found = explain(TARGET_FACTORS, predict, agrees)
    if found is None and _values_are(once, case, double_value(case, right_choice(DOUBLE_Q))):
        verdict.name("target.double_q_unasked")
        return
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
        _judge_double_crash(double, double.crash, verdict)
        return
    if "asked" in double.arrays:
        if _values_are(double, case, WORTH[case.next_state]):
            return
        present = _values_are(double, case, WORTH[case.state])
        verdict.name("target.double_q_of_wrong_states" if present else "target.double_q_ignored")
        return
    if not double.arrays["has_method"]:
        return  # an older handout: `update` computes double Q itself, judged elsewhere
    if _values_are(double, case, next_value(case, right_choice(TARGET_FACTORS))):
        verdict.name("target.double_q_ignored")
    elif "own" in double.arrays:
        _judge_own_double_q(double, case, verdict)


def _values_are(double: Trial, case: CriticCase, value: np.ndarray) -> bool:
    """Tells whether an update is what it is to be if next states have these values."""
    if value.shape != (BATCH,):
        return False
    right = right_choice(TARGET_FACTORS)
    expected = change_of_table(case, right, bellman(case, right, value))
    return same_direction(double.arrays["change1"], expected)


def _judge_own_double_q(double: Trial, case: CriticCase, verdict: Judgement) -> None:
    """Judges double Q that `update` computes by itself, though there is a method for it."""
    if _values_are(double, case, double.arrays["own"]):
        return  # it is the method's, which is judged elsewhere
    found = explain(
        DOUBLE_Q,
        lambda choice: {"value": double_value(case, choice)},
        lambda outcome: _values_are(double, case, np.asarray(outcome["value"])),
    )
    if found:
        verdict.name(*mistakes_in(found, DOUBLE_Q))
        return
    verdict.unknown.append("with double Q on, what `update` does is not explained by any target")


def _judge_double_crash(double: Trial, crash: Crash, verdict: Judgement) -> None:
    """What `double_q_values` raises is that blank's; so is what `update` does in its place."""
    if crash.blank == "hw3.dqn.double_q":
        return
    inline = "asked" not in double.arrays and "double_q" not in crash.source
    if crash.blank or not inline:
        judge_update_crash(double, verdict)


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
    if twice["graphs"] > 0:
        verdict.name("gradient.graph_kept")
    if float(np.abs(seen["clipped"].arrays["change1"]).max()) > CLIP_AT * 1.01:
        verdict.name("gradient.not_clipped")
    large = large_case(seed)
    expected = np.asarray(predict_update(large, right)["change"])
    rows = expected != 0
    moved = seen["large"].arrays["change1"][rows]
    if np.any(moved * np.sign(expected[rows]) <= ABS_MOVE):
        verdict.name("gradient.large_errors_ignored")


def _judge_clipping(change: np.ndarray, seed: int, verdict: Judgement) -> None:
    """Names it if large rewards, or targets, were clipped before they reached the loss."""
    large, clipped = large_case(seed), clipped_case(seed)
    for mistake in (None, "target.reward_clipped", "target.clipped"):
        case = clipped if mistake == "target.reward_clipped" else large
        for loss in LOSS.options:
            choice = {**right_choice(TARGET_FACTORS), LOSS.name: loss}
            target = bellman(case, choice, next_value(case, choice))
            if mistake == "target.clipped":
                target = np.clip(target, -1, 1)
            if same_direction(change, change_of_table(case, choice, target)):
                verdict.name(*([mistake] if mistake else []))
                return


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
        return judge_blank(crash, "hw3.dqn.targets", verdict)
    return judge_crash(crash, known_crash(crash), verdict)


def known_crash(crash: Crash) -> str | None:
    """Returns the mistake behind an exception, if it tells one of the critic's."""
    found = [mistake for text, mistake in KNOWN_CRASHES if re.search(text, crash.text)]
    return found[0] if found else None
