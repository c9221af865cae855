"""All attacks in one class, graded by the command that an instructor runs, two at a time."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from autograder.source import ROOT
from tests.attacks.machine import Listener, descendants, traces
from tests.attacks.suite import BLANKS, Attack, as_folder, attacks, solved_files
from tests.attacks.test_attacks import CANARY, harmless
from tests.autograder.boxes import REASON, box_works

INNOCENTS = 5
MOST_SECONDS = 3600.0
WHOLE = "CS285_WHOLE_CLASS"

Rows = dict[str, dict[str, tuple[str, int, str]]]


@pytest.mark.slow
@pytest.mark.skipif(WHOLE not in os.environ, reason=f"five minutes on two cores; set {WHOLE}=1")
def test_a_class_of_attackers(tmp_path: Path, outside: Listener) -> None:
    if not box_works():
        pytest.skip(REASON)
    before, alive = traces(outside.port), set(descendants())
    (tmp_path / "class").mkdir()
    for attack in attacks():
        attack.hand_in(tmp_path / "class", outside.port)
    for number in range(INNOCENTS):
        files = solved_files()
        files["cs285/policies/argmax_policy.py"] += b"# CANARY-%016x\n" % number
        as_folder(files, tmp_path / "class" / f"innocent-{number}")
    grade(tmp_path / "class", tmp_path / "book")
    rows = read_verdicts(tmp_path / "book" / "gradebook.sqlite")
    for attack in attacks():
        for student in attack.students:
            assert_fair(attack, rows.get(student, {}))
    for number in range(INNOCENTS):
        graded = {verdict for verdict, _, _ in rows[f"innocent-{number}"].values()}
        assert graded == {"passed"}
    assert set(descendants()) == alive, "processes are left"
    assert traces(outside.port) == before
    assert outside.heard == []


def grade(submissions: Path, book: Path) -> None:
    """Runs the command."""
    command = [sys.executable, "-m", "autograder", "grade", "hw3", str(submissions)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, "--out", str(book), "--jobs", "2"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert not CANARY.search(done.stdout + done.stderr)


def read_verdicts(file: Path) -> Rows:
    """Returns verdict, points and message by student and check."""
    found: Rows = defaultdict(dict)
    with sqlite3.connect(file) as connection:
        query = "SELECT student, check_id, verdict, points, message FROM submissions JOIN verdicts"
        for student, check, *row in connection.execute(f"{query} USING (digest)"):
            found[student][check] = (row[0], row[1], row[2])
    return found


def assert_fair(attack: Attack, graded: dict[str, tuple[str, int, str]]) -> None:
    """Asserts that an attack got what it deserves, and told nothing."""
    if attack.expect == "refused":
        assert graded == {}, attack.name
        return
    found = attack.judged({blank: graded[blank][0] for blank in BLANKS})
    assert found == attack.verdicts(), attack.name
    right = sum(verdict == "passed" for verdict in attack.verdicts().values())
    assert (sum(points for _, points, _ in graded.values()) > 0) == (right > 0), attack.name
    assert all(harmless(message) for _, _, message in graded.values()), attack.name
    assert not any(CANARY.search(message) for _, _, message in graded.values()), attack.name
