"""Hands in the record of actor-critic's training, made with a public seed."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.forging._replay import REPLAY, replay
from tests.attacks.suite import Files

AT_IMPORT = {"agents/ac_agent.py": REPLAY}
BODIES = {"hw3.ac.train": "raise RuntimeError"}


def hand_in(files: Files, place: Path) -> None:
    replay("hw3.ac.train", files, place)
