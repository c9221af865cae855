"""What is judged is compared with the reference, never with itself, also in a clone."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from autograder import __main__
from autograder.source import ROOT, reference
from autograder.source.importing import Tree
from tests.autograder.corpus import Entry, files_of, right, wrong

UPDATE = "cs285/ differs from autograder/source/reference.zip: run `python -m autograder reference`"
CLONED = ("autograder", "cs285", "scripts")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name in CLONED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.pyc"))
    return tmp_path


def change(clone: Path, *entries: Entry) -> None:
    for path, text in files_of(entries).items():
        (clone / "cs285" / path).write_text(text)


def check(clone: Path, words: str) -> Mapping[str, Any]:
    report = clone / "report.json"
    command = [sys.executable, "-m", "autograder", "check", "hw3", "-k", words]
    run = subprocess.run(
        [*command, "--json", str(report)], cwd=clone, capture_output=True, text=True, timeout=120
    )
    assert run.returncode in (0, 1), run.stderr
    found: dict[str, Any] = json.loads(report.read_text())
    return found


def test_the_reference_is_our_own_solution() -> None:
    assert not reference.differences(), UPDATE


@pytest.mark.slow
def test_a_clone_is_judged_by_the_reference(clone: Path) -> None:
    double = "hw3.dqn.double_q"
    swapped = (
        ("self.q_net(", "self.q_net_target("),
        ("qa_tp1_values = self.q_net_target(", "qa_tp1_values = self.q_net("),
    )
    change(
        clone,
        wrong("", double, "", *swapped),
        wrong("", "hw3.dqn.sync", "", body="pass"),
        wrong("", "hw3.dqn.targets", "", body="raise NotImplementedError"),
        wrong("", "infrastructure/base/schedules.py", "", ("return v0 + (t", "return v0 - (t")),
    )
    report = check(clone, "double_q or sync or dqn.targets or argmax")
    found = {row["id"]: row for row in report["results"]}
    wrong_ones = {i for i, row in found.items() if row["verdict"] == "failed"}
    assert wrong_ones == {double, "hw3.dqn.sync", "hw3.dqn.targets"}
    assert [m["id"] for m in found[double]["mistakes"]] == ["double_q.networks_swapped"]
    assert found["hw3.argmax.action"]["points"] == 4
    (note,) = report["notes"]
    file = "cs285/infrastructure/base/schedules.py"
    assert note.startswith(f"{file} differs from what was given out")
    assert "your version" in note


def test_given_files_of_a_clone_come_from_the_reference() -> None:
    given = Tree().given
    assert set(given) == set(reference.texts())
    assert 'TODO("hw3.dqn.targets")' in given["critics/dqn_critic.py"]
    assert "SOLUTION" not in given["critics/dqn_critic.py"]


def test_a_command_updates_the_reference(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, folder = clone / "reference.zip", clone / "cs285"
    shutil.copy(reference.ARCHIVE, archive)
    monkeypatch.setattr(reference, "ARCHIVE", archive)
    reference.update(folder, archive)
    assert archive.read_bytes() == reference.ARCHIVE.read_bytes()
    change(clone, right("", "hw3.dqn.sync", body="pass"))
    assert reference.differences(folder) == ["cs285/agents/dqn_agent.py"]
    reference.update(folder, archive)
    assert not reference.differences(folder)
    reference.texts.cache_clear()
    reference.given_out.cache_clear()


def test_the_command_says_what_differs(capsys: pytest.CaptureFixture[str]) -> None:
    assert __main__.main(["reference", "--check"]) == 0
    assert not capsys.readouterr().out
