"""Where a training differs from ours: which event decides, and which one is the cause.

An event is a row of a stream: what a part was given, returned or left, or a call of the world.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from autograder.running.story_traces import (
    BEHIND,
    FIRST,
    HELD,
    IF_CHANGED,
    KEEPS,
    KINDS,
    NUMBER,
    PROJECTIONS,
    TIME,
    WEIGHTS,
)

TOLERANCE = 1e-2  # of the distance moved, or of a stream's largest number
SMALLEST, ROUNDED = 1e-6, 5e-6  # differences below are none: alone, and of our number in a table
ROUNDING = 1e-6  # of the size of a stream: by so much right forms differ from the first update on
JUMPS = 10.0  # times the largest difference before
CONSEQUENCE = 0.1  # of the size: beyond, a consequence may be as large as its cause
Arrays = Mapping[str, np.ndarray]


class Event(NamedTuple):
    """A row of a stream that differs from ours."""

    number: float  # in time
    time: int  # updates before it
    stream: str
    caller: int
    column: int = 0  # the first that is not 0, for what is left behind


def sound(arrays: Arrays) -> dict[str, np.ndarray]:
    """Returns the streams that have rows at all: a student's process may send anything."""
    found = {}
    for name, array in arrays.items():
        network = name.endswith(WEIGHTS)
        if array.ndim == 2 and array.shape[0] and array.shape[1] >= FIRST:
            if not network or (array.shape[1] - FIRST) % PROJECTIONS == 0:
                found[name] = array.astype(np.float64)
                found[name][:, :FIRST] = np.nan_to_num(array[:, :FIRST], posinf=1e9, neginf=-1e9)
    return found


def first_beyond(stream: str, theirs: Arrays, ours: Arrays) -> Event | None:
    """Returns the first row of a stream that is beyond the tolerance, too many, or missing."""
    mine, its = ours[stream], theirs.get(stream)
    if its is None or its.ndim != 2:
        return Event(0.0, 0, stream, -1)
    off, its = errors(stream, its, mine)
    if (off > TOLERANCE).any():
        return event_of(stream, int(np.argmax(off > TOLERANCE)), its)
    longer = its if len(its) > len(mine) else mine
    return event_of(stream, len(off), longer) if len(its) != len(mine) else None


@np.errstate(all="ignore")
def errors(stream: str, its: np.ndarray, mine: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns how far each row is from ours, in units of its stream's size; and the rows.

    Networks are measured by the distance that ours has moved at most so far.
    """
    rows, width = min(len(its), len(mine)), max(its.shape[1], mine.shape[1])
    its, mine = (np.pad(a, ((0, 0), (0, width - a.shape[1]))) for a in (its, mine))
    a, b = its[:rows, FIRST:], mine[:rows, FIRST:]
    if not a.size:
        return np.where(its[:rows, TIME] != mine[:rows, TIME], np.inf, 0.0), its
    if stream.endswith(WEIGHTS):
        off, moved = (np.linalg.norm(x.reshape(rows, -1, PROJECTIONS), axis=2) for x in (a - b, b))
        size = np.maximum.accumulate(moved, 0)
    else:
        off, moved, size = np.abs(a - b), np.abs(b), np.abs(mine[:, FIRST:]).max(0, initial=0)
    far = np.maximum(off - SMALLEST - ROUNDED * moved, 0) / np.maximum(size, 1e-12)
    if a.shape == far.shape:
        far = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, far)
    found = np.nan_to_num(far, nan=np.inf).max(1, initial=0)
    return np.where(its[:rows, TIME] != mine[:rows, TIME], np.inf, found), its


def jump(theirs: Arrays, ours: Arrays, until: float = np.inf) -> Event | None:
    """Returns the event at which the difference jumps most: from rounding to something.

    It is measured by the largest difference before it. A consequence may be larger than its cause,
    so what is beyond a tenth counts as a tenth.
    """
    every = sorted(differences(theirs, ours, until), key=lambda one: one[1].number)
    largest, most, found = ROUNDING, JUMPS, None
    for off, event in every:
        if off > most * largest and off > JUMPS * ROUNDING:
            most, found = off / largest, event
        largest = max(largest, off)
    return found


def differences(theirs: Arrays, ours: Arrays, until: float) -> Iterator[tuple[float, Event]]:
    """Yields all events up to a time, and how far each is from ours."""
    end = max((its[-1, NUMBER] for its in theirs.values() if its.ndim == 2 and its.size), default=0)
    for stream, mine in ours.items():
        if mine.ndim != 2 or stream.endswith((KINDS, f" {KEEPS}")):
            continue
        its, stays = theirs.get(stream, mine[:0]), any(one in stream for one in IF_CHANGED)
        off, its = errors(stream, its, mine)
        for row, far in enumerate(np.minimum(off, CONSEQUENCE)):
            late = its[row, TIME] - mine[row, TIME]  # above 0: a call did not happen; below: did
            there = mine if late > 0 else its
            if there[row, NUMBER] <= until and (far or late):
                yield float(far), event_of(stream, row, there)
            if late:
                break
        else:
            row, missing = len(off), len(off) < len(mine) and HELD not in stream
            if stays and row < len(its) and its[row, NUMBER] <= until:  # ours stays as it is
                yield CONSEQUENCE, event_of(stream, row, its)
            if missing and mine[row, NUMBER] < min(until, end):  # a call did not happen
                yield CONSEQUENCE, event_of(stream, row, mine)


def left_behind(theirs: Arrays) -> Event | None:
    """Returns the first call after which gradients are switched off, or weights do not learn."""
    found = [
        event_of(stream, int(np.argmax(its[:, FIRST:].any(1))), its)
        for stream, its in theirs.items()
        if stream.endswith(BEHIND) and its.ndim == 2 and its[:, FIRST:].any()
    ]
    return min(found, default=None)


def other_kind(stream: str, theirs: Arrays, mine: np.ndarray) -> Event | None:
    """Returns the first event at which something is of a kind that ours never was."""
    its = theirs.get(stream, mine[:0])
    width = max(its.shape[1], mine.shape[1])
    kinds, known = (np.pad(a, ((0, 0), (0, width - a.shape[1])))[:, FIRST:] for a in (its, mine))
    new = [row for row, kind in enumerate(kinds) if not (known == kind).all(1).any()]
    return event_of(stream, new[0], its) if new else None


def event_of(stream: str, row: int, its: np.ndarray) -> Event:
    """Returns a row of a stream as an event."""
    time, number, caller = its[row, :FIRST]
    column = int(np.argmax(its[row, FIRST:] != 0)) if its.shape[1] > FIRST else 0
    return Event(float(number), int(time), stream, int(caller), column)
