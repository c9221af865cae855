"""Judges a submission's whole agents in this process: run together, then beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder.base.checks import Check
from autograder.base.results import Judgement
from autograder.base.seen import PROBE
from autograder.grading.judging import judge_seen
from autograder.misconceptions.wording import in_words
from autograder.running.see import see
from autograder.source.importing import Tree
from tests.autograder.corpus import Entry, write
from tests.autograder.judging import CHECKS

WHOLE = [check for check in CHECKS if check.parts]
BESIDE = [check for check in WHOLE if check.beside]


def blamed(
    folder: Path, entries: Sequence[Entry], wholes: Sequence[Check] = WHOLE
) -> dict[str, Judgement]:
    """Returns what is wrong with the agents that these entries are parts of, by blank."""
    tree = Tree(write(folder, entries))
    every = {entry.judged_by for entry in entries}
    for check in [c for c in wholes if every & set(c.parts)] or wholes:
        seen = see(tree, check, 0)
        assert PROBE not in seen.crashes, seen.crashes[PROBE]
        if found := judge_seen(check, seen, 0).blamed:
            return found
    return {}


def text_of(judgement: Judgement) -> str:
    """Returns all that a student reads."""
    return " ".join([*map(in_words, judgement.unknown), *judgement.notes])
