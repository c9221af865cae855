"""Judges a submission in this very process: quick, and an exception of ours is seen at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder.base import checks as homeworks
from autograder.base.checks import Check
from autograder.base.packed import unpack
from autograder.base.results import Judgement
from autograder.grading.judging import judge_seen
from autograder.misconceptions.oracle import Table
from autograder.running.see import see
from autograder.source.importing import Tree

CHECKS = homeworks.checks("hw3")
FORMULA = [check for check in CHECKS if check.points]
PRIVATE = 1000  # a seed that students do not know, and the same in all tests
SEED = 0  # whose predictions the handout's tables need too: they are made once


def judge_package(
    package: Path | None, checks: Sequence[Check] | None = None, seed: int = SEED
) -> dict[str, Judgement]:
    """Returns the judgement of each check, by id; of all that judge alone if none are named."""
    if checks is None:
        checks = [check for check in CHECKS if not check.parts]
    return judge_tree(Tree(package), checks, seed)


def judge_tree(tree: Tree, checks: Sequence[Check], seed: int = SEED) -> dict[str, Judgement]:
    """Returns the judgement of each check, by id."""
    return {check.id: judge_seen(check, see(tree, check, seed), seed) for check in checks}


def table_from(data: bytes) -> Table:
    """Reads the table of a question, as a handout has it."""
    every, note = unpack(data)
    return Table(note["words"], note["groups"], every)
