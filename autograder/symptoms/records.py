"""What the probe records of each misconception beside the right record, as a page shows it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.base.seen import ABS, REL, Seen, close
from autograder.misconceptions.catalogue import Question
from autograder.misconceptions.dependences import Arrays, alike, dependences, moves, serves
from autograder.misconceptions.live_oracle import FIRST, cached, first_choices
from autograder.misconceptions.oracle import NAMED_SEED
from autograder.misconceptions.wording import noun_of, trial_in_words

MOST_INPUTS, MOST_ROWS, MOST_NUMBERS, MOST_TABLES = 8, 5, 8, 2
NEXT = re.compile("; (?=your |row )")  # where another sentence begins


def records_of(question: Question) -> tuple[Seen, dict[str, Seen]]:
    """Returns what our solution leads to, and each misconception, by id; from disk if it is there.

    Of several solutions, the first in which a misconception shows.
    """
    ours = cached(question, NAMED_SEED, 0)[0]
    theirs: dict[str, Seen] = {}
    for known in cached(question, NAMED_SEED, FIRST):
        (misconception,) = known.mistakes
        if misconception not in theirs or theirs[misconception].agrees(ours):
            theirs[misconception] = known
    return ours, {id: theirs[id] for id in first_choices(question)}


def tables_of(ours: Seen, theirs: Seen) -> list[dict[str, Any]]:
    """Returns numbers of the recorded cases that differ: theirs beside ours, the first of each."""
    found: dict[str, dict[str, Any]] = {}
    for name, right in ours.numbers.items():
        trial, _, quantity = name.partition("/")
        wrong = theirs.numbers.get(name)
        if quantity in found or wrong is None or right.dtype.kind not in "biuf":
            continue
        if wrong.shape != right.shape:
            texts = [f"shape {wrong.shape}"], [f"shape {right.shape}"]
        elif not close(wrong, right):
            rows = _rows_that_differ(wrong, right)
            texts = [_text(wrong.flat[i]) for i in rows], [_text(right.flat[i]) for i in rows]
        else:
            continue
        found[quantity] = {
            "name": noun_of(quantity),
            "case": trial_in_words(trial) or f"in the case “{trial}”",
            "yours": texts[0],
            "right": texts[1],
        }
    return list(found.values())[:MOST_TABLES]


def _rows_that_differ(wrong: np.ndarray, right: np.ndarray) -> list[int]:
    """Returns some places of two arrays, among them those that differ."""
    places = range(right.size)
    differ = [i for i in places if not np.isclose(wrong.flat[i], right.flat[i], REL, ABS)]
    others = [i for i in places if i not in differ]
    return sorted([*differ, *others][:MOST_NUMBERS])


def _text(value: Any) -> str:
    if isinstance(value, np.bool_):
        return "yes" if value else "no"
    return f"{float(value):.4g}".replace("-", "\u2212")


def crash_of(ours: Seen, theirs: Seen) -> str:
    """Returns what is raised, where ours raises nothing; "" if nothing is."""
    new = {trial: text for trial, text in theirs.raised.items() if trial not in ours.raised}
    if not new:
        return ""
    trial, text = next(iter(new.items()))
    where = "in every case" if new.keys() >= ours.cases else f"in the case “{trial}”"
    return f"{text.splitlines()[0][:160]} ({where})"


def dependence_of(ours: Seen, theirs: Seen) -> dict[str, Any] | None:
    """Returns which inputs each row depends on: theirs beside ours, where they differ."""
    for results, yours, right in moves(theirs, ours):
        names = [name for name in right if name in yours and not serves(name)]
        differ = [name for name in names if not alike(yours[name], right[name])]
        if not differ:
            continue
        others = [name for name in names if name not in differ and right[name].any()]
        shown = [*differ[: MOST_INPUTS - 2], *others][:MOST_INPUTS]
        rows = _shown_rows(yours, right, shown)
        return {
            "results": results,
            "inputs": shown,
            "rows": rows,
            "yours": [[_short(yours[name].flat[i]) for name in shown] for i in rows],
            "right": [[_short(right[name].flat[i]) for name in shown] for i in rows],
        }
    return None


def sentences_of(ours: Seen, theirs: Seen) -> list[str]:
    """Returns what the grader says of these dependences."""
    found = dependences(theirs, ours)
    return [_capital(part) for one in found for part in NEXT.split(one.remark) if part]


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _shown_rows(yours: Arrays, right: Arrays, names: Sequence[str]) -> list[int]:
    """Returns the rows of a table: those that differ first."""
    size = right[names[0]].size
    apart = np.zeros(size)
    for name in names:
        if right[name].size == size:
            apart = np.maximum(apart, np.abs(yours[name] - right[name]).ravel())
    order = [int(i) for i in np.argsort(-apart, kind="stable")]
    return sorted(order[:MOST_ROWS])


def _short(value: float) -> float:
    return float(f"{value:.3g}") + 0.0
