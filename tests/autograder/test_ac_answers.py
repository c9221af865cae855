"""Actor-critic's answers: no two of the mistakes they know can be taken for each other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from autograder.hw3 import answer_advantage
from autograder.hw3.answer_critic_update import Steps, explains
from autograder.hw3.critic_formula import FACTORS, FORMULA, direction, schedule
from autograder.hw3.probe_critic_update import STEP_SIZE, TRIALS
from autograder.hw3.value_case import BATCH, ValueCase, value_case
from autograder.judge import ABS, REL, Choice, Factor, choices, mistakes_in, right_choice
from tests.autograder.identifiability import FEW

MARGIN = 3.0  # times the judge's tolerance
# What no first step shows: it is judged by the steps that follow.
LATER = {"reward": ("piled",), "mask": ("flips",), "cut": ("late",)}
# With another loss, whatever else is wrong with the targets is not named.
HIDING = {"loss": ("abs", "pred - target", "target - pred")}


def without(factors: tuple[Factor, ...], *left_out: dict[str, tuple[str, ...]]) -> list[Factor]:
    options = {name: names for each in left_out for name, names in each.items()}
    return [
        Factor(f.name, {o: m for o, m in f.options.items() if o not in options.get(f.name, ())})
        for f in factors
    ]


def wrong_parts(choice: Choice, factors: list[Factor]) -> dict[str, str]:
    return {f.name: choice[f.name] for f in factors if f.options[choice[f.name]]}


def simulate(case: ValueCase, choice: Choice, trial: str) -> Steps:
    """Follows a choice as a student's code would, with steps of the size of a mean loss."""
    tables, moves, history = [], [], []
    table, piled = case.table.astype(np.float64), np.zeros(len(case.table))
    uncut = choice["cut"] in ("uncut", "pred") and choice["retain"] == "freed"
    for block in schedule(choice, *TRIALS[trial]):
        for number in range(block):
            if uncut and number == 1:
                return Steps(np.array(tables), np.array(moves), True)
            if number == 0:
                history.append(table)
            move = direction(case, choice, table, history, number == 0)
            fresh = choice["gradients"] == "zeroed"
            fresh |= choice["gradients"] == "piled in block" and number == 0
            piled = move if fresh else piled + move
            tables.append(table)
            moves.append(piled)
            table = table + STEP_SIZE * 2 / BATCH * piled
    return Steps(np.array(tables), np.array(moves), False)


def confused(case: ValueCase, a: Choice, b: Choice) -> bool:
    rest = right_choice(FACTORS)
    trials = {trial: simulate(case, rest | a, trial) for trial in TRIALS}
    return explains(case, rest | b, trials, MARGIN * REL)


