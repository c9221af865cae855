"""Checks of what is given to students, and can be broken by them: they count nothing."""

from __future__ import annotations

from autograder.check import Check, formula


def _named(name: str, title: str) -> Check:
    return formula(f"hw3.given.{name}", title, 0, (), name)


def _given(name: str, title: str) -> Check:
    return Check(
        f"hw3.given.{name}",
        title,
        0,
        (),  # a file that is missing or broken is taken from the handout
        f"hw3.probe_{name}:probe_{name}",
        f"hw3.answer_{name}:judge_{name}",
    )


GIVEN: list[Check] = [
    _named("schedules", "schedules (given)"),
    _named("replay", "replay buffer (given)"),
    _given("atari", "environments (given)"),
    _named("networks", "networks (given)"),
]
