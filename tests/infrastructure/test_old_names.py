"""Modules that have moved are still imported by the names that older handouts use."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from cs285 import infrastructure
from tests.running import ROOT


@pytest.mark.parametrize("old", infrastructure.MOVED)
def test_an_old_name_is_the_same_module(old: str) -> None:
    module = importlib.import_module(old)
    new = infrastructure.MOVED[old]
    assert module is importlib.import_module(new)
    assert module.__name__ == new
    assert module.__spec__ is not None and module.__spec__.name == new


def test_a_module_that_never_was_is_missing() -> None:
    with pytest.raises(ModuleNotFoundError, match="infrastructure.utils"):
        importlib.import_module("cs285.infrastructure.utils")


def test_the_imports_of_an_older_handout() -> None:
    lines = (
        "from cs285.infrastructure.replay_buffer import MemoryOptimizedReplayBuffer",
        "from cs285.infrastructure import envs, pytorch_util as ptu",
        "import cs285.infrastructure.returns as returns",
        "from cs285.infrastructure.path_buffer import PathBuffer",
        "from cs285.infrastructure.environments import envs as new",
        "print(envs is new, MemoryOptimizedReplayBuffer.__module__, returns.__name__)",
    )
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], cwd=ROOT, capture_output=True, text=True
    )
    names = "True cs285.infrastructure.replay.replay_buffer cs285.agents.returns\n"
    assert (done.stdout, done.stderr) == (names, "")
