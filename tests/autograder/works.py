"""Work that is done in other processes, where tests want it to go wrong."""

from __future__ import annotations

import os
import signal
import time
from typing import NamedTuple

import numpy as np


def listed(most: int) -> list[int]:
    return [*range(most), os.getpid()]


def endless() -> None:
    while True:
        pass


def held() -> int:
    return int(np.ones(2**30, np.uint8).sum())


def slept(seconds: float) -> str:
    time.sleep(seconds)
    return "well"


def raising() -> float:
    return 1 / 0


class Task(NamedTuple):
    name: str
    kills: bool


def done(task: Task) -> tuple[str, str]:
    """Ends the process that it is done in, if it is of that kind."""
    if task.kills:
        os.kill(os.getpid(), signal.SIGKILL)
    return task.name, ""
