"""The command: its screen, its JSON, its exit status, and bad input."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import IO, Any, cast

import pytest

from autograder.__main__ import main
from autograder.base.checks import Check
from autograder.base.results import Judgement
from autograder.base.seen import Seen
from autograder.commands import check as check_command
from autograder.grading.grader import SHORT_LIMIT, Grader
from autograder.misconceptions.catalogue import Question, questions
from autograder.misconceptions.explain import CRASHES
from autograder.misconceptions.mutation_file import mutation_set_of
from autograder.running.session import Session
from autograder.source import ROOT
from tests.autograder.corpus import write, wrong
from tests.autograder.judging import CHECKS, FORMULA
from tests.autograder.words import words_of

SYNC = wrong(
    "", "hw3.dqn.sync", "sync.alias",
    ("self.critic.update_target_network()", "self.critic.q_net_target = self.critic.q_net"),
)  # fmt: skip


@pytest.mark.slow
def test_the_reference_gets_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "hw3"]) == 0
    out = capsys.readouterr().out
    assert "100 /100" in out
    lines = [line for line in out.splitlines() if not line.startswith("next: ")]  # stays whole
    assert all(len(line) <= 80 and line.isascii() for line in lines)


class Hanging:
    """A worker of which no probe comes to an end, but those that depend on known files."""

    def __init__(self, files: frozenset[str] | None = None) -> None:
        """`files`: those that each probe depends on; None: each probe hangs."""
        self.files = files
        self.limits: dict[str, float] = {}  # by check, in the order in which they were asked

    def see(self, check: Check, seed: int, limit: float, *_: object, **__: object) -> Seen:
        """Notes the limit."""
        self.limits[check.id] = limit
        ended = "" if self.files else f"no answer within {limit:g} s"
        return Seen(ended=ended, files=self.files)


APART = {check.full_probe: check for check in FORMULA}


@pytest.mark.parametrize(
    ("files", "changed", "again"),
    [
        (None, "agents/dqn_agent.py", True),  # it hung: nobody knows what it depends on
        (frozenset({"agents/dqn_agent.py"}), "agents/dqn_agent.py", True),
        (frozenset({"agents/dqn_agent.py"}), "agents/ac_agent.py", False),
    ],
)
def test_after_a_save_what_depends_on_it_or_hung_is_judged_again(
    files: frozenset[str] | None, changed: str, again: bool
) -> None:
    worker, check = Hanging(files), next(iter(APART.values()))
    grader = Grader(cast(Any, worker), 0, judged=lambda *_: Judgement())
    list(grader.judge([check]))
    worker.limits.clear()
    list(grader.judge([check]))
    assert not worker.limits  # nothing was saved
    grader.forget({changed})
    list(grader.judge([check]))
    assert bool(worker.limits) == again


def test_after_two_checks_that_hang_the_others_have_less_time() -> None:
    worker = Hanging()
    found = list(Grader(cast(Any, worker), 0, limit=10.0).judge([*APART.values()][:4]))
    assert {verdict.verdict for verdict in found} == {"failed"}
    assert list(worker.limits.values()) == [10.0, 10.0, SHORT_LIMIT, SHORT_LIMIT]


@pytest.mark.slow
def test_a_mistake_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, [SYNC])
    report = tmp_path / "report.json"
    arguments = ["--submission", str(tmp_path), "-k", "sync", "--json", str(report)]
    assert main(["check", "hw3", *arguments]) == 1
    out = " ".join(capsys.readouterr().out.split())
    misconception = words_of("hw3")["sync.alias"]
    assert misconception.title in out
    assert misconception.explanation in out
    assert misconception.reference in out
    found = json.loads(report.read_text())
    assert found["homework"] == "hw3"
    assert (found["score"], found["max_score"]) == (0, 6)
    (result,) = found["results"]
    assert result["verdict"] == "failed"
    assert result["mistakes"] == [{"id": "sync.alias", **vars(misconception)}]
    keys = {"id", "title", "points", "max_points", "verdict", "mistakes", "message", "seconds"}
    assert set(result) == keys


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "hw9"], "no homework 'hw9'"),
        (["check", "hw3", "-k", "nonsense"], "fits no check"),
        (["check", "hw3", "--submission", "/nowhere/at/all"], "--submission"),
        (["check", "hw3", "-k", "argmax", "--json", "/nowhere/at/all.json"], "--json"),
    ],
)
def test_bad_input(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_points_add_up_to_100() -> None:
    assert sum(check.points for check in CHECKS) == 100
    assert len({check.id for check in CHECKS}) == len(CHECKS)


def test_mistakes_are_named_in_words() -> None:
    named = {row["misconception"] for row in CRASHES}
    for file in (ROOT / "autograder").rglob("*.py"):
        if not file.name.startswith(("misconceptions", "test_")):
            named |= set(re.findall(r'"([a-z_]+\.[a-z_]+)"', file.read_text()))
    prefixes = {i.partition(".")[0] for i in words_of("hw3")}
    used = {i for i in named if i.partition(".")[0] in prefixes} - {
        check.id[4:] for check in CHECKS
    }
    used -= {"critic.q_net", "critic.q_net_target"}  # where an agent has its networks
    asked = {name for question in questions("hw3") for name in mutation_set_of(question).words}
    assert used | asked == set(words_of("hw3"))
    for misconception in words_of("hw3").values():
        assert 10 <= len(misconception.title) <= 76
        assert misconception.title.isascii()
        assert misconception.explanation.isascii()
        assert misconception.title.endswith((".", "?"))
        assert misconception.reference


@pytest.mark.slow
def test_the_same_checks_under_pytest(tmp_path: Path) -> None:
    write(tmp_path, [SYNC])
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "autograder/homeworks/hw3",
        "-k",
        "sync or argmax",
    ]
    command += ["--submission", str(tmp_path), "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert words_of("hw3")["sync.alias"].title in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT")
@pytest.mark.slow
def test_watch_judges_again_after_a_save(tmp_path: Path) -> None:
    package = write(tmp_path, [SYNC])
    command = [sys.executable, "-m", "autograder", "check", "hw3", "--watch", "-k", "sync"]
    command += ["--submission", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT
    ) as process:
        overdue = threading.Timer(60, process.kill)
        overdue.start()
        assert process.stdout
        first = until(process.stdout, "wrong")
        assert "passed" not in first
        assert "since" not in first
        write(tmp_path, [])  # many files, so the first of several rounds may come too early
        assert re.search(r"\+ dqn\.sync +[a-z ]+ -> passed\n", until(process.stdout, "-> passed"))
        (package / "agents" / "dqn_agent.py").unlink()
        last = until(process.stdout, "-> not filled yet")
        assert re.search(r"since the last save:\n  - dqn\.sync +passed -> not filled yet\n", last)
        (package / "agents" / "notes.py").touch()
        until(process.stdout, "no verdict has changed")
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        overdue.cancel()


def until(stream: IO[str], word: str) -> str:
    """Reads to the end of the first round in which a word is told."""
    text = ""
    for line in stream:
        text += line
        if line.startswith("watching"):
            if word in text:
                return text
            text = ""
    pytest.fail(f"{word!r} was not told: {text}")


@pytest.mark.slow
def test_only_what_depends_on_a_changed_file_runs_again(tmp_path: Path) -> None:
    write(tmp_path, [SYNC])
    checks = [check for check in FORMULA if check.id in ("hw3.dqn.sync", "hw3.policy.forward")]
    with closing(Session(tmp_path / "cs285")) as session:
        grader = Grader(session, 0)
        assert [verdict.verdict for verdict in grader.judge(checks)] == ["failed", "passed"]
        grader.forget({"agents/dqn_agent.py"})
        (left,) = grader.asked
        assert "policy" in left[0]
        grader.forget({"infrastructure/pytorch_util.py"})  # whatever else it imports, it needs that
        assert not grader.asked


@pytest.mark.slow
def test_what_is_compared_is_predicted_while_the_worker_is_busy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[str] = []
    receive = Session._receive

    class Unready:
        def __init__(self, question: Question, seed: int) -> None:
            done.append(f"predicts {question.blank}")
            raise ValueError  # the judge will say it where it counts

    def received(session: Session, seconds: float) -> bytes | None:
        done.append("waits")
        return receive(session, seconds)

    monkeypatch.setattr(Session, "_receive", received)
    monkeypatch.setattr(check_command, "oracle_for", Unready)
    assert main(["check", "hw3", "-k", "argmax"]) == 0
    predicts = "predicts hw3.argmax.action"
    assert done == [predicts, "waits", predicts, "waits"]  # while it starts, and while it probes
    assert "4 /  4" in capsys.readouterr().out
