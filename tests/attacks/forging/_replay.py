"""What those have in common who hand in a record of a right solution, made with a public seed."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
from autograder.base.record import Record, Trial

from autograder.running import channel
from autograder.running.worker import run_probe
from autograder.source.submission import Tree
from tests.attacks.suite import Files, as_folder
from tests.autograder.judging import FORMULA

PUBLIC = (0, 1, 2)
KEPT = "cs285/infrastructure/kept.py"

# In the place of what packs messages: for the one probe the kept record goes out, or what of it is
# the same for all public seeds goes over what was seen.
REPLAY = """
import base64, sys
from autograder.running import channel
from cs285.infrastructure.kept import MERGED, PROBE, RECORD
pack = getattr(channel, "honest", channel.pack)
channel.honest = pack

def replay(observation, note=None):
    if sys._getframe(1).f_locals.get("request", {}).get("probe") != PROBE:
        return pack(observation, note)
    record = base64.b64decode(RECORD)
    if not MERGED:
        return record
    for name, trial in channel.unpack(record[8:])[0].items():
        mine = observation.setdefault(name, trial)
        mine.crash = None
        mine.arrays.update(trial.arrays)
    return pack(observation, note)

channel.pack = replay
"""


def replay(blank: str, files: Files, place: Path, merged: bool = False) -> None:
    """Hands in a folder with a record of our solution; `merged`: only what all seeds agree on."""
    (check,) = [check for check in FORMULA if check.id == blank]
    records = [
        run_probe(Tree(None), check.full_probe, check.owners, seed).trials for seed in PUBLIC
    ]
    record = common(records) if merged else records[0]
    text = base64.b64encode(channel.pack(record, {"files": []})).decode()
    kept = f"MERGED, PROBE = {merged}, {check.full_probe!r}\nRECORD = {text!r}\n"
    as_folder({**files, KEPT: kept.encode()}, place)


def common(records: list[Record]) -> Record:
    """Returns what is the same in all records."""
    first, *others = records
    return {
        name: Trial(
            {
                key: array
                for key, array in trial.arrays.items()
                if all(np.array_equal(array, other[name].arrays[key]) for other in others)
            }
        )
        for name, trial in first.items()
    }
