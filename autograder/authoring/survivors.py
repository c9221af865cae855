"""Machine-made mutants of one blank that its check passes, and what trainings make of them.

The machinery of mutants lies in `benchmarks`, which only a checkout of the whole project has.
"""

from __future__ import annotations

import difflib
import importlib
import random
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

SEED = 0


class Survivor(NamedTuple):
    """A mutant that the check passes, and that may be a mistake."""

    id: str  # under which `benchmarks/mutation/explained.json` may say why it is right
    change: str  # what it changes, in one line
    why: str  # what the trainings say


class Judged(NamedTuple):
    """What became of a blank's mutants."""

    number: int  # that were judged
    every: int  # that there are
    survivors: list[Survivor]
    equivalent: int


def judge_mutants(blank: str, seconds: float) -> Judged:
    """Judges mutants of a blank, in a fair order, for as long as there is time.

    Raises:
        ModuleNotFoundError: If `benchmarks` or `tests` is not here.
        Exception: Of `benchmarks`, in one line, if there is nothing to judge.
    """
    mutants: Any = importlib.import_module("benchmarks.mutants")
    judging: Any = importlib.import_module("benchmarks.mutation.judge")
    explained = importlib.import_module("benchmarks.mutation.report").explanations()
    homework = blank.partition(".")[0]
    places = mutants.places(homework, (), [blank])
    every = mutants.chosen(places, None)
    judge = judging.Judge(homework)
    judge.require_trainings(set(places))
    found, number, equivalent = list[Survivor](), 0, 0
    end = time.monotonic() + seconds  # without what a judge needs to begin
    for mutant in random.Random(SEED).sample(every, len(every)):
        if time.monotonic() > end:
            break
        number += 1
        checked = judge.check(mutant)
        if checked.get("failed") or "died" in checked:
            continue
        trained = judge.train(mutant)
        same = not trained["differing"] and trained["exercised"]
        if same or mutant.id in explained:  # somebody has read it, and said why it is right
            equivalent += 1
            continue
        found.append(Survivor(mutant.id, _change(mutant), _why(trained)))
    return Judged(number, len(every), found, equivalent)


def _change(mutant: Any) -> str:
    both = difflib.ndiff(mutant.point.code.splitlines(), mutant.mutation.text.splitlines())
    lines = [(line[0], line[2:].strip()) for line in both]
    old, new = (" / ".join(line for mark, line in lines if mark == one) for one in "-+")
    return f"{old or 'nothing'}  ->  {new or 'nothing'}"


def _why(trained: Any) -> str:
    return next(
        _reasons(trained),
        "no training runs the lines that it changes: add one to benchmarks/mutation/scenarios.py",
    )


def _reasons(trained: Any) -> Iterator[str]:
    for scenario, how in trained["differing"].items():
        yield f"the training {scenario!r} {'ends otherwise' if how == 'differs' else how}"
