"""How often the judge doubts honest runs: every row of a log is judged as if the run ended there.

    python scripts/run_hw3_dqn.py --env_name LunarLander-v3 --exp_name q2_dqn_1 --save_params
    python benchmarks/evidence_bounds.py data/hw3_q2_dqn_1_*

Only runs made with --save_params have the weights of every row. A claim that does not hold is a
false alarm here, since nobody has lied.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # this tree, not an installed one
from autograder.evidence.claims import Claim, judge_claims, read_weights
from autograder.evidence.rules import questions
from autograder.evidence.run_folder import WEIGHTS, read_run
from autograder.misconceptions.catalogue import Question

SEED = 0


def question_of(folder: Path) -> Question:
    """Returns the question that a run folder's name belongs to."""
    for question in questions("hw3"):
        if any(fnmatch.fnmatchcase(folder.name, pattern) for pattern in question.folders):
            return question
    raise SystemExit(f"{folder.name}: no question has such a name")


def claims(folder: Path) -> Iterator[tuple[int, list[Claim]]]:
    """Yields step and claims of each row whose weights were kept."""
    question, run = question_of(folder), read_run(folder)
    for row, step in enumerate(run.log["Step"]):
        ended = {name: values[: row + 1] for name, values in run.log.items()}
        kept = f"policy_{int(step):09d}.safetensors"
        if not (folder / kept).exists():
            kept = WEIGHTS if row + 1 == len(run.log["Step"]) else ""
        if kept:
            until = dataclasses.replace(run, log=ended)
            weights, faults = read_weights(question, until, kept)
            if weights is None:
                raise SystemExit(f"{folder.name}: {faults[0][1]}")
            yield int(step), judge_claims(question, until, weights, SEED + row)


def main() -> None:
    """Judges the folders that the command line names."""
    rows = {True: 0, False: 0}
    alarms = dict(rows)
    for folder in map(Path, sys.argv[1:]):
        for step, found in claims(folder):
            for claim in found:
                rows[claim.certain] += 1
                alarms[claim.certain] += not claim.holds
                if not claim.holds or "chance" in claim.message:
                    print(f"{run_name(folder)} at {step}: {claim.message}", flush=True)
    print(f"evaluations: {alarms[True]} alarms in {rows[True]} rows")
    print(f"means while learning: {alarms[False]} alarms in {rows[False]} rows")


def run_name(folder: Path) -> str:
    """Returns a run's name without date and time."""
    return folder.name.rpartition("_20")[0]


if __name__ == "__main__":
    main()
