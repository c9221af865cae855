"""Reads a policy's TOML file; an error in it becomes one line."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from autograder.base.text import UsageError, folded
from autograder.classroom.policy import MOST_DAYS, Policy, latest

KEYS = (
    "deadline",
    "timezone",
    "grace_minutes",
    "late_days",
    "penalty_percent",
    "penalty_points",
    "cut_off_days",
    "used",
    "extensions",
    "points",
    "bonus",
    "drop",
    "handout",
)
OF_TIME = frozenset(KEYS[1:9])
"""The keys that mean nothing without a deadline."""
MOST_MINUTES = 24 * 60
MOST_POINTS = 10**6
YEARS = 2000, 2999
MOST_SUGGESTED = 3


def read_policy(file: Path) -> Policy:
    """Reads a file.

    Raises:
        UsageError: If it cannot be read, or does not say what a policy can be.
    """
    try:
        text = file.read_text(encoding="utf-8")
        return parse_policy(text)
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        first = str(error).partition("\n")[0]
        raise UsageError(f"{file}: no TOML file: {first}") from error
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error


def read_deadline(text: str | None) -> datetime | None:
    """Reads a time with its zone.

    Raises:
        UsageError: If it is none.
    """
    if text is None:
        return None
    try:
        when = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            f"--deadline {text!r} is no time such as 2026-10-01T23:59+02:00"
        ) from error
    return when if when.tzinfo else when.astimezone()


def parse_policy(text: str) -> Policy:
    """Reads a file's text.

    Raises:
        UsageError: If it does not say what a policy can be.
        TOMLDecodeError: If it is not TOML.
    """
    plain = tomllib.loads(text, parse_float=Decimal)
    for key in plain:
        if key not in KEYS:
            raise UsageError(f"unknown key {key!r}{nearest(key, KEYS)}")
    zone = _zone(plain.get("timezone"))
    deadline = plain.get("deadline")
    if deadline is None and (plain.keys() & OF_TIME) - {"timezone"}:
        raise UsageError("deadline is missing: without it nothing is late")
    return Policy(
        deadline=None if deadline is None else _moment("deadline", deadline, zone),
        zone=zone or _own_zone(deadline),
        grace=timedelta(minutes=float(_number(plain, "grace_minutes", MOST_MINUTES))),
        free_days=_days("late_days", plain.get("late_days", 0)),
        percent=_number(plain, "penalty_percent", 100),
        points=_number(plain, "penalty_points", MOST_POINTS),
        cut_off=_days("cut_off_days", plain["cut_off_days"]) if "cut_off_days" in plain else None,
        used={who: _days(f"used.{who}", days) for who, days in _table(plain, "used").items()},
        extensions=_extensions(_table(plain, "extensions"), zone),
        worth=_worth(_table(plain, "points")),
        bonus=_names(plain, "bonus"),
        drop=_names(plain, "drop"),
        handout=_address(plain.get("handout", "")),
    )


def unknown_students(policy: Policy, known: Iterable[str]) -> list[str]:
    """Returns a warning for each student of the policy whom the gradebook does not know."""
    names = sorted(known)
    return [
        f"the policy names {who!r}, which is no id, email or name of one student"
        f"{nearest(who, names)}"
        for who in sorted(policy.students - set(names))
    ]


def unknown_checks(policy: Policy, known: Collection[str]) -> list[str]:
    """Returns a warning for each blank of the policy that the homework does not have."""
    return [
        f"the policy names {check!r}, which this homework does not have{nearest(check, known)}"
        for check in sorted(policy.checks - set(known))
    ]


def nearest(word: str, words: Iterable[str]) -> str:
    """Returns a question that suggests what was meant, or nothing.

    It is what has the word in it, as a name has a surname, and else the most similar one.
    """
    known = list(words)
    within = [one for one in known if folded(word) in folded(one).split()]
    found = within[:MOST_SUGGESTED] or difflib.get_close_matches(word, known, 1)
    *first, last = map(repr, dict.fromkeys(found)) if found else [""]
    choice = f"{', '.join(first)} or {last}" if first else last
    return f"; did you mean {choice}?" if choice else ""


def _zone(name: object) -> tzinfo | None:
    if name is None:
        return None
    if not isinstance(name, str):
        raise UsageError('timezone must be a name such as "America/Los_Angeles"')
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(
            f"timezone {name!r} is not known here; it takes a name such as "
            '"America/Los_Angeles" or "UTC"'
        ) from error


def _own_zone(deadline: object) -> tzinfo:
    """Returns the zone that a deadline carries itself."""
    own = deadline.tzinfo if isinstance(deadline, datetime) else None
    return own or UTC


def _moment(key: str, found: object, zone: tzinfo | None) -> datetime:
    """Returns a moment with its zone."""
    if not isinstance(found, datetime):
        kind = "a date without a time" if isinstance(found, date) else repr(found)
        raise UsageError(
            f"{key} is {kind}; it must be a date and a time without quotes, such as "
            "2026-10-14T23:59:00"
        )
    if not YEARS[0] <= found.year <= YEARS[1]:
        raise UsageError(f"{key} is in the year {found.year}")
    if found.tzinfo is not None:
        return found if zone is None else found.astimezone(zone)
    if zone is None:
        raise UsageError(
            f'{key} has no time zone: add timezone = "America/Los_Angeles" above it, '
            f"or an offset, as in {found.isoformat()}-07:00"
        )
    return latest(found.replace(tzinfo=zone))


def _number(plain: Mapping[str, Any], key: str, most: int) -> Decimal:
    """Returns a number from 0 to `most`."""
    found = plain.get(key, 0)
    if isinstance(found, bool) or not isinstance(found, int | Decimal):
        raise UsageError(f"{key} must be a number, and is {found!r}")
    if not (Decimal(found).is_finite() and 0 <= found <= most):
        raise UsageError(f"{key} is {found}; it must lie between 0 and {most}")
    return Decimal(found)


def _days(key: str, found: object) -> int:
    """Returns a number of whole days."""
    if isinstance(found, bool) or not isinstance(found, int):
        raise UsageError(f"{key} must be a whole number of days, and is {_shown(found)}")
    if not 0 <= found <= MOST_DAYS:
        raise UsageError(f"{key} is {found}; it must lie between 0 and {MOST_DAYS}")
    return found


def _worth(table: Mapping[str, object]) -> dict[str, Decimal]:
    """Returns the points of each blank that has others than the homework's."""
    for key, value in table.items():
        if isinstance(value, dict):
            raise UsageError(f'points.{key}: put the id in quotes, as in "hw3.dqn.act" = 4')
    return {key: _number(table, key, MOST_POINTS) for key in table}


def _names(plain: Mapping[str, Any], key: str) -> frozenset[str]:
    """Returns a list of ids."""
    found = plain.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise UsageError(f'{key} must be a list of ids, such as ["hw3.dqn.act"]')
    return frozenset(found)


def _address(found: object) -> str:
    """Returns the address of the handout's pages."""
    if not isinstance(found, str) or (found and not found.startswith(("https://", "http://"))):
        raise UsageError(f"handout must be an address in quotes, https://..., and is {found!r}")
    return found


def _shown(found: object) -> str:
    return str(found) if isinstance(found, Decimal) else repr(found)


def _table(plain: Mapping[str, Any], key: str) -> Mapping[str, object]:
    found = plain.get(key, {})
    if not isinstance(found, dict):
        raise UsageError(f"{key} must be a table: a line [{key}], then lines such as ada = 2")
    return found


def _extensions(table: Mapping[str, object], zone: tzinfo | None) -> dict[str, int | datetime]:
    """Returns each student's days, or own deadline."""
    found: dict[str, int | datetime] = {}
    for who, value in table.items():
        key = f"extensions.{who}"
        if isinstance(value, int):
            found[who] = _days(key, value)
        else:
            found[who] = _moment(key, value, zone)
    return found
