"""Judges a submission in this very process: quick, and an exception of ours is seen at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder import homework
from autograder.check import Check
from autograder.judge import Judgement
from autograder.probing import Observation
from autograder.submission import Tree
from autograder.worker import run_probe

CHECKS, MISTAKES = homework.checks("hw3"), homework.mistakes("hw3")
FORMULA = [check for check in CHECKS if check.points]
PRIVATE = 1000  # a seed that students do not know, and the same in all tests
SEED = 0  # whose predictions the handout's tables need too: they are made once


def judge_package(
    package: Path | None, checks: Sequence[Check] | None = None, seed: int = SEED
) -> dict[str, Judgement]:
    """Returns the judgement of each check, by id; of all that judge alone if none are named."""
    if checks is None:
        checks = [check for check in CHECKS if check.level == "formula" and not check.parts]
    return judge_tree(Tree(package), checks, seed)


def judge_tree(tree: Tree, checks: Sequence[Check], seed: int = SEED) -> dict[str, Judgement]:
    """Returns the judgement of each check, by id."""
    seen: dict[tuple[str, tuple[str, ...]], Observation] = {}
    judgements: dict[str, Judgement] = {}
    for check in checks:
        key = (check.full_probe, check.owners)
        if key not in seen:
            seen[key] = run_probe(tree, check.full_probe, check.owners, seed).trials
        told = {mistake for judgement in judgements.values() for mistake in judgement.mistakes}
        judgements[check.id] = check.told_once(check.judge(seen[key], seed), told)
    return judgements
