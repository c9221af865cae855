"""Does nothing, and puts what all public seeds' records have in common over its own record."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.forging._replay import REPLAY, replay
from tests.attacks.suite import Files

AT_IMPORT = {"agents/dqn_agent.py": REPLAY}
BODIES = {"hw3.dqn.act": "action = 0"}


def hand_in(files: Files, place: Path) -> None:
    replay("hw3.dqn.act", files, place, merged=True)
