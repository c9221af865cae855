"""Compares the streams of a training with those of ours.

Our own run is known as records: predicted, or in a handout's table. Of accepted forms that lead to
other numbers, each has a record, and a training is right if it equals one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.misconceptions.lookup import oracle_for
from autograder.misconceptions.question import Question

SEED = 0  # of the records of our own run: the seed has no part in it
TOLERANCE = 1e-2  # of the distance moved, or of a stream's largest number
SMALLEST = 1e-6  # differences below are none


@dataclass(frozen=True)
class Stream:
    """Numbers of a training, in the order in which a step of the agent makes them.

    Attributes:
        name: As in the record.
        words: What it is, as the subject of "differs".
        blanks: Those that may be at fault; the first one's task it is to make it right.
        decides: Whether a difference makes the training wrong.
        moved: Whether it is compared by the distance that our own has moved.
        unasked: Whether ours has nothing of the kind; `words` are a whole sentence then.
        delayed: Whether it may be long before a difference has any effect: it lies in a memory.
    """

    name: str
    words: str
    blanks: tuple[str, ...]
    decides: bool = False
    moved: bool = False
    delayed: bool = False
    unasked: bool = False

    def sentence(self, since: str = "") -> str:
        """Returns what is reported where it differs before something that decides."""
        if self.unasked:
            return self.words
        if since:
            return f"Since {since}, {self.words} differs a little."
        return f"Just before, {self.words} differs."


def kept(*blanks: str) -> Stream:
    """Returns the stream of what is kept from call to call, by any of these blanks."""
    words = "the number of bytes that are kept from call to call"
    return Stream("kept", words, blanks, decides=True)


@dataclass(frozen=True)
class Agent:
    """How the trainings of one agent are judged.

    Attributes:
        question: Whose oracle has the records of our own.
        streams: In the order of a step.
        parts: The blanks whose body a part runs, by the part's name.
        unit: What the time counts, as a singular noun.
    """

    question: Question
    streams: Sequence[Stream]
    parts: Mapping[str, tuple[str, ...]]
    unit: str = "step"


@dataclass(frozen=True, order=True)
class Difference:
    """Where a stream first differs: at a time, in a place of the order."""

    time: float
    place: int
    number: int  # of the row


Arrays = Mapping[str, np.ndarray]


def differs(agent: Agent, training: str, theirs: Arrays) -> tuple[Arrays, Difference] | None:
    """Returns the record of ours that a training equals for longest, and where it differs.

    None: it equals one of them.
    """
    best: tuple[Arrays, Difference] | None = None
    for ours in references(agent.question, training):
        found = decisive(agent, theirs, ours)
        if found is None:
            return None
        if best is None or found > best[1]:
            best = ours, found
    return best


def references(question: Question, training: str) -> Iterator[Arrays]:
    """Yields the streams of our own run of a training, of each accepted form."""
    for entry in oracle_for(question, SEED).right_forms():
        prefix = f"{training}/"
        arrays = entry.outcome.arrays
        found = {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
        if found:
            yield found


def decisive(agent: Agent, theirs: Arrays, ours: Arrays) -> Difference | None:
    """Returns the first difference in a stream that decides; None if there is none."""
    found = [
        where
        for place, stream in enumerate(agent.streams)
        if stream.decides and (where := difference(stream, place, theirs, ours))
    ]
    return min(found, default=None)


def difference(
    stream: Stream, place: int, theirs: Arrays, ours: Arrays, whole: bool = True, share: float = 1.0
) -> Difference | None:
    """Returns where a stream first differs from ours; None if nowhere.

    `whole`: it differs as well where it is shorter or longer than ours. `share`: of the usual
    tolerance.
    """
    mine, its = ours.get(stream.name), theirs.get(stream.name)
    if stream.unasked:
        any_rows = its is not None and its.ndim == 2 and its.size
        return Difference(float(its[0, 0]), place, 0) if its is not None and any_rows else None
    if mine is None or its is None or its.ndim != 2 or not its.shape[1]:
        same = not whole or (mine is None and its is None)
        return None if same else Difference(0, place, 0)
    rows, size = min(len(mine), len(its)), scale(stream, mine)
    width = min(mine.shape[1], its.shape[1])
    wrong = np.zeros(rows, bool)
    if rows:
        a, b = its[:rows, :width].astype(np.float64), mine[:rows, :width]
        wrong |= a[:, 0] != b[:, 0]
        with np.errstate(invalid="ignore", over="ignore"):
            off, allowed = a[:, 1:] - b[:, 1:], share * TOLERANCE * size[:rows] + SMALLEST
            if stream.moved:
                wrong |= ~(np.linalg.norm(off, axis=1) <= allowed[:, 0])
            else:
                wrong |= ~(np.abs(off) <= allowed[:, : width - 1]).all(1)
    if wrong.any():
        number = int(np.argmax(wrong))
        return Difference(min(its[number, 0], mine[number, 0]), place, number)
    if whole and len(mine) != len(its):
        longer = mine if len(mine) > len(its) else its
        return Difference(float(longer[rows, 0]), place, rows)
    return None


def scale(stream: Stream, ours: np.ndarray) -> np.ndarray:
    """Returns by what differences are measured, for each row.

    It is the distance that ours has moved at most so far, or the largest number of each column.
    """
    if stream.moved:
        moved = np.linalg.norm(ours[:, 1:], axis=1)
        return np.maximum.accumulate(moved)[:, None]
    return np.broadcast_to(np.abs(ours[:, 1:]).max(0, initial=0), ours[:, 1:].shape)
