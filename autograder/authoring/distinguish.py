"""Pairs of misconceptions that lead to one record, and an input that would separate them."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from autograder.base.seen import Seen
from autograder.misconceptions.catalogue import Question
from autograder.misconceptions.live_oracle import cached
from autograder.misconceptions.mutants import MutantTree, written
from autograder.misconceptions.mutation_file import mutation_set_of
from autograder.running import experiments
from autograder.running.declared import load
from autograder.running.see import run

Pair = tuple[Seen, Seen]
SCALES = (-1.0, 0.1, 10.0, 100.0)  # times which all numbers of a case are tried


def confused(asked: Question, seed: int) -> list[Pair]:
    """Returns pairs of single misconceptions, or of one and what is right, with one record."""
    return list(alike(asked, [*cached(asked, seed, 0)[:1], *cached(asked, seed, 1)]))


def nested(asked: Question) -> Iterator[str]:
    """Yields which pieces of the solution contain others: their mistakes are never combined."""
    texts = sorted({point.text for point in mutation_set_of(asked).points}, key=len)
    for one, other in itertools.combinations(texts, 2):
        if one in other:
            yield f"  note: {one!r} lies in {other!r}, so these two are never changed together"


def alike(asked: Question, entries: Sequence[Seen]) -> Iterator[Pair]:
    """Yields outcomes of different misconceptions that nothing distinguishes."""
    mutations = mutation_set_of(asked)
    calls = mutations.line_contains
    for a, b in itertools.combinations(entries, 2):
        mine, its = set(a.mistakes), set(b.mistakes)
        if mine == its or mine & its & mutations.masks or not a.agrees(b):
            continue
        lines = [{calls.get(name) for name in names} for names in (mine, its)]
        by_line = a.raised and None not in lines[0] | lines[1] and lines[0] != lines[1]
        if not by_line:
            yield a, b


def separating(asked: Question, pair: Pair, seed: int) -> str:
    """Returns which change of a case would give two misconceptions different records; "" if none.

    Each field of each case is moved alone, and all numbers are scaled at once.
    """
    probe = load(f"autograder.{asked.probe}")
    for words, case in other_cases(probe.cases(seed)):
        one, other = (_outcome(asked, probe, entry, case, seed) for entry in pair)
        if not one.agrees(other):
            return words
    return ""


def other_cases(cases: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields cases that are not tried so far, with what is special about each."""
    for name, case in cases.items():
        numbers = {k: a for k, a in experiments.arrays_of(case).items() if a.dtype.kind == "f"}
        if not numbers:
            continue
        for field, moved in experiments.each_field(case).items():
            yield f'the case "{name}" with another {field}', moved
        for scale in SCALES:
            scaled = {k: (scale * a).astype(a.dtype) for k, a in numbers.items()}
            words = f'the case "{name}" with all its arrays times {scale:g}'
            yield words, dataclasses.replace(case, **scaled)


def _outcome(asked: Question, probe: Any, entry: Seen, case: Any, seed: int) -> Seen:
    """Returns what the probe records of one case, in the solution that an entry stands for."""
    alone = SimpleNamespace(cases=lambda seed: {"tried": case}, observe=probe.observe)
    files = next(written(asked, entry.choice))
    tree = MutantTree(files)
    tree.brief = True
    return run(tree, lambda student: experiments.run(alone, student, seed), tuple(files), seed).seen


def in_words(asked: Question, pair: Pair) -> str:
    """Returns both sides of a pair, with their code."""
    return " and ".join(_side(asked, entry) for entry in pair)


def _side(asked: Question, entry: Seen) -> str:
    texts: Sequence[str] = [
        mutation.text for _, mutation in mutation_set_of(asked).mutations(entry.choice)
    ]
    name = " + ".join(entry.mistakes) or "the solution"
    return f"{name} ({'; '.join(map(repr, texts))})" if texts else name