def unit(rows: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.maximum(length, ABS)


def confusions(
    factors: list[Factor], seeds: list[int]
) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Yields the wrong parts of each two choices whose updates cannot be told apart."""
    all_choices = list(choices(factors, 2))
    ids = [frozenset(mistakes_in(choice, factors)) for choice in all_choices]
    differ = np.triu(np.array([[a != b for b in ids] for a in ids]), 1)
    for seed in seeds:
        case = value_case(seed)
        table = case.table.astype(np.float64)
        steps = unit(np.array([direction(case, c, table, [table], True) for c in all_choices]))
        close = 2 - 2 * steps @ steps.T < (MARGIN * REL) ** 2
        for i, j in np.argwhere(close & differ):
            a, b = all_choices[i], all_choices[j]
            parts = wrong_parts(a, factors), wrong_parts(b, factors)
            if not the_same_update(*parts) and confused(case, a, b):
                yield parts


def the_same_update(a: dict[str, str], b: dict[str, str]) -> bool:
    """Tells of two choices that mean the same; the one with fewer mistakes is named."""
    pair = [a, b]
    # Without a future nobody sees how it is masked, whose it is or which sign it has.
    if all(c.get("discount") == "0" for c in pair):
        return True
    # What is standardised is nothing on average, so where each row meets all of it, it is not seen.
    standardized = ["form" in c or c.get("reward") == "standardized" for c in pair]
    if any(s and "spread" in c for s, c in zip(standardized, pair, strict=True)):
        return True
    # Nor does it keep a scale: all of it discounted, or nothing.
    if all("form" in c for c in pair):
        return [{"reward": "gamma r"}, {"discount": "1"}] == [
            {k: v for k, v in c.items() if k != "form"} for c in pair
        ]
    # What is the same in all rows may come from any row: no reward; a mask that is 1.
    if a.get("reward") == b.get("reward") == "0" or a.get("mask") == b.get("mask") == "1":
        spreads = {c.get("spread", "") for c in pair}
        return spreads <= {"", "r"} or spreads <= {"", "T"}
    # Through the target alone nothing flows where the mask is 0: there no reward is seen; and
    # masking a row and weighing it are one.
    if a.get("cut") == b.get("cut") == "pred":
        rest = [{k: v for k, v in c.items() if k != "cut"} for c in pair]
        return rest in ([{}, {"reward": "(1-T) r"}], [{"mask": "1"}, {"spread": "T"}])
    return False


def test_no_two_updates_are_alike(seeds: list[int]):
    factors = without(FORMULA, LATER, HIDING)
    found = {(str(a), str(b)) for a, b in confusions(factors, seeds)}
    assert not found


def test_later_steps_tell_the_rest(seeds: list[int]):
    hows = [{f.name: o} for f in FACTORS for o in f.wrong if f not in FORMULA]
    hows += [{name: option} for name, options in LATER.items() for option in options]
    hows += [{}, {"cut": "uncut"}, {"cut": "uncut", "retain": "kept"}, {"cut": "pred"}]
    everything = [right_choice(FACTORS) | how for how in hows]
    shapes = [shape_of(choice) for choice in everything]
    ids = [mistakes_in(choice, FACTORS) for choice in everything]
    alike = [
        (a, [everything[j] for j in range(i) if shapes[i] == shapes[j] and ids[i] != ids[j]])
        for i, a in enumerate(everything)
    ]
    assert sum(len(others) for _, others in alike) > 20
    for seed, (a, others) in itertools.product(seeds, alike):
        case = value_case(seed)
        trials = {"several": simulate(case, a, "several")}
        for b in others:
            assert not explains(case, b, trials, MARGIN * REL), (seed, a, b)


def shape_of(choice: Choice) -> list[tuple[int, bool]]:
    """Returns how many steps each trial has, and whether it ends at a freed graph."""
    trials = [simulate(value_case(0), choice, trial) for trial in TRIALS]
    return [(len(steps.tables), steps.freed) for steps in trials]


def the_same_advantage(a: dict[str, str], b: dict[str, str]) -> bool:
    """Tells of two choices that mean the same; the one with fewer mistakes is named."""
    pair = [a, b]
    # Without a future nobody sees how it is masked, whose it is or which sign it has; and
    # without a baseline nobody sees whose value that is.
    if all(c.get("discount") == "0" for c in pair) or all(c.get("baseline") == "0" for c in pair):
        return True
    # A value minus itself is nothing: the reward alone is left.
    itself = [c.get("states") in ("present, present", "next, next") for c in pair]
    bracketed = [c.get("baseline") == "gamma (1-T)" for c in pair]
    alone = [c == {"discount": "0", "baseline": "0"} for c in pair]
    if all((i and b) or a for i, b, a in zip(itself, bracketed, alone, strict=True)):
        return True
    # Where futures count at ends alone, the next row there may be the next state by chance.
    ends = [c for c in pair if c.get("mask") in ("T", "d*1-Tv", "d(1-Tv)")]
    if len(ends) == 2 and a["mask"] == b["mask"]:
        return "next row, present" in {c.get("states") for c in pair}
    # Standardising takes any constant away.
    if all(c.get("form") == "standardized" for c in pair):
        return {c.get("baseline") for c in pair} == {"0", "mean"}
    # Each sign turned is the two others turned and all of it: of two and two, either is named.
    signs = {"reward": "-r", "future_sign": "-", "baseline": "+", "sign": "-"}
    return not a.keys() & b.keys() and a | b == signs


def test_no_two_advantages_are_alike(seeds: list[int]):
    factors = answer_advantage.FACTORS
    all_choices = list(choices(factors, 2))
    ids = [frozenset(mistakes_in(choice, factors)) for choice in all_choices]
    differ = np.triu(np.array([[a != b for b in ids] for a in ids]), 1)
    parts = [wrong_parts(choice, list(factors)) for choice in all_choices]
    for i, j in np.argwhere(differ):
        differ[i, j] = not the_same_advantage(parts[i], parts[j])
    first, second = np.nonzero(differ)
    for seed in seeds:
        case = value_case(seed)
        adv = np.array([answer_advantage.advantage(case, choice) for choice in all_choices])
        left = np.arange(len(first))
        for row in range(BATCH):
            a, b = adv[first[left], row], adv[second[left], row]
            left = left[np.abs(a - b) <= MARGIN * (ABS + REL * np.abs(b))]
        assert not len(left), [(seed, parts[first[i]], parts[second[i]]) for i in left]


@pytest.mark.parametrize("seed", FEW)
def test_no_two_arguments_are_alike(seed: int):
    arrays = [array.reshape(-1) for array in value_case(seed).arrays().values()]
    assert not any(np.array_equal(a, b) for a, b in itertools.combinations(arrays, 2))


def test_errors_stay_where_huber_is_a_parabola(seeds: list[int]):
    for seed in seeds:
        case = value_case(seed)
        target = case.reward + case.gamma * case.table[case.next_state]
        assert np.abs(target - case.table[case.state]).max() < 0.95
        assert np.abs(case.reward - case.table[case.state]).max() < 0.95
