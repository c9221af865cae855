"""What the grader catches and names: every mistake and right form of its corpus, pairs, triples.

    python benchmarks/diagnosis.py --write
    python benchmarks/diagnosis.py --homework hw6 --write
    python benchmarks/diagnosis.py --within-blank 150 --write

Writes docs/results/diagnosis.md, or diagnosis_hw6.md for another homework than the third. Pairs and
triples are drawn at random among mistakes that can stand in one submission; in one blank two
changes may also hide each other, and count all the same. The last command measures pairs of one
blank alone, see `within_blank.py`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from autograder.base.checks import checks, names
from benchmarks.common import command, machine, page_of, table
from benchmarks.within_blank import PAGE, within_blank
from tests.autograder.corpus import Entry, all_entries, files_of, write
from tests.autograder.judging import SEED, judge_package

FEW = 10_000  # groups, of which a list is made; of more, some are drawn


class NothingJudgedError(Exception):
    """There is no mistake, or no group of mistakes: a figure would say nothing."""


@dataclass(frozen=True)
class Outcome:
    """What became of one submission."""

    entries: tuple[Entry, ...]
    named: frozenset[tuple[str, str]]  # (check, mistake)
    failed: frozenset[str]  # checks that did not pass
    seconds: float

    @property
    def expected(self) -> frozenset[tuple[str, str]]:
        """The mistakes that are in it."""
        return frozenset((e.judged_by, m) for e in self.entries for m in e.misconceptions)

    @property
    def caught(self) -> bool:
        """Whether every check that has a mistake failed."""
        return {check for check, _ in self.expected} <= self.failed

    @property
    def all_named(self) -> bool:
        """Whether the mistakes named are those that are in it."""
        return self.named == self.expected

    @property
    def alone(self) -> bool:
        """Whether all other checks passed."""
        return self.failed <= {entry.judged_by for entry in self.entries}


def judge(entries: Sequence[Entry], homework: str) -> Outcome:
    """Judges a submission with all of these changes, one blank or given part at a time."""
    asked = [each for each in checks(homework) if not each.parts]
    with tempfile.TemporaryDirectory() as folder:
        package = write(Path(folder), entries)
        began = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):  # what students print is their own
            judgements = judge_package(package, asked)
        seconds = time.perf_counter() - began
    named = frozenset((check, m) for check, j in judgements.items() for m in j.ids)
    failed = frozenset(check for check, j in judgements.items() if not j.passed)
    return Outcome(tuple(entries), named, failed, seconds)


def draw(entries: Sequence[Entry], size: int, number: int, seed: int) -> Iterator[list[Entry]]:
    """Draws groups of mistakes that can stand in one submission; no more than there are."""
    drawn = 0
    for numbers in some_groups(len(entries), size, seed):
        if drawn == number:
            return
        group = [entries[i] for i in numbers]
        if can_stand_together(group):
            drawn += 1
            yield group


def some_groups(number: int, size: int, seed: int) -> Iterator[tuple[int, ...]]:
    """Yields every group of some numbers below `number` once, in random order."""
    rng = np.random.default_rng([size, seed])
    if math.comb(number, size) <= FEW:
        every = list(itertools.combinations(range(number), size))
        yield from (every[i] for i in rng.permutation(len(every)))
        return
    record: set[tuple[int, ...]] = set()
    while len(record) < math.comb(number, size):
        numbers = tuple(sorted(rng.choice(number, size, replace=False).tolist()))
        if numbers not in record:
            record.add(numbers)
            yield numbers


def can_stand_together(group: Sequence[Entry]) -> bool:
    """Tells whether all mistakes of a group are there, and differ, when all are made."""
    if len({m for e in group for m in e.misconceptions}) < len(group):
        return False
    try:
        files = files_of(group)
        for path, text in files.items():
            compile(text, path, "exec")
    except (ValueError, SyntaxError):  # they change the same lines
        return False
    # A change that replaces a whole method may have undone another.
    return all(files_of([e for e in group if e is not one]) != files for one in group)


def share(outcomes: Sequence[Outcome], name: str) -> str:
    """Returns "n of m (p %)" for a property of outcomes."""
    count = sum(getattr(outcome, name) for outcome in outcomes)
    return f"{count} of {len(outcomes)} ({100 * count / max(1, len(outcomes)):.1f} %)"


def confusions(outcomes: Sequence[Outcome]) -> list[list[str]]:
    """Returns a row for each kind of mistake that was called something else."""
    record: Counter[tuple[str, str]] = Counter()
    for outcome in outcomes:
        if not outcome.all_named:
            missing = sorted(m for _, m in outcome.expected - outcome.named)
            instead = sorted(m for _, m in outcome.named - outcome.expected) or ["no name"]
            record[", ".join(missing) or "(all named)", ", ".join(instead)] += 1
    return [[a, b, str(n)] for (a, b), n in record.most_common()]


def page(groups: dict[str, list[Outcome]], right: list[Outcome], args: argparse.Namespace) -> str:
    """Returns the report."""
    mistaken = [outcome for outcomes in groups.values() for outcome in outcomes]
    everything = [*right, *mistaken]
    together = [outcome for outcome in mistaken if len(outcome.entries) > 1]
    mutants = page_of("mutants", args.homework)
    of_machines = f" [{mutants.name}]({mutants.name}) has those that a machine made."
    if not mutants.exists():
        of_machines = ""
    lines = [
        "# What the grader catches and names",
        "",
        f"Drawn by `{command()}` from the corpus in "
        f"`tests/autograder/corpus/`, with seed {SEED}; pairs and triples "
        f"drawn with seed {args.seed}. {machine()}.",
        "",
        "These are mistakes that somebody thought of." + of_machines,
        "",
        table(
            ["submissions with", "caught", "all named, nothing else", "only its own blanks failed"],
            [
                [name, *(share(outcomes, what) for what in ("caught", "all_named", "alone"))]
                for name, outcomes in [*groups.items(), ("a pair or a triple", together)]
            ],
        ),
        "",
        f"[{PAGE}]({PAGE}) has pairs within one blank.",
        "",
        f"Right forms: {len(right)}; false alarms: {sum(bool(o.failed) for o in right)}.",
        "",
        "Time to judge a submission, warm, on one core: median "
        f"{np.median([o.seconds for o in everything]):.2f} s, longest "
        f"{max(o.seconds for o in everything):.2f} s.",
        "",
        "## Called something else",
        "",
        "What was reported in the place of mistakes that were not named. Where all were named, "
        "something else was reported too.",
        "",
        table(["not named", "named in its place", "times"], confusions(everything)),
    ]
    return "\n".join(lines) + "\n"


def plan(entries: Sequence[Entry], args: argparse.Namespace) -> dict[str, list[list[Entry]]]:
    """Returns the submissions to be judged, by how many mistakes they have.

    Raises:
        NothingJudgedError: If there is none of a kind that is asked for.
    """
    mistaken = [entry for entry in entries if entry.misconceptions]
    if not mistaken:
        raise NothingJudgedError(f"the corpus has no mistake of {args.homework}")
    single = [entry for entry in mistaken if len(entry.misconceptions) == 1]
    found = {"one mistake": [[entry] for entry in mistaken]}
    for name, size, wanted in (("a pair", 2, args.pairs), ("a triple", 3, args.triples)):
        if wanted:
            found[name] = list(draw(single, size, wanted, args.seed))
            if not found[name]:
                raise NothingJudgedError(f"no mistakes of {args.homework} make {name}")
            if len(found[name]) < wanted:
                print(f"{name}: only {len(found[name])} exist, not {wanted}", file=sys.stderr)
    return found


BY_HAND = "\n## The form of a blank's file\n"
"""The part of the page that stays as it is: `own_checks.py` has the numbers."""


def main() -> int:
    """Judges the corpus and reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--homework", choices=names(), default="hw3")
    parser.add_argument("--pairs", type=int, default=300, help="0: none")
    parser.add_argument("--triples", type=int, default=150, help="0: none")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write the page of results")
    parser.add_argument("--within-blank", type=int, metavar="N", help="N pairs of one blank, alone")
    args = parser.parse_args()
    if args.within_blank:
        within_blank(args.within_blank, SEED, args.seed, args.write)
        return 0
    entries = all_entries(args.homework)
    try:
        submissions = plan(entries, args)
    except NothingJudgedError as error:
        print(error, file=sys.stderr)
        return 2
    groups = {n: [judge(group, args.homework) for group in each] for n, each in submissions.items()}
    right = [judge([entry], args.homework) for entry in entries if not entry.misconceptions]
    text = page(groups, right, args)
    print(text)
    if args.write:
        file = page_of("diagnosis", args.homework)
        _, mark, by_hand = (file.read_text() if file.is_file() else "").partition(BY_HAND)
        file.write_text(f"{text}{mark}{by_hand}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
