"""What Gradescope is told, what is read of a submission, and what the zip holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, cast

import pytest

if sys.platform != "linux":
    pytest.skip("what runs on Gradescope is for Linux", allow_module_level=True)

from autograder.__main__ import main
from autograder.base.results import Misconception, Verdict
from autograder.base.seen import Seen
from autograder.gradescope.build import build, requirements
from autograder.gradescope.contract import MOST_CHARACTERS, Results, clean
from autograder.gradescope.run import NO_TIME, judge_all, judge_runs, runs_as_checks
from autograder.gradescope.settings import Settings
from autograder.gradescope.upload import UploadError, lateness, read_upload
from autograder.grading.grader import Grader
from autograder.source.blanks import find_regions
from autograder.source.handout_files import knows_mutations
from tests.autograder.evidence.run_folders import NAME, write_run
from tests.autograder.gradescope_contract import validate
from tests.autograder.gradescope_layout import FORMULA, POINTS, SEED

HOSTILE_TEXT = "\x1b[31m<script>alert(1)</script>\0\ud800\u202e[a](javascript:1)"


# results.json


def results(folder: Path) -> Results:
    return Results(folder / "results.json", "hw3", FORMULA)


def test_every_check_is_there_from_the_first_write_on(tmp_path: Path) -> None:
    empty = results(tmp_path)
    empty.write()
    found = validate(empty.file.read_bytes())
    assert [test["max_score"] for test in found["tests"]] == list(POINTS.values())
    assert sum(test["score"] for test in found["tests"]) == 0
    assert {test["status"] for test in found["tests"]} == {"failed"}
    assert [test["number"] for test in found["tests"]] == [str(n + 1) for n in range(len(FORMULA))]
    assert list(tmp_path.iterdir()) == [empty.file]


def test_each_verdict_is_written_at_once(tmp_path: Path) -> None:
    misconception = Misconception("target.no_discount", "No discount.", "It explodes.", "Lecture 8")
    verdicts = [
        Verdict("hw3.dqn.act", "store", 5, 5, "passed"),
        Verdict(
            "hw3.dqn.targets", "targets", 0, 10, "failed", (misconception,), HOSTILE_TEXT, 0.25
        ),
        Verdict("hw3.dqn.step", "step", 0, 5, "blank", (), "not filled yet"),
    ]
    growing = results(tmp_path)
    for verdict in verdicts:
        growing.add(verdict)
        found = validate(growing.file.read_bytes())
        test = next(t for t in found["tests"] if t["extra_data"]["id"] == verdict.id)
        assert test["score"] == verdict.points
        assert test["status"] == ("passed" if verdict.points else "failed")
    by_id = {test["extra_data"]["id"]: test for test in found["tests"]}
    targets = by_id["hw3.dqn.targets"]
    assert targets["extra_data"]["mistakes"] == ["target.no_discount"]
    assert "It explodes." in targets["output"]
    assert by_id["hw3.dqn.step"]["output"] == "not filled yet"
    assert sum(t["max_score"] for t in found["tests"]) == sum(POINTS.values())


def test_hostile_text_stays_text() -> None:
    shown = clean(HOSTILE_TEXT + "\ta\nb")
    assert "<script>" in shown  # the format is "text": Gradescope escapes it
    assert not {"\x1b", "\0", "\ud800", "\u202e", "\t"} & set(shown)
    assert shown.endswith("    a\nb")
    assert len(clean("x" * 10**6)) == MOST_CHARACTERS
    assert clean("x" * MOST_CHARACTERS) == "x" * MOST_CHARACTERS


def test_no_number_that_json_does_not_know(tmp_path: Path) -> None:
    bad = results(tmp_path)
    bad.write()
    before = bad.file.read_bytes()
    bad.extra["x"] = float("nan")
    with pytest.raises(ValueError, match="JSON"):
        bad.write()
    assert bad.file.read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found.update(hint="x"),
        lambda found: found["tests"][0].update(number=1),
        lambda found: found["tests"][0].update(score=7),
        lambda found: found["tests"][0].update(status="blank"),
        lambda found: found["tests"][0].update(output="x" * 100_001),
        lambda found: found.update(execution_time=float("inf")),
        lambda found: found.pop("tests"),
    ],
)
def test_the_validator_sees_what_is_wrong(tmp_path: Path, change: Any) -> None:
    found = results(tmp_path).as_dict()
    validate(json.dumps(found).encode())
    change(found)
    with pytest.raises((AssertionError, ValueError)):
        validate(json.dumps(found).encode())


# what was handed in


def test_only_plain_python_files_are_read(tmp_path: Path) -> None:
    package = tmp_path / "hw" / "cs285"
    (package / "agents").mkdir(parents=True)
    (package / "agents" / "a.py").write_bytes(b"x = 1\r\n")
    (package / "agents" / "link.py").symlink_to("/etc/passwd")
    (package / "agents" / "notes.md").write_text("x")
    (package / "agents" / "folder.py").mkdir()
    (package / "critics").symlink_to("/etc")
    os.mkfifo(package / "pipe.py")
    (package / "agents" / "dqn_agent.py").write_bytes(b"x = 2")
    found = read_upload(tmp_path, "hw3")
    assert found.files == {"agents/a.py": b"x = 1\r\n", "agents/dqn_agent.py": b"x = 2"}
    assert {line.split()[0].removeprefix("hw/cs285/") for line in found.remarks} == {
        *("pipe.py", "agents/link.py", "critics")
    }


@pytest.mark.parametrize("kind", ["empty", "other", "link", "gone"])
def test_what_cannot_be_judged_is_told(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "submission"
    if kind != "gone":
        folder.mkdir()
    if kind == "other":
        (folder / "solution.ipynb").write_text("{}")
    if kind == "link":
        outside = tmp_path / "outside"
        (outside / "agents").mkdir(parents=True)
        (folder / "cs285").symlink_to(outside)
    with pytest.raises(UploadError, match="cs285"):
        read_upload(folder, "hw3")


@pytest.mark.parametrize(
    ("created", "message"),
    [
        ("2026-03-01T23:58:59.123456-08:00", "Received in time."),
        ("2026-03-02T00:00:00-08:00", "1 minute after"),
        ("2026-03-03T09:01:00+00:00", "1 day, 1 hour, 2 minutes after"),
        ("yesterday", ""),
    ],
)
def test_lateness_is_told_by_the_time_of_receipt(
    tmp_path: Path, created: str, message: str
) -> None:
    metadata = tmp_path / "submission_metadata.json"
    due = "2026-03-01T23:59:00-08:00"
    metadata.write_text(json.dumps({"created_at": created, "assignment": {"due_date": due}}))
    assert message in lateness(metadata)
    assert bool(message) == bool(lateness(metadata))


def test_without_metadata_nothing_is_said_about_time(tmp_path: Path) -> None:
    assert lateness(tmp_path / "submission_metadata.json") == ""


# judging


class NoAnswers:
    """Stands for a box in which every probe ends early."""

    def see(self, *_: object, **__: object) -> Seen:
        return Seen(ended="nothing came")


def test_time_that_is_used_up_ends_the_grading(tmp_path: Path) -> None:
    late = results(tmp_path)
    hurried = Settings("hw3", SEED, minutes=1e-9)
    judge_all(Grader(cast(Any, NoAnswers()), SEED), hurried, late)
    late.write()
    first, *others = validate(late.file.read_bytes())["tests"]
    assert "nothing came" in first["output"]
    assert {test["output"] for test in others} == {NO_TIME}
    assert [test["max_score"] for test in (first, *others)] == list(POINTS.values())


def test_a_full_disk_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = results(tmp_path)
    write_it = full.write

    def no_space() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(full, "write", no_space)
    judge_all(Grader(cast(Any, NoAnswers()), SEED), Settings("hw3", SEED), full)
    write_it()
    found = validate(full.file.read_bytes())
    message = zip(found["tests"], FORMULA, strict=True)
    # Parts that are not right alone are not tried together.
    assert all("nothing came" in test["output"] or check.parts for test, check in message)


# the zip


@pytest.mark.slow
def test_the_zip_holds_no_solution_and_can_be_run(tmp_path: Path) -> None:
    file = tmp_path / "hw3.zip"
    build(Settings("hw3", SEED), file, index="https://example.org/it's")
    first = file.read_bytes()
    build(Settings("hw3", SEED), file, index="https://example.org/it's")
    assert file.read_bytes() == first
    with zipfile.ZipFile(file) as archive:
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
        archive.extractall(tmp_path)
    assert {name for name, mode in modes.items() if mode & 0o111} == {"setup.sh", "run_autograder"}
    for script in ("setup.sh", "run_autograder"):
        subprocess.run(["bash", "-n", tmp_path / script], check=True)
    assert "--extra-index-url 'https://example.org/it'" in (tmp_path / "setup.sh").read_text()
    given = [name for name in modes if name.startswith("grader/cs285/")]
    assert len(given) > 20
    assert all(not find_regions((tmp_path / name).read_text()) for name in given)
    assert any(knows_mutations(name) for name in modes)  # the judge needs them
    assert "grader/autograder/source/reference.zip" in modes  # and the box's files come from it


def test_requirements_are_those_of_the_project() -> None:
    assert any(line.startswith("torch") for line in requirements())
    assert "mujoco" not in "".join(requirements())


def test_a_students_copy_builds_no_zip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("autograder.gradescope.build.GIVEN", tmp_path)
    monkeypatch.setattr("autograder.commands.gradescope.choose_seed", lambda homework, seed: SEED)
    assert main(["gradescope", "hw3", str(tmp_path / "out.zip")]) == 2
    assert "without answers" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hw99", "out.zip"], "hw99"),
        (["hw3", "out.zip", "--seed", "1"], "students have the numbers"),
        (["hw3", "out.zip", "--minutes", "0"], "--minutes"),
        (["hw3", "missing/out.zip"], "cannot be written"),
        (["hw3", "."], "cannot be written"),
    ],
)
def test_bad_usage(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if "--seed" not in arguments:
        monkeypatch.setattr("autograder.commands.gradescope.choose_seed", lambda *_: SEED)
    assert main(["gradescope", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


# one reader, and runs


def test_an_upload_is_read_as_grade_reads_a_class(tmp_path: Path) -> None:
    critic = b"critic = 1\n"
    (tmp_path / "a" / "b" / "cs285" / "critics").mkdir(parents=True)
    (tmp_path / "a" / "b" / "cs285" / "critics" / "dqn_critic.py").write_bytes(critic)
    assert read_upload(tmp_path, "hw3").files == {"critics/dqn_critic.py": critic}
    loose = tmp_path / "loose"
    loose.mkdir()
    (loose / "dqn_critic (1).py").write_bytes(critic)
    assert read_upload(loose, "hw3").files == {"critics/dqn_critic.py": critic}
    (tmp_path / "old" / "cs285" / "critics").mkdir(parents=True)
    (tmp_path / "old" / "cs285" / "critics" / "dqn_critic.py").write_bytes(b"critic = 2\n")
    with pytest.raises(UploadError, match="two different folders"):
        read_upload(tmp_path, "hw3")


def test_runs_in_an_upload_are_judged_where_that_is_wanted(tmp_path: Path) -> None:
    data = tmp_path / "submission" / "data"
    write_run(data / NAME)
    (tmp_path / "submission" / "cs285" / "agents").mkdir(parents=True)
    (tmp_path / "submission" / "cs285" / "agents" / "ac_agent.py").write_bytes(b"")
    found = read_upload(tmp_path / "submission", "hw3", runs=True)
    checks = runs_as_checks("hw3")
    judged = Results(tmp_path / "results.json", "hw3", checks)
    judge_runs(found.places, Settings("hw3", 5, runs=True), judged)
    verdicts = {id: verdict.verdict for id, verdict in judged.verdicts.items()}
    assert len(verdicts) == len(checks) and verdicts["hw3.runs.q4_10_10"] == "passed"
    tests = validate(judged.file.read_bytes())["tests"]
    assert sum(test["score"] for test in tests) > 0
