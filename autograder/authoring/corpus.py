"""The corpus of one blank, judged in this process: only a checkout of the whole project has it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

from autograder.base import checks as homeworks
from autograder.grading.judging import judge_seen
from autograder.misconceptions.mutants import MutantTree
from autograder.misconceptions.wording import in_words
from autograder.running.see import see

SEED = 0


def entries(blank: str) -> Iterator[Any]:
    """Yields the entries that a blank's check judges.

    Raises:
        ModuleNotFoundError: If the corpus is not here.
    """
    corpus: Any = importlib.import_module("tests.autograder.corpus")
    for entry in corpus.all_entries(blank.partition(".")[0]):
        if entry.judged_by == blank:
            yield entry


def misjudged(entry: Any) -> str:
    """Returns how an entry's verdict differs from what it demands; "" if it does not."""
    corpus: Any = importlib.import_module("tests.autograder.corpus")
    checks = {check.id: check for check in homeworks.checks(entry.homework)}
    check = checks[entry.judged_by]
    files: Mapping[str, str] = corpus.files_of([entry])
    judgement = judge_seen(check, see(MutantTree(files), check, SEED), SEED)
    if sorted(judgement.ids) == sorted(entry.misconceptions) and not judgement.unknown:
        return ""
    found = ", ".join(judgement.ids) or "; ".join(map(in_words, judgement.unknown)) or "passed"
    return f"judged as {found}, not as {', '.join(entry.misconceptions) or 'right'}"
