"""A handout has all that students need, and no line of a solution."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.release import gate, leaks, tree, trial
from autograder.source import ROOT, handout_files
from autograder.source.altered import FOLLOWS, altered, given_out
from autograder.source.blanks import find_regions
from autograder.source.reference import fill
from autograder.source.submission import files_in
from tests import handouts
from tests.autograder.judging import FORMULA
from tests.running import ALL

BLANK = "hw3.dqn.targets"
pytestmark = pytest.mark.slow  # a handout takes long to make


@pytest.fixture
def copy(given: Path, tmp_path: Path) -> Path:
    """A tree to spoil."""
    return Path(shutil.copytree(given, tmp_path / "hw3"))


# What is in it


def test_no_line_of_a_solution_is_in_it(given: Path) -> None:
    """Looks for each line as a text, by other means than the gate does."""
    everything = {file: file.read_bytes() for file in given.rglob("*") if file.is_file()}
    around = "\n".join(
        line
        for file in sorted((given / "cs285").rglob("*.py"))
        for line in file.read_text().splitlines()
    )
    searched = 0
    for file in sorted((ROOT / "cs285").rglob("*.py")):
        lines = file.read_text().splitlines()
        for region in find_regions(file.read_text(), file.name):
            for line in (line.strip() for line in lines[region.first : region.last - 1]):
                if len(line) > 10 and line not in around:
                    searched += 1
                    found = [f for f, data in everything.items() if line.encode() in data]
                    assert not found, (region.id, line)
    assert searched > 40


def test_what_is_in_it(given: Path) -> None:
    paths = {file.relative_to(given).as_posix() for file in given.rglob("*") if file.is_file()}
    for needed in (
        "README.md",
        "docs/hw3.md",
        "docs/runs.md",
        "setup.py",
        "constraints.txt",
        "pyproject.toml",
    ):
        assert needed in paths
    assert {file.name for file in (given / "scripts").iterdir()} >= {"run_hw3_dqn.py", "plot.py"}
    assert (given / "autograder/commands/check.py").is_file()
    others = {"tests", "benchmarks", "release", "grade", "sandbox", "corpus", "git"}
    assert not [p for p in paths if others & {part.strip(".") for part in p.split("/")}]
    assert not [p for p in paths if p.rpartition("/")[2].split(".")[0] in others]
    assert not [p for p in paths if p.endswith(".pyc") or "hw2" in p or "data/" in p]
    tables = [file.stat().st_size for file in (given / "autograder/homeworks/hw3/tables").iterdir()]
    assert sum(tables) < 30 * 2**20
    for blank in (check.id for check in FORMULA):
        assert f"`{blank}`" in (given / "README.md").read_text()


def test_nothing_of_other_homeworks_is_in_it(given: Path) -> None:
    code = {
        file.relative_to(given).as_posix(): file.read_text()
        for folder in ("cs285", "scripts")
        for file in (given / folder).rglob("*.*")
    }
    assert {
        "cs285/infrastructure/environments/atari.py",
    } <= set(code)
    theirs = ("stepper", "collector", "transition_buffer", "returns", "networks", "value_critic")
    assert not {path for path in code if Path(path).stem in theirs}
    assert {Path(p).stem for p in code if "_agent" in p} == {"ac_agent", "dqn_agent"}
    assert not [path for path, text in code.items() if re.search("hw[124-9]|scripts/run.py", text)]
    assert {file.name for file in (given / "docs").glob("hw*")} == {"hw3", "hw3.md"}
    assert {file.stem for file in (given / "docs/hw3").iterdir()} == set(handouts.PARTS)


def test_links_lead_somewhere(given: Path) -> None:
    for page in given.rglob("*.md"):
        for link in tree.papers.LINK.finditer(page.read_text()):
            assert (page.parent / link[3]).exists(), (page, link[0])


def test_the_tree_passes_the_gate(given: Path) -> None:
    assert not [*gate.of_source("hw3"), *gate.of_files(given), *gate.of_imports(given)]
    assert not [*gate.of_tables("hw3", given), *leaks.found_in(given)]


def test_the_same_source_makes_the_same_tree(given: Path) -> None:
    assert tree.grader_files("hw3").items() <= {
        file.relative_to(given).as_posix(): file.read_text() for file in given.rglob("*.py")
    }.items()  # fmt: skip


def test_probes_know_no_answers(tmp_path: Path) -> None:
    for path, text in handout_files.probe_tree("hw3").items():
        handout_files.write(tmp_path / path, text)
    names = {file.name for file in tmp_path.rglob("*.py")}
    assert {"worker.py", "policy_action.py", "dqn_agent.py", "blanks.py"} <= names
    assert not [
        name for name in names if name.startswith(("judge", "misconception", "explain", "mutation"))
    ]
    assert not [name for name in names if "formula" in name or name == "check.py"]
    assert not list(leaks.found_in(tmp_path))


def test_a_probe_that_knows_answers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    knows = "autograder.misconceptions.stories"
    monkeypatch.setattr(handout_files, "probe_modules", lambda _: [knows])
    with pytest.raises(handout_files.LeakError, match="misconceptions/"):
        handout_files.probe_tree("hw3")


def test_altered_files_are_named(given: Path) -> None:
    files = files_in(given / "cs285")
    assert altered("hw3", files) == []
    assert altered("hw3", {p: d.replace(b"\n", b"\r\n") for p, d in files.items()}) == []
    solved = {path: text.encode() for path, text in trial.solved("hw3").items()}
    assert altered("hw3", solved) == []
    buffer, agent = "infrastructure/replay/replay_buffer.py", "agents/dqn_agent.py"
    solved[buffer] += b"x = 1\n"
    solved[agent] = solved[agent].replace(b"def can_", b"def can_not_").replace(
        b"self.num_param_updates = 0", b"self.num_param_updates = 1"
    )  # fmt: skip
    del solved["infrastructure/logging/logger.py"]
    assert altered("hw3", solved) == [
        f"cs285/agents/dqn_agent.py differs from what was given out (DQNAgent.__init__); {FOLLOWS}",
        f"cs285/infrastructure/replay/replay_buffer.py differs from what was given out; {FOLLOWS}",
    ]
    assert altered("hw3", {agent: b"def broken("}) == []


def test_the_source_and_the_handout_agree_on_what_was_given(given: Path) -> None:
    texts = {path: data.decode() for path, data in files_in(given / "autograder/given").items()}
    assert given_out("hw3") == texts
    assert altered("hw3", files_in(ROOT / "cs285")) == []


def run_check(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "autograder", "check", "hw3", *more]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


@pytest.mark.slow
def test_as_a_student(copy: Path, tmp_path: Path) -> None:
    """All empty, then one blank solved, then all; and only the public seeds."""
    report = tmp_path / "report.json"
    assert run_check(copy, "--json", str(report)).returncode == 1
    found = json.loads(report.read_text())["results"]
    assert {r["verdict"] for r in found if r["max_points"]} == {"blank"}
    path = "critics/dqn_critic.py"
    source = (ROOT / "cs285" / path).read_text()
    (copy / "cs285" / path).write_text(fill(source, {"hw3.dqn.double_q": None}, path))
    run_check(copy, "--json", str(report))
    found = json.loads(report.read_text())["results"]
    assert [r["id"] for r in found if r["max_points"] and r["verdict"] == "passed"] == [BLANK]
    for path, text in trial.solved("hw3").items():
        (copy / "cs285" / path).write_text(text)
    done = run_check(copy, "--json", str(report))
    assert done.returncode == 0, done.stdout
    assert json.loads(report.read_text())["score"] == 100
    refused = run_check(copy, "--seed", "3")
    assert refused.returncode == 2
    assert "seeds 0, 1, 2 alone" in refused.stderr


@pytest.mark.slow
def test_under_pytest(copy: Path) -> None:
    for path, text in trial.solved("hw3", "hw3.dqn.double_q").items():
        (copy / "cs285" / path).write_text(text)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "autograder/homeworks/hw3",
        "-k",
        "double_q or argmax",
    ]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=600)
    assert "1 failed, 1 passed" in done.stdout, done.stdout


@pytest.mark.slow
def test_the_whole_command(tmp_path: Path) -> None:
    out = tmp_path / "made" / "hw3"
    assert main(["release", "hw3", str(out), "--zip", "--gate", "full" if ALL else "quick"]) == 0
    assert {file.name for file in out.parent.iterdir()} == {"hw3", "hw3.zip"}
    with zipfile.ZipFile(out.parent / "hw3.zip") as archive:
        names = set(archive.namelist())
    files = {f"hw3/{f.relative_to(out).as_posix()}" for f in out.rglob("*") if f.is_file()}
    assert names == files
