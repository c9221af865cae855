"""A class as a whole: misconceptions by how many students have them, and each blank as an item."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from autograder.base.results import BLANK, FAILED, GRADER_ERROR, PASSED, Misconception
from autograder.reports.classroom import Classroom
from autograder.reports.scores import Blank
from autograder.reports.student import Student

FEWEST = 10  # students below whom a correlation says nothing
WEAK = 0.2  # a correlation that is usually taken for too low
EASY = 0.95  # a share of students who pass above which a correlation means little


@dataclass
class ClassMisconception:
    """A misconception, and who has it."""

    misconception: Misconception
    blanks: list[str] = field(default_factory=list)
    who: list[Student] = field(default_factory=list)

    @property
    def id(self) -> str:
        """Its id."""
        return self.misconception.id

    @property
    def named(self) -> bool:
        """Whether it has a name, or only stands for what has none."""
        return not self.id.startswith(NAMELESS)

    def add(self, student: Student, blank: str) -> None:
        """Notes that a student has it in a blank."""
        if not self.who or self.who[-1] is not student:
            self.who.append(student)
        if blank not in self.blanks:
            self.blanks.append(blank)


@dataclass(frozen=True)
class Item:
    """How a blank did.

    Attributes:
        blank: The blank.
        judged: Students on whom there is a verdict that is not the grader's own error.
        tried: Those of them who filled it, so that it passed or was wrong.
        shares: Verdict -> share of those judged.
        mean: Points, on average.
        discrimination: Point-biserial correlation of having passed with the points for all other
            blanks; None where it is not defined or there are too few students.
        warning: For the instructor, in a few words: something to look at.
    """

    blank: Blank
    judged: int
    tried: int
    shares: dict[str, float]
    mean: float
    discrimination: float | None
    warning: str

    @property
    def passed_of_tried(self) -> float:
        """The share of those who filled it and passed; 1 if nobody filled it."""
        return self.shares[PASSED] * self.judged / self.tried if self.tried else 1.0


def misconceptions(students: Sequence[Student]) -> list[ClassMisconception]:
    """Returns the misconceptions of a class, those of most students first; nameless ones last."""
    found: dict[str, ClassMisconception] = {}
    for student in students:
        for verdict in student.verdicts.values():
            if verdict.verdict != FAILED:
                continue
            for misconception in verdict.misconceptions or (_nameless(verdict.id),):
                one = found.setdefault(misconception.id, ClassMisconception(misconception))
                one.add(student, verdict.id)
    return sorted(found.values(), key=lambda m: (not m.named, -len(m.who), m.id))


def most_frequent(found: Sequence[ClassMisconception]) -> list[ClassMisconception]:
    """Returns the misconceptions that most students have; several only if they tie."""
    first = found[:1]
    return [m for m in found for top in first if (m.named, len(m.who)) == (top.named, len(top.who))]


NAMELESS = "no name: "


def _nameless(blank: str) -> Misconception:
    """Returns a stand-in for what is wrong with a blank and has no name."""
    return Misconception(f"{NAMELESS}{blank}", f"Something without a name, in {blank}.", "", "")


def items(classroom: Classroom) -> list[Item]:
    """Returns how each blank that counts points did."""
    return [_item(blank, classroom.graded) for blank in classroom.counted]


def _item(blank: Blank, graded: Sequence[Student]) -> Item:
    found = [(student, student.verdicts.get(blank.id)) for student in graded]
    judged = [(student, v) for student, v in found if v and v.verdict != GRADER_ERROR]
    passed = [float(verdict.verdict == PASSED) for _, verdict in judged]
    rest = [float(student.points - earned(student, blank)) for student, _ in judged]
    number = len(judged)
    counts = Counter(verdict.verdict for _, verdict in judged)
    shares = {kind: counts[kind] / max(number, 1) for kind in (PASSED, FAILED, BLANK)}
    mean = float(sum(earned(student, blank) for student, _ in judged)) / max(number, 1)
    discrimination = correlation(passed, rest)
    tried = counts[PASSED] + counts[FAILED]
    warning = _warning(
        shares[PASSED], counts[PASSED] / max(tried, 1), discrimination, number, tried
    )
    return Item(blank, number, tried, shares, mean, discrimination, warning)


def earned(student: Student, blank: Blank) -> Decimal:
    """Returns the points that a student has for a blank."""
    score = student.scores.get(blank.id)
    return score.points if score else Decimal(0)


def hardest(items: Sequence[Item]) -> list[Item]:
    """Returns the blanks that fewest passed of those who filled them; several only if they tie.

    What nobody has filled is not hard: nobody knows. So a blank takes half of those who were
    judged, and none is returned if nobody failed.
    """
    tried = [item for item in items if item.tried and 2 * item.tried >= item.judged]
    least = min((item.passed_of_tried for item in tried), default=1.0)
    return [item for item in tried if item.passed_of_tried == least < 1]


def most_empty(items: Sequence[Item]) -> list[Item]:
    """Returns the blanks that most left empty, several only if they tie; none if nobody did."""
    most = max((item.shares[BLANK] for item in items), default=0.0)
    return [item for item in items if item.shares[BLANK] == most > 0]


def correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Returns Pearson's correlation; None where there are too few numbers or no variation."""
    if len(one) < FEWEST or len(set(one)) < 2 or len(set(other)) < 2:
        return None
    return statistics.correlation(one, other)


def _warning(
    passed: float, of_tried: float, discrimination: float | None, number: int, tried: int
) -> str:
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
    return "hard" if tried >= FEWEST and of_tried < 1 / 3 else ""


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
    points = [float(student.points) for student in classroom.graded]
    return Heads(
        len(classroom.students),
        sum(student.submission is not None for student in classroom.students),
        len(points),
        statistics.fmean(points) if points else None,
        statistics.median(points) if points else None,
        sum(score >= classroom.most for score in points),
        sum(bool(student.grader_errors) for student in classroom.students),
    )


def bins(
    points: Sequence[Decimal | int], most: Decimal | int, number: int = 10
) -> list[tuple[int, int, int]]:
    """Counts scores in ranges of equal width: (first, last, how many), the last with the most.

    A part of a point belongs to the whole one below it; a bonus beyond the most to the last range.
    """
    most = math.ceil(most)
    points = [min(math.floor(score), most) for score in points]
    width = max(1, -(-most // number))
    ranges = [(low, min(low + width - 1, most)) for low in range(0, max(most, 1), width)]
    ranges[-1] = (ranges[-1][0], most)
    return [(low, high, sum(low <= score <= high for score in points)) for low, high in ranges]
