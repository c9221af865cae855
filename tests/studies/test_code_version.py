"""What counts as the code of a run: all of it, also where a script finds others by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from studies import scripts


def files_of(script: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of the files that are read for the hash of a script's code."""
    read, real = set(), Path.read_text

    def read_text(path: Path, *rest: Any, **named: Any) -> str:
        read.add(path.name)
        return real(path, *rest, **named)

    monkeypatch.setattr(Path, "read_text", read_text)
    scripts.code_version.__wrapped__(script)
    return read


def test_a_portfolios_code_is_its_members_too(monkeypatch: pytest.MonkeyPatch) -> None:
    files = files_of("run_hw6", monkeypatch)
    own = {"run_hw6.py", "portfolio_agent.py", "selectors.py"}
    theirs = {"run_hw4_ddpg.py", "run_hw3_dqn.py", "sac_agent.py", "td3_agent.py", "q_critic.py"}
    assert own | theirs <= files


def test_anothers_code_is_not_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    files = files_of("run_hw4_sac", monkeypatch)
    assert "sac_agent.py" in files
    assert not {"td3_agent.py", "portfolio_agent.py", "run_hw6.py"} & files
