"""What the probe records of each misconception beside the right record, as a page shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.base.close import close
from autograder.misconceptions import live_oracle
from autograder.misconceptions.dependences import dependences
from autograder.misconceptions.oracle import NAMED_SEED
from autograder.misconceptions.outcomes import Outcome
from autograder.misconceptions.phrases import noun_of, trial_in_words
from autograder.misconceptions.question import Question
from autograder.running import input_sensitivity

MOST_INPUTS, MOST_ROWS, MOST_NUMBERS, MOST_TABLES = 8, 5, 8, 2
NEXT = re.compile("; (?=your |row )")  # where another sentence begins
Sensitivity = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Records:
    """The records of one question: ours, and that of each misconception, by id."""

    ours: Outcome
    theirs: Mapping[str, Outcome]


def records_of(question: Question) -> Records:
    """Returns the records of a question, from disk if they have been made before."""
    ours = live_oracle.cached(question, NAMED_SEED, 0)[0].outcome
    theirs: dict[str, Outcome] = {}
    for entry in live_oracle.first_of_each(question):
        (misconception,) = entry.misconceptions
        if misconception not in theirs or theirs[misconception].agrees(ours):
            theirs[misconception] = entry.outcome
    return Records(ours, {id: theirs[id] for id in live_oracle.first_choices(question)})


def tables_of(ours: Outcome, theirs: Outcome) -> list[dict[str, Any]]:
    """Returns numbers of the recorded cases that differ: theirs beside ours, the first of each."""
    found: dict[str, dict[str, Any]] = {}
    for name, right in ours.arrays.items():
        trial, _, quantity = name.partition("/")
        wrong = theirs.arrays.get(name)
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
    differ = [i for i in places if not np.isclose(wrong.flat[i], right.flat[i], 1e-4, 1e-6)]
    others = [i for i in places if i not in differ]
    return sorted([*differ, *others][:MOST_NUMBERS])


def _text(value: Any) -> str:
    if isinstance(value, np.bool_):
        return "yes" if value else "no"
    return f"{float(value):.4g}".replace("-", "\u2212")


def crash_of(ours: Outcome, theirs: Outcome) -> str:
    """Returns what is raised, where ours raises nothing; "" if nothing is."""
    new = {trial: text for trial, text in theirs.crashes.items() if trial not in ours.crashes}
    if not new:
        return ""
    trial, text = next(iter(new.items()))
    where = "in every case" if new.keys() >= ours.trials else f"in the case “{trial}”"
    return f"{text.splitlines()[0][:160]} ({where})"


def dependence_of(ours: Outcome, theirs: Outcome) -> dict[str, Any] | None:
    """Returns which inputs each row depends on: theirs beside ours, where they differ."""
    for trial in _trials(ours.sensitivity):
        right, yours = _inputs(ours.sensitivity, trial), _inputs(theirs.sensitivity, trial)
        names = [name for name in right if name in yours and yours[name].shape == right[name].shape]
        factor = _common_factor(yours, right, names)
        differ = [name for name in names if not _alike(yours[name] * factor, right[name])]
        if not differ:
            continue
        others = [name for name in names if name not in differ and right[name].any()]
        shown = [*differ[: MOST_INPUTS - 2], *others][:MOST_INPUTS]
        rows = _shown_rows(yours, right, shown, factor)
        return {
            "results": trial.removeprefix(input_sensitivity.TRIAL),
            "inputs": shown,
            "rows": rows,
            "yours": [[_short(yours[name].flat[i] * factor) for name in shown] for i in rows],
            "right": [[_short(right[name].flat[i]) for name in shown] for i in rows],
        }
    return None


def sentences_of(ours: Outcome, theirs: Outcome) -> list[str]:
    """Returns what the grader says of these dependences."""
    found = dependences(theirs.sensitivity, ours.sensitivity)
    return [_capital(part) for one in found for part in NEXT.split(one.remark) if part]


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _trials(sensitivity: Sensitivity) -> Iterator[str]:
    for trial in dict.fromkeys(name.partition("/")[0] for name in sensitivity):
        if trial.startswith(input_sensitivity.TRIAL):
            yield trial


def _inputs(sensitivity: Sensitivity, trial: str) -> dict[str, np.ndarray]:
    start = f"{trial}/"
    return {
        name.removeprefix(start): array
        for name, array in sensitivity.items()
        if name.startswith(start) and name != f"{start}{input_sensitivity.NOTHING}"
    }


def _common_factor(yours: Sensitivity, right: Sensitivity, names: Sequence[str]) -> float:
    """Returns by what most moves are to be multiplied: the scale of a loss is nobody's mistake."""
    factors = []
    for name in names:
        same = np.array_equal(yours[name] != 0, right[name] != 0) and right[name].any()
        if same:
            times = right[name][right[name] != 0] / yours[name][right[name] != 0]
            factors += [float(times.mean())] if (times > 0).all() and np.ptp(times) < 0.01 else []
    return float(np.median(factors)) if factors else 1.0


def _alike(yours: np.ndarray, right: np.ndarray) -> bool:
    return bool(np.allclose(yours, right, 0.01, 0.01 * np.abs(right).max(initial=1e-6)))


def _shown_rows(
    yours: Sensitivity, right: Sensitivity, names: Sequence[str], factor: float
) -> list[int]:
    """Returns the rows of a table: those that differ first."""
    size = right[names[0]].size
    apart = np.zeros(size)
    for name in names:
        if right[name].size == size:
            apart = np.maximum(apart, np.abs(yours[name] * factor - right[name]).ravel())
    order = [int(i) for i in np.argsort(-apart, kind="stable")]
    return sorted(order[:MOST_ROWS])


def _short(value: float) -> float:
    return float(f"{value:.3g}") + 0.0
