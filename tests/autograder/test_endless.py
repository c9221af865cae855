"""Loops that never end and lists that grow: they cost seconds and a bounded amount of memory."""

from __future__ import annotations

import resource
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from autograder.grading.grader import Grader
from autograder.running.guard import TRIAL_SECONDS
from autograder.running.process import MEMORY, address_space, bounded
from autograder.running.session import Session
from tests.autograder.corpus import homes, write, wrong
from tests.autograder.judging import FORMULA, judge_package

pytestmark = pytest.mark.slow  # each of its tests starts whole runs

PLAY, CRITIC, UPDATE = "hw3.rollouts.sample_trajectory", "hw3.critic.update", "hw3.policy.update"
ENDLESS = {
    "nothing happens": (PLAY, "rollout_done = False"),
    "a list grows": (PLAY, "obs.append(ob)\nrollout_done = False"),
    "copies grow": (PLAY, "obs.append(np.copy(ob))\nterminals.append(0)\nrollout_done = False"),
    "a loop within": (PLAY, "while True:\n    pass"),
    "a text doubles": (CRITIC, "text = 'x'\nwhile True:\n    text += text"),
    "graphs grow": (UPDATE, "parts = []\nwhile True:\n    parts.append(adv_n * 1.0)"),
}
LARGE = {
    "an array": "numbers = np.ones((2**17, 2**13), np.float32)",
    "a tensor": "numbers = torch.ones(2**17, 2**13)",
}
FILES = {kind: homes()[blank][0] for kind, (blank, _) in ENDLESS.items()}
linux = pytest.mark.skipif(sys.platform != "linux", reason="the limit works on Linux alone")


@linux
@pytest.mark.parametrize("kind", ENDLESS)
def test_a_loop_without_end_is_ended_and_its_line_is_quoted(tmp_path: Path, kind: str) -> None:
    blank, body = ENDLESS[kind]
    write(tmp_path, [wrong("", blank, (), body=body)])
    checks = [check for check in FORMULA if check.id == blank]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with closing(Session(tmp_path / "cs285")) as session:
        (found,) = Grader(session, 0, limit=100).judge(checks)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    named = [misconception.id for misconception in found.misconceptions]
    assert named in (["crash.never_ends"], ["crash.memory"])
    assert f"{FILES[kind]}:" in found.message
    assert after.ru_utime - before.ru_utime < 3 * TRIAL_SECONDS + 15  # libraries included
    assert after.ru_maxrss * 1024 < MEMORY + 2**30


@linux
@pytest.mark.parametrize("kind", LARGE)
def test_what_is_far_too_large_has_a_name(tmp_path: Path, kind: str) -> None:
    imports = f"import numpy as np\nimport torch\n{LARGE[kind]}"
    write(tmp_path, [wrong("", CRITIC, (), body=imports)])
    with closing(Session(tmp_path / "cs285")) as session:
        checks = [check for check in FORMULA if check.id == CRITIC]
        (found,) = Grader(session, 0, limit=100).judge(checks)
    assert [misconception.id for misconception in found.misconceptions] == ["crash.memory"]
    assert LARGE[kind] in found.message


def test_waiting_once_is_enough(tmp_path: Path) -> None:
    """The probe has eleven trials, each of which would never end."""
    write(tmp_path, [wrong("", PLAY, (), body=ENDLESS["a list grows"][1])])
    began = time.process_time()
    judge_package(tmp_path / "cs285", [check for check in FORMULA if check.id == PLAY])
    assert time.process_time() - began < 60  # predictions included


@linux
def test_the_limit_on_memory_is_taken_back(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(MemoryError), bounded(2**28):
        bytearray(2**29)
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert address_space() > 2**20


@linux
def test_a_lower_limit_stays() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    low = address_space() + 2**28
    resource.setrlimit(resource.RLIMIT_AS, (low, hard))
    try:
        with bounded(2**40):
            assert resource.getrlimit(resource.RLIMIT_AS) == (low, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
