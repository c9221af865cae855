"""Predictions in parallel: each is kept at once, and none is lost if a process dies."""

from __future__ import annotations

import os
import re
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from autograder.base.packed import unpack
from autograder.base.seen import Crash, Seen
from autograder.misconceptions import cache, live_oracle, tables
from autograder.misconceptions.catalogue import questions
from autograder.release import ahead
from autograder.release.progress import Progress
from autograder.symptoms import records

SMALL = [q for q in questions("hw3") if q.blank in ("hw3.dqn.update", "hw3.dqn.double_q")]
DOUBLE_Q = next(q for q in SMALL if q.blank == "hw3.dqn.double_q")
SEEDS = {0: 1, 1: 0}
PARENT = os.getpid()


@pytest.fixture(autouse=True)
def _fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A cache of its own, which is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(ahead, "asked", lambda _, seeds: [(question, seeds) for question in SMALL])
    monkeypatch.setattr(cache, "STARTED", float("inf"))
    forget()
    yield
    forget()


def forget() -> None:
    cache.folder.cache_clear()
    ahead.number_of.cache_clear()
    for name in ("cached", "cached_generic", "begun", "made", "_right_form"):
        getattr(live_oracle, name).cache_clear()


def kept() -> set[str]:
    """The predictions on disk; those of generic mutations come with those of one misconception."""
    names = {file.name.rpartition("-")[0] for file in cache.folder().glob("*.safetensors")}
    names = {re.sub(r"-right-\d+$", "-0", name) for name in names}
    return {name for name in names if not name.endswith("-generic")}


EVERY = {f"{q.blank}-{name}" for q in SMALL for name in ("0-0", "0-1", "0-first", "1-0")}


def test_all_are_kept(capsys: pytest.CaptureFixture[str]):
    ahead.predict("hw3", SEEDS)
    assert kept() == EVERY
    assert capsys.readouterr().err.splitlines()[-1].endswith(": 6 of 6")
    ahead.predict("hw3", SEEDS)
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_they_are_made_in_other_processes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(live_oracle.mutants, "run", only_elsewhere)
    ahead.predict("hw3", SEEDS)
    assert kept() == EVERY


@pytest.mark.slow
def test_pages_need_no_run_of_their_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(live_oracle.mutants, "run", only_elsewhere)
    ahead.predict("hw3", SEEDS)
    for question in SMALL:
        ours, theirs = records.records_of(question)
        assert theirs.keys() == live_oracle.first_choices(question).keys()
        described = [bool(seen.sensitivity) for seen in (ours, *theirs.values())]
        assert any(described[1:]) == described[0] == (question == DOUBLE_Q)


def test_a_table_has_what_ours_depends_on_and_no_mistake():
    every, note = unpack(tables.table_of(DOUBLE_Q, {0: 1}))
    (ours, *_), wrong = (every[slice(*note["groups"]["0"][number])] for number in ("0", "1"))
    described = [bool(seen.sensitivity) for seen in (ours, *wrong)]
    assert described[0] and not any(described[1:])


RUN = live_oracle.mutants.run


def only_elsewhere(*arguments: object, **named: object) -> object:
    assert os.getpid() != PARENT
    return RUN(*arguments, **named)  # type: ignore[arg-type]


def dies(job: ahead.Job) -> float:
    """Is a process that dies once it has made something."""
    if job.wrong:
        os._exit(1)
    live_oracle.cached(*job)
    return 1.0


@pytest.mark.slow
def test_what_a_dead_process_leaves_is_made_here(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ahead, "make", dies)
    done = list(ahead.in_parallel([[ahead.Job(SMALL[0], 0, wrong) for wrong in (0, 1)]]))
    assert [job.wrong for job in done] == [0]
    assert kept() == {f"{SMALL[0].blank}-0-0"}
    ahead.predict("hw3", SEEDS)
    assert kept() == EVERY


def test_an_error_in_a_process_is_raised_here(monkeypatch: pytest.MonkeyPatch):
    def fails(*_: object) -> None:
        raise ValueError("a fault of ours")

    monkeypatch.setattr(ahead, "cached", fails)
    with pytest.raises(ValueError, match="a fault of ours"):
        ahead.predict("hw3", SEEDS)


def test_the_longest_goes_first(monkeypatch: pytest.MonkeyPatch):
    order: list[ahead.Job] = []

    def submit(self: ProcessPoolExecutor, make: object, job: ahead.Job) -> object:
        order.append(job)
        return SUBMIT(self, ahead.make, job)

    monkeypatch.setattr(ahead, "processors", lambda: 1)
    monkeypatch.setattr(ahead, "make", takes)
    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit)
    list(ahead.in_parallel([[ahead.Job(q, 0, 0), ahead.Job(q, 0, 1)] for q in SMALL]))
    assert [job.wrong for job in order] == [0, 0, 1, 1]
    assert order[2].question.blank == "hw3.dqn.double_q"


SUBMIT = ProcessPoolExecutor.submit


def takes(job: ahead.Job) -> float:
    return 100.0 if job.question.blank == "hw3.dqn.double_q" else 0.001


def test_a_bar_is_for_terminals_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    with Progress("work", 2) as progress:
        progress.step("a")
        progress.step("b")
    assert capsys.readouterr().err == "autograder: work\nautograder: work: 2 of 2\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Progress("work", 1) as progress:
        progress.step("a")
    assert "100%" in capsys.readouterr().err


def test_what_was_foreseen_is_not_predicted_again(monkeypatch: pytest.MonkeyPatch):
    forget()  # what tests before this one have left in memory
    oracle = live_oracle.LiveOracle(SMALL[0], 0)
    for number in (0, 1, 2):
        oracle.foresee(number)
    assert len(list(cache.folder().glob("*-0-generic-*.safetensors"))) == 1
    forget()
    monkeypatch.setattr(live_oracle.mutants, "run", None)
    assert oracle.with_misconceptions(1)
    strange = Seen(crashes={"usual": Crash("no", "entry's")})
    for kind in live_oracle.KINDS:
        assert [*oracle.likely(kind, strange)][1:] == []
    pairs = live_oracle.cached(SMALL[0], 0, 2)
    assert all(entry in oracle.several(entry.choice) for entry in pairs)


def test_nothing_is_kept_where_the_probe_fails_on_the_solution(monkeypatch: pytest.MonkeyPatch):
    """A library that was only half imported once would condemn every later check."""
    crash = Crash("AttributeError", "partially initialized module")
    seen = Seen(crashes={"case": crash})
    monkeypatch.setattr(live_oracle.mutants, "run", lambda *_, **__: seen)
    with pytest.raises(RuntimeError, match="records nothing of the solution.*partially"):
        live_oracle.cached(SMALL[0], 0, 0)
    assert not kept()
