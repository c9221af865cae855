"""Runs that are copies of each other, with their settings changed, or in somebody else's hands.

A sketch of each run is kept that is small enough for a class: what identifies it, a hash of its
weights, the singular values of their layers, and all columns that two runs share by chance alone,
at those steps whose hash is the least.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.evidence.files import UnreadableError, read_bytes
from autograder.evidence.rules import RunQuestion
from autograder.evidence.run_folder import WEIGHTS, Run
from autograder.evidence.settings import judged
from autograder.evidence.spectra import Spectra, close_pairs, spectra

MOST_WEIGHTS = 2**24
MOST_ROWS = 64
DIGITS = 3  # in which losses and spreads of two seeds agree only by chance
LEAST_ROWS, SHARE = 5, 0.5
TELLING = ("Training Loss", "Critic_Loss", "Train_StdReturn")
CLOCK = "TimeSinceStart"
# Columns that follow from the settings, or are whole numbers that agree by chance.
BY_RIGHT = re.compile(
    r"Step|.*NumEpisodes|.*Epsilon|Learning_Rate|Num_Param_Updates|Train_EnvstepsSoFar|Member|"
    r"Best_Member|Plays_\d|Step_Fraction|Clip_Fraction|.*M(ax|in)Return|StepsPerSecond|"
    r"Initial_DataCollection_AverageReturn|Train_BestReturn"
)
OTHER_ROWS, OTHER_DIGITS = 24, 6


@dataclass(frozen=True)
class Sketch:
    """The numbers by which a run is compared."""

    question: str  # which question it was handed in for
    name: str  # its folder's name, printable
    # Seed and settings that decide it. Two runs that share them are one run by right, on a CPU even
    # to the last bit; but no two take the same time.
    identity: str
    weights: str  # hash of the file; empty if there is none
    rows: dict[str, dict[str, str]]  # column -> step -> its number, as text
    owner: str = ""  # who handed it in; runs of one owner differ by identity alone
    spectra: Spectra = ()  # the layers' singular values; older gradebooks have none


def sketch(question: RunQuestion, run: Run) -> Sketch:
    """Returns the sketch of a run."""
    try:
        data = read_bytes(run.folder / WEIGHTS, MOST_WEIGHTS)
    except UnreadableError:
        data = b""
    weights = hashlib.sha256(data).hexdigest() if data else ""
    identity = json.dumps(judged(question, run), sort_keys=True)
    rows = {name: _rows(run, name) for name in (*TELLING, CLOCK) if name in run.log}
    others = [name for name in run.log if name not in rows and not BY_RIGHT.fullmatch(name)]
    rows |= {name: _rows(run, name) for name in others}
    return Sketch(question.id, run.name, identity, weights, rows, spectra=spectra(data))


def is_one_run(one: Sketch, two: Sketch) -> bool:
    """Returns whether two sketches of one student's are of the same run, handed in twice."""
    same_clock = one.rows.get(CLOCK, {}) == two.rows.get(CLOCK, {}) != {}
    return one.question == two.question and (same_clock or one.weights == two.weights != "")


def _rows(run: Run, column: str) -> dict[str, str]:
    """Returns a column's numbers where the hash of the step is least: the same in every copy."""
    other = column not in (*TELLING, CLOCK)
    digits = 17 if column == CLOCK else OTHER_DIGITS if other else DIGITS
    most = OTHER_ROWS if other else MOST_ROWS
    found = {
        f"{step:.12g}": f"{value:.{digits}g}"
        for step, value in zip(run.log["Step"], run.log[column], strict=True)
        if math.isfinite(value) and value
    }
    if other:  # what a run repeats is a bound of the task, which others reach as well
        times = Counter(found.values())
        found = {step: value for step, value in found.items() if times[value] == 1}
    kept = sorted(found, key=lambda step: hashlib.sha256(step.encode()).digest())[:most]
    return {step: found[step] for step in kept}


def copies(runs: Sequence[Sketch]) -> Iterator[tuple[int, int, str]]:
    """Yields pairs of runs that are said to differ, by their places, with what they share."""
    reported: set[tuple[int, int]] = set()
    for one, two, what in itertools.chain(
        _same_weights(runs), _same_columns(runs), _like_weights(runs)
    ):
        if (one, two) not in reported:
            reported.add((one, two))
            yield one, two, what


def _same_weights(runs: Sequence[Sketch]) -> Iterator[tuple[int, int, str]]:
    by_hash: dict[str, list[int]] = defaultdict(list)
    for place, run in enumerate(runs):
        if run.weights:
            by_hash[run.weights].append(place)
    for places in by_hash.values():
        for one, two in itertools.combinations(places, 2):
            if runs[one].identity != runs[two].identity:
                yield one, two, "the same weights"


def _like_weights(runs: Sequence[Sketch]) -> Iterator[tuple[int, int, str]]:
    for one, two in close_pairs([tuple(map(tuple, run.spectra)) for run in runs]):
        if runs[one].identity != runs[two].identity:
            yield one, two, "the same weights, but for their order and noise"


def _same_columns(runs: Sequence[Sketch]) -> Iterator[tuple[int, int, str]]:
    """Yields pairs whose numbers agree on most of the steps that both have."""
    columns = dict.fromkeys((*TELLING, CLOCK, *(name for run in runs for name in run.rows)))
    for column in columns:
        having: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place, run in enumerate(runs):
            for cell in run.rows.get(column, {}).items():
                having[cell].append(place)
        agree = Counter(
            pair
            for places in having.values()
            for pair in itertools.combinations(places, 2)
            if _identity(column, runs[pair[0]]) != _identity(column, runs[pair[1]])
        )
        for (one, two), count in agree.items():
            both = runs[one].rows[column].keys() & runs[two].rows[column].keys()
            if count >= max(LEAST_ROWS, SHARE * len(both)):
                yield one, two, f"the same {column}"


def _identity(column: str, run: Sketch) -> str:
    """Returns what two runs that agree in a column must differ in to be copies."""
    return run.owner if column == CLOCK else run.identity
