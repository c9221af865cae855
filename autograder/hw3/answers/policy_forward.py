"""The policy's distribution: what it is made of, and who learns from its log-probabilities."""

from __future__ import annotations

from autograder.core.question import Question
from autograder.hw3.probes.policy_forward import NOTHING, SOMETHING_ELSE
from autograder.judge import Judgement
from autograder.probing import Observation

RETURNED = {
    NOTHING: "forward.nothing_returned",
    SOMETHING_ELSE: "forward.no_distribution",
}


def what_came_back(seen: Observation, verdict: Judgement) -> None:
    """It may be nothing, or no distribution, for one kind of actions or for both."""
    returned = {int(t.arrays["returned"]) for t in seen.values() if "returned" in t.arrays}
    verdict.name(*(mistake for code, mistake in RETURNED.items() if code in returned))


QUESTION = Question("hw3.policy.forward", __file__, facts=(what_came_back,))
