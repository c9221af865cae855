"""Predictions stay on disk for whoever runs the same sources, question by question."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from autograder.base.seen import Seen
from autograder.misconceptions import cache, live_oracle
from autograder.misconceptions.catalogue import questions
from autograder.misconceptions.question import Question

BY_BLANK = {question.blank: question for question in questions("hw3")}
QUESTION, OTHER = BY_BLANK["hw3.dqn.act"], BY_BLANK["hw3.dqn.step"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    return tmp_path


def ask(question: Question = QUESTION) -> list[Seen]:
    found: list[Seen] = live_oracle.cached.__wrapped__(question, 0, 1)
    return found


def test_what_was_made_once_is_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ask()
    (file,) = folder.glob("*.safetensors")
    assert file.name.startswith(f"{QUESTION.blank}-0-1-")
    monkeypatch.delattr(live_oracle, "predict")
    again = ask()
    assert [one.agrees(made[i]) for i, one in enumerate(again)] == [True] * len(made)


def test_what_was_made_while_the_source_changed_is_not_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "STARTED", min(f.stat().st_mtime for f in cache.sources(QUESTION)))
    assert ask()
    assert not list(folder.glob("*.safetensors"))


def test_a_file_that_is_torn_is_made_again(folder: Path) -> None:
    made = ask()
    (file,) = folder.glob("*.safetensors")
    file.write_bytes(file.read_bytes()[:100])
    assert ask()[0].agrees(made[0])


def test_a_disk_that_cannot_be_written_costs_time_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a file").write_text("")
    monkeypatch.setattr(cache, "folder", lambda: folder / "a file" / "below")
    assert ask()


def test_a_question_depends_on_its_own_files_and_on_what_all_share() -> None:
    mine, its = ({f.name for f in cache.sources(q)} for q in (QUESTION, OTHER))
    assert {f"{QUESTION.name}.toml", "draws.py"} <= mine
    assert f"{OTHER.name}.toml" not in mine
    assert {"probing.py", "reference.zip", "live_oracle.py", "reading.toml"} <= mine & its


def test_an_edit_of_another_blank_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {question: cache.made_from(question) for question in (QUESTION, OTHER)}
    read = cache._bytes
    edited = f"{OTHER.name}.toml"
    monkeypatch.setattr(
        cache, "_bytes", lambda file: read(file) + b"#" * file.name.endswith(edited)
    )
    now = {question: cache.made_from.__wrapped__(question) for question in before}
    assert now[QUESTION] == before[QUESTION]
    assert now[OTHER] != before[OTHER]


def test_old_entries_are_removed(folder: Path) -> None:
    for number in range(4):
        old = folder / f"{QUESTION.blank}-0-1-{number:016}.safetensors"
        old.write_text("{}")
        os.utime(old, (time.time() - 100 * (4 - number),) * 2)
    kept_too = folder / f"{QUESTION.blank}-0-2-{0:016}.safetensors"
    kept_too.write_text("{}")
    ask()
    names = {file.name for file in folder.glob(f"{QUESTION.blank}-0-1-*.safetensors")}
    assert len(names) == 1 + cache.FORMER
    assert {f"{QUESTION.blank}-0-1-{number:016}.safetensors" for number in (2, 3)} < names
    assert kept_too.exists()
