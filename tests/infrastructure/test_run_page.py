"""The page of a run: which panels it has, what it says of a run, and that it needs nothing else."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cs285.infrastructure.logging import run_page
from cs285.infrastructure.logging.films import Beside, write_video
from cs285.infrastructure.logging.run_page import write_run_page
from tests.running import CHROMIUM

HEADER = "Step,Train_EnvstepsSoFar,Train_AverageReturn,Train_AverageEpLen,Q_Mean,TimeSinceStart\n"
SETTINGS = {"exp_name": "q1", "env_name": "Toy-v0", "seed": 3, "discount": 0.9, "batch_size": 32}


def run_folder(folder: Path, rows: str, header: str = HEADER, **settings: Any) -> Path:
    """Makes a run's folder with these rows."""
    document = {"settings": {**SETTINGS, **settings}, "command": "python scripts/x.py </script>"}
    (folder / "config.json").write_text(json.dumps(document))
    (folder / "log.csv").write_text(header + rows)
    return folder


def content_of(page: Path) -> dict[str, Any]:
    """Returns what the page's script reads."""
    text = page.read_text(encoding="utf-8")
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found
    content: dict[str, Any] = json.loads(found[1])
    return content


def test_the_panels_are_those_of_the_columns_that_the_log_has(tmp_path: Path) -> None:
    rows = "0,100,5.0,5.0,0.5,1\n1,250,10.0,5.0,,2\n2,400,nan,5.0,3.0,4\n"
    page = write_run_page(run_folder(tmp_path, rows))
    assert page == tmp_path / "run.html"
    content = content_of(page)
    panels = {panel["title"]: panel for panel in content["panels"]}
    assert list(panels) == [
        *("Return of training episodes", "Q against its bound", "Length of episodes"),
    ]
    (returns,) = panels["Return of training episodes"]["curves"]
    assert (returns["x"], returns["y"]) == ([100, 250], [5.0, 10.0])
    (bound,) = panels["Q against its bound"]["lines"]
    assert bound["y"] == pytest.approx(2.0 / (1 - 0.9))  # 10 in 5 steps, for ever
    assert ["Steps", "400"] in content["facts"]
    assert content["findings"] is None
    assert content["settings"]["discount"] == 0.9


def test_no_text_of_a_run_ends_the_script_and_nothing_is_asked_of_the_network(
    tmp_path: Path,
) -> None:
    folder = run_folder(tmp_path, "0,100,5.0,5.0,0.5,1\n", exp_name="<img src=x>")
    page = write_run_page(
        folder, [{"title": "</script>", "sure": "certain", "evidence": [], "look": ""}]
    )
    assert page
    text = page.read_text(encoding="utf-8")
    assert "<img" not in text
    assert text.count("</script>") == 2
    assert content_of(page)["command"] == "python scripts/x.py </script>"
    assert content_of(page)["findings"][0]["title"] == "</script>"
    assert not re.findall(r"(?:src|href)\s*=\s*[\"']?http|@import|url\(", text)


def test_a_long_log_is_thinned_out_and_keeps_its_last_row(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i * 10},{i}.0,5.0,0.1,{i}\n" for i in range(5000))
    page = write_run_page(run_folder(tmp_path, rows))
    assert page
    (curve,) = content_of(page)["panels"][0]["curves"]
    assert len(curve["x"]) == run_page.MOST_POINTS
    assert (curve["x"][-1], curve["y"][-1]) == (49990, 4999)
    assert page.stat().st_size < 100_000


def test_an_empty_log_has_no_page(tmp_path: Path) -> None:
    assert write_run_page(run_folder(tmp_path, "")) is None
    assert not (tmp_path / "run.html").exists()


def test_where_a_students_code_is_judged_no_page_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_page, "TEMPLATE", tmp_path / "none.html")
    assert write_run_page(run_folder(tmp_path, "0,100,5.0,5.0,0.5,1\n")) is None


class Critic:
    """Values two actions by the first number of an observation."""

    def qa_values(self, obs: np.ndarray) -> np.ndarray:
        """Returns the values."""
        return np.stack([obs[:, 0], -obs[:, 0]], axis=1)


class Greedy:
    """A policy that chooses by Q-values."""

    critic = Critic()


def test_a_film_has_the_q_values_of_each_frame_beside_it(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "0,100,5.0,5.0,0.5,1\n")
    frames = np.zeros((4, 32, 32, 3), np.uint8)
    beside = Beside(Greedy())
    for number in range(4):
        beside.note(np.array([float(number)]), int(number == 0))
    for name in ("episode_1", "untrained_1"):
        beside.write(write_video(folder, name, 4.0, frames, 30), 30)
    page = write_run_page(folder)
    assert page
    first, second = content_of(page)["films"]
    assert (first["name"], second["name"], first["score"]) == ("untrained 1", "episode 1", 4.0)
    assert first["source"].startswith("data:video/webm;base64,")
    assert second["numbers"]["rows"] == [[0, 0], [1, -1], [2, -2], [3, -3]]
    assert second["numbers"]["actions"] == [1, 0, 0, 0]


def test_a_film_that_is_too_large_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run_folder(tmp_path, "0,100,5.0,5.0,0.5,1\n")
    write_video(folder, "episode_1", 4.0, np.zeros((4, 32, 32, 3), np.uint8), 30)
    monkeypatch.setattr(run_page, "MOST_FILM_BYTES", 10)
    (film,) = run_page.films(folder)
    assert film["source"] == "videos/episode_1_return_4.webm"


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium")
def test_the_page_draws_itself_in_a_browser(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i * 10},{i}.0,5.0,{0.1 * i},{i}\n" for i in range(1, 50))
    page = write_run_page(run_folder(tmp_path, rows))
    assert page
    command = [
        *(str(CHROMIUM), "--headless=new", "--disable-gpu", "--virtual-time-budget=2000"),
        *("--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path / 'profile'}"),
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
        *("--enable-logging=stderr", "--dump-dom", page.as_uri()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.count("<polyline") == 3  # returns, Q, lengths
    assert "490 environment steps" in done.stdout
    assert "CONSOLE" not in done.stderr
