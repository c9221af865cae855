"""docs/library.md: every block of Python runs, in order, in one folder."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.running import ROOT

PAGE = (ROOT / "docs/library.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
SHORTER = {
    "num_timesteps=5000": "num_timesteps=150, eval_episodes=1, threads=1, batch_size=16, hid=[8]",
    "num_timesteps=2000": "num_timesteps=150, learning_starts=50, threads=1",
    "num_timesteps=3000": "num_timesteps=160",
    "num_timesteps=500": "num_timesteps=60, threads=1",
    "seed=1, n_iter=1": "seed=1, n_iter=1, batch_size=100, eval_episodes=1",
    "episodes=3": "episodes=1",
}
"""The page's lengths -> those of the test."""


def shortened(text: str) -> str:
    for long, short in SHORTER.items():
        text = text.replace(long, short)
    return text


def test_the_lengths_that_are_shortened_stand_on_the_page() -> None:
    assert {kind for kind, _ in BLOCKS} == {"python", "bash"}
    assert not [long for long in SHORTER if long not in PAGE]


@pytest.mark.slow
def test_every_block_of_python_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = ModuleType("page")  # classes of the page are found by this name
    monkeypatch.setitem(sys.modules, "page", page)
    for kind, text in BLOCKS:
        if kind == "python":
            exec(compile(shortened(text), "docs/library.md", "exec"), vars(page))
    shown = capsys.readouterr().out
    assert "sac has no setting 'num_timestep'; did you mean num_timesteps?" in shown
    assert Path("curve.png").stat().st_size > 1000 and len(vars(page)["returns"]) == 1
    assert list(Path("data").glob("hw4_sac_*")) and Path("data/ppo/ppo_s1").is_dir()
