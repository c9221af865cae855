"""Judges what strangers have sent, in a process with limits on time and memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from autograder.base.checks import Check
from autograder.base.results import Difference, Judgement, judgement_of
from autograder.base.seen import Seen
from autograder.grading.judging import GraderError, judged
from autograder.running.limits import ExceededError, Limited, OurError
from autograder.source import altered as altered_files


class LimitedJudge:
    """Judges records within limits: for a `Grader`, in the place of `judged`."""

    def __init__(self, limited: Limited) -> None:
        """Judges in `limited`."""
        self.limited = limited

    def __call__(self, check: Check, seen: Seen, seed: int) -> Judgement:
        """Judges what a probe saw.

        Raises:
            GraderError: If the probe itself failed, or the judge.
        """
        try:
            return judgement_of(self.limited.do(plainly_judged, check, seen, seed))
        except ExceededError as error:  # nothing that a right solution hands over does
            return Judgement([], [Difference(remark=str(error))])
        except OurError as error:
            raise GraderError(str(error)) from error


def plainly_judged(check: Check, seen: Seen, seed: int) -> dict[str, Any]:
    """Judges what a probe saw, as `judged`; returns the judgement as JSON has it."""
    return asdict(judged(check, seen, seed))


def altered_given(homework: str, files: Mapping[str, bytes], limited: Limited) -> list[str]:
    """Names the given files that were altered, which by itself costs nothing.

    Returns:
        A line for each; none if it cannot be said, because a file breaks whoever reads it.
    """
    given = altered_files.given_out(homework)  # here, so that each child has it
    mine = {path: data for path, data in files.items() if path in given}
    try:
        found: list[str] = limited.do(altered_files.altered, homework, mine)
    except ExceededError:
        return []
    return found
