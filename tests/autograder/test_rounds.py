"""Bodies by writers who had seen neither the grader nor its corpus: judged as they should be.

docs/results/rounds.md has the verdicts as they came, before anything was changed for them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

import pytest

from benchmarks.misjudged import files_of, judged
from tests.running import ALL, ROOT

# Passed on purpose: an instructor may think otherwise of each.
DISPUTED = {
    "counts down in an attribute of its own that no checkpoint keeps",
    "returns the mean of the losses instead of the last ones",
    "uses the Huber loss of DQN (smooth_l1_loss) in place of the squared error",
    "PPO's ratio to the detached policy: right gradient, wrong loss value",
    # Right since no batch is empty: the trainer asks the agent how often to learn now.
    "skips agent.train when the sampled batch is empty, although train counts the steps",
    "does not call train while the sampled batch is empty",
}
# They show only in a training that is longer, or larger, than any that a grader can wait for.
UNNOTICED = {
    "the index of the frame is taken modulo buffer_size, which is not how the buffer counts",
    "the actor is wrapped in an epsilon-greedy policy at each step, "
    "the wrapped one again and again",
    "each new episode is reset with the run's seed",
    "each action makes the noise smaller, for good",
    "turns are looked up in a range that ends at 10,000",
    "torch's global generator is seeded in each update",
    "divides by discount^t in float32, which is 0 for late steps",
    "memory for the advantages is taken once, as large as the first batch",
    "the step size is halved at each 100th update",
}


def rows(*kinds: str) -> Iterator[dict[str, str]]:
    """Yields the rows of all rounds that are of these kinds."""
    for file in sorted((ROOT / "benchmarks/rounds").glob("*.csv")):
        with file.open(newline="", encoding="utf-8") as stream:
            yield from (row for row in csv.DictReader(stream) if row["kind"] in kinds)


def some(rows: Sequence[dict[str, str]], step: int) -> Sequence[dict[str, str]]:
    """Returns every `step`-th row; with CS285_ALL=1 in the environment, all."""
    return rows if ALL else rows[::step]


def name(row: dict[str, str]) -> str:
    """Returns a name for reports."""
    return f"{row['blank']} {row['what'][:40]}"


WRONG = [row for row in rows("wrong", "dead") if row["what"] not in DISPUTED | UNNOTICED]
DEAD = [row for row in WRONG if row["kind"] == "dead"]


@pytest.mark.slow
@pytest.mark.parametrize("row", some(WRONG, 9), ids=name)
def test_what_is_wrong_is_caught(row: dict[str, str]) -> None:
    found = judged(files_of(row["written"]), set(row["blank"].split()))
    assert not all(judgement.passed for judgement in found.values())


@pytest.mark.slow
@pytest.mark.parametrize("row", some(DEAD, 5), ids=name)
def test_one_of_the_blanks_at_fault_loses_its_points(row: dict[str, str]) -> None:
    found = judged(files_of(row["written"]), set(row["blank"].split()))
    failed = {id for id, judgement in found.items() if not judgement.passed}
    blamed = {id for judgement in found.values() for id in judgement.blamed}
    assert (failed | blamed) & set(row["blank"].split())


@pytest.mark.slow
@pytest.mark.parametrize("row", some([*rows("right")], 9), ids=name)
def test_what_is_right_passes(row: dict[str, str]) -> None:
    found = judged(files_of(row["written"]), set(row["blank"].split()))
    assert all(judgement.passed for judgement in found.values())
