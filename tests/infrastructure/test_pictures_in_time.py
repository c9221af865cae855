"""Pictures of a run take a small share of the time in which it works."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from cs285.infrastructure.training import run_folder


def test_a_run_that_waits_draws_no_more_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock goes on while others have the processor; then a picture would come at each row."""
    clock = SimpleNamespace(now=100.0, worked=10.0)
    monkeypatch.setattr(
        run_folder,
        "time",
        SimpleNamespace(monotonic=lambda: clock.now, process_time=lambda: clock.worked),
    )
    run, drawn = run_folder.RunFolder(tmp_path, {"checkpoint_secs": 1e9}), []

    def draw() -> None:
        drawn.append(clock.now)
        clock.now += 1.0
        clock.worked += 1.0

    monkeypatch.setattr(run, "_draw", draw)
    run._draw_curve()
    for waited, worked, pictures in ((1000.0, 2.0, 1), (1000.0, 40.0, 1), (0.0, 10.0, 2)):
        clock.now += waited + worked
        clock.worked += worked
        run._draw_curve()
        assert len(drawn) == pictures
        assert run.curve_is_old == (pictures == 1)
