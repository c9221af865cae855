"""Training runs that several students handed in: the same weights, losses or times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.classroom.collect import Found
from autograder.classroom.gradebook import Copy, Gradebook, Submission
from autograder.evidence.judging import MISCONCEPTIONS, RunFolder
from autograder.evidence.run_sketch import Sketch, copies, sketch

COPIED = MISCONCEPTIONS["evidence.duplicate"]
MESSAGE = "{name} shares {what} with a run that somebody else handed in"


@dataclass(frozen=True)
class HandIn:
    """One thing that was handed in, by one student or by a group."""

    submission: Submission
    others: tuple[str, ...]
    """The rest of the group."""
    sketches: tuple[Sketch, ...]


def sketches(run_folder: RunFolder) -> list[Sketch]:
    """Returns sketches, by which runs are compared with those of a whole class."""
    runs = [
        (question, one.run) for question in run_folder.asked for one in run_folder.runs[question.id]
    ]
    return [sketch(question, run) for question, run in runs if run]


def compare(book: Gradebook, found: Sequence[Found]) -> list[str]:
    """Compares the runs of a whole class, and writes down which are copies.

    The earlier of two hand-ins keeps its points. If it is unknown which that is, neither does.

    Returns:
        A line for the instructor about each pair.
    """
    hand_ins = list(_hand_ins(book, {one.source: one.place for one in found}))
    sketches = [(hand_in, one) for hand_in in hand_ins for one in hand_in.sketches]
    marked, lines = [], []
    for left, right, what in copies([one for _, one in sketches]):
        (one, run), (two, other) = sketches[left], sketches[right]
        if one is two:
            continue  # judged with the submission itself
        who = " and ".join(" with ".join([h.submission.student, *h.others]) for h in (one, two))
        message = f"{who} handed in runs with {what}: {run.name}, {other.name}"
        lines.append(message)
        for loser, its in _losers((one, run), (two, other)):
            line = MESSAGE.format(name=its.name, what=what)
            marked.append(Copy(str(loser.submission.digest), its.question, COPIED, line, message))
    book.set_copies(marked)
    return lines


def _hand_ins(book: Gradebook, places: Mapping[str, Path | None]) -> Iterator[HandIn]:
    """Yields the hand-ins that count and have runs; a group's members have one place."""
    groups: dict[Path, list[Submission]] = defaultdict(list)
    for submission in book.submissions():
        place = places.get(submission.source)
        if submission.counts and submission.digest and place:
            groups[place].append(submission)
    for place, (first, *rest) in groups.items():
        runs = [Sketch(**one | {"owner": str(place)}) for one in book.sketches(str(first.digest))]
        yield HandIn(first, tuple(one.student for one in rest), tuple(runs))


def _losers(one: tuple[HandIn, Sketch], two: tuple[HandIn, Sketch]) -> list[tuple[HandIn, Sketch]]:
    """Returns those of two whose points a copy costs."""
    first, second = (hand_in.submission.received or "" for hand_in, _ in (one, two))
    if not first or not second or first == second:
        return [one, two]
    return [two] if first < second else [one]
