"""What never ends becomes an exception on the student's line; a busy machine never causes one."""

from __future__ import annotations

import gc
import importlib
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from autograder.running import clocks, guard
from autograder.running.clocks import Clocks
from autograder.running.guard import PATIENCE, NeverEndsError, guarded

LONG = 1000.0  # seconds: the real alarm never comes
pytestmark = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="this system has no timers that send signals"
)


class Machine:
    """Clocks of a process, moved by hand; `passes` lets time pass until the next alarm."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Takes the place of the real clocks."""
        self.now = Clocks(0.0, 0.0, 0, 0)
        monkeypatch.setattr(clocks, "read_clocks", lambda: self.now)

    def passes(self, wall: float, processor: float, waits: int, interruptions: int) -> None:
        step = Clocks(wall, processor, waits, interruptions)
        self.now = Clocks(*(a + b for a, b in zip(self.now, step, strict=True)))
        alarm = cast(Callable[[int, object], None], signal.getsignal(signal.SIGALRM))
        alarm(signal.SIGALRM, None)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


@pytest.mark.parametrize("load", [10, 100, 100_000])
def test_others_may_have_the_processor_for_as_long_as_they_like(
    machine: Machine, load: int
) -> None:
    with guarded(LONG):
        for _ in range(9):  # it has had nine tenths of what it may use
            machine.passes(load * LONG / 10, LONG / 10, waits=0, interruptions=load)
        for _ in range(9):  # and is not even given a turn, but for one read of a file
            machine.passes(load * LONG / 10, 0.0, waits=1, interruptions=1)


@pytest.mark.parametrize("load", [1, 100])
def test_what_computes_too_long_is_ended(machine: Machine, load: int) -> None:
    with guarded(LONG):
        machine.passes(load * LONG, LONG - 1, waits=0, interruptions=load)
        with pytest.raises(NeverEndsError):
            machine.passes(load, 1.0, waits=0, interruptions=load)


@pytest.mark.parametrize("computed", [0.0, 0.9 * LONG])
def test_what_sleeps_too_long_is_ended(machine: Machine, computed: float) -> None:
    """`computed`: time of the processor, which is no sleep."""
    with guarded(LONG):
        machine.passes(PATIENCE * LONG - 1 + computed, computed, waits=40, interruptions=2)
        with pytest.raises(NeverEndsError):
            machine.passes(2.0, 0.0, waits=1, interruptions=0)


def endless() -> None:
    """Computes for so long that this test fails."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        pass


def asleep() -> None:
    """Sleeps for so long that this test fails."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        time.sleep(0.01)


@pytest.mark.parametrize("body", [endless, asleep])
def test_on_real_clocks(body: Callable[[], None]) -> None:
    with pytest.raises(NeverEndsError), guarded(0.02):
        body()


@pytest.mark.parametrize("inner", [0.01, LONG])
def test_a_guard_within_another_leaves_that_in_force(inner: float) -> None:
    with pytest.raises(NeverEndsError), guarded(0.02):
        with guarded(inner):
            pass
        endless()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def test_a_library_is_imported_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of it would stay in `sys.modules`, and break whatever needs it later."""
    lines = ["import time", "end = time.process_time() + 0.3", "while time.process_time() < end:"]
    (tmp_path / "slow_library.py").write_text("\n".join([*lines, "    pass", "whole = True"]))
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(NeverEndsError), guarded(0.05):
        library = importlib.import_module("slow_library")
        endless()
    assert library.whole
    monkeypatch.delitem(sys.modules, "slow_library")


def test_an_end_that_python_drops_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is raised while an object is freed is printed, and lost."""
    monkeypatch.setattr(guard, "AGAIN", 0.05)
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)

    class Freed:
        def __del__(self) -> None:
            endless()

    with pytest.raises(NeverEndsError), guarded(0.02):
        Freed()
        endless()


def collects(machine: Machine, processor: float) -> None:
    """Looks for garbage for so long; an alarm comes in another callback, before its end."""
    for callback in list(gc.callbacks):
        callback("start", {})
    machine.passes(processor, processor, waits=0, interruptions=1)
    for callback in list(gc.callbacks):
        callback("stop", {})


def test_a_look_for_garbage_is_nobodys_time(machine: Machine) -> None:
    with guarded(LONG):
        collects(machine, 0.9 * LONG)
        machine.passes(LONG, 0.9 * LONG, waits=0, interruptions=1)
        with pytest.raises(NeverEndsError):
            machine.passes(LONG, 0.2 * LONG, waits=0, interruptions=1)


def test_who_does_nothing_else_is_ended_all_the_same(machine: Machine) -> None:
    with guarded(LONG):
        collects(machine, 3.0 * LONG)  # nothing is raised here, where it would be lost
        with pytest.raises(NeverEndsError):
            machine.passes(0.0, 0.0, waits=0, interruptions=1)


def test_no_callback_stays_behind() -> None:
    before = list(gc.callbacks)
    with guarded(LONG), guarded(LONG):
        assert len(gc.callbacks) == len(before) + 4
        gc.collect()
    assert gc.callbacks == before
