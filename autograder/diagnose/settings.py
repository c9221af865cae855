"""Illnesses that settings bring about, a small function each, as in `illnesses`."""

from __future__ import annotations

import numpy as np

from autograder.diagnose.findings import Evidence, Evidences, of_column, of_setting, returns
from autograder.diagnose.record import RunRecord

HORIZON = 5.0  # steps; nobody chooses a discount that looks ahead less
LEAST_STEPS = {"minibatch_size": 8, "batch_size": 100}  # on-policy
LEAST_BATCH, LEAST_MEMORY = 8, 1000  # off-policy


def learning_never_began(record: RunRecord) -> Evidences:
    """No update, and none to come: the warm-up is as long as the run, or is over."""
    column, starts = "Num_Param_Updates", record.setting("learning_starts")
    planned, steps = record.setting("num_timesteps"), record.most("Step")
    late = starts >= planned or steps > starts + record.setting("batch_size")
    if len(record.column(column)) and not record.most(column) and late:
        message = f"of {planned:,.0f} steps in all"
        yield "certain", [of_column(record, column), of_setting(record, "learning_starts", message)]


def step_size(record: RunRecord) -> tuple[Evidence, float, float, float]:
    """Returns the step size as evidence, its value, and the range in which it learns."""
    agent, (low, high) = record.agent, record.agent.rates
    rate = record.most("Learning_Rate") or record.setting(agent.rate)
    message = f"{rate:g}; usual for {agent.name} is {low:g} to {high:g}"
    return Evidence(agent.rate, message), rate, low, high


def rate_too_high(record: RunRecord) -> Evidences:
    """Adam's step size lies above the range of its algorithm."""
    evidence_found, rate, _, high = step_size(record)
    if rate > high:
        yield ("possible" if record.gain >= 1 else "likely"), [evidence_found, returns(record)]


def rate_too_low(record: RunRecord) -> Evidences:
    """Adam's step size lies below the range of its algorithm."""
    evidence_found, rate, low, _ = step_size(record)
    if rate < low:
        far = f"{record.updates:,.0f} updates or more move a weight by {rate * record.updates:.2g}"
        yield (
            "likely",
            [evidence_found, Evidence("updates", f"{far} at most, where each counts once")],
        )


def discount_unfit(record: RunRecord) -> Evidences:
    """The horizon 1 / (1 - gamma) is a few steps, episodes are many times as long."""
    gamma, length = record.setting("discount"), record.episode_length
    horizon = 1.0 / max(1.0 - gamma, 1e-12)
    if horizon < HORIZON and length > 4 * horizon:
        message = f"looks {horizon:.3g} steps ahead, episodes last up to {length:,.0f}"
        yield "likely", [of_setting(record, "discount", message), returns(record)]


def batch_too_small(record: RunRecord) -> Evidences:
    """A batch or a memory of a few steps."""
    bootstraps = record.agent.bootstraps
    limits = {"batch_size": LEAST_BATCH} if bootstraps else LEAST_STEPS
    if not (bootstraps or record.agent.on_policy):
        return
    evidence_found = [
        of_setting(record, name, f"steps at once; give at least {least}")
        for name, least in limits.items()
        if record.setting(name) < least
    ]
    memory, steps = record.setting("buffer_size"), record.most("Step")
    if bootstraps and memory < min(steps, LEAST_MEMORY):
        message = f"of {steps:,.0f} steps so far; episodes last up to {record.episode_length:,.0f}"
        evidence_found.append(of_setting(record, "buffer_size", message))
    if evidence_found:
        yield "likely", [*evidence_found, returns(record)]


def exploration_stuck(record: RunRecord) -> Evidences:
    """Epsilon stays where it is, at one half or more; or the noise drowns the action."""
    name, noise = "Exploration_Epsilon", record.setting("exploration_noise")
    chance = record.column(name)
    if len(chance) > 1 and np.ptp(chance) < 1e-9 and chance[0] >= 0.5:
        yield "certain", [of_column(record, name, "the same in every row"), returns(record)]
    if noise > 1:
        yield "likely", [of_setting(record, "exploration_noise", "actions lie in (-1, 1)")]


def exploration_absent(record: RunRecord) -> Evidences:
    """Epsilon, or the noise on actions, is 0 from the start."""
    name, noise = "Exploration_Epsilon", "exploration_noise"
    chance = record.column(name)
    if len(chance) and chance.max() <= 1e-3:
        yield "likely", [of_column(record, name, "from the first row on"), returns(record)]
    if record.setting(noise) == 0:
        yield "likely", [of_setting(record, noise, "after --start_steps each action is the best")]
