"""The bootstrapped critic: its targets, its gradient steps, and the schedule of both."""

from __future__ import annotations

from autograder.judge import Judgement, ends_as_given
from autograder.probing import Observation


def left_as_given(seen: Observation, verdict: Judgement) -> None:
    """Older handouts end in a line that reads `loss`, which an empty blank does not make."""
    crash = seen["one"].crash if "one" in seen else None
    if crash and ends_as_given(crash) and bool(seen["one"].arrays.get("no_backward")):
        verdict.blank = True


FACTS = (left_as_given,)
