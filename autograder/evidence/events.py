"""A bounded reader of TensorBoard's event files, for the scalars that a run's log holds too.

A file is a row of records: length (8 bytes), its checksum (4), a protocol buffer, its checksum (4).
"""

from __future__ import annotations

import fnmatch
import struct
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from tensorboardX.proto.event_pb2 import Event

from autograder.evidence.files import UnreadableError, entries, read_bytes

MOST_FILES, MOST_BYTES = 200, 2**24
HEAD, FOOT = struct.Struct("<QI"), 4
PATTERN = "events.out.tfevents.*"

Scalars = dict[tuple[int, str], float]


def read_events(folder: Path) -> Scalars:
    """Returns (step, name) -> number, of all event files; of two, the one written later.

    A run that was killed and resumed has written some rows twice. What cannot be read is left out:
    files that are no events prove nothing.

    Raises:
        UnreadableError: If there are more or larger files than any run makes, or links.
    """
    names = [entry.name for entry in entries(folder)]
    files = [folder / name for name in fnmatch.filter(names, PATTERN)]
    if len(files) > MOST_FILES:
        raise UnreadableError(f"there are {len(files):,} event files")
    left = MOST_BYTES
    timed: dict[tuple[int, str], tuple[float, float]] = {}
    for file in files:
        data = read_bytes(file, left)
        left -= len(data)
        for event in _events(data):
            for value in event.summary.value:
                new = (event.wall_time, value.simple_value)
                key = (event.step, value.tag)
                if value.WhichOneof("value") == "simple_value":
                    timed[key] = max(timed.get(key, new), new, key=lambda pair: pair[0])
    return {key: number for key, (_, number) in timed.items()}


def _events(data: bytes) -> Iterator[Event]:
    """Yields the events of a file, up to the first record that is none."""
    place = 0
    while place + HEAD.size + FOOT <= len(data):
        length, _ = HEAD.unpack_from(data, place)
        place += HEAD.size
        if length > len(data) - place - FOOT:
            return
        try:
            yield Event.FromString(data[place : place + length])
        except DecodeError:
            return
        place += length + FOOT
