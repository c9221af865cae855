"""Checks of what is given to students, and can be broken by them: they count nothing."""

from __future__ import annotations

from dataclasses import replace

from autograder.check import Check, formula


def _given(name: str, title: str, *same: tuple[str, str]) -> Check:
    # No owners: a file that is missing or broken is taken from the handout.
    return replace(formula(f"hw3.given.{name}", title, 0, (), name), same=same)


GIVEN: list[Check] = [
    _given("schedules", "schedules (given)"),
    _given("replay", "replay buffer (given)"),
    _given("atari", "environments (given)"),
    _given(
        "networks",
        "networks (given)",
        ("network.clips_nothing", "gradient.not_clipped"),
        ("network.value_shape", "critic.broadcast"),
    ),
]
