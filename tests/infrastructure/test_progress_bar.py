"""The progress bar: what it says of warm-up and learning, of the time left, and of scores."""

from __future__ import annotations

import io
from typing import Any

import pytest

from cs285.infrastructure.logging.logger import ProgressBar


class Clock:
    """Stands for the clock; time passes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    fake = Clock()
    monkeypatch.setattr("tqdm.std.time", fake)
    return fake


def make(total: int = 1_000_000, done: int = 0, warm_up: int = 50_000, **more: Any) -> ProgressBar:
    bar = ProgressBar(total, done, "step", warm_up, more.get("head", ""), more.get("scores", str))
    bar.fp, bar.mininterval = io.StringIO(), 0.2  # as on a terminal
    return bar


def play(bar: ProgressBar, clock: Clock, steps: int, speed: float) -> str:
    """Takes steps at a speed, in pieces of 100, drawing after each; returns the last drawing."""
    for _ in range(steps // 100):
        for _ in range(100):
            clock.now += 1 / speed
            bar.update()
        text = str(bar)
    return text


def test_warm_up_and_learning_have_their_own_speed_and_time(clock: Clock) -> None:
    bar = make()
    text = play(bar, clock, 12_500, speed=1000)
    assert text.startswith("warming up 12,500 / 50,000 |")
    assert "1000.00step/s, 00:37 left" in text
    play(bar, clock, 37_500, speed=1000)
    text = play(bar, clock, 1_100, speed=125)  # 948,900 steps are left, at 125 a second
    assert text.startswith("learning 51,100 / 1,000,000 |")
    assert "125.00step/s, 2:06:31 left" in text
    bar.close()


def test_the_speed_is_that_of_the_last_seconds(clock: Clock) -> None:
    bar = make(warm_up=0)
    play(bar, clock, 100_000, speed=1000)
    text = play(bar, clock, 2_000, speed=70)
    assert "70.00step/s, 3:33:48 left" in text
    bar.close()


def test_scores_are_asked_for_at_each_drawing_also_after_a_resume(clock: Clock) -> None:
    scores = ["episode 24: 210"]
    bar = make(done=60_000, scores=lambda: scores[0])
    assert str(bar).startswith("learning 60,000 / 1,000,000") and str(bar).endswith(
        "| episode 24: 210"
    )
    scores[0] = "episode 25: 350"
    assert str(bar).endswith("| episode 25: 350")
    bar.close()


def test_nothing_is_written_before_the_first_step(clock: Clock) -> None:
    bar = make(head="run folder: x")
    bar.close()
    assert bar.fp.getvalue() == ""
    bar = make(head="run folder: x")
    bar.update()
    assert bar.fp.getvalue().startswith("run folder: x\n")
    bar.close()


def test_a_run_that_ends_before_it_learns_stays_in_warm_up(clock: Clock) -> None:
    bar = make(total=300)
    assert play(bar, clock, 300, speed=100).startswith("warming up 300 / 300 |████████████|")
    bar.close()


def test_iterations_are_counted(clock: Clock) -> None:
    bar = ProgressBar(100, 5, "iteration", 0, "", str)  # a resumed run
    bar.fp = io.StringIO()
    for _ in range(10):
        clock.now += 2.0
        bar.update()
        text = str(bar)
    assert text.startswith("learning 15 / 100 |")
    assert "|  2.00s/iteration, 02:50 left" in text  # 85 iterations of two seconds
    bar.close()


def test_the_time_of_another_phase_does_not_count(clock: Clock) -> None:
    bar = make(warm_up=0)
    play(bar, clock, 1_000, speed=100)
    with bar.busy("compiling"):
        clock.now += 60
        assert str(bar).startswith("compiling 1,000 / 1,000,000")
    text = play(bar, clock, 100, speed=100)
    assert 90 < float(text.partition("step/s")[0].split()[-1]) < 120
    bar.close()
