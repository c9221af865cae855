"""The progress bar: what it says of warm-up and learning, of the time left, and of scores."""

from __future__ import annotations

import io
from typing import Any

import pytest

from cs285.infrastructure.logging import logger
from cs285.infrastructure.logging.logger import ProgressBar


class Clock:
    """Stands for the time module; time passes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    fake = Clock()
    monkeypatch.setattr(logger, "time", fake)
    return fake


def make(total: int = 1_000_000, done: int = 0, warm_up: int = 50_000, **more: Any) -> ProgressBar:
    bar = ProgressBar(total, done, "steps", warm_up, more.get("head", ""), more.get("scores", str))
    bar.fp = io.StringIO()
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
    text = play(bar, clock, 12_000, speed=1000)
    assert text.startswith("warming up 12,000 / 50,000 |")
    assert "1,000 steps/s, 00:38 to go" in text
    play(bar, clock, 38_000, speed=1000)
    text = play(bar, clock, 100, speed=125)
    assert text.startswith("learning 50,100 / 1,000,000 |")
    assert "? steps/s" in text  # less than two seconds are no measure
    text = play(bar, clock, 900, speed=125)  # 949,000 steps are left, at 125 a second
    assert "125 steps/s, 2:06:32 left" in text
    bar.close()


def test_the_speed_is_that_of_the_last_minute(clock: Clock) -> None:
    bar = make(warm_up=0)
    play(bar, clock, 100_000, speed=1000)
    text = play(bar, clock, 7_000, speed=100)
    assert "100 steps/s, 2:28:50 left" in text
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


def test_iterations_are_counted_and_the_speed_is_that_of_environment_steps(clock: Clock) -> None:
    taken = [5_000]
    more = (0, "", lambda: "", lambda: taken[0])
    bar = ProgressBar(100, 5, "iterations", *more)  # a resumed run
    bar.fp = io.StringIO()
    for _ in range(10):
        clock.now += 2.0
        taken[0] += 1_000
        bar.update()
        text = str(bar)
    assert text.startswith("learning 15 / 100 iterations |")
    assert "| 500 steps/s, 02:50 left" in text  # 85 iterations of two seconds
    bar.close()
