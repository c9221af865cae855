"""Answers about the bootstrapped critic: which schedule, target and loss explain its steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autograder.hw3.critic_formula import CUT, FACTORS, FORMULA, SCHEDULE, direction, schedule
from autograder.hw3.probe_critic_update import STEP_SIZE, TRIALS
from autograder.hw3.value_case import ValueCase, value_case
from autograder.judge import (
    ABS,
    ARRAYS,
    FREED,
    REL,
    Choice,
    Factor,
    Judgement,
    Outcome,
    difference,
    ends_as_given,
    explain,
    judge_blank,
    judge_crash,
    mistakes_in,
    right_choice,
    same_direction,
    tell,
)
from autograder.probing import Crash, Observation, Trial

BLANK = "hw3.critic.update"
KNOWN_CRASHES = (  # a part of the text -> the mistake behind it
    ("does not require grad", "critic.prediction_cut"),
    ("does not have a grad_fn", "critic.prediction_cut"),
    ("only for scalar outputs", "critic.loss_no_scalar"),
    ("only one element tensors can be converted", "critic.loss_no_scalar"),
    ("cannot be converted to Scalar", "critic.loss_no_scalar"),
    ("object has no attribute 'item'", "critic.loss_no_tensor"),
    ("object has no attribute 'backward'", "critic.loss_no_tensor"),
    ("truth value of an array", "critic.mask_of_whole_batch"),
    ("Boolean value of Tensor", "critic.mask_of_whole_batch"),
    ("invert", "critic.mask_not_one_minus"),
)


@dataclass
class Steps:
    """The gradient steps of one trial."""

    tables: np.ndarray  # (steps, STATES), before each step
    moves: np.ndarray  # (steps, STATES), minus the gradient of each
    freed: bool  # whether it ended at a second backward through one graph


def read_steps(trial: Trial) -> Steps:
    """Reads what a trial recorded."""
    freed = trial.crash is not None and ends_at_freed_graph(trial.crash)
    tables = trial.arrays["tables"].astype(np.float64)
    return Steps(tables, -trial.arrays["grads"].astype(np.float64), freed)


def ends_at_freed_graph(crash: Crash) -> bool:
    """Tells whether an exception is that of a second backward through one graph."""
    return FREED in judge_crash(crash, None, Judgement()).mistakes


class Mismatch(Exception):  # noqa: N818  (no error: a prediction that is not what was seen)
    """A choice does not explain the steps."""


def follow(
    case: ValueCase, choice: Choice, blocks: list[int], steps: Steps, tolerance: float
) -> None:
    """Follows one trial step by step.

    Raises:
        Mismatch: At the first step that `choice` does not explain.
    """
    kept = choice["prediction"] != "each step"
    graph_lost = (kept or choice["cut"] in ("uncut", "pred")) and choice["retain"] == "freed"
    crashing = graph_lost and max(blocks, default=0) > 1
    once = choice["prediction"] == "once"
    history: list[np.ndarray] = []
    piled = np.zeros(steps.tables.shape[1])
    at = 0
    for block in blocks:
        for number in range(block):
            if (crashing and number == 1) or (graph_lost and once and at == 1):
                return _require(steps.freed and at == len(steps.tables))
            _require(at < len(steps.tables))
            if number == 0:
                history.append(steps.tables[at])
            table = history[0 if once else -1] if kept else steps.tables[at]
            move = direction(case, choice, table, history, number == 0)
            fresh = choice["gradients"] == "zeroed"
            fresh |= choice["gradients"] == "piled in block" and number == 0
            piled = move if fresh else piled + move
            _require(same_direction(steps.moves[at], piled, tolerance))
            at += 1
    return _require(at == len(steps.tables) and not steps.freed)


def _require(fact: bool) -> None:
    if not fact:
        raise Mismatch


def explains(
    case: ValueCase, choice: Choice, trials: dict[str, Steps], tolerance: float = REL
) -> bool:
    """Tells whether a choice explains every trial."""
    try:
        for name, steps in trials.items():
            follow(case, choice, schedule(choice, *TRIALS[name]), steps, tolerance)
    except Mismatch:
        return False
    return True


def find_choice(case: ValueCase, trials: dict[str, Steps]) -> Choice | None:
    """Finds the choice with the fewest mistakes that explains all trials."""
    factors = tuple(_possible(factor, trials) for factor in FACTORS)

    def predict(choice: Choice) -> Outcome:
        return {"explained": np.array(explains(case, choice, trials))}

    with np.errstate(all="ignore"):  # a student's numbers may be anything
        return explain(factors, predict, lambda outcome: bool(outcome["explained"]))


def _possible(factor: Factor, trials: dict[str, Steps]) -> Factor:
    """Leaves out what the number of steps alone rules out, to search less."""
    freed = any(steps.freed for steps in trials.values())
    if factor is SCHEDULE and not freed:
        kept = {
            option: mistake
            for option, mistake in factor.options.items()
            if option == "right"
            or all(
                sum(schedule({"schedule": option, "targets": "each round"}, *TRIALS[name]))
                == len(steps.tables)
                for name, steps in trials.items()
            )
        }
        return Factor(factor.name, kept)
    if factor is CUT and freed:
        return Factor(
            factor.name,
            {"cut": None} | {option: factor.options[option] for option in ("uncut", "pred")},
        )
    return factor


def judge_update(seen: Observation, seed: int) -> Judgement:
    """Judges the steps of `update` under every schedule that was tried."""
    verdict = Judgement()
    if "one" not in seen or "tables" not in seen["one"].arrays:
        return _judge_stopped(seen["one" if "one" in seen else "probe"], verdict)
    trials = {name: read_steps(seen[name]) for name in TRIALS if "tables" in seen[name].arrays}
    crashes = [seen[n].crash for n, steps in trials.items() if seen[n].crash and not steps.freed]
    for crash in crashes:
        if crash is not None and crash.blank:
            return judge_blank(crash, BLANK, verdict)
    for crash in crashes[:1]:
        assert crash is not None
        if ends_as_given(crash) and not any(seen[name].arrays["backwards"] for name in trials):
            verdict.blank = True
            return verdict
        judge_crash(crash, known_crash(crash), verdict)
    _judge_inputs(seen, verdict)
    if any(trial.arrays.get("graphs", 0) > 0 for trial in seen.values()):
        verdict.name("critic.graph_kept")
    if crashes and not any(len(steps.tables) for steps in trials.values()):
        return verdict
    _judge_steps(seen, trials, value_case(seed), verdict)
    return verdict


def known_crash(crash: Crash) -> str | None:
    """Returns the mistake behind an exception, if it tells one of this blank's."""
    if "'int' object is not callable" in crash.text and "loss" in crash.source:
        return ARRAYS  # torch asks for the size() of what is an array
    return next((mistake for text, mistake in KNOWN_CRASHES if text in crash.text), None)


