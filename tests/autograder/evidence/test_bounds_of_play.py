"""Networks that are played have bounded sizes and seconds; a run of one's own serves once."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from autograder.evidence import play, policies
from autograder.evidence.judging import judge_each, read_folder
from autograder.evidence.play import Player, TooSlowError
from autograder.evidence.policies import MisfitError, shapes
from tests.autograder.evidence.run_folders import (
    NAME,
    balancing,
    edit_log,
    edit_settings,
    misconceptions,
    save,
    write_run,
)
from tests.autograder.evidence.test_claims import question
from tests.autograder.evidence.test_shared_runs import PAINTED, reordered

LARGE = {"size": 4096, "n_layers": 8, "hidden": None}


def test_a_network_that_is_too_large_is_not_played() -> None:
    asked = question("q4_10_10")
    with pytest.raises(MisfitError, match="too large to be played"):
        shapes(asked, {**asked.settings, **LARGE})
    assert shapes(asked, {**asked.settings, "size": 512, "n_layers": 4})
    assert policies.most_bytes(shapes(asked, {**asked.settings, "size": 512})) < 8 * 2**20


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "GRACE", 0.01)
    monkeypatch.setattr(play, "A_STEP", 1e-9)


def test_weights_that_play_for_ever_are_ended(no_time: None) -> None:
    player = Player(question("q4_10_10"), lambda obs, rng: int(np.sum(np.ones(10**5)) % 2), 0)
    with pytest.raises(TooSlowError, match="to play"):
        player.play(10**6)
    player.close()


def test_they_cost_their_question_and_no_other(no_time: None, tmp_path: Path) -> None:
    write_run(tmp_path / NAME)
    found = {v.id: v for v in judge_each(read_folder("hw3", tmp_path), 0)}
    assert "take more than" in found["hw3.runs.q4_10_10"].message
    assert {v.verdict for v in found.values()} == {"failed", "blank"}


def test_one_run_with_units_in_another_order_serves_once(tmp_path: Path) -> None:
    write_run(tmp_path / NAME)
    other = tmp_path / NAME.replace("01-01", "01-02")
    shutil.copytree(tmp_path / NAME, other)
    save(other, reordered(balancing(12.0, 1), np.random.default_rng(0)))
    edit_settings(other, seed=9)
    for row in range(11):
        for column in ("TimeSinceStart", *PAINTED):
            edit_log(other, column, row, str(row * 1.37 + 1.5))
    assert "evidence.duplicate" in misconceptions(tmp_path)
