"""The box: closed, warm, and judging as a session at home does."""

from __future__ import annotations

import mmap
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from autograder.grading.grader import Grader
from autograder.isolation.escapes import ATTEMPTS, CANARY
from autograder.isolation.memory import EVERY, Watch
from autograder.isolation.sandbox_client import Sandbox, SandboxError, open_walls
from autograder.source import ROOT
from tests.attacks.machine import adopt_orphans, descendants
from tests.autograder.boxes import REASON, box_works
from tests.autograder.corpus import reference_files
from tests.autograder.judging import FORMULA

pytestmark = pytest.mark.skipif(not box_works(), reason=REASON)

BY_ID = {check.id: check for check in FORMULA}
QUICK = [BY_ID[name] for name in ("hw3.dqn.sync", "hw3.argmax.action")]


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    os.environ[CANARY] = "secret"
    box = Sandbox("hw3")
    yield box
    box.end()
    del os.environ[CANARY]


def files(**changed: str) -> dict[str, bytes]:
    """Returns the reference's files, with some lines after those in `changed`, by last name."""
    found = {path: text.encode() for path, text in reference_files().items()}
    for name, lines in changed.items():
        path = next(path for path in found if path.endswith(f"/{name}.py"))
        found[path] += lines.encode()
    return found


def verdicts(box: Sandbox, submission: dict[str, bytes]) -> list[str]:
    box.open(submission)
    return [verdict.verdict for verdict in Grader(box, 7, 5.0).judge(QUICK)]


def test_nothing_is_open(box: Sandbox) -> None:
    assert len(ATTEMPTS) > 10
    assert open_walls(box) == []


def test_one_submission_after_the_other(box: Sandbox) -> None:
    assert verdicts(box, files()) == ["passed", "passed"]
    assert verdicts(box, files(dqn_agent="import os; os._exit(0)\n")) == ["failed", "passed"]
    assert verdicts(box, files()) == ["passed", "passed"]


@pytest.mark.slow
def test_memory_and_processes_are_limited(box: Sandbox) -> None:
    bomb = "import numpy as np\nkept = [np.ones(2**25) for _ in range(64)]\n"
    assert verdicts(box, files(argmax_policy=bomb))[1] == "failed"
    forks = "import os\nfor _ in range(2000):\n    if os.fork() == 0:\n        while True: pass\n"
    assert verdicts(box, files(argmax_policy=forks))[1] == "failed"
    assert verdicts(box, files()) == ["passed", "passed"]


@pytest.mark.parametrize("flags", [mmap.MAP_SHARED, mmap.MAP_PRIVATE])
def test_memory_counts_whether_it_is_shared_or_not(flags: int) -> None:
    watch = Watch(2**24)
    child = os.fork()
    if child == 0:
        kept = mmap.mmap(-1, 2**25, flags=flags | mmap.MAP_ANONYMOUS)
        kept.write(bytes([1]) * 2**25)
        time.sleep(60)
        os._exit(0)
    deadline = time.monotonic() + 30
    while not watch.exceeded() and time.monotonic() < deadline:
        time.sleep(EVERY)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert watch.exceeded()


@pytest.mark.slow
def test_a_box_that_is_lost_is_built_again(box: Sandbox) -> None:
    box.open(files())
    assert box.process
    box.process.kill()
    box.process.wait()
    grader = Grader(box, 7, 5.0)
    assert [verdict.verdict for verdict in grader.judge(QUICK)] == ["passed", "passed"]
    assert verdicts(box, files()) == ["passed", "passed"]


def test_without_bubblewrap_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SandboxError, match="not installed"):
        Sandbox("hw3")


STARTED = """
import sys, time
from autograder.base.checks import checks
from autograder.isolation.sandbox_client import Sandbox
box = Sandbox("hw3")
box.open({"agents/dqn_agent.py": b"while True: pass"})
while True:
    for check in checks("hw3"):
        if check.points:
            box.see(check, 7, 60.0)
"""


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.3, 0.4, 0.5, 0.8, 6.0])
def test_a_box_ends_with_whoever_started_it(seconds: float) -> None:
    adopt_orphans()
    before = descendants()
    process = subprocess.Popen([sys.executable, "-c", STARTED], cwd=ROOT)
    time.sleep(seconds)
    process.kill()
    process.wait()
    deadline = time.monotonic() + 20.0  # one that was still starting notices when it is ready
    while (left := descendants().keys() - before.keys()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left