def _judge_stopped(trial: Trial, verdict: Judgement) -> Judgement:
    """The critic could not even be built."""
    assert trial.crash is not None
    if trial.crash.blank:
        return judge_blank(trial.crash, BLANK, verdict)
    return judge_crash(trial.crash, None, verdict)


def _judge_inputs(seen: Observation, verdict: Judgement) -> None:
    """The batch belongs to the caller."""
    for trial in seen.values():
        if np.any(trial.arrays.get("changed", False)):
            verdict.name("critic.inputs_changed")


def _judge_steps(
    seen: Observation, trials: dict[str, Steps], case: ValueCase, verdict: Judgement
) -> None:
    """Names what explains the steps."""
    one = trials["one"]
    if not any(len(steps.tables) for steps in trials.values()):
        if bool(seen["one"].arrays["moved"]):
            verdict.unknown.append("the weights change, but not by a step of self.optimizer")
        else:
            verdict.name("critic.no_step")
        return
    if all(np.all(np.abs(steps.moves) <= ABS**2) for steps in trials.values()):
        no_backward = int(seen["one"].arrays["backwards"]) == 0
        verdict.name("critic.no_backward" if no_backward else "critic.gradients_zeroed")
        return
    cut_short = [name for name, steps in trials.items() if seen[name].crash and not steps.freed]
    whole = {name: steps for name, steps in trials.items() if name not in cut_short}
    if not whole:  # it always crashes, but not before a step: that step can be judged
        whole = {"one": Steps(one.tables[:1], one.moves[:1], False)}
    found = find_choice(case, whole)
    if found is not None:
        names = _visible(found, verdict)
        if "critic.rewards_pile_up" in names and "critic.inputs_changed" in verdict.mistakes:
            verdict.mistakes.remove("critic.inputs_changed")  # the same line did both
        if "critic.loop_off_by_one" in names and "crash.one_path" in verdict.mistakes:
            verdict.mistakes.remove("crash.one_path")  # a loop that never runs defines nothing
        verdict.name(*names)
        _judge_level(one, seen.get("lifted"), verdict)
        return
    _tell_difference(seen, whole, case, verdict)


def _judge_level(one: Steps, lifted: Trial | None, verdict: Judgement) -> None:
    """Judges a step at another level of values, where all errors are the same."""
    if not verdict.passed or lifted is None or lifted.crash or not lifted.arrays["tables"].size:
        return
    if not same_direction(read_steps(lifted).moves[0], one.moves[0]):
        verdict.name("critic.clipped")


def _visible(found: Choice, verdict: Judgement) -> list[str]:
    """Returns the mistakes of a choice that can be told apart from others."""
    if found["loss"] == "square":
        return mistakes_in(found, FACTORS)
    verdict.notes.append("with another loss the targets cannot be judged: mend it first")
    return mistakes_in(found, [f for f in FACTORS if f not in FORMULA or f.name == "loss"])


def _tell_difference(
    seen: Observation, trials: dict[str, Steps], case: ValueCase, verdict: Judgement
) -> None:
    """Says what is first wrong with steps that nothing explains."""
    freed = [seen[name].crash for name, steps in trials.items() if steps.freed]
    if freed and freed[0] is not None:
        verdict.name(FREED)
        verdict.unknown.append(tell(freed[0]))
    right = right_choice(FACTORS)
    steps = next(steps for steps in trials.values() if len(steps.tables))
    expected = direction(case, right, steps.tables[0], [steps.tables[0]], True)
    if not same_direction(steps.moves[0], expected):
        scale = np.abs(expected).max() / max(np.abs(steps.moves[0]).max(), ABS**2)
        text = difference("first change of V(s), scaled", steps.moves[0] * scale, expected)
        verdict.unknown.append(text)
        return
    for name, each in trials.items():
        number, wanted = len(each.tables), int(np.prod(TRIALS[name]))
        if number != wanted:
            verdict.unknown.append(f"{number} gradient steps with {TRIALS[name]}, not {wanted}")
            return
    verdict.unknown.append(f"the first step is right, later ones are not (step size {STEP_SIZE})")
