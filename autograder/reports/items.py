"""What a class as a whole got wrong: mistakes by how many made them, and each blank as an item."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.base.results import BLANK, FAILED, GRADER_ERROR, PASSED, SKIPPED, Misconception
from autograder.reports.classroom import Blank, Classroom, Student

FEWEST = 10  # students below whom a correlation says nothing
WEAK = 0.2  # a correlation that is usually taken for too low
EASY = 0.95  # a share of students who pass above which a correlation means little


@dataclass
class ClassMisconception:
    """A mistake, and who made it."""

    id: str
    title: str
    explanation: str
    reference: str
    blanks: list[str] = field(default_factory=list)
    who: list[Student] = field(default_factory=list)
    named: bool = True


@dataclass(frozen=True)
class Item:
    """How a blank did.

    Attributes:
        blank: The blank.
        judged: Students on whom there is a verdict that is not the grader's own error.
        shares: Verdict -> share of those.
        mean: Points, on average.
        discrimination: Point-biserial correlation of having passed with the points for all other
            blanks; None where it is not defined or there are too few students.
        warning: What the instructor should look at, in a few words.
    """

    blank: Blank
    judged: int
    shares: dict[str, float]
    mean: float
    discrimination: float | None
    warning: str


def misconceptions(students: Sequence[Student]) -> list[ClassMisconception]:
    """Returns the mistakes of a class, those of most students first; nameless ones last."""
    found: dict[str, ClassMisconception] = {}
    for student in students:
        for verdict in student.verdicts.values():
            if verdict.verdict != FAILED:
                continue
            for misconception in verdict.misconceptions or (_nameless(verdict.id),):
                one = found.setdefault(misconception.id, _class_misconception(misconception))
                if not one.who or one.who[-1] is not student:
                    one.who.append(student)
                if verdict.id not in one.blanks:
                    one.blanks.append(verdict.id)
    for one in found.values():
        one.named = not one.id.startswith(NAMELESS)
    return sorted(found.values(), key=lambda m: (not m.named, -len(m.who), m.id))


def most_frequent(found: Sequence[ClassMisconception]) -> list[ClassMisconception]:
    """Returns the mistakes that most students made; several only if they tie."""
    first = found[:1]
    return [m for m in found for top in first if (m.named, len(m.who)) == (top.named, len(top.who))]


NAMELESS = "no name: "


def _nameless(blank: str) -> Misconception:
    """Returns a stand-in for what is wrong with a blank and has no name."""
    return Misconception(f"{NAMELESS}{blank}", f"Something without a name, in {blank}.", "", "")


def _class_misconception(misconception: Misconception) -> ClassMisconception:
    return ClassMisconception(
        misconception.id, misconception.title, misconception.explanation, misconception.reference
    )


def items(classroom: Classroom) -> list[Item]:
    """Returns how each blank that counts points did."""
    return [_item(blank, classroom.graded) for blank in classroom.counted]


def _item(blank: Blank, graded: Sequence[Student]) -> Item:
    record = [
        (student, student.verdicts[blank.id])
        for student in graded
        if blank.id in student.verdicts and student.verdicts[blank.id].verdict != GRADER_ERROR
    ]
    number = len(record)
    shares = {
        kind: sum(verdict.verdict == kind for _, verdict in record) / number if number else 0.0
        for kind in (PASSED, FAILED, BLANK, SKIPPED)
    }
    mean = sum(verdict.points for _, verdict in record) / number if number else 0.0
    passed = [float(verdict.verdict == PASSED) for _, verdict in record]
    rest = [float(student.points - verdict.points) for student, verdict in record]
    discrimination = correlation(passed, rest)
    warning = _warning(shares[PASSED], discrimination, number)
    return Item(blank, number, shares, mean, discrimination, warning)


def hardest(items: Sequence[Item]) -> list[Item]:
    """Returns the blanks that fewest passed, several only if they tie; none if nobody failed."""
    shares = [item.shares[PASSED] for item in items if item.judged]
    least = min(shares, default=1.0)
    return [i for i in items if i.judged and i.shares[PASSED] == least < 1]


def correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Returns Pearson's correlation; None where there are too few numbers or no variation."""
    if len(one) < FEWEST or len(set(one)) < 2 or len(set(other)) < 2:
        return None
    return statistics.correlation(one, other)


def _warning(passed: float, discrimination: float | None, number: int) -> str:
    """Says what an instructor should look at, if anything.

    A correlation is low only if that is no accident of so few students, by two standard errors,
    and not because nearly everybody passed.
    """
    if discrimination is not None and EASY > passed > 1 - EASY:
        error = 2 / number**0.5
        if discrimination < -error:
            return "who passes does worse elsewhere: read the question again"
        if discrimination + error < WEAK:
            return "says little about the rest"
    return "hard" if number >= FEWEST and passed < 1 / 3 else ""


@dataclass(frozen=True)
class Heads:
    """The numbers at the top of a class's page."""

    students: int
    handed_in: int
    graded: int
    mean: float | None
    median: float | None
    full: int
    """Students with all points."""
    grader_errors: int
    """Students some of whose verdicts are the grader's own errors."""


def heads(classroom: Classroom) -> Heads:
    """Returns the numbers at the top."""
    points = [student.points for student in classroom.graded]
    return Heads(
        len(classroom.students),
        sum(student.submission is not None for student in classroom.students),
        len(points),
        statistics.fmean(points) if points else None,
        statistics.median(points) if points else None,
        sum(score == classroom.most for score in points),
        sum(bool(student.grader_errors) for student in classroom.students),
    )


def bins(points: Sequence[int], most: int, number: int = 10) -> list[tuple[int, int, int]]:
    """Counts scores in ranges of equal width: (first, last, how many), the last with the most."""
    width = max(1, -(-most // number))
    ranges = [(low, min(low + width - 1, most)) for low in range(0, max(most, 1), width)]
    ranges[-1] = (ranges[-1][0], most)
    return [(low, high, sum(low <= score <= high for score in points)) for low, high in ranges]
