"""Illnesses of a Q-function, a small function each, as in `illnesses`."""

from __future__ import annotations

import math

import numpy as np

from autograder.diagnose.findings import Evidence, Evidences, Sure, of_column, returns
from autograder.diagnose.inputs import ends_show, values_of
from autograder.diagnose.record import RunRecord

MARGIN = 3.0  # times the bound: early values overshoot returns that are not reached yet
LEAST_ROWS = 3  # with values; fewer may be alike by chance
FLAT = 0.03  # of the values: how much the largest of a batch is above the mean
SAME_END = 0.9  # of the worth of what follows a step: what follows an end
NOTHING = 0.3  # of a reward: what a network says where nothing follows
LEAST_ENDS = 20  # in the memory
RARE = 0.02  # of steps: a network learns slowly of ends that are rarer in its batches
DIFFER = 0.1  # of returns: what the best episode is above the worst


def values_diverge(record: RunRecord) -> Evidences:
    """Values, or errors of values, beyond r_max / (1 - gamma), with a margin."""
    bound = _largest_value(record)
    sizes = {name: record.most(name) for name in ("Q_Mean", "Q_Max", "Training Loss")}
    sizes["Critic_Loss"] = math.sqrt(record.most("Critic_Loss"))
    beyond = {name: size for name, size in sizes.items() if size > MARGIN * bound}
    if record.agent.bootstraps and beyond:
        message = f"beyond {bound:.3g}, the most that returns allow"
        sure: Sure = "certain" if max(beyond.values()) > 10 * bound else "likely"
        yield sure, [of_column(record, name, message) for name in beyond]


def _largest_value(record: RunRecord) -> float:
    """Returns the most that a value can be.

    Source: van Hasselt et al., 2018, section 3: what exceeds that bound cannot be a value.
    """
    gamma = record.setting("discount")
    horizon = 1.0 / (1.0 - gamma) if 0 <= gamma < 1 else record.episode_length
    ends = ("Train_MaxReturn", "Train_MinReturn", "Eval_MaxReturn", "Eval_MinReturn")
    best = max(record.most(name) for name in ends)
    paid = record.most("Temperature") * record.most("Entropy")  # a step, by SAC
    return max(best, record.reward * horizon, 1.0) + paid * horizon  # 1: of a fresh network


def values_flat(record: RunRecord) -> Evidences:
    """All states are worth the same, though episodes are not; or ends are worth what steps are.

    Without the terminal mask each state seems to go on for ever. Where each step pays the same,
    all values are then r / (1 - gamma); in any task, what follows an end is worth as much as what
    follows any other step.
    """
    well = record.run.settings.get("load") is not None or record.gain >= 1
    if not record.agent.bootstraps or well:  # success may be all that a critic knows
        return
    evidence_found = [*_flat_columns(record), *_values_at_ends(record)]
    if evidence_found:
        yield "likely", [*evidence_found, returns(record)]


def _flat_columns(record: RunRecord) -> list[Evidence]:
    """Returns what the log says of it: the best state of a batch is worth what the mean one is."""
    mean, most = record.rows("Q_Mean"), record.rows("Q_Max")
    rows = np.isfinite(mean) & np.isfinite(most)
    mean, most = mean[rows], most[rows]
    late = slice(len(mean) // 2, None)
    if len(mean) < LEAST_ROWS or not _returns_differ(record):
        return []
    above = float(np.median(((most - mean) / np.abs(mean))[late]))
    if not above < FLAT:
        return []
    message = f"in half of the rows at most {above:.2%} above the mean; returns differ by more"
    return [of_column(record, "Q_Mean", _level(record)), of_column(record, "Q_Max", message)]


def _level(record: RunRecord) -> str:
    """Returns the likely reason why values are flat, by where they are."""
    gamma, value = record.setting("discount"), float(record.column("Q_Mean")[-1])
    for_ever = record.reward / (1.0 - gamma) if 0 <= gamma < 1 else math.inf
    if abs(value) < 3 * record.reward:
        return f"about one step's reward, {record.reward:.3g}: targets lack the future"
    return f"rewards for ever would be {for_ever:.3g}: the terminal mask may be missing"


def _returns_differ(record: RunRecord) -> bool:
    """Returns whether recent episodes ended so differently that states cannot be worth the same."""
    low, high = record.column("Train_MinReturn"), record.column("Train_MaxReturn")
    late = slice(len(low) // 2, None)
    if not len(low) or len(low) != len(high):
        return False
    spread = np.median((high - low)[late])
    return bool(spread > DIFFER * np.median(np.maximum(np.abs(low), np.abs(high))[late]))


def _values_at_ends(record: RunRecord) -> list[Evidence]:
    """Returns what the memory says of it: how much follows an end, and how much any other step.

    After an end, nothing is right. As much as elsewhere is what a missing mask makes; something
    there and nothing elsewhere, an inverted one. Some tasks end by chance, or by a clock that no
    observation shows: there a right agent's values are alike, too. So the ends must be such that a
    simple classifier recognises them.
    """
    memory, value = record.snapshot.memory, values_of(record)
    if memory is None or value is None:
        return []
    follows, ends = np.abs(value - memory.rewards), memory.terminals
    if ends.sum() < max(LEAST_ENDS, RARE * len(ends)) or (~ends).sum() < LEAST_ENDS:
        return []
    # Low quarters: a right network has not learned of each end yet.
    at_end, elsewhere = (float(np.percentile(follows[rows], 25)) for rows in (ends, ~ends))
    if elsewhere > 3 * record.reward and at_end > SAME_END * elsewhere:
        cause = "the terminal mask may be missing"
    elif elsewhere < NOTHING * record.reward and at_end > max(
        3 * elsewhere, NOTHING * record.reward
    ):
        cause = "the terminal mask may be inverted"
    else:
        return []
    message = f"{at_end:.3g} follows an end, {elsewhere:.3g} any other step: {cause}"
    return [Evidence("memory", message)] if ends_show(memory) else []


def values_contradict(record: RunRecord) -> Evidences:
    """All rewards that were played have one sign, and values or the returns have the other."""
    memory = record.snapshot.memory
    if memory is None or not record.agent.bootstraps:
        return
    signs = np.unique(np.sign(memory.rewards[memory.rewards != 0]))
    if len(signs) != 1:
        return
    sign = float(signs[0])
    # SAC is paid for entropy too, which may be below 0.
    paid = record.column("Entropy") * record.most("Temperature")
    margin = record.reward + 10 * max(0.0, float((-sign * paid).max(initial=0.0)))
    names = [n for n in ("Q_Mean", "Train_AverageReturn") if _beyond(record, n, -sign, margin)]
    if names:
        kind = "more" if sign > 0 else "less"
        message = f"each of {len(memory):,} rewards in the memory is {kind} than nothing, or 0"
        evidence_found = [Evidence("memory", message), *(of_column(record, n) for n in names)]
        yield "likely", [*evidence_found, returns(record)]


def _beyond(record: RunRecord, name: str, sign: float, margin: float) -> bool:
    """Returns whether most of a column's later half lies beyond 0 by a margin, on one side."""
    values = record.column(name)
    late = values[len(values) // 2 :]
    return len(values) >= LEAST_ROWS and bool(np.median(sign * late) > margin)
