"""Compares two gradings: what the new one would change, before anything is published."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from autograder.base.results import FAILED, PASSED, Verdict
from autograder.base.text import counted
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.policy import Policy, plain
from autograder.grading.board import WORDS
from autograder.grading.explained import WIDTH
from autograder.reports.classroom import choose_grading, load
from autograder.reports.student import Student
from autograder.reports.text import padded, printable

NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class Side:
    """One grading's verdict on a blank."""

    verdict: str
    points: int = 0
    misconceptions: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Returns it in words."""
        if self.verdict == FAILED:
            return f"wrong ({', '.join(self.misconceptions) or 'no name'})"
        return WORDS.get(self.verdict, self.verdict)


@dataclass(frozen=True)
class BlankChange:
    """A blank on which two gradings disagree."""

    id: str
    old: Side
    new: Side

    @property
    def in_words(self) -> tuple[str, str]:
        """Both verdicts; with their points, where nothing else differs."""
        old, new = str(self.old), str(self.new)
        if old == new:
            return f"{old}, {self.old.points}", f"{new}, {counted(self.new.points, 'point')}"
        return old, new


@dataclass(frozen=True)
class Change:
    """A student on whom two gradings disagree."""

    student: str
    name: str
    old: Decimal
    new: Decimal
    blanks: tuple[BlankChange, ...]

    @property
    def gain(self) -> Decimal:
        """Points that the new grading gives more."""
        return self.new - self.old


def compare(gradebook: Gradebook, old_grading_id: int, new_grading_id: int) -> list[Change]:
    """Returns the students on whom two gradings disagree, those who lose most first.

    Verdicts and named misconceptions count. Messages do not: they quote numbers of the seed.

    Raises:
        UsageError: If there is no such grading.
    """
    choose_grading(gradebook.gradings(), new_grading_id)
    before = load(gradebook, Policy(), old_grading_id).students
    after = {student.id: student for student in load(gradebook, Policy(), new_grading_id).students}
    changes = [change for old in before if (change := _change(old, after[old.id])).blanks]
    return sorted(changes, key=lambda change: (change.gain, change.name, change.student))


def _change(old: Student, new: Student) -> Change:
    blanks = []
    for i in dict.fromkeys([*old.verdicts, *new.verdicts]):
        sides = _side(old.verdicts, i), _side(new.verdicts, i)
        if sides[0] != sides[1] and not _idle(sides):
            blanks.append(BlankChange(i, *sides))
    return Change(old.id, old.name, old.points, new.points, tuple(blanks))


def _side(verdicts: Mapping[str, Verdict], i: str) -> Side:
    if i not in verdicts:
        return Side(NOT_JUDGED)
    found = verdicts[i]
    return Side(found.verdict, found.points, tuple(sorted(one.id for one in found.misconceptions)))


def _idle(sides: tuple[Side, Side]) -> bool:
    """Returns whether a check without points came or went, and had nothing to say."""
    return {side.verdict for side in sides} == {PASSED, NOT_JUDGED} and not any(
        side.points for side in sides
    )


def as_json(changes: Sequence[Change]) -> dict[str, Any]:
    """Returns the changes as plain data."""
    return {"changes": [_plain(change) for change in changes]}


def _plain(change: Change) -> dict[str, Any]:
    """Returns a change as the documented layout has it: misconceptions are called mistakes."""
    found = asdict(change)
    for key in ("old", "new"):
        whole = int(found[key]) == found[key]
        found[key] = int(found[key]) if whole else float(found[key])
    for blank in found["blanks"]:
        for side in (blank["old"], blank["new"]):
            side["mistakes"] = side.pop("misconceptions")
    return found


def describe(changes: Sequence[Change]) -> str:
    """Returns the changes as lines of 80 columns: each student, then each kind of change."""
    if not changes:
        return "nothing changes"
    lines = [f"{'student':<56} {'old':>5} {'new':>5} {'change':>8}", "-" * WIDTH]
    for change in changes:
        lines += _student_lines(change)
    lines += ["-" * WIDTH, *_wrapped("", _summary(changes), 0), "", "students  blank"]
    for (i, old, new), number in _kinds(changes):
        lines += _wrapped(f"{number:8}  ", f"{i}: {old} -> {new}", 12)
    return "\n".join(lines)


def _student_lines(change: Change) -> Iterator[str]:
    who = printable(f"{change.name} ({change.student})" if change.name else change.student)
    gain = signed(change.gain) if change.gain else "="
    yield f"{padded(who, 56)} {plain(change.old):>5} {plain(change.new):>5} {gain:>8}"
    for blank in change.blanks:
        yield from _wrapped("  ", f"{blank.id}: {' -> '.join(blank.in_words)}", 6)


def _wrapped(first: str, text: str, later: int) -> list[str]:
    rest = " " * later
    return textwrap.wrap(printable(text), WIDTH, initial_indent=first, subsequent_indent=rest)


def _summary(changes: Sequence[Change]) -> str:
    gains = [change.gain for change in changes]
    return (
        f"{counted(len(changes), 'student')} change: "
        f"{sum(gain > 0 for gain in gains)} gain, {sum(gain < 0 for gain in gains)} lose, "
        f"{gains.count(Decimal(0))} keep their points; "
        f"{signed(sum(gains, Decimal(0)))} points in all"
    )


def signed(number: Decimal) -> str:
    """Returns a number of points with its sign."""
    return f"{'-' if number < 0 else '+'}{plain(abs(number))}"


def _kinds(changes: Sequence[Change]) -> list[tuple[tuple[str, str, str], int]]:
    """Returns each kind of change and how many students it concerns, most first."""
    found = Counter((blank.id, *blank.in_words) for change in changes for blank in change.blanks)
    return sorted(found.items(), key=lambda kind: (-kind[1], kind[0]))
