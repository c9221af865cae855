"""What never ends becomes an exception on the student's line; a busy machine never causes one."""

from __future__ import annotations

import gc
import importlib
import signal
import sys
import time
from pathlib import Path

import pytest

from autograder.running import guard
from autograder.running.guard import NeverEndsError, guarded

LONG = 1000.0  # seconds: the real alarm never comes
pytestmark = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="this system has no timers that send signals"
)


def endless() -> None:
    """Computes for so long that this test fails."""
    end = time.process_time() + 5
    while time.process_time() < end:
        pass


def test_what_computes_too_long_is_ended() -> None:
    with pytest.raises(NeverEndsError), guarded(0.02):
        endless()


def test_the_time_of_others_does_not_count() -> None:
    """A machine that is busy gives a process no processor, as a sleep does."""
    with guarded(0.02):
        time.sleep(0.1)


@pytest.mark.parametrize("inner", [0.01, LONG])
def test_a_guard_within_another_leaves_that_in_force(inner: float) -> None:
    with pytest.raises(NeverEndsError), guarded(0.02):
        with guarded(inner):
            pass
        endless()
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) == signal.SIG_DFL


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


@pytest.mark.parametrize("collects", [True, False])
def test_nobody_looks_for_garbage_meanwhile(collects: bool) -> None:
    try:
        (gc.enable if collects else gc.disable)()
        with guarded(LONG), guarded(LONG):
            assert not gc.isenabled()
        assert gc.isenabled() == collects
    finally:
        gc.enable()
