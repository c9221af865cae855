"""Makes folders and archives such as students hand in."""

from __future__ import annotations

import zipfile
from pathlib import Path

from autograder.classroom.collect import collect
from autograder.classroom.reader import Found

HANDOUT = ("agents/__init__.py", "agents/dqn_agent.py", "critics/dqn_critic.py")
AGENT, CRITIC = b"agent = 1\n", b"critic = 1\n"
FILES = {"agents/dqn_agent.py": AGENT, "critics/dqn_critic.py": CRITIC}


def write_tree(folder: Path, top: str = "cs285") -> None:
    for path, data in FILES.items():
        file = folder / top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def write_zip(file: Path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)


def below(top: str) -> dict[str, bytes]:
    return {f"{top}{path}": data for path, data in FILES.items()}


def only(folder: Path) -> Found:
    (found,) = collect(folder, HANDOUT)
    return found
