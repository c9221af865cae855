"""What students are given: all they need, no line of a solution, and the same verdicts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from autograder.__main__ import main
from autograder.base import checks as homeworks
from autograder.base.checks import Check
from autograder.grading.grader import judged, worded
from autograder.misconceptions import lookup, oracle
from autograder.misconceptions.catalogue import questions
from autograder.misconceptions.mutation_file import mutation_set_of
from autograder.misconceptions.oracle import NAMED_SEED, PUBLIC_SEEDS
from autograder.release import gate, leaks, tree, trial
from autograder.running.worker import run_probe
from autograder.source import altered as altered_files
from autograder.source import handout_files
from autograder.source.blanks import fill, find_regions
from autograder.source.digests import FOLLOWS
from autograder.source.submission import ROOT, Tree
from tests.autograder.corpus import Entry, all_entries, some, write
from tests.autograder.judging import CHECKS, FORMULA
from tests.running import ALL

BY_ID = {check.id: check for check in CHECKS}
ENTRIES = all_entries()
SINGLE = [entry for entry in ENTRIES if len(entry.misconceptions) < 2]
PAIRS = [entry for entry in ENTRIES if len(entry.misconceptions) == 2]
SAMPLE = [entry for entry in SINGLE if entry.judged_by in {check.id for check in FORMULA}][::60]
OTHER_LINE = "agent.replay_buffer_idx = agent.replay_buffer.store_frame(agent.last_obs)"
SECRET_LINE = "target = reward_n + self.gamma * (1.0 - terminal_n) * q_tp1"
BLANK = "hw3.dqn.targets"


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree, before the gate, for one seed and single mistakes; all of them take minutes."""
    folder = tmp_path_factory.mktemp("given") / "hw3"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tree, "AT_ONCE", {NAMED_SEED: 1, PUBLIC_SEEDS[1]: 0})
        tree.write_tree("hw3", folder)
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree with pairs."""
    folder = tmp_path_factory.mktemp("whole") / "hw3"
    tree.write_tree("hw3", folder)
    return folder


@pytest.fixture
def copy(given: Path, tmp_path: Path) -> Path:
    """A tree to spoil."""
    return Path(shutil.copytree(given, tmp_path / "hw3"))


# What is in it


def test_no_line_of_a_solution_is_in_it(given: Path):
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


def test_what_is_in_it(given: Path):
    paths = {file.relative_to(given).as_posix() for file in given.rglob("*") if file.is_file()}
    for needed in ("README.md", "docs/hw3.md", "setup.py", "constraints.txt", "pyproject.toml"):
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


def test_nothing_of_other_homeworks_is_in_it(given: Path):
    code = {
        file.relative_to(given).as_posix(): file.read_text()
        for folder in ("cs285", "scripts")
        for file in (given / folder).rglob("*.*")
    }
    assert {"cs285/infrastructure/atari.py", "scripts/dqn_presets.json"} <= set(code)
    theirs = ("stepper", "collector", "transition_buffer", "returns", "networks", "value_critic")
    assert not {path for path in code if Path(path).stem in theirs}
    assert {Path(p).stem for p in code if "_agent" in p} == {"ac_agent", "dqn_agent"}
    assert not [path for path, text in code.items() if re.search("hw[124-9]|scripts/run.py", text)]
    assert {file.name for file in (given / "docs").glob("hw*")} == {"hw3.md"}


def test_links_lead_somewhere(given: Path):
    for page in given.rglob("*.md"):
        for link in tree.papers.LINK.finditer(page.read_text()):
            assert (page.parent / link[3]).exists(), (page, link[0])


def test_the_tree_passes_the_gate(given: Path):
    assert not [*gate.of_source("hw3"), *gate.of_files(given), *gate.of_imports(given)]
    assert not [*gate.of_tables("hw3", given), *leaks.found_in(given)]


def test_the_same_source_makes_the_same_tree(given: Path):
    assert tree.grader_files("hw3").items() <= {
        file.relative_to(given).as_posix(): file.read_text() for file in given.rglob("*.py")
    }.items()  # fmt: skip


# What the gate refuses


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
def test_a_leak_is_found(tmp_path: Path, path: str, text: str, place: str):
    plant(tmp_path, path, text)
    (problem,) = leaks.found_in(tmp_path)
    assert problem.startswith(place)


def test_what_the_handout_says_itself_is_no_leak(tmp_path: Path):
    around = (ROOT / "cs285/agents/dqn_agent.py").read_text().partition("# BEGIN SOLUTION")[0]
    assert "epsilon = self.exploration.value(self.t)" in around
    plant(tmp_path, "cs285/agents/dqn_agent.py", around)
    assert not list(leaks.found_in(tmp_path))


def test_what_has_no_place_is_found(tmp_path: Path):
    plant(tmp_path, "tests/test_a.py", "pass\n")
    plant(tmp_path, "cs285/x.pyc", "")
    plant(tmp_path, "docs/hw3.md", "")
    plant(tmp_path, "autograder/homeworks/hw3/mutations/argmax.toml", "")
    plant(tmp_path, "cs285/agents/ac_agent.py", "x = (\n")
    (tmp_path / "docs" / "link.md").symlink_to("hw3.md")
    assert {line.split(":")[0] for line in gate.of_files(tmp_path)} == {
        "autograder/homeworks/hw3/mutations/argmax.toml", "cs285/agents/ac_agent.py", "cs285/x.pyc",
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
):
    shutil.copytree(ROOT / "cs285", tmp_path / "cs285")
    file = tmp_path / "cs285/policies/argmax_policy.py"
    file.write_text(file.read_text().replace(old, new))
    monkeypatch.setattr(gate, "ROOT", tmp_path)
    assert any(messages in problem for problem in gate.of_source("hw3"))


def test_nothing_is_written_if_the_gate_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(gate, "problems", lambda *_: ["cs285/a.py:3: a leak"])
    monkeypatch.setattr(tree, "write_tree", lambda _, folder: folder.mkdir())
    assert main(["release", "hw3", str(tmp_path / "out"), "--zip"]) == 1
    assert "cs285/a.py:3: a leak" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_tries_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
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
):
    reports = [{"results": [{"verdict": "grader_error"}]}, {"results": [{"verdict": "passed"}]}]
    left = iter(reports)
    monkeypatch.setattr(trial, "check_once", lambda *_: next(left))
    assert trial.check("hw3", tmp_path, tmp_path, 0) == reports[1]


def test_what_is_there_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["release", "hw3", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["release", "hw9", str(tmp_path / "out")]) == 2
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


# Recorded answers


def table_in(given: Path, blank: str) -> Any:
    file = given / oracle.table_file(blank).relative_to(ROOT)
    return json.loads(file.read_text()) if file.is_file() else None


def both(entry: Entry, seed: int, given: Path, folder: Path, patch: pytest.MonkeyPatch):
    """Judges what a probe sees of an entry as here, and by what the handout has."""
    check = BY_ID[entry.judged_by]
    package = write(folder, [entry])
    record = run_probe(Tree(package), check.full_probe, check.owners, seed).trials
    live = worded(check, judged(check, record, seed))
    with patch.context() as patched:
        patched.setattr(lookup, "read_table", lambda blank: table_in(given, blank))
        return live, worded(check, judged(check, record, seed))


@pytest.mark.parametrize("entry", SAMPLE, ids=lambda entry: entry.name)
def test_recorded_answers_judge_alike(
    given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: Entry
):
    live, recorded = both(entry, PUBLIC_SEEDS[0], given, tmp_path, monkeypatch)
    assert recorded == live


@pytest.mark.slow
@pytest.mark.parametrize("entry", some(ENTRIES, 4), ids=lambda entry: entry.name)
def test_all_recorded_answers_judge_alike(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: Entry
):
    """With each seed in its turn: names are known for the first, of three at once never.

    Of draws that a student's own code makes nothing is recorded.
    """
    several = len(entry.misconceptions) > 1
    seed = PUBLIC_SEEDS[0 if several else ENTRIES.index(entry) % len(PUBLIC_SEEDS)]
    live, recorded = both(entry, seed, whole, tmp_path, monkeypatch)
    assert recorded.verdict == live.verdict
    named = [misconception.id for misconception in recorded.misconceptions]
    if "pg_update.resampled" in entry.misconceptions:
        assert "pg_update.resampled" in named
    elif len(entry.misconceptions) < 3 and seed == NAMED_SEED:
        assert recorded == live


@pytest.mark.slow
@pytest.mark.parametrize("entry", PAIRS, ids=lambda entry: entry.name)
def test_a_handout_names_what_students_make_together(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: Entry
):
    live, recorded = both(entry, NAMED_SEED, whole, tmp_path, monkeypatch)
    assert recorded.verdict == live.verdict
    if "pg_update.resampled" not in entry.misconceptions:  # its own draws are recorded nowhere
        assert recorded == live


def test_pairs_of_the_corpus_are_in_a_handout():
    """As far as they are looked for at all, whatever their order."""
    looked_for = 0
    for question in (q for name in homeworks.names() for q in questions(name)):
        answer = mutation_set_of(question)
        pairs = {frozenset(answer.misconceptions_of(c)): c for c in answer.choices(2)}
        for entry in all_entries(question.homework):
            choice = pairs.get(frozenset(entry.misconceptions))
            if entry.judged_by == question.blank and choice:
                looked_for += 1
                assert answer.in_handout(choice), entry.name
    assert looked_for > 40


def test_what_few_make_together_is_not_in_a_handout():
    answer = mutation_set_of(next(q for q in questions("hw3") if q.blank == "hw3.dqn.targets"))
    by_names = {frozenset(answer.misconceptions_of(c)): c for c in answer.choices(2)}
    record, never = (
        {"target.no_mask", "target.online_net"},
        {"target.no_mask", "target.max_over_batch"},
    )
    assert answer.in_handout(by_names[frozenset(record)])
    assert not answer.in_handout(by_names[frozenset(never)])
    for unlisted in (q for q in questions("hw6")):
        assert all(map(mutation_set_of(unlisted).in_handout, mutation_set_of(unlisted).choices(2)))


def test_other_seeds_distinguish_right_from_wrong(
    given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """With seed 1 a handout knows what is right, and no more."""
    wrong_one = next(e for e in SINGLE if e.misconceptions == ("target.no_mask",))
    right_one = next(e for e in SINGLE if not e.misconceptions and e.judged_by == BLANK)
    for number, (entry, verdict) in enumerate([(wrong_one, "failed"), (right_one, "passed")]):
        folder = tmp_path / str(number)
        live, recorded = both(entry, PUBLIC_SEEDS[1], given, folder, monkeypatch)
        assert live.verdict == recorded.verdict == verdict
        assert not recorded.misconceptions


def test_other_seeds_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("autograder.commands.check.is_handout", lambda _: True)
    assert main(["check", "hw3", "--seed", "3"]) == 2
    assert "seeds 0, 1, 2 alone" in capsys.readouterr().err


def test_a_table_that_is_missing_is_told(given: Path, tmp_path: Path):
    shutil.copytree(given / "autograder", tmp_path / "autograder")
    assert not list(gate.of_tables("hw3", tmp_path))
    (tmp_path / "autograder/homeworks/hw3/tables/dqn.sync.json").unlink()
    (missing,) = gate.of_tables("hw3", tmp_path)
    assert "hw3.dqn.sync cannot be judged" in missing


# The tree in which probes run


def test_probes_know_no_answers(tmp_path: Path):
    for path, text in handout_files.probe_tree("hw3").items():
        handout_files.write(tmp_path / path, text)
    names = {file.name for file in tmp_path.rglob("*.py")}
    assert {"worker.py", "argmax.py", "dqn_agent.py", "blanks.py"} <= names
    assert not [
        name
        for name in names
        if name.startswith(("judge", "misconception", "crash_names", "mutation"))
    ]
    assert not [name for name in names if "formula" in name or name in ("checks.py", "check.py")]
    assert not list(leaks.found_in(tmp_path))


def test_a_probe_that_knows_answers_is_refused(monkeypatch: pytest.MonkeyPatch):
    check = Check(
        "hw3.a.b",
        "",
        1,
        (),
        "homeworks.hw3.levels.judge_learning:x",
        "homeworks.hw3.levels.judge_learning:judge",
    )
    monkeypatch.setattr(handout_files.homeworks, "checks", lambda _: [check])
    with pytest.raises(handout_files.LeakError, match="judge_learning"):
        handout_files.probe_tree("hw3")


# Altered files


def test_altered_files_are_named(given: Path):
    known = json.loads((given / "autograder/source/digests.json").read_text())["files"]
    files = {p: (given / "cs285" / p).read_bytes() for p in known}
    assert altered_files.altered(known, files) == []
    assert (
        altered_files.altered(known, {p: d.replace(b"\n", b"\r\n") for p, d in files.items()}) == []
    )
    solved = {path: text.encode() for path, text in trial.solved("hw3").items()}
    assert altered_files.altered(known, solved) == []
    buffer, agent = "infrastructure/replay_buffer.py", "agents/dqn_agent.py"
    solved[buffer] += b"x = 1\n"
    solved[agent] = solved[agent].replace(b"def can_", b"def can_not_").replace(
        b"self.t = 0", b"self.t = 1"
    )  # fmt: skip
    del solved["infrastructure/logger.py"]
    assert altered_files.altered(known, solved) == [
        f"cs285/agents/dqn_agent.py differs from what was given out (DQNAgent.__init__); {FOLLOWS}",
        f"cs285/infrastructure/replay_buffer.py differs from what was given out; {FOLLOWS}",
    ]
    assert altered_files.altered(known, {agent: b"def broken("}) == []


def test_the_source_and_the_handout_agree_on_what_was_given(given: Path):
    known = json.loads((given / "autograder/source/digests.json").read_text())["files"]
    assert altered_files.given_out("hw3") == known
    assert altered_files.notes_on("hw3", ROOT / "cs285") == []


# As a student


def run_check(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "autograder", "check", "hw3", *more]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


@pytest.mark.slow
def test_as_a_student(copy: Path, tmp_path: Path):
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
def test_under_pytest(copy: Path):
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
def test_the_whole_command(tmp_path: Path):
    out = tmp_path / "made" / "hw3"
    assert main(["release", "hw3", str(out), "--zip", "--gate", "full" if ALL else "quick"]) == 0
    assert {file.name for file in out.parent.iterdir()} == {"hw3", "hw3.zip"}
    with zipfile.ZipFile(out.parent / "hw3.zip") as archive:
        names = set(archive.namelist())
    files = {f"hw3/{f.relative_to(out).as_posix()}" for f in out.rglob("*") if f.is_file()}
    assert names == files
