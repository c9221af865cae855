"""Films on a machine without a screen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cs285.experiments import launch
from cs285.experiments.vpg import PGConfig
from cs285.infrastructure.environments import displays
from tests.running import ROOT, load_script, only_run

WITHOUT_SCREEN = {
    name: value
    for name, value in os.environ.items()
    if name not in ("DISPLAY", "WAYLAND_DISPLAY", "MUJOCO_GL", "PYOPENGL_PLATFORM")
    and not name.startswith(("SDL_", "XDG_"))
}


@pytest.mark.parametrize(
    ("given", "working", "chosen"),
    [
        ({}, ["egl", "osmesa"], "egl"),
        ({}, ["osmesa"], "osmesa"),
        ({"MUJOCO_GL": "osmesa"}, ["egl"], "osmesa"),
        ({"DISPLAY": ":0"}, ["egl"], None),
        ({"WAYLAND_DISPLAY": "wayland-0"}, ["egl"], None),
    ],
)
def test_the_first_backend_that_works_is_taken(
    given: dict[str, str],
    working: list[str],
    chosen: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(displays, "draws", lambda backend: backend in working)
    environment = dict(given)
    assert displays.why_no_pictures("InvertedPendulum-v5", environment) == ""
    assert environment.get("MUJOCO_GL") == chosen
    assert environment.get("SDL_VIDEODRIVER") == (None if len(given) and not chosen else "dummy")


def test_where_none_works_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(displays, "draws", lambda backend: False)
    environment: dict[str, str] = {}
    reason = displays.why_no_pictures("InvertedPendulum-v5", environment)
    assert "neither egl nor osmesa" in reason and "apt-get install" in reason
    assert "\n" not in reason and "MUJOCO_GL" not in environment
    # Where something else draws, nothing is missing.
    monkeypatch.delitem(sys.modules, "mujoco", raising=False)
    assert displays.why_no_pictures("CartPole-v1", environment) == ""
    monkeypatch.setattr(displays, "why_no_pictures", lambda env_name: "no screen")
    asked = PGConfig(video_log_freq=5)
    assert launch.filmable(asked).video_log_freq == -1
    err = capsys.readouterr().err
    assert err == "note: no screen; the run goes on without films\n"
    assert launch.filmable(PGConfig()) == PGConfig() and not capsys.readouterr().err


FILMED = "run_hw2.py -n 1 -b 30 --ep_len 20 --eval_episodes 1 --video_log_freq 1"


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**WITHOUT_SCREEN, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_a_task_of_mujoco_is_filmed_without_a_screen(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    if not any(map(displays.draws, displays.BACKENDS)):
        pytest.skip("MuJoCo draws with no backend here")
    script, *flags = FILMED.split()
    words = [*flags, "--env_name", "InvertedPendulum-v5", "--data_dir", str(tmp_path)]
    done = run(f"scripts/{script}", *words)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    run_dir = only_run(tmp_path)
    assert len(list((run_dir / "videos").glob("*.webm"))) == 4  # before and after the iteration
    done = run("scripts/enjoy.py", str(run_dir), "-n", "1", "--film")
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert len(list((run_dir / "videos").glob("*.gif"))) == 1


@pytest.mark.slow
def test_training_goes_on_where_no_backend_works(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    no_drawing = tmp_path / "first"
    no_drawing.mkdir()
    (no_drawing / "sitecustomize.py").write_text(
        "from cs285.infrastructure.environments import displays\ndisplays.BACKENDS = ()\n"
    )
    script, *flags = FILMED.split()
    words = [*flags, "--env_name", "InvertedPendulum-v5", "--data_dir", str(tmp_path / "data")]
    path = os.pathsep.join([str(no_drawing), str(ROOT)])
    done = run(f"scripts/{script}", *words, PYTHONPATH=path)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert done.stderr.count("the run goes on without films") == 1
    assert not list(tmp_path.rglob("*.webm"))
    enjoyed = run("scripts/enjoy.py", str(only_run(tmp_path / "data")), "--film", PYTHONPATH=path)
    assert enjoyed.returncode == 2 and enjoyed.stderr.count("\n") == 1


@pytest.mark.slow
def test_enjoy_films_and_writes_no_error(tmp_path: Path) -> None:
    """SDL looks for a screen and for sound, and complains where it finds none."""
    script = load_script("run_hw3_actor_critic")
    flags = "-n 1 -b 30 --eval_episodes 1 --scalar_log_freq 1"
    assert script.main([*flags.split(), "--data_dir", str(tmp_path)]) == 0
    done = run("scripts/enjoy.py", str(only_run(tmp_path)), "-n", "1", "--film", "-l", "10")
    assert done.returncode == 0 and done.stderr == ""
