"""Under which check a student's prints are shown: that of the blank whose line prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from autograder.base.checks import Check
from autograder.running.prints import Printed
from autograder.source.blanks import Place


def by_check(
    checks: Sequence[Check],
    printed_for: Callable[[Check], Sequence[Printed]],
    places: Mapping[str, Place],
) -> dict[str, list[Printed]]:
    """Returns what is shown under each check, by its id; each line's prints are shown once.

    Args:
        checks: Those that were judged, in the order of the board.
        printed_for: Returns what was printed while a check's probe ran.
        places: Of the homework's blanks.
    """
    judged = {check.id for check in checks}
    found: dict[str, list[Printed]] = {}
    shown = set[object]()
    for check in checks:
        for one in printed_for(check):
            owners = {id for id, place in places.items() if place.has(one.file, one.line)} & judged
            key = (one.file, one.line) if one.file else one.texts
            if key in shown or (owners and check.id not in owners):
                continue
            shown.add(key)
            found.setdefault(check.id, []).append(one)
    return found
