"""Counts what `similar` finds: in classes in which nobody copied, and of copies in disguise.

    python benchmarks/likeness.py [--classes 20] [--homework hw3]

Students of these classes write forms of the tests' corpus: tests/autograder/honest_class.py. The
second table is of classes in which most write our solution, and two share some rare mistakes.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from autograder.classroom.likeness import alike
from autograder.reports.similar import STANDS_OUT
from tests.autograder.honest_class import copied, honest, mostly_right, sharing_rare_texts

SIZES = (7, 30, 100)
KEPT = (1.0, 0.75, 0.5)
SHARED = (1, 2, 3, 4)
BOTH = {"s0", "s1"}


def main() -> None:
    """Prints a line for each size of class."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, default=20)
    parser.add_argument("--homework", default="hw3")
    args = parser.parse_args()
    shares = ", ".join(f"{share:.0%}" for share in KEPT)
    print(f"students  classes  honest pairs that stand out  copies found of {shares}")
    for number in SIZES:
        false, found = 0, dict.fromkeys(KEPT, 0)
        for seed in range(args.classes):
            draw = random.Random(1000 * seed + number)
            room = honest(draw, number, args.homework)
            false += sum(pair.expected < STANDS_OUT for pair in alike(args.homework, room))
            for kept in KEPT:
                copy = copied(draw, room[0], "copy", kept)
                pairs = alike(args.homework, [*room, copy])
                whose = {("copy",), room[0].students}
                found[kept] += any(
                    pair.expected < STANDS_OUT and {pair.one.students, pair.other.students} == whose
                    for pair in pairs
                )
        counts = ", ".join(f"{found[kept]}" for kept in KEPT)
        print(f"{number:8}  {args.classes:7}  {false:28}   {counts}", flush=True)
    print_mostly_right(args.classes, args.homework)


def print_mostly_right(classes: int, homework: str) -> None:
    """Prints a line for each size of a class in which most write our solution."""
    numbers = ", ".join(map(str, SHARED))
    print(f"students  classes  honest pairs that stand out  pairs found that share {numbers}")
    for number in SIZES:
        false, found = 0, dict.fromkeys(SHARED, 0)
        for seed in range(classes):
            draw = random.Random(1000 * seed + number)
            room = mostly_right(draw, number, homework)
            false += sum(pair.expected < STANDS_OUT for pair in alike(homework, room))
            for shared in SHARED:
                pairs = alike(homework, sharing_rare_texts(draw, room, shared, homework))
                found[shared] += any(
                    pair.expected < STANDS_OUT
                    and {*pair.one.students, *pair.other.students} == BOTH
                    for pair in pairs
                )
        counts = ", ".join(f"{found[shared]}" for shared in SHARED)
        print(f"{number:8}  {classes:7}  {false:28}   {counts}", flush=True)


if __name__ == "__main__":
    main()
