"""Late days and penalties: pure arithmetic on times and points, set by a small TOML file.

A late day ends when the clock on the wall shows the deadline's time again, also where clocks are
changed in between; so a day's length is the time zone's business, never 24 hours by force.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
MOST_DAYS = 366


@dataclass(frozen=True)
class Policy:
    """The price of a late submission.

    Attributes:
        deadline: The moment until which a submission is on time; None: it never is late.
        zone: Where the class lives; counts days, and reads times that come without a zone.
        grace: Time beyond the deadline, and beyond each late day, that costs nothing.
        free_days: Late days that cost nothing, over the whole course.
        percent: Share of the points earned that each late day beyond those costs.
        points: That each such day costs as well.
        cut_off: Late days after which a submission earns nothing; None: no such limit.
        used: Free days that a student used in earlier homeworks.
        extensions: Days by which a student's deadline is later, or that deadline itself.
        worth: Points that a blank or question counts, where they are not the homework's own.
        bonus: Blanks and questions that count, and are not in the total.
        drop: Those that count for nobody.
        handout: The address below which students read the handout's pages; "" if there is none.
    """

    deadline: datetime | None = None
    zone: tzinfo = UTC
    grace: timedelta = timedelta()
    free_days: int = 0
    percent: Decimal = Decimal(0)
    points: Decimal = Decimal(0)
    cut_off: int | None = None
    used: Mapping[str, int] = field(default_factory=dict)
    extensions: Mapping[str, int | datetime] = field(default_factory=dict)
    worth: Mapping[str, Decimal] = field(default_factory=dict)
    bonus: frozenset[str] = frozenset()
    drop: frozenset[str] = frozenset()
    handout: str = ""

    @property
    def checks(self) -> set[str]:
        """The blanks and questions that the policy names."""
        return {*self.worth, *self.bonus, *self.drop}

    def worth_of(self, check: str, own: int | Decimal) -> Decimal:
        """Returns the points that a check counts; `own` are the homework's."""
        return Decimal(0) if check in self.drop else self.worth.get(check, Decimal(own))

    def with_ids(self, id_of: Callable[[str], str]) -> Policy:
        """Returns the same with the ids of students whom it names by email or name."""
        return replace(
            self,
            used={id_of(who): days for who, days in self.used.items()},
            extensions={id_of(who): until for who, until in self.extensions.items()},
        )

    @property
    def students(self) -> set[str]:
        """The students whom the policy names."""
        return {*self.used, *self.extensions}

    def deadline_of(self, student: str) -> datetime | None:
        """Returns a student's own deadline."""
        extension = self.extensions.get(student, 0)
        if isinstance(extension, datetime):
            return extension
        return None if self.deadline is None else days_after(self.deadline, extension)

    def days_late(self, student: str, received: datetime) -> int:
        """Returns how many late days a submission took; more than `MOST_DAYS` count as that."""
        deadline = self.deadline_of(student)
        if deadline is None:
            return 0
        moment = in_utc(received if received.tzinfo else received.replace(tzinfo=self.zone))
        low = max(0, (moment - in_utc(deadline)).days - 2)  # a day has less than 48 hours
        for days in range(min(low, MOST_DAYS), MOST_DAYS):
            if moment <= in_utc(days_after(deadline, days)) + self.grace:
                return days
        return MOST_DAYS

    def settle(self, student: str, received: datetime | None, earned: int | Decimal) -> Settlement:
        """Returns what is left of the points that a submission earned."""
        points = Decimal(earned)
        if received is None:
            return Settlement(None, 0, Decimal(0), points, cut=False)
        late = self.days_late(student, received)
        free = min(late, max(0, self.free_days - self.used.get(student, 0)))
        if self.cut_off is not None and late > self.cut_off:
            return Settlement(late, 0, points, Decimal(0), cut=True)
        charged = late - free
        penalty = charged * (points * self.percent / 100 + self.points)
        penalty = min(points, penalty).quantize(CENT, ROUND_HALF_UP)
        return Settlement(late, free, penalty, points - penalty, cut=False)


@dataclass(frozen=True)
class Settlement:
    """The points that a submission keeps, and why."""

    late: int | None
    """Late days; None if it is unknown when it was received."""
    free: int
    """How many of those cost nothing."""
    penalty: Decimal
    final: Decimal
    cut: bool
    """Whether it came too late to earn anything."""
    by_hand: bool = False
    """Whether somebody has set what it costs, or what is left."""

    def with_penalty(self, penalty: Decimal) -> Settlement:
        """Returns the same with a penalty that somebody has set."""
        points = self.penalty + self.final
        penalty = min(points, penalty)
        return replace(self, penalty=penalty, final=points - penalty, cut=False, by_hand=True)

    def with_final(self, final: Decimal) -> Settlement:
        """Returns the same with the points that somebody has set for the whole homework."""
        return replace(self, penalty=Decimal(0), final=final, cut=False, by_hand=True)


def days_after(moment: datetime, days: int) -> datetime:
    """Returns when the clock on the wall shows the same time, some days later."""
    return latest(moment + timedelta(days=days)) if days else moment


def latest(moment: datetime) -> datetime:
    """Returns the later meaning of a time on the wall that has two, where clocks are changed."""
    return max(moment.replace(fold=0), moment.replace(fold=1), key=in_utc)


def in_utc(moment: datetime) -> datetime:
    """Returns a moment with a zone as UTC, in which differences are what a stop watch shows."""
    return moment.astimezone(UTC)


def clock(moment: datetime, deadline: datetime | None = None) -> str:
    """Returns a time to the minute; within the minute of a deadline, as fine as it takes."""
    finer = ""
    if deadline is not None and moment.tzinfo is not None:
        own, limit = in_utc(moment), in_utc(deadline)
        for timespec in ("minutes", "seconds"):
            if own != limit and own.isoformat("T", timespec) == limit.isoformat("T", timespec):
                finer = f":{own:%S}" if timespec == "minutes" else f":{own:%S.%f}".rstrip("0")
    return f"{moment:%Y-%m-%d %H:%M}{finer} {moment:%Z}".rstrip()


def plain(number: Decimal) -> str:
    """Returns a number of points without needless zeros."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
