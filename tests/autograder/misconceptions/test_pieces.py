"""Wrong results are described by the pieces they are made of, and never falsely."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.base.seen import PIECES
from autograder.misconceptions.pieces import relations
from autograder.running.asking import bellman
from autograder.running.experiments import note_pieces

Formula = Callable[..., Any]  # of reward, discount, terminal flags, V(s') and V(s)


def right(r: np.ndarray, g: float, end: np.ndarray, later: np.ndarray, now: np.ndarray) -> Any:
    return r + g * (1 - end) * later - now


def cases() -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(1)
    found: list[tuple[Any, ...]] = []
    for size, rows in ((0.3, 7), (20.0, 9), (20.0, 2)):
        r, later, now = size * rng.uniform(0.3, 1.7, (3, rows)) * rng.choice([-1, 1], (3, rows))
        found.append((r, 0.7, (np.arange(rows) % 3 == 1).astype(float), later, now))
    return found


def record(formula: Formula, scale: bool = False) -> dict[str, np.ndarray]:
    def pieces(case: tuple[Any, ...]) -> Any:
        given = dict(zip(("re_n", "self.gamma", "terminal_n"), case[:3], strict=True))
        return bellman(given, {"`V(s')`": case[3], "`V(s)`": case[4]})

    noted: dict[str, Any] = {}
    note_pieces(noted, lambda case: formula(*case), cases(), pieces, scale)
    return {f"{PIECES}advantages/{name}": array for name, array in noted.items()}


def std(x: np.ndarray) -> np.ndarray:
    return np.asarray((x - x.mean()) / x.std())


DESCRIBED: dict[str, Formula] = {
    "`re_n` is missing": lambda r, *x: right(0 * r, *x),
    "`self.gamma` is missing": lambda r, g, *x: right(r, 1.0, *x),
    "1 - `terminal_n` is missing": lambda r, g, end, *x: right(r, g, 0 * end, *x),
    "`V(s)` is missing": lambda r, g, end, later, now: right(r, g, end, later, 0),
    "as the mask of ended episodes they have `terminal_n`": (
        lambda r, g, end, *x: right(r, g, 1 - end, *x)
    ),
    "as the value of the next state they have `V(s)`": (
        lambda r, g, end, later, now: right(r, g, end, now, now)
    ),
}


@pytest.mark.parametrize("words", DESCRIBED)
def test_it_is_described(words: str) -> None:
    (found,) = relations(record(DESCRIBED[words]), record(right))
    assert found.partition(": ")[2] == words


NOT: dict[str, Formula] = {
    "right": right,
    "chance": lambda r, *_: np.random.default_rng().normal(size=len(r)),
    "three parts": lambda r, g, end, later, now: r**2 + (1 - end) * abs(later) - now / 2,
    "of large batches alone": (
        lambda *x: right(*x) ** 2 if len(x[0]) > 2 else right(*x)  # one trial is no proof
    ),
    "rows in another order": lambda *x: np.sort(right(*x)),
    "another shape": lambda *x: right(*x)[:1],
    "not finite": lambda *x: right(*x) * np.nan,
}


@pytest.mark.parametrize("name", NOT)
def test_nothing_is_said_that_does_not_hold_in_all_rows(name: str) -> None:
    assert not relations(record(NOT[name]), record(right))


def test_the_scale_of_a_loss_is_no_part() -> None:
    ours = record(right, scale=True)
    assert not relations(record(lambda *x: 3 * right(*x), scale=True), ours)
    (found,) = relations(record(lambda r, g, *x: 3 * right(r, 1.0, *x), scale=True), ours)
    assert found.endswith("`self.gamma` is missing")


def test_random_numbers_are_never_described() -> None:
    rng, ours, case = np.random.default_rng(5), record(right), f"{PIECES}advantages"
    for _ in range(5):
        chance = rng.normal(0, 9, len(ours[f"{case}/case"]))
        assert not relations(ours | {f"{case}/yours": chance}, ours)
