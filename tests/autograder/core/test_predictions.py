"""Predictions are kept on disk for whoever runs this very source, and for nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.core import predictions
from autograder.core.question import questions

QUESTION = questions("hw3")[0]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(predictions, "cache", lambda: tmp_path)
    return tmp_path / f"{QUESTION.blank}-0-0.json"


def test_what_was_made_once_is_read_again(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = predictions.cached.__wrapped__(QUESTION, 0, 0)
    assert kept.is_file()
    monkeypatch.delattr(predictions, "predict")
    again = predictions.cached.__wrapped__(QUESTION, 0, 0)
    assert [e.outcome.agrees(made[i].outcome) for i, e in enumerate(again)] == [True] * len(made)


def test_what_was_made_while_the_source_changed_is_not_kept(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predictions, "MADE_FROM", "another source")
    assert predictions.cached.__wrapped__(QUESTION, 0, 0)
    assert not kept.exists()
