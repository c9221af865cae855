"""What files of older handouts import is there, and whole agents of theirs can learn with it."""

from __future__ import annotations

import importlib
from bdb import BdbQuit
from pathlib import Path

import numpy as np
import pytest

from autograder.older import OlderBuffer
from autograder.submission import Tree, imported_from
from tests.autograder.corpus import write


def test_what_has_moved_is_lent(tmp_path: Path) -> None:
    with imported_from(Tree(write(tmp_path, []))):
        moved = importlib.import_module("cs285.infrastructure.replay_buffer")
        now = importlib.import_module("cs285.infrastructure.path_buffer")
        assert moved.ReplayBuffer is now.PathBuffer
        assert not hasattr(moved, "NeverThere")
        wrappers = importlib.import_module("cs285.infrastructure.atari_wrappers")
        atari = importlib.import_module("cs285.infrastructure.atari")
        assert wrappers.EpisodicLife is atari.EpisodicLife
        assert isinstance(wrappers.NeverThere, type)
        utils = importlib.import_module("cs285.infrastructure.utils")
        assert utils.np is np
        assert utils.normalize(3.0, 1.0, 2.0) == pytest.approx(1.0)
        assert utils.unnormalize(1.0, 1.0, 2.0) == 3.0


def test_a_debugger_does_not_wait(tmp_path: Path) -> None:
    with imported_from(Tree(write(tmp_path, []))), pytest.raises(BdbQuit):
        importlib.import_module("ipdb").set_trace()


def test_memory_takes_its_shape_from_the_first_frame(tmp_path: Path) -> None:
    with imported_from(Tree(write(tmp_path, []))):
        buffer = OlderBuffer(10, 1, lander=True)
        assert not buffer.can_sample(1)
        assert not hasattr(buffer, "rng")
        for number in range(4):
            index = buffer.store_frame(np.full(3, number, np.float32))
            buffer.store_effect(index, 1, 0.5, False)
        assert buffer.can_sample(2)
        assert buffer.encode_recent_observation().tolist() == [3, 3, 3]


def test_set_aside_files_leave_a_students_own_modules(tmp_path: Path) -> None:
    package = write(tmp_path, [])
    (package / "helpers.py").write_text("HALF = 0.5\n")
    (package / "infrastructure" / "dqn_utils.py").write_text("raise ImportError\n")
    with imported_from(Tree(package), ("agents/ac_agent.py",), alone=True):
        assert importlib.import_module("cs285.helpers").HALF == 0.5
        assert importlib.import_module("cs285.infrastructure.dqn_utils").PiecewiseSchedule
