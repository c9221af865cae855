"""Work on strangers' data ends where it takes too much, and says what went wrong otherwise."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

from autograder.base.seen import Seen
from autograder.gradescope.run import limited_grader
from autograder.gradescope.settings import Settings
from autograder.running.channel import pack, unpack
from autograder.running.limits import ExceededError, Limited, OurError
from autograder.source.altered import changed_parts
from tests.autograder.judging import FORMULA
from tests.autograder.works import endless, held, listed, raising, slept


@pytest.fixture
def limited() -> Limited:
    return Limited(seconds=0.5, memory=2**28)


def test_work_is_done_elsewhere_and_caches_stay(limited: Limited) -> None:
    first, second = limited.do(listed, 3), limited.do(listed, 3)
    assert first[:3] == second[:3] == [0, 1, 2]
    assert first[3] == second[3] != os.getpid()
    limited.close()


@pytest.mark.parametrize("work", [endless, held])
def test_what_takes_too_much_is_ended(work: object, limited: Limited) -> None:
    with pytest.raises(ExceededError, match=r"0.5 s and 256 MB"):
        limited.do(work)  # type: ignore[arg-type]
    assert limited.do(listed, 1)[0] == 0  # it goes on
    limited.close()


def test_a_busy_machine_costs_nothing(limited: Limited) -> None:
    began = time.monotonic()
    assert limited.do(slept, 1.0) == "well"
    assert time.monotonic() - began >= 1.0
    limited.close()


@pytest.mark.parametrize("busy", [False, True])
def test_a_judge_that_somebody_kills_costs_nobody_anything(busy: bool, limited: Limited) -> None:
    """Once, a right solution failed for good when the process that judged it was killed."""
    limited.do(listed, 1)
    first = limited.child
    assert first
    killer = threading.Timer(0.2 if busy else 0.0, os.kill, (first.pid, signal.SIGKILL))
    killer.start()
    if not busy:
        killer.join()
    assert limited.do(slept, 0.6) == "well"
    assert limited.child and limited.child.pid != first.pid
    limited.close()


def test_what_is_raised_is_told(limited: Limited) -> None:
    with pytest.raises(OurError, match=r"ZeroDivisionError at works.py:\d+: division by zero"):
        limited.do(raising)
    limited.close()


class Forger:
    """A worker that hands over what it likes."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen

    def see(self, *_: object, **__: object) -> Seen:
        return unpack(pack(self.seen)[8:])[0]


def test_a_file_of_many_definitions_is_compared_in_time() -> None:
    """300 KB of them once took 28 s."""
    limited = Limited(seconds=10)
    given = 'def f():\n    return 1\n\n\nx = TODO("hw3.a.b")\n'
    files = b"def f():0\n" * 30_000
    assert limited.do(changed_parts, given, files) == ["f"]
    limited.close()


@pytest.mark.slow
def test_a_forged_record_of_any_size_fails_in_time() -> None:
    """Numbers as large as 10^11 once were counted up to."""
    arrays = {"calls": np.array(10**11), "updates_between_copies": np.full(10**5, 2**62)}
    forged = Seen({f"calls/{name}": array for name, array in arrays.items()})
    with contextlib.closing(Limited()) as limited:
        box: Any = Forger(forged)
        grader = limited_grader(box, Settings("hw3", 0), limited)  # as on Gradescope
        for check in FORMULA[:6]:
            (verdict,) = grader.judge([check])
            assert verdict.verdict == "failed", verdict
