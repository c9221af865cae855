"""The gate finds leaks and whatever has no place in a handout; then nothing is written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base import checks as homeworks
from autograder.misconceptions.oracle import PUBLIC_SEEDS
from autograder.release import gate, leaks, tree, trial
from autograder.source import ROOT
from autograder.source.handout_files import given_files

OTHER_LINE = "agent.replay_buffer_idx = agent.replay_buffer.store_frame(agent.last_obs)"
SECRET_LINE = "target = reward_n + self.gamma * (1.0 - terminal_n) * q_tp1"


def plant(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)


@pytest.mark.parametrize(
    "path, text, place",
    [
        ("docs/hw3.md", f"# Hints\nTry `{SECRET_LINE}`.\n", "docs/hw3.md:2: a line of"),
        ("cs285/a.py", f"x = 1\n# {SECRET_LINE.replace(' ', '')}\n", "cs285/a.py:2: a line of"),
        ("cs285/a.py", f"def act(agent):\n    {OTHER_LINE}\n", "cs285/a.py:2: a line of"),
        ("scripts/a.py", "# BEGIN SOLUTION hw3.x.y\n", "scripts/a.py:1: a marker"),
    ],
)
def test_a_leak_is_found(tmp_path: Path, path: str, text: str, place: str) -> None:
    plant(tmp_path, path, text)
    (problem,) = leaks.found_in(tmp_path)
    assert problem.startswith(place)


def test_what_the_handout_says_itself_is_no_leak(tmp_path: Path) -> None:
    around = (ROOT / "cs285/agents/dqn_agent.py").read_text().partition("# BEGIN SOLUTION")[0]
    assert "epsilon = self.exploration.value(self.t)" in around
    plant(tmp_path, "cs285/agents/dqn_agent.py", around)
    assert not list(leaks.found_in(tmp_path))


def test_what_has_no_place_is_found(tmp_path: Path) -> None:
    plant(tmp_path, "tests/test_a.py", "pass\n")
    plant(tmp_path, "cs285/x.pyc", "")
    plant(tmp_path, "docs/hw3.md", "")
    plant(tmp_path, "autograder/homeworks/hw3/blanks/argmax.toml", "")
    plant(tmp_path, "cs285/agents/ac_agent.py", "x = (\n")
    (tmp_path / "docs" / "link.md").symlink_to("hw3.md")
    assert {line.split(":")[0] for line in gate.of_files(tmp_path)} == {
        "autograder/homeworks/hw3/blanks/argmax.toml", "cs285/agents/ac_agent.py", "cs285/x.pyc",
        "docs/link.md", "tests", "tests/test_a.py",
    }  # fmt: skip
    plant(tmp_path, "cs285/agents/ac_agent.py", "import os\nimport cs285.agents.sac_agent\n")
    (problem,) = gate.of_imports(tmp_path)
    assert problem.startswith("cs285/agents/ac_agent.py:2:")
    assert "cs285.agents.sac_agent" in problem


@pytest.mark.parametrize(
    "old, new, messages",
    [
        ("# END SOLUTION", "# END SOLUTIONS", "malformed"),
        ("hw3.argmax.action", "hw3.dqn.act", "hw3.dqn.act stands at"),
        ("hw3.argmax.action", "hw3.argmax.new", "hw3.argmax.action is no blank"),
    ],
)
def test_wrong_markers_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, messages: str
) -> None:
    shutil.copytree(ROOT / "cs285", tmp_path / "cs285")
    file = tmp_path / "cs285/policies/argmax_policy.py"
    file.write_text(file.read_text().replace(old, new))
    monkeypatch.setattr(gate, "ROOT", tmp_path)
    assert any(messages in problem for problem in gate.of_source("hw3"))


def test_nothing_is_written_if_the_gate_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gate, "problems", lambda *_: ["cs285/a.py:3: a leak"])
    monkeypatch.setattr(tree, "write_tree", lambda _, folder: folder.mkdir())
    assert main(["release", "hw3", str(tmp_path / "out"), "--zip"]) == 1
    assert "cs285/a.py:3: a leak" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_tries_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cs285" / "__pycache__").mkdir(parents=True)
    monkeypatch.setattr(trial, "check", lambda *_: {"results": [], "notes": ["a.py differs"]})
    found = list(trial.problems("hw3", tmp_path, False))
    assert found == ["the solution: a.py differs"]
    assert capsys.readouterr().err.splitlines() == [
        "autograder: running `check` in the tree",
        "autograder: running `check` in the tree: 2 of 2",
    ]
    assert [file.name for file in tmp_path.iterdir()] == ["cs285"]
    assert not list((tmp_path / "cs285").iterdir())
    assert list(trial.tries_of("hw3", tmp_path, True))[:4] == [
        "the tree as it is",
        *(f"the solution with seed {seed}" for seed in PUBLIC_SEEDS),
    ]
    list(trial.problems("hw3", tmp_path, True))
    assert capsys.readouterr().err.endswith("20 of 20\n")


def test_a_failure_of_the_grader_is_tried_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = [{"results": [{"verdict": "grader_error"}]}, {"results": [{"verdict": "passed"}]}]
    left = iter(reports)
    monkeypatch.setattr(trial, "check_once", lambda *_: next(left))
    assert trial.check("hw3", tmp_path, tmp_path, 0) == reports[1]


def test_what_is_there_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["release", "hw3", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["release", "hw9", str(tmp_path / "out")]) == 2
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.slow
@pytest.mark.parametrize("homework", homeworks.names())
def test_the_files_of_every_homework_have_nothing_wrong(homework: str, tmp_path: Path) -> None:
    """All but tables, which take long: two homeworks once imported what was not there."""
    for path, text in tree.texts(homework, given_files(homework)).items():
        plant(tmp_path, path, text)
    wrong = [*gate.of_source(homework), *gate.of_files(tmp_path), *gate.of_imports(tmp_path)]
    assert wrong + [*leaks.found_in(tmp_path, homework)] == []
