"""docs/own_environment.md, as a newcomer types it: every command runs in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.running import ROOT

PAGE = ROOT / "docs" / "own_environment.md"


def blocks(language: str) -> list[str]:
    """The blocks of a language on the page, in order."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.slow
def test_every_command_of_the_page(tmp_path: Path) -> None:
    (module,) = blocks("python")
    (tmp_path / "corridor.py").write_text(module)
    (home, *commands) = blocks("bash")
    assert home.startswith("export CS285=") and len(commands) >= 6
    places = {"CS285": str(ROOT), "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shell = "set -ex\n" + "\n".join(f"(\n{command})" for command in commands)
    done = subprocess.run(
        ["bash", "-c", shell], cwd=tmp_path, env={**os.environ, **places, "PATH": path},
        text=True, capture_output=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing is found" in done.stdout
    assert done.stdout.count("note: ") == done.stdout.count("FAULT: ") == 0
    assert list(tmp_path.glob("data/hw5_walk_*/videos/episode_1_*.gif"))
    assert (tmp_path / "lengths.png").stat().st_size > 10_000
    assert len(list(tmp_path.glob("data/study/*/weights.safetensors"))) == 2


def test_messages_of_the_page_are_those_of_the_code() -> None:
    rows = PAGE.read_text(encoding="utf-8").partition("## What can go wrong")[2].splitlines()
    told = [row.split("|")[1].strip() for row in rows if row.startswith("| ")][1:]
    code = "\n".join(
        (ROOT / "cs285" / "infrastructure" / file).read_text(encoding="utf-8")
        for file in (
            *("base/own_module.py", "environments/envs.py", "environments/env_by_id.py"),
            "environments/checked_task.py",
        )
    )
    code = re.sub(r'"\s*\n\s*f?"', "", code)
    for message in told:
        words = re.split(
            r"\.\.\.|corridor\S*|Corridor\S*|pygame|queue|lenght|length|step|NoneType|line 27",
            message,
        )
        for part in filter(None, (word.strip(" ,()") for word in words)):
            assert part in code, (message, part)
