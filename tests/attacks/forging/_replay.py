"""What those have in common who hand in what a right solution does, made with a public seed."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from autograder.base.seen import Seen
from autograder.running import channel
from autograder.running.see import see
from autograder.source.importing import Tree
from tests.attacks.suite import Files, as_folder
from tests.autograder.judging import FORMULA

PUBLIC = (0, 1, 2)
KEPT = "cs285/infrastructure/kept.py"

# In the place of what packs messages: for the one probe the kept message goes out, or what of it is
# the same for all public seeds goes over what was seen.
REPLAY = """
import base64, sys
from autograder.running import channel
from cs285.infrastructure.kept import MERGED, MESSAGE, PROBE
pack = getattr(channel, "honest", channel.pack)
channel.honest = pack

def replay(seen, **note):
    if sys._getframe(1).f_locals.get("request", {}).get("probe") != PROBE:
        return pack(seen, **note)
    message = base64.b64decode(MESSAGE)
    if not MERGED:
        return message
    seen.crashes.clear()
    seen.arrays.update(channel.unpack(message[8:])[0].arrays)
    return pack(seen, **note)

channel.pack = replay
"""


def replay(blank: str, files: Files, place: Path, merged: bool = False) -> None:
    """Hands in a folder with what our solution does; `merged`: only what all seeds agree on."""
    (check,) = [check for check in FORMULA if check.id == blank]
    every = [see(Tree(None), check, seed) for seed in PUBLIC]
    message = channel.pack(common(every) if merged else every[0], files=[])
    text = base64.b64encode(message).decode()
    kept = f"MERGED, PROBE = {merged}, {check.probe!r}\nMESSAGE = {text!r}\n"
    as_folder({**files, KEPT: kept.encode()}, place)


def common(every: Sequence[Seen]) -> Seen:
    """Returns the numbers that are the same each time."""
    first, *others = every
    return Seen(
        {
            name: array
            for name, array in first.arrays.items()
            if all(np.array_equal(array, other.arrays[name]) for other in others)
        }
    )
