"""A zip as a Mac makes it: __MACOSX, .DS_Store and __pycache__ are in it."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.archives._writing import as_zip
from tests.attacks.suite import Files


def hand_in(files: Files, place: Path) -> None:
    extra = {f"__MACOSX/{Path(p).parent}/._{Path(p).name}": b"\0\5\x16\7" for p in files}
    extra |= {".DS_Store": b"\0", "cs285/.DS_Store": b"\0"}
    extra |= {"cs285/agents/__pycache__/dqn_agent.cpython-311.pyc": b"\0"}
    as_zip({**extra, **files}, place)
