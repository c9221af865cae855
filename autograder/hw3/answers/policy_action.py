"""The policy's action: what it is drawn from, and what it comes as."""

from __future__ import annotations

from autograder.core.question import Question
from autograder.hw3.probes.policy_action import NEVER, NOTHING, OTHERS, SOMETHING_ELSE
from autograder.judge import Judgement
from autograder.probing import Observation

TOLD = {
    ("returned", NOTHING): "get_action.nothing_returned",
    ("returned", SOMETHING_ELSE): "get_action.no_action",
    ("network_sees", NEVER): "get_action.policy_ignored",
    ("network_sees", OTHERS): "get_action.other_state",
    ("has_the_batch_axis", False): "get_action.batch_axis",
    ("within_1", True): "get_action.squashed",
}
"""What tells a mistake, whatever else is seen: array, and its value."""


def at_a_glance(seen: Observation, verdict: Judgement) -> None:
    """What says all by itself, where nothing crashes: that tells more."""
    if any(trial.crash for trial in seen.values()):
        return
    for (name, value), mistake in TOLD.items():
        found = [trial.arrays[name] for trial in seen.values() if name in trial.arrays]
        if any(bool(array == value) for array in found):
            verdict.name(mistake)


QUESTION = Question("hw3.policy.get_action", __file__, most=2, facts=(at_a_glance,))
