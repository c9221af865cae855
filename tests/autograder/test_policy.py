"""Late days and penalties: at the boundary, over changes of the clock, and from bad files."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from autograder.base.text import UsageError
from autograder.classroom.policy import Policy, clock, plain
from autograder.classroom.policy_file import nearest, parse_policy, read_policy, unknown_students
from autograder.reports.pages import when

LA = ZoneInfo("America/Los_Angeles")
BERLIN = ZoneInfo("Europe/Berlin")
SECOND, DAY = timedelta(seconds=1), timedelta(days=1)
NOON = datetime(2026, 10, 14, 12, tzinfo=UTC)
FULL = """
deadline = 2026-10-14T23:59:00
timezone = "America/Los_Angeles"
grace_minutes = 15
late_days = 3
penalty_percent = 12.5
penalty_points = 2
cut_off_days = 5

[used]
ada = 2

[extensions]
ben = 2
"s 7" = 2026-10-20T12:00:00
"""


def test_exactly_at_the_deadline_is_on_time() -> None:
    policy = Policy(NOON)
    assert policy.days_late("ada", NOON) == 0
    assert policy.days_late("ada", NOON + timedelta(microseconds=1)) == 1
    assert policy.days_late("ada", NOON + DAY) == 1
    assert policy.days_late("ada", NOON + DAY + SECOND) == 2
    assert policy.days_late("ada", NOON - 100 * DAY) == 0


def test_grace_is_given_at_the_end_of_each_day() -> None:
    policy = Policy(NOON, grace=timedelta(minutes=10))
    assert policy.days_late("ada", NOON + timedelta(minutes=10)) == 0
    assert policy.days_late("ada", NOON + timedelta(minutes=10) + SECOND) == 1
    assert policy.days_late("ada", NOON + DAY + timedelta(minutes=10)) == 1
    assert policy.days_late("ada", NOON + DAY + timedelta(minutes=10) + SECOND) == 2


def test_every_hour_of_a_year_agrees_with_counting() -> None:
    policy = Policy(datetime(2026, 1, 15, 23, 59, tzinfo=LA), zone=LA)
    for hours in range(0, 24 * 300, 7):
        received = (datetime(2026, 1, 15, 12, tzinfo=UTC)) + timedelta(hours=hours)
        local = received.astimezone(LA).replace(tzinfo=None)
        days = (local - datetime(2026, 1, 15, 23, 59)) / DAY
        expected = max(0, -int(-days // 1))
        assert policy.days_late("ada", received) == expected, received


@pytest.mark.parametrize(
    ("deadline", "hours"),
    [
        (datetime(2026, 10, 31, 23, 59, tzinfo=LA), 25),  # clocks are set back in that night
        (datetime(2027, 3, 13, 23, 59, tzinfo=LA), 23),
        (datetime(2026, 10, 24, 23, 59, tzinfo=BERLIN), 25),
        (datetime(2026, 10, 14, 23, 59, tzinfo=LA), 24),
        (datetime(2026, 10, 31, 23, 59, tzinfo=timezone(timedelta(hours=-7))), 24),
    ],
)
def test_a_late_day_ends_when_the_clock_on_the_wall_says_so(deadline: datetime, hours: int) -> None:
    policy = Policy(deadline)
    end = deadline.astimezone(UTC) + timedelta(hours=hours)
    assert policy.days_late("ada", end) == 1
    assert policy.days_late("ada", end + SECOND) == 2


def test_a_time_that_comes_twice_is_the_later_one() -> None:
    policy = parse_policy('deadline = 2026-11-01T01:30:00\ntimezone = "America/Los_Angeles"')
    assert policy.days_late("ada", datetime(2026, 11, 1, 9, 30, tzinfo=UTC)) == 0
    assert policy.days_late("ada", datetime(2026, 11, 1, 9, 30, 1, tzinfo=UTC)) == 1


def test_a_time_that_never_comes_is_an_hour_later_and_not_earlier() -> None:
    policy = parse_policy('deadline = 2027-03-14T02:30:00\ntimezone = "America/Los_Angeles"')
    assert policy.days_late("ada", datetime(2027, 3, 14, 10, 30, tzinfo=UTC)) == 0
    assert policy.days_late("ada", datetime(2027, 3, 14, 10, 30, 1, tzinfo=UTC)) == 1
    before = Policy(datetime(2027, 3, 13, 2, 30, tzinfo=LA))
    assert before.days_late("ada", datetime(2027, 3, 14, 10, 30, tzinfo=UTC)) == 1


def test_an_offset_wins_over_the_zone() -> None:
    """The first 01:30 of that night is meant, and stays meant."""
    policy = parse_policy('deadline = 2026-11-01T01:30:00-07:00\ntimezone = "America/Los_Angeles"')
    assert policy.days_late("ada", datetime(2026, 11, 1, 8, 30, tzinfo=UTC)) == 0
    assert policy.days_late("ada", datetime(2026, 11, 1, 8, 30, 1, tzinfo=UTC)) == 1


def test_a_submission_without_a_zone_is_told_in_the_classes() -> None:
    policy = parse_policy(FULL)
    assert policy.days_late("eve", datetime(2026, 10, 15, 0, 14)) == 0
    assert policy.days_late("eve", datetime(2026, 10, 15, 0, 14, 1)) == 1


def test_extensions_move_a_students_own_deadline() -> None:
    policy = parse_policy(FULL)
    late = datetime(2026, 10, 16, 23, 59, tzinfo=LA)
    assert policy.days_late("eve", late) == 2
    assert policy.days_late("ben", late) == 0
    assert policy.days_late("ben", late + DAY) == 1
    assert policy.days_late("s 7", datetime(2026, 10, 20, 12, 15, tzinfo=LA)) == 0
    assert policy.days_late("s 7", datetime(2026, 10, 20, 12, 15, 1, tzinfo=LA)) == 1


def test_free_days_are_used_up_over_the_course() -> None:
    policy = parse_policy(FULL)
    late = datetime(2026, 10, 17, 12, tzinfo=LA)  # three days
    eve = policy.settle("eve", late, 80)
    assert (eve.late, eve.free, eve.penalty, eve.final) == (3, 3, 0, 80)
    ada = policy.settle("ada", late, 80)  # has one left: two cost 10 + 2 points each
    assert (ada.late, ada.free, ada.penalty, ada.final) == (3, 1, 24, 56)


def test_the_cut_off_is_the_end_of_its_day() -> None:
    policy = parse_policy(FULL)
    last = datetime(2026, 10, 20, 0, 14, tzinfo=LA)
    assert policy.settle("eve", last, 80).final == 80 - 2 * 12
    cut = policy.settle("eve", last + SECOND, 80)
    assert (cut.late, cut.final, cut.penalty, cut.cut) == (6, 0, 80, True)
    assert policy.settle("ben", last + SECOND, 80).final == 80 - 12 * 1
    assert Policy(NOON, cut_off=0).settle("ada", NOON + SECOND, 80).cut
    assert not Policy(NOON, cut_off=0).settle("ada", NOON, 80).cut


def test_points_never_fall_below_zero_and_are_rounded_to_cents() -> None:
    assert Policy(NOON, points=Decimal(30)).settle("ada", NOON + 5 * DAY, 80).final == 0
    third = Policy(NOON, percent=Decimal("33.335")).settle("ada", NOON + DAY, 50)
    assert (third.penalty, third.final) == (Decimal("16.67"), Decimal("33.33"))
    assert Policy(NOON, percent=Decimal(100)).settle("ada", NOON + DAY, 0).final == 0


def test_without_times_nothing_is_late() -> None:
    assert Policy().settle("ada", NOON, 80).final == 80
    unknown = parse_policy(FULL).settle("ada", None, 80)
    assert (unknown.late, unknown.final) == (None, 80)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("berg", "'Ada Berg', 'Mary Berg' or 'Mary Jane van der Berg'"),
        ("Jane", "'Mary Jane van der Berg'"),
        ("Ben Choo", "'Ben Cho'"),
        ("hw3.dqn.akt", "'hw3.dqn.act'"),
    ],
)
def test_all_who_have_a_name_are_suggested(word: str, meant: str) -> None:
    known = ["Bergman", "Ada Berg", "Mary Berg", "Mary Jane van der Berg", "Ben Cho"]
    known += ["Zoe Berg", "hw3.dqn.act", "hw3.dqn.acts"]
    assert nearest(word, known) == f"; did you mean {meant}?"
    assert nearest("xyz", known) == ""


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        ("23:58:59", "23:58 UTC"),
        ("23:59:00", "23:59 UTC"),
        ("23:59:00.120000", "23:59:00.12 UTC"),
        ("23:59:30.120000", "23:59:30 UTC"),
    ],
)
def test_a_time_in_the_deadlines_minute_is_shown_as_fine_as_it_takes(time: str, shown: str) -> None:
    deadline = datetime.fromisoformat("2026-10-14T23:59:00+00:00")
    moment = datetime.fromisoformat(f"2026-10-14T{time}+00:00")
    assert clock(moment, deadline) == f"2026-10-14 {shown}"
    assert clock(moment, deadline + timedelta(minutes=1)) == f"2026-10-14 {time[:5]} UTC"
    assert when(moment.isoformat(), UTC, deadline) == f"2026-10-14 {shown}"


def test_very_late_is_a_year() -> None:
    assert Policy(NOON).days_late("ada", NOON + 5000 * DAY) == 366


@pytest.mark.parametrize(
    ("number", "text"), [("10.00", "10"), ("0.50", "0.5"), ("100", "100"), ("1E+1", "10")]
)
def test_plain_numbers(number: str, text: str) -> None:
    assert plain(Decimal(number)) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("late_dayz = 3", "unknown key 'late_dayz'; did you mean 'late_days'?"),
        ("colour = 3", "unknown key 'colour'"),
        ("late_days = 3", "deadline is missing"),
        ("deadline = 2026-10-14T23:59:00", "no time zone"),
        ("deadline = 2026-10-14", "a date without a time"),
        ('deadline = "2026-10-14T23:59:00Z"', "without quotes"),
        ("deadline = 2026-13-14T23:59:00Z", "no TOML file"),
        ("deadline = 0026-10-14T23:59:00Z", "year 26"),
        ("deadline = 23:59:00", "deadline is"),
        ('deadline = 2026-10-14T23:59:00\ntimezone = "Mars/Base"', "'Mars/Base' is not known"),
        ('deadline = 2026-10-14T23:59:00\ntimezone = "../../etc/passwd"', "not known"),
        ("deadline = 2026-10-14T23:59:00\ntimezone = 7", "timezone must be a name"),
        ("late_days = -1", "late_days is -1"),
        ("late_days = 1.5", "whole number of days, and is 1.5"),
        ("late_days = true", "whole number"),
        ("grace_minutes = -5", "grace_minutes is -5"),
        ("grace_minutes = 1441", "between 0 and 1440"),
        ("penalty_percent = 101", "between 0 and 100"),
        ("penalty_percent = nan", "penalty_percent is NaN"),
        ("penalty_points = inf", "penalty_points is Infinity"),
        ('penalty_points = "2"', "must be a number"),
        ("cut_off_days = -1", "cut_off_days is -1"),
        ("used = 3", "used must be a table"),
        ("[used]\nada = -2", "used.ada is -2"),
        ("[extensions]\nada = -2", "extensions.ada is -2"),
        ("[extensions]\nada = 2026-10-20", "extensions.ada is a date without a time"),
        ("[extensions]\nada = [1]", "extensions.ada is [1]"),
        ("[extensions", "no TOML file"),
    ],
)
def test_bad_files_are_told_in_one_line(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    if "deadline" not in text and "late_days = 3" not in text:
        text = "deadline = 2026-10-14T23:59:00Z\n" + text
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as error:
        read_policy(file)
    assert words in str(error.value)
    assert str(error.value).startswith(str(file))
    assert "\n" not in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_policy(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="no TOML file"):
        read_policy(tmp_path / "binary.toml")


def test_an_empty_file_is_a_policy_without_deadline() -> None:
    assert parse_policy("") == Policy()


def test_students_whom_nobody_knows_are_named() -> None:
    (first, second) = unknown_students(parse_policy(FULL), ["adam", "ben"])
    assert first.endswith("of one student; did you mean 'adam'?")
    assert "'s 7'" in second
    assert not unknown_students(parse_policy(FULL), ["ada", "ben", "s 7"])
