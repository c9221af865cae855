"""An honest run, and a copy of it to be changed."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest

from autograder.evidence import judging
from autograder.evidence.rules import Play, RunQuestion, questions
from tests.autograder.evidence.run_folders import NAME, write_run


@pytest.fixture(autouse=True)
def _few_episodes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge's first look is shorter here; how it decides is the same."""
    if "long_look" not in request.fixturenames:
        monkeypatch.setattr(judging, "questions", _shorter)


@pytest.fixture
def long_look() -> None:
    """Lets the judge play as much as it does for students."""


def _shorter(homework: str) -> tuple[RunQuestion, ...]:
    return tuple(dataclasses.replace(one, play=_short_play(one)) for one in questions(homework))


def _short_play(question: RunQuestion) -> Play:
    if question.task.images:  # a step takes milliseconds
        return Play(3, 6, 2_500)
    return Play(8, 20 if question.dqn else 120, 9_000)


@pytest.fixture(scope="session")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one honest run for q4, 10 and 10."""
    data = tmp_path_factory.mktemp("honest")
    write_run(data / NAME)
    return data


@pytest.fixture
def run_folder(honest: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    shutil.copytree(honest / NAME, tmp_path / "data" / NAME)
    return tmp_path / "data" / NAME
