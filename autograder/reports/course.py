"""One view over several gradebooks: a course, whose late days are counted over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from autograder.base.text import UsageError, folded
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.policy import Policy, in_utc, plain
from autograder.reports.classroom import Classroom, load
from autograder.reports.student import Student
from autograder.reports.tables import CANVAS_HEAD, CANVAS_IDS, POINTS, as_csv, canvas_row, final_of
from autograder.reports.text import cell


@dataclass(frozen=True)
class Course:
    """The homeworks of a course, in their order."""

    rooms: Sequence[Classroom]
    same: Mapping[str, str] = field(default_factory=dict)
    """The course's id of a student whom some homework knows by another one."""

    def id_of(self, student: str) -> str:
        """Returns the course's id of a student of one homework."""
        return self.same.get(student, student)

    @property
    def people(self) -> dict[str, Student]:
        """Each student, as the last homework has them, by the course's id; sorted by name."""
        every: dict[str, Student] = {}
        for room in self.rooms:
            for one in room.students:
                who = self.id_of(one.id)
                known = one.canvas_ids or (every[who].canvas_ids if who in every else ())
                every[who] = replace(one, id=who, canvas_ids=known)
        return dict(sorted(every.items(), key=lambda item: (item[1].label.casefold(), item[0])))

    def of(self, room: Classroom, student: str) -> Student | None:
        """Returns a student in one homework; None if it does not know them."""
        return next((one for one in room.students if self.id_of(one.id) == student), None)

    def rows(self) -> list[CourseRow]:
        """Returns a row for each student."""
        by_room = [{self.id_of(one.id): one for one in room.students} for room in self.rooms]
        return [
            CourseRow(person, tuple(room.get(who) for room in by_room), self.left(who))
            for who, person in self.people.items()
        ]

    def namesakes(self) -> list[str]:
        """Returns names of whom one homework has one id, and another a different one."""
        ids: dict[str, set[str]] = {}
        several = set()
        for room in self.rooms:
            names = [folded(one.name) for one in room.students if one.name]
            several |= {name for name in names if names.count(name) > 1}
            for one in room.students:
                ids.setdefault(folded(one.name), set()).add(self.id_of(one.id))
        return sorted(name for name, own in ids.items() if len(own) > 1 and name not in several)

    def left(self, student: str) -> int | None:
        """Returns the free late days that a student has left; None if the course has none."""
        free = [room.policy.free_days for room in self.rooms if room.policy.deadline]
        return max(0, free[-1] - self.used(student)) if free and free[-1] else None

    def used(self, student: str) -> int:
        """Returns how many free late days a student has used."""
        last = [room for room in self.rooms if room.policy.deadline][-1:]
        found = [(room, self.of(room, student)) for room in last]
        return sum(
            room.policy.used.get(one.id if one else student, 0)
            + (one.settlement.free if one else 0)
            for room, one in found
        )

    @property
    def most(self) -> Decimal:
        """The points of all homeworks."""
        return sum((room.most for room in self.rooms), Decimal(0))


@dataclass(frozen=True)
class CourseRow:
    """One student in all homeworks."""

    person: Student
    homeworks: tuple[Student | None, ...]
    left: int | None

    @property
    def late(self) -> int:
        """Late days, free or not."""
        return sum(one.settlement.late or 0 for one in self.homeworks if one)

    @property
    def is_open(self) -> bool:
        """Whether some points may still grow."""
        return any(one is not None and one.unsettled for one in self.homeworks)

    @property
    def total(self) -> Decimal:
        """The points of all homeworks, after penalties."""
        return sum((one.settlement.final for one in self.homeworks if one), Decimal(0))


def load_course(books: Sequence[tuple[Gradebook, Policy]], code: bool = False) -> Course:
    """Gathers several gradebooks, by deadline; free days that one used are gone in the next.

    What a policy names under `used` counts as well, where it is more than what is found here.

    Raises:
        UsageError: If two are of one homework.
    """
    names = Counter(book.fact("homework") or "" for book, _ in books)
    for name, times in names.items():
        if times > 1:
            raise UsageError(f"{times} gradebooks are of {name}; name one of each homework")
    ordered = sorted(books, key=lambda one: (_time(one[1]), one[0].fact("homework") or ""))
    same = same_students([book.students() for book, _ in ordered])
    used: Counter[str] = Counter()
    rooms = []
    for book, policy in ordered:
        here = {*used, *policy.used, *book.students()}
        known = {who: max(used[same.get(who, who)], policy.used.get(who, 0)) for who in here}
        room = load(book, policy_with(policy, known), code=code)
        used |= Counter({same.get(who, who): days for who, days in known.items()})
        used.update({same.get(one.id, one.id): one.settlement.free for one in room.students})
        rooms.append(room)
    return Course(rooms, same)


def same_students(books: Sequence[Mapping[str, tuple[str, str]]]) -> dict[str, str]:
    """Returns the course's id of each student whom homeworks know by several, but by one email.

    Args:
        books: Of each homework: id -> name and email.
    """
    ids: dict[str, set[str]] = {}
    shared = set()
    for book in books:
        emails = Counter(folded(email) for _, email in book.values() if email)
        shared |= {email for email, times in emails.items() if times > 1}
        for who, (_, email) in book.items():
            if email:
                ids.setdefault(folded(email), set()).add(who)
    found: dict[str, str] = {}
    for email, own in ids.items():
        if len(own) > 1 and email not in shared:
            # An email stands for an id where a list has none.
            first = min(own, key=lambda who: (folded(who) == email, who))
            found |= dict.fromkeys(own - {first}, first)
    return found


def policy_with(policy: Policy, used: Mapping[str, int]) -> Policy:
    """Returns a policy with the free days that were used in earlier homeworks."""
    return replace(policy, used=used)


def _time(policy: Policy) -> tuple[bool, str]:
    deadline = policy.deadline
    return (deadline is None, in_utc(deadline).isoformat() if deadline else "")


def scores(course: Course) -> str:
    """Returns a row for each student: what each homework came to, and late days left."""
    names = [room.homework for room in course.rooms]
    head = ("id", "name", "email", *names, "total", "late_days", "late_days_left", "problem")
    return as_csv([head, *(_row(course, row) for row in course.rows())])


def _row(course: Course, row: CourseRow) -> Sequence[str]:
    problems = [
        f"{room.homework}: {one.problem}"
        for room, one in zip(course.rooms, row.homeworks, strict=True)
        if one and one.problem
    ]
    return (
        cell(row.person.id),
        cell(row.person.name),
        cell(row.person.email),
        *("0" if one is None else final_of(one) for one in row.homeworks),
        "" if row.is_open else plain(row.total),
        str(row.late),
        "" if row.left is None else str(row.left),
        cell("; ".join(problems)),
    )


def canvas(course: Course, id_kind: str) -> str:
    """Returns what Canvas's gradebook imports: a column for each homework."""
    titles = [f"Homework {room.homework.removeprefix('hw')}" for room in course.rooms]
    most = [plain(room.most) for room in course.rooms]
    rows: list[Sequence[str]] = [(*CANVAS_HEAD, *titles), (f"    {POINTS}", "", "", "", "", *most)]
    for row in course.rows():
        finals = ["0" if one is None else final_of(one) for one in row.homeworks]
        rows.append([*canvas_row(row.person, CANVAS_IDS[id_kind])[:-1], *finals])
    return as_csv(rows)
