"""Whose fault it is where a probe raises something outside of the student's files."""

from __future__ import annotations

import pytest

from autograder.base.seen import PROBE, Crash, Seen
from autograder.grading.judging import GraderError, judged
from tests.autograder.judging import CHECKS


def raised(text: str) -> Seen:
    """Returns what is seen of a probe that raised, in none of the student's files."""
    return Seen(crashes={PROBE: Crash("OSError", text)})


@pytest.mark.parametrize(
    "text", ["[Errno 24] Too many open files: '/tmp/x.py'", "can't start new thread"]
)
def test_code_that_takes_all_that_a_process_has_fails(text: str) -> None:
    judgement = judged(CHECKS[0], raised(text), 0)
    assert not judgement.passed
    assert "takes all files, threads or memory" in judgement.unknown[0].remark


def test_anything_else_there_is_ours() -> None:
    with pytest.raises(GraderError, match="no such probe"):
        judged(CHECKS[0], raised("no such probe"), 0)
