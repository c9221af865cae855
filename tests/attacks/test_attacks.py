"""Each attack in the sandbox: what it gains, what it reads, whom it harms and what it leaves."""

from __future__ import annotations

import re
import time
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from autograder.base.checks import Check
from autograder.base.results import Verdict
from autograder.classroom.collect import collect
from autograder.grading.grader import Grader
from autograder.isolation.sandbox_client import Sandbox
from autograder.misconceptions.catalogue import questions
from autograder.misconceptions.live_oracle import cached
from tests.attacks.machine import Listener, census, traces
from tests.attacks.suite import ARGMAX, TARGETS, Attack, Files, attacks, solved_files
from tests.autograder.corpus import some
from tests.autograder.judging import FORMULA, PRIVATE

SEED = PRIVATE
LIMIT = 5.0  # seconds for a check; on a busy machine a right one takes one
# What never ends uses its whole limit, twice: the judge tries it without the other files too.
NO_END, SHORTER = "resources/", 2.5
MOST_SECONDS = 150.0  # for a whole submission, whatever it does
CANARY = re.compile("CANARY-[0-9a-f]{16}")
BENIGN = [attack for attack in attacks() if attack.benign]
HOSTILE = [attack for attack in attacks() if not attack.benign]  # CI runs every second one
FEW = [check for check in FORMULA if check.id in (ARGMAX, TARGETS)]


def judge(
    box: Sandbox, files: Files, checks: Sequence[Check] = FORMULA, limit: float = LIMIT
) -> list[Verdict]:
    """Judges a submission's files, by path within `cs285`."""
    box.open(files)
    return list(Grader(box, SEED, limit).judge(checks))


@pytest.fixture(scope="session")
def innocent() -> Files:
    """A right submission that holds something to be stolen."""
    files = {path.removeprefix("cs285/"): data for path, data in solved_files().items()}
    files["policies/argmax_policy.py"] += b"# CANARY-fedcba9876543210\n" * 30
    return files


@pytest.fixture(scope="session")
def predicted() -> None:
    """Predicts what mistakes lead to: a whole class shares that, and no submission is its cost."""
    for question in questions("hw3"):
        cached(question, SEED, 0), cached(question, SEED, 1)


@pytest.fixture(scope="session")
def peace(box: Sandbox, innocent: Files) -> Counter[str]:
    """The processes that there are while a right submission waits for its next question."""
    assert {v.verdict for v in judge(box, innocent, FEW)} == {"passed"}
    return census()


@pytest.mark.slow
@pytest.mark.parametrize("attack", [*BENIGN, *some(HOSTILE, 2)], ids=lambda attack: attack.name)
def test_attack(
    attack: Attack,
    tmp_path: Path,
    box: Sandbox,
    outside: Listener,
    innocent: Files,
    peace: Counter[str],
    predicted: None,
    handout: list[str],
    one_try: None,
) -> None:
    before = traces(outside.port)
    attack.hand_in(tmp_path, outside.port)
    began = time.monotonic()
    found = collect(tmp_path, handout)
    limit = SHORTER if attack.name.startswith(NO_END) else LIMIT
    assert len(found) == len(attack.students)
    for one in found:
        verdicts = [] if one.problem else judge(box, dict(one.files), attack.checks(), limit)
        assert bool(one.problem) == (attack.expect == "refused"), one.problem
        assert_as_expected(attack, verdicts)
    assert time.monotonic() - began < MOST_SECONDS * len(found)
    one_of_few = [FEW[zlib.crc32(attack.name.encode()) % len(FEW)]]
    assert [v.verdict for v in judge(box, innocent, one_of_few)] == ["passed"], "others are harmed"
    assert census() == peace, "processes are left"
    assert traces(outside.port) == before
    assert outside.heard == []


def assert_as_expected(attack: Attack, verdicts: Sequence[Verdict]) -> None:
    """Asserts that the verdicts are the attack's, and that its trick ran and found nothing."""
    if not verdicts:
        return
    wanted = attack.verdicts()
    found = attack.judged({v.id: v.verdict for v in verdicts})
    assert found == {check.id: wanted[check.id] for check in attack.checks()}
    messages = [v.message for v in verdicts]
    assert not any(CANARY.search(message) for message in messages)
    assert all(harmless(message) for message in messages), messages
    if attack.words:
        assert any(re.search(attack.words, message) for message in messages), messages


def harmless(message: str) -> bool:
    """Returns whether a message is short, and can be printed and kept everywhere."""
    plain = all(c.isprintable() or c == "\n" for c in message)
    return plain and len(message) < 10_000 and message.encode(errors="ignore").decode() == message
