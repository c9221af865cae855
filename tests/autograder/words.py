"""All misconceptions that a homework's checks know by name."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from autograder.base.results import Misconception
from autograder.misconceptions.catalogue import questions
from autograder.misconceptions.explain import GENERAL
from autograder.misconceptions.search import oracle_for


@functools.cache
def words_of(homework: str) -> Mapping[str, Misconception]:
    """Returns them by id; no id has two meanings."""
    lists = [oracle_for(question).words for question in questions(homework)]
    known = dict(GENERAL)
    for new in lists:
        assert not {id for id in known.keys() & new.keys() if known[id] != new[id]}
        known |= new
    return known
