"""How often `check` goes from one package of the autograder into another: few ways to follow."""

from __future__ import annotations

import sys
import threading
from types import FrameType

import pytest

from autograder.__main__ import main

MOST = 106  # pairs of functions: half of what there were when blanks were modules
BETWEEN = ("contextlib", "dataclasses", "functools")  # libraries that only pass a call on


def package(frame: FrameType) -> str:
    """Returns the package of the autograder whose code runs; "" for any other code."""
    name: str = frame.f_globals.get("__name__", "")
    return name.split(".")[1] if name.startswith("autograder.") else ""


def name_of(frame: FrameType) -> str:
    """Returns the function that runs."""
    return f"{frame.f_globals['__name__']}:{frame.f_code.co_qualname}"


class Crossings:
    """Distinct pairs of functions of two packages, of which one calls the other."""

    def __init__(self) -> None:
        """Begins with none."""
        self.pairs = set[tuple[str, str]]()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Notes a call, as `sys.setprofile` reports it."""
        caller = frame.f_back
        while caller and caller.f_globals.get("__name__", "") in BETWEEN:
            caller = caller.f_back
        imports = caller and "<module>" in (caller.f_code.co_name, frame.f_code.co_name)
        if event != "call" or not caller or imports:
            return
        if package(frame) and package(caller) not in ("", package(frame)):
            self.pairs.add((name_of(caller), name_of(frame)))


@pytest.mark.slow
def test_check_goes_through_few_doors(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "hw4"]) == 0  # predictions are there: a profile makes code slow
    crossings = Crossings()
    threading.setprofile(crossings)
    sys.setprofile(crossings)
    try:
        assert main(["check", "hw4"]) == 0
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    capsys.readouterr()
    assert 20 < len(crossings.pairs) <= MOST, sorted(crossings.pairs)
