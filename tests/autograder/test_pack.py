"""The zip to hand in: what is in it, what is open about it, and that the grader reads it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base.checks import checks
from autograder.base.results import FAILED, PASSED, Verdict
from autograder.classroom.collect import collect
from autograder.classroom.gradebook import Gradebook
from autograder.commands import pack
from autograder.release import trial
from autograder.source import ROOT, reference
from autograder.source.handout_files import given_files
from autograder.source.submission import find_package
from autograder.student import last_check
from autograder.student.hand_in import RUN_FILES
from tests.autograder.boxes import REASON, box_works
from tests.autograder.evidence.run_folders import NAME, write_run

CRITIC, BUFFER = "critics/dqn_critic.py", "infrastructure/replay/replay_buffer.py"
SCRIPT = "scripts/run_hw3_actor_critic.py"
QUESTION = "hw3.runs.q4_10_10"


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("honest") / NAME)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A student's tree in which all is solved, as far as `pack` looks at it."""
    folder = tmp_path_factory.mktemp("solved")
    for path, text in (given_files("hw3") | dict(trial.solved("hw3"))).items():
        write(folder / "cs285" / path, text)
    write(folder / SCRIPT, (ROOT / SCRIPT).read_text())
    return folder


@pytest.fixture
def tree(solved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, to be changed, in which a student works."""
    folder = Path(shutil.copytree(solved, tmp_path / "hw3"))
    monkeypatch.chdir(folder)
    monkeypatch.setattr(pack, "own_package", lambda: (folder / "cs285", ""))
    return folder


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def add_run(tree: Path, honest: Path) -> Path:
    """Copies the run into a tree, as if it had begun after the code was written."""
    folder = tree / "data" / NAME
    for file in honest.iterdir():
        write(folder / file.name, "")
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "checkpoints").mkdir()
    return folder


def checked(tree: Path, verdict: str = PASSED) -> None:
    """Keeps verdicts on all blanks, as `check` does."""
    asked = [check for check in checks("hw3") if check.points]
    verdicts = [Verdict(c.id, c.title, c.points, c.points, verdict) for c in asked]
    last_check.keep("hw3", tree / "cs285", last_check.hash_of(tree / "cs285"), verdicts)


def packed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Returns the status, and all that was printed with single spaces."""
    status = main(["pack", "hw3", *words])
    printed = capsys.readouterr()
    assert all(len(line) <= 110 for line in printed.out.splitlines())
    return status, " ".join((printed.out + printed.err).split())


def names_in(file: Path) -> set[str]:
    with zipfile.ZipFile(file) as archive:
        return set(archive.namelist())


def test_a_tree_in_which_all_is_right(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checked(tree)
    status, page = packed(capsys)
    assert status == 0 and "nothing is open" in page
    assert "check: 100 of 100 points, 16 of 16 passed" in page and "on these files" in page
    names = names_in(tree / "hw3_hand_in.zip")
    assert f"cs285/{CRITIC}" in names and len(names) == 8
    assert all(name.startswith("cs285/") and name.endswith(".py") for name in names)
    assert [file.name for file in tree.iterdir() if file.name.startswith(".")] == [".autograder"]


def test_own_files_and_changed_ones_are_in_it(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tree / "cs285/agents/my_tools.py", "x = 1\n")
    write(tree / "cs285" / BUFFER, (tree / "cs285" / BUFFER).read_text() + "x = 1\n")
    write(tree / "report.pdf", "%PDF")
    _, page = packed(capsys, "--add", "report.pdf", "-o", "mine.zip")
    assert "cs285/agents/my_tools.py (your own)" in page
    assert f"cs285/{BUFFER} (changed: your version runs)" in page
    names = names_in(tree / "mine.zip")
    assert {"report.pdf", "cs285/agents/my_tools.py", f"cs285/{BUFFER}"} <= names
    assert len(names) == 8 + 3


def test_what_is_missing_is_listed(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    critic = tree / "cs285" / CRITIC
    write(critic, reference.given_out("hw3")[CRITIC])
    write(tree / "cs285/agents/ac_agent.py", "def broken(:\n")
    write(tree / "my_nets.py", "x = 1\n")
    policy = tree / "cs285/policies/argmax_policy.py"
    write(policy, policy.read_text() + "import my_nets\nimport numpy\n")
    (tree / "cs285/infrastructure/rollouts.py").unlink()
    status, page = packed(capsys)
    assert status == 1
    assert "hw3.dqn.targets is empty: cs285/critics/dqn_critic.py:" in page
    assert "hw3.dqn.double_q is empty" in page and "hw3.dqn.act is empty" not in page
    assert "hw3.rollouts.sample_trajectory: cs285/infrastructure/rollouts.py is missing" in page
    assert "cs285/agents/ac_agent.py:1 does not parse: invalid syntax" in page
    assert "argmax_policy.py imports my_nets, which is not in cs285/" in page
    assert "numpy" not in page
    assert "it has not judged this tree yet" in page


def test_the_verdict_is_older_than_the_files(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checked(tree, FAILED)
    status, page = packed(capsys)
    assert "0 of 16 passed" in page and "on these files" in page
    critic = tree / "cs285" / CRITIC
    written = critic.stat()
    os.utime(critic, ns=(written.st_atime_ns, written.st_mtime_ns + 10**9))
    assert "on these files" in packed(capsys)[1]  # it was only touched
    write(critic, critic.read_text() + "# one more line\n")
    status, page = packed(capsys)
    assert status == 1 and "older than your files: type python -m autograder check hw3" in page
    write(last_check.file_of("hw3", tree / "cs285"), "{no JSON")
    assert "it has not judged this tree yet" in packed(capsys)[1]


def test_runs_that_are_missing_stale_or_not_finished(
    tree: Path, honest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = add_run(tree, honest)
    assert "the runs in data are left out; --runs adds them" in packed(capsys)[1]
    status, page = packed(capsys, "--runs")
    assert f"data/{NAME} ({QUESTION})" in page
    assert f"{QUESTION}: " not in page and "hw3.runs.q2_dqn: 0 of 3 runs" in page
    assert "is older than" not in page
    inside = {name for name in names_in(tree / "hw3_hand_in.zip") if name.startswith("data/")}
    assert {name.rpartition("/")[2] for name in inside} == set(RUN_FILES)
    began = (run / "config.json").stat().st_mtime_ns
    for path in ("agents/dqn_agent.py", "agents/ac_agent.py"):  # the run never used the former
        os.utime(tree / "cs285" / path, ns=(began, began + 10**9))
    _, page = packed(capsys, "--runs")
    assert f"{NAME} is older than the code it was made with: agents/ac_agent.py" in page
    assert "dqn_agent.py, " not in page.partition("open:")[2]
    (run / "policy.safetensors").unlink()
    assert "policy.safetensors is not there, so it is not finished" in packed(capsys, "--runs")[1]
    (run / "log.csv").unlink()
    assert "log.csv is not there" in packed(capsys, "--runs")[1]


def test_the_grader_reads_the_zip(
    tree: Path, honest: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(tree / "cs285/agents/my_tools.py", "x = 1\n")
    add_run(tree, honest)
    packed(capsys, "--runs")
    class_folder = tmp_path / "class"
    for name in ("lovelaceada_12_345_hw3_hand_in.zip", "byron.zip"):  # as Canvas renames it
        write(class_folder / name, "")
        (class_folder / name).write_bytes((tree / "hw3_hand_in.zip").read_bytes())
    found = collect(class_folder, list(given_files("hw3")), runs=True)
    assert len(found) == 2
    for one in found:
        assert one.problem is None
        assert one.files["agents/my_tools.py"] == b"x = 1\n" and len(one.files) == 9
        assert set(one.runs) == {f"{NAME}/{name}" for name in RUN_FILES}
    with zipfile.ZipFile(tree / "hw3_hand_in.zip") as archive:
        archive.extractall(tmp_path / "upload")  # as Gradescope does
    assert find_package(tmp_path / "upload") == tmp_path / "upload/cs285"


@pytest.mark.slow
def test_the_judge_of_runs_reads_the_zip(
    tree: Path, honest: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    add_run(tree, honest)
    packed(capsys, "--runs")
    report = tmp_path / "runs.json"
    assert main(["runs", "hw3", "hw3_hand_in.zip", "--json", str(report)]) == 1
    found = {one["id"]: one["verdict"] for one in json.loads(report.read_text())["results"]}
    assert found[QUESTION] == PASSED
    assert [id for id, verdict in found.items() if verdict == PASSED] == [QUESTION]
    write(tree / "torn.zip", "no zip")
    capsys.readouterr()
    assert main(["runs", "hw3", "torn.zip"]) == 2
    assert "torn.zip: the .zip is damaged" in capsys.readouterr().err


def test_wrong_usage(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for words, message in (
        (["-o", "my work.zip"], "take letters, digits"),
        (["-o", "hw3.tar"], "take letters, digits"),
        (["-o", "nowhere/hw3.zip"], "cannot be written"),
        (["--runs"], "there is no such folder"),
        (["--add", "report.pdf"], "there is no such file"),
    ):
        status, page = packed(capsys, *words)
        assert status == 2 and message in page
    monkeypatch.setattr(pack, "LARGEST", 1000)
    status, page = packed(capsys)
    assert status == 2 and "are more than Gradescope's" in page
    monkeypatch.setattr(pack, "own_package", lambda: (tree, "the installed one is judged"))
    assert "no cs285/ folder is here" in packed(capsys)[1]
    assert not list(tree.glob("*.zip"))


def test_what_the_grader_would_refuse_is_not_packed(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tree / "cs285/agents/huge.py", "# " + "x" * 2**20)
    status, page = packed(capsys)
    assert status == 2 and "huge.py is larger than 1 MB" in page
    assert not list(tree.glob("*.zip")) + list(tree.glob(".*.zip"))
    (tree / "cs285/agents/huge.py").unlink()
    write(tree / "cs285/agents/a:b.py", "x = 1\n")
    assert "a:b.py cannot be read in class: give it another name" in packed(capsys)[1]


def test_check_keeps_what_it_showed(tree: Path) -> None:
    """Verdicts of two calls stand side by side; a tree that cannot be written to is no error."""
    package, code = tree / "cs285", last_check.hash_of(tree / "cs285")
    first = [Verdict("a", "", 0, 3, FAILED), Verdict("given", "", 0, 0, PASSED)]
    last_check.keep("hw3", package, code, first)
    last_check.keep("hw3", package, code, [Verdict("b", "", 4, 4, PASSED)])
    shown = last_check.read("hw3", package)
    assert {id: (one.verdict, one.points) for id, one in shown.items()} == {
        "a": (FAILED, 0), "b": (PASSED, 4)
    }  # fmt: skip
    write(tree / "closed/.autograder", "a file, no folder")
    last_check.keep("hw3", tree / "closed/cs285", code, [Verdict("b", "", 4, 4, PASSED)])
    assert last_check.read("hw3", tree / "closed/cs285") == {}


@pytest.mark.slow
@pytest.mark.skipif(not box_works(), reason=REASON)
def test_a_class_is_graded_from_the_zip(
    tree: Path, honest: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    add_run(tree, honest)
    write(tree / "cs285" / CRITIC, reference.given_out("hw3")[CRITIC])
    packed(capsys, "--runs")
    (tmp_path / "class").mkdir()
    (tree / "hw3_hand_in.zip").rename(tmp_path / "class/ada.zip")
    out = tmp_path / "book"
    words = ["grade", "hw3", str(tmp_path / "class"), "--out", str(out), "--runs"]
    assert main([*words, "--seed", "0", "--jobs", "1"]) == 0  # the seed that `check` predicts
    with contextlib.closing(Gradebook(out)) as book:
        (submission,) = book.submissions()
        grading = book.current()
        assert grading is not None
        verdicts = book.verdicts(submission.digest or "", grading)
    lost = {id for id, one in verdicts.items() if one.max_points and one.verdict != PASSED}
    assert {id for id in lost if ".runs." not in id} == {"hw3.dqn.targets", "hw3.dqn.double_q"}
    assert verdicts[QUESTION].verdict == PASSED
