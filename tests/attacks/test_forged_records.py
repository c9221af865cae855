"""What was made up without knowing anything must never pass."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from autograder.base.checks import Check
from autograder.base.results import FAILED
from autograder.base.seen import Crash, Seen, case_of
from autograder.grading.judging import judged, worded
from autograder.running.see import see
from autograder.source.importing import Tree
from tests.autograder.judging import FORMULA, PRIVATE

SEED = PRIVATE
ARGMAX = "hw3.argmax.action"
FORGERIES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "zeros": np.zeros_like,
    "ones": np.ones_like,
    "no rows": lambda array: array[:0] if array.ndim else np.empty(0),
    "not a number": lambda array: np.full(array.shape, np.nan),
    "infinite": lambda array: np.full(array.shape, np.inf),
    "one number": lambda array: np.array(0.0),
    "nothing": lambda array: np.empty(0, np.bool_),
}
CRASHES = {
    "foreign blank": Crash("BlankError", "no", "agents/a.py", 1, "x", "f", "hw3.no.such_blank"),
    "bare crash": Crash("RuntimeError", "no"),
}


@functools.cache
def right(check: Check) -> Seen:
    """Returns what the probe sees of the right solution."""
    return see(Tree(None), check, SEED)


def forgeries(real: Seen) -> Iterator[tuple[str, Seen]]:
    """Yields what knows the names of everything, and no number."""
    yield "empty", Seen()
    for name, forge in FORGERIES.items():
        yield name, Seen({key: forge(array) for key, array in real.arrays.items()})
    for name, crash in CRASHES.items():
        yield name, Seen(crashes=dict.fromkeys(map(case_of, real.arrays), crash))


CHECKS = [
    pytest.param(check, id=check.id, marks=() if check.id == ARGMAX else pytest.mark.slow)
    for check in FORMULA
]


@pytest.mark.parametrize("check", CHECKS)
def test_without_knowledge_nothing_is_gained(check: Check, one_try: None) -> None:
    for name, forged in forgeries(right(check)):
        verdict = worded(check, judged(check, forged, SEED))
        assert verdict.points == 0, name
        if name != "foreign blank":
            assert verdict.verdict == FAILED, name
