"""Two misconceptions of one blank, made at once: how many of such pairs the search names.

`python benchmarks/diagnosis.py --within-blank 150` draws them, blank after blank, from the pairs
that the search itself considers. A pair that leads to where a single misconception leads, or a
right form, is not counted: nothing distinguishes it. So is a pair that no code can make.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.base.checks import names
from autograder.base.seen import Choice
from autograder.misconceptions import mutants
from autograder.misconceptions.catalogue import questions
from autograder.misconceptions.explain import judge
from autograder.misconceptions.live_oracle import choices
from autograder.misconceptions.lookup import oracle_for
from autograder.misconceptions.mutation_file import mutation_set_of
from autograder.misconceptions.question import Question
from benchmarks.common import publish, table

BOTH, ONE, OTHER, NONE = "both, no other", "one of them, no other", "another", "none"
KINDS = (BOTH, ONE, OTHER, NONE)
PAGE = "diagnosis_within_blank.md"


@dataclass(frozen=True)
class Pair:
    """Two misconceptions of one blank, and what was named."""

    blank: str
    made: frozenset[str]
    named: frozenset[str]

    @property
    def kind(self) -> str:
        """How well they were named; one of `KINDS`."""
        if self.named == self.made:
            return BOTH
        if not self.named:
            return NONE
        return ONE if self.named < self.made else OTHER


def judged(question: Question, choice: Choice, seed: int) -> Pair | None:
    """Judges one pair; None if nothing distinguishes it from fewer misconceptions."""
    files = next(iter(mutants.written(question, choice)), None)
    if files is None:
        return None
    seen, known = mutants.run(question, files, seed), oracle_for(question, seed)
    fewer = [*known.with_misconceptions(0), *known.with_misconceptions(1)]
    if any(one.agrees(seen) for one in fewer):
        return None
    made = frozenset(mutation_set_of(question).misconceptions_of(choice))
    return Pair(question.blank, made, frozenset(judge(question, seen, seed).ids))


def drawn(number: int, seed: int, rng: random.Random) -> Iterator[Pair]:
    """Draws pairs, one from each blank in turn, until there are so many or none is left."""
    left: list[tuple[Question, list[Choice]]] = []
    for homework in names():
        for question in questions(homework):
            pairs = list(choices(question, seed, 2))
            rng.shuffle(pairs)
            left.append((question, pairs))
    while left := [(question, pairs) for question, pairs in left if pairs]:
        for question, pairs in left:
            found = judged(question, pairs.pop(), seed)
            if found is None:
                continue
            yield found
            number -= 1
            if not number:
                return


def within_blank(number: int, seed: int, rng_seed: int, write: bool) -> None:
    """Judges so many pairs, and publishes how many the search names.

    Args:
        number: Of pairs that differ from fewer misconceptions.
        seed: Of the probes.
        rng_seed: Which pairs are drawn.
        write: Whether to write the page of results.
    """
    found = list(drawn(number, seed, random.Random(rng_seed)))
    if not found:
        raise SystemExit("no blank has two misconceptions that can be made at once")
    by_blank = Counter((pair.blank, pair.kind) for pair in found)
    rows = [
        [blank, *(str(by_blank[blank, kind] or "") for kind in KINDS)]
        for blank in dict.fromkeys(pair.blank for pair in found)
    ]
    total = Counter(pair.kind for pair in found)
    rows.append(["all", *(str(total[kind]) for kind in KINDS)])
    share = 100 * total[BOTH] / len(found)
    publish(
        "Pairs within one blank",
        f"Of {len(found)} pairs, {total[BOTH]} ({share:.0f} %) are named, both and no other. Each "
        "was drawn from the pairs that the search considers, and leads elsewhere than any single "
        f"misconception. Probes have seed {seed}, the draw {rng_seed}.",
        [table(["blank", *(f"named: {kind}" for kind in KINDS)], rows)],
        write,
        PAGE,
    )
