"""What a student's verdicts and written answers count: the points of the class, and decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from autograder.base.results import GRADER_ERROR, Verdict
from autograder.classroom.overrides import POINTS, Override
from autograder.classroom.policy import CENT, Policy, plain
from autograder.classroom.written import Grade, Item


@dataclass(frozen=True)
class Blank:
    """One column of the class: a check, or a question that people grade."""

    id: str
    title: str
    points: Decimal
    """What it counts in this class."""
    bonus: bool = False
    """Whether it counts without being in the total."""
    items: tuple[Item, ...] = ()
    """Of a question that people grade: the lines of its rubric."""

    @property
    def name(self) -> str:
        """The id without the homework."""
        return self.id.partition(".")[2] or self.id

    @property
    def by_hand(self) -> bool:
        """Whether people grade it."""
        return bool(self.items)


@dataclass(frozen=True)
class Score:
    """The points for one blank or question."""

    points: Decimal
    most: Decimal
    override: Override | None = None
    grades: tuple[Grade, ...] = ()
    """What people gave for each item, and their comment."""
    is_open: bool = False
    """Whether nobody knows the points yet, through no fault of the student's."""


def blank_of(policy: Policy, verdict: Verdict) -> Blank:
    """Returns the column of a check, with what it counts in this class."""
    worth = policy.worth_of(verdict.id, verdict.max_points)
    return Blank(verdict.id, verdict.title, worth, verdict.id in policy.bonus)


def written_blanks(homework: str, rubric: Iterable[Item], policy: Policy) -> list[Blank]:
    """Returns a column for each question of a rubric."""
    by_question: dict[str, list[Item]] = {}
    for item in rubric:
        by_question.setdefault(item.question, []).append(item)
    found = []
    for question, items in by_question.items():
        id = f"{homework}.written.{question}"
        total = sum((item.points for item in items), Decimal(0))
        title = "written answer"
        worth = policy.worth_of(id, total)
        found.append(Blank(id, title, worth, id in policy.bonus, tuple(items)))
    return found


def judged_score(blank: Blank, verdict: Verdict, decided: Mapping[str, Override]) -> Score:
    """Returns what a verdict counts."""
    if override := decided.get(blank.id):
        return Score(override.points or Decimal(0), blank.points, override)
    points = share(verdict.points, verdict.max_points, blank.points)
    return Score(points, blank.points, is_open=verdict.verdict == GRADER_ERROR)


def written_score(
    blank: Blank, given: Mapping[tuple[str, str], Grade], decided: Mapping[str, Override]
) -> Score:
    """Returns what people gave for a written answer; it is open until each item has its points."""
    question = blank.items[0].question
    here = [given.get((question, item.text)) for item in blank.items]
    kept = tuple(one for one in (*here, given.get((question, ""))) if one)
    if override := decided.get(blank.id):
        return Score(override.points or Decimal(0), blank.points, override, kept)
    graded = [one.points for one in here if one and one.points is not None]
    most = sum((item.points for item in blank.items), Decimal(0))
    points = share(sum(graded, Decimal(0)), most, blank.points)
    return Score(points, blank.points, None, kept, is_open=len(graded) < len(blank.items))


def share(points: int | Decimal, most: int | Decimal, worth: Decimal) -> Decimal:
    """Returns points as the class counts them."""
    if not most or worth == most:
        return Decimal(points) if most else Decimal(0)
    return (Decimal(points) * worth / Decimal(most)).quantize(CENT, ROUND_HALF_UP)


def decided_points(overrides: Sequence[Override]) -> dict[str, Override]:
    """Returns the decisions about points, by check."""
    return {one.check: one for one in overrides if one.kind == POINTS}


def shown_points(number: Decimal | float) -> str:
    """Returns points as pages and tables show them."""
    return plain(Decimal(number))
