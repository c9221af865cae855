"""Answers about double Q-learning: which network chooses, which one values, and in which state."""

from __future__ import annotations

import numpy as np

from autograder.hw3.answer_dqn_critic import known_crash, targets_given
from autograder.hw3.critic_case import ACTIONS, BATCH, CriticCase, critic_case, lifted_case
from autograder.hw3.double_q_formula import FACTORS, double_value
from autograder.hw3.dqn_formula import (
    CUT,
    DISCOUNT,
    LOSS,
    MASK,
    REWARD,
    SIGN,
    SPREAD,
    STEP,
    bellman,
    change_of_table,
)
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
from autograder.probing import Observation, Trial

# What `update` does with the value belongs to another blank: here all of it is merely a form.
AROUND = tuple(
    Factor(f.name, dict.fromkeys(f.options)) for f in (REWARD, DISCOUNT, MASK, SIGN, LOSS)
)


def judge_double_q(seen: Observation, seed: int) -> Judgement:
    """Judges the double-Q values: as the method gives them, or as an update uses them."""
    case = critic_case(seed)
    verdict = Judgement()
    values, update = seen["values"], seen["update"]
    left_blank = values.crash is not None and values.crash.blank == "hw3.dqn.double_q"
    if "values" in values.arrays:
        _judge_values(values.arrays["values"], case, verdict)
        if verdict.passed and "lifted" in values.arrays:
            _judge_values(values.arrays["lifted"], lifted_case(seed), verdict)
        return verdict
    if values.crash and not left_blank:
        return _judge_crash(values, verdict)
    # Older handouts write double Q into `update`.
    if update.crash and targets_given(update.arrays, case) is None:
        if not left_blank or _crashes_here(update, seen["plain"]):
            return _judge_crash(update, verdict)
        verdict.blank = True
        return verdict
    _judge_update(update.arrays, case, verdict, left_blank)
    if verdict.unknown and _alike(update, seen["plain"]):
        verdict.unknown.clear()
        verdict.name("double_q.target_selects")  # whatever is wrong with it beside: the maximum
    return verdict


def _crashes_here(update: Trial, plain: Trial) -> bool:
    """Tells whether an update crashes in double Q that it computes itself, not in the rest."""
    crash, other = update.crash, plain.crash
    if crash is None or crash.blank:
        return False
    return other is None or (crash.line, crash.text) != (other.line, other.text)


def _alike(update: Trial, plain: Trial) -> bool:
    """Tells whether an update moves the table with double Q on as it does without."""
    if "change1" not in update.arrays or "change1" not in plain.arrays:
        return False
    return close(update.arrays["change1"], plain.arrays["change1"])


def _judge_values(values: np.ndarray, case: CriticCase, verdict: Judgement) -> Judgement:
    """Names what explains the values that `double_q_values` returned."""
    right = double_value(case, right_choice(FACTORS))
    if values.shape in ((BATCH, 1), (1, BATCH)):
        values = values.reshape(BATCH)
        verdict.name("double_q.shape")
    if values.shape == (BATCH, BATCH):
        verdict.name("double_q.all_columns")
        return verdict
    if values.shape == (BATCH, ACTIONS):
        verdict.name("double_q.not_reduced")
        return verdict
    if values.shape != (BATCH,):
        verdict.unknown.append(difference("double_q_values", values, right))
        return verdict

    def predict(choice: Choice) -> Outcome:
        return {"values": double_value(case, choice)}

    found = explain(FACTORS, predict, lambda outcome: close(values, outcome["values"]))
    if found is None:
        verdict.unknown.append(difference("double_q_values", values, right))
    else:
        verdict.name(*mistakes_in(found, FACTORS))
    return verdict


def _judge_update(
    seen: dict[str, np.ndarray], case: CriticCase, verdict: Judgement, left_blank: bool
) -> Judgement:
    """Names what explains an update that computes double Q itself."""
    common = {
        SPREAD.name: "rows",
        CUT.name: "cut",
        STEP.name: "down",
        "net": "target",
        "state": "next",
        "reduce": "max",
    }

    def predict(choice: Choice) -> Outcome:
        full = common | dict(choice)
        target = bellman(case, full, double_value(case, choice))
        return {"change": change_of_table(case, full, target), "target": target}

    given = targets_given(seen, case)

    def agrees(outcome: Outcome) -> bool:
        if given is not None:  # whatever becomes of them afterwards is not judged here
            return close(given, outcome["target"])
        return same_direction(seen["change1"], outcome["change"])

    found = explain((*FACTORS, *AROUND), predict, agrees, most=2)
    if found is None:
        if left_blank:
            verdict.blank = True
        else:
            verdict.unknown.append("the update with double Q on is not explained by any target")
        return verdict
    named = mistakes_in(found, FACTORS)
    # Choosing with the target network is the plain maximum: if nothing else was written, a blank.
    if left_blank and named == ["double_q.target_selects"]:
        verdict.blank = True
    else:
        verdict.name(*named)
    return verdict


def _judge_crash(trial: Trial, verdict: Judgement) -> Judgement:
    """Translates an exception into the mistake behind it, where known."""
    crash = trial.crash
    assert crash is not None
    if "values to unpack" in crash.text and "argmax" in crash.source:
        verdict.name("double_q.unpacked_argmax")
    elif "Dimension out of range" in crash.text and "max" in crash.source:
        verdict.name("double_q.nothing_to_choose")
    elif "gather" in crash.text or "gather" in crash.source:
        index = "double_q.shifted" if "out of bounds" in crash.text else "double_q.gather"
        verdict.name(index)
    else:
        judge_crash(crash, known_crash(crash), verdict)
    return verdict
