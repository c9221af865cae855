"""Hands in random wrong bodies, and searches Gradescope's page for every right number.

    python benchmarks/secret_numbers.py --number 10000 [--homework hw3]

Each body is our solution with one to three random changes. It is judged as on Gradescope, where
nobody may read right numbers, and every number that the probe sees of a right solution is
searched in the page: as it stands, and with the lines joined where they were wrapped. Numbers that
the student's own code computed, whole numbers and short ones prove nothing. The exit status is 1 if
any is found.
"""

from __future__ import annotations

import argparse
import ast
import functools
import random
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from autograder.base.checks import Check, checks
from autograder.base.seen import Seen
from autograder.gradescope.contract import clean, in_words
from autograder.grading.judging import judged, worded
from autograder.misconceptions import mutants
from autograder.running.see import see

NUMBER = re.compile(r"\d+\.\d+(?:e[-+]?\d+)?|\d+(?:e[-+]?\d+)")
DIGITS = range(3, 9)  # significant ones, as any message may have
FEWEST = 3  # digits of a number that is no accident
MOST_SECONDS = 20
OPERATORS = (ast.Add(), ast.Sub(), ast.Mult(), ast.Div())
COMPARISONS = (ast.Lt(), ast.LtE(), ast.Gt(), ast.GtE(), ast.Eq(), ast.NotEq())


def changed(body: str, rng: random.Random) -> str:
    """Returns a blank's body with random changes."""
    tree = ast.parse(body)
    for _ in range(rng.choice((1, 1, 2, 3))):
        nodes = list(ast.walk(tree))
        rng.shuffle(nodes)
        rng.choice((_operator, _constant, _name, _wrapped, _dropped))(nodes, rng)
    return ast.unparse(ast.fix_missing_locations(tree))


def _operator(nodes: list[ast.AST], rng: random.Random) -> None:
    for node in nodes:
        if isinstance(node, ast.BinOp):
            node.op = rng.choice(OPERATORS)
            return
        if isinstance(node, ast.Compare):
            node.ops[0] = rng.choice(COMPARISONS)
            return


def _constant(nodes: list[ast.AST], rng: random.Random) -> None:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            node.value = rng.choice((0, 1, 2, -1, 0.5, node.value + 1, rng.uniform(-3, 3)))
            return


def _name(nodes: list[ast.AST], rng: random.Random) -> None:
    names = [node for node in nodes if isinstance(node, ast.Name)]
    read = [node for node in names if isinstance(node.ctx, ast.Load)]
    if len(read) > 1:
        read[0].id = read[1].id


def _wrapped(nodes: list[ast.AST], rng: random.Random) -> None:
    for node in nodes:
        for field in ("value", "left", "right"):
            inner = getattr(node, field, None)
            if isinstance(inner, ast.BinOp | ast.Call) or (
                isinstance(inner, ast.Name) and isinstance(node, ast.BinOp)
            ):
                number = ast.Constant(round(rng.uniform(-2, 2), 3))
                setattr(node, field, ast.BinOp(inner, rng.choice(OPERATORS), number))
                return


def _dropped(nodes: list[ast.AST], rng: random.Random) -> None:
    for node in nodes:
        body = getattr(node, "body", None)
        if isinstance(body, list) and len(body) > 1:
            del body[rng.randrange(len(body))]
            return


def numbers_in(seen: Seen) -> Iterator[float]:
    """Yields the numbers of what was seen that are no whole ones."""
    for array in seen.arrays.values():
        if array.dtype.kind == "f":
            kept = array[np.isfinite(array)]
            yield from (float(value) for value in kept.ravel() if value != round(value))


def spellings(seen: Seen) -> set[str]:
    """Returns each number as text, in all lengths that are no accident."""
    found = set()
    for value in numbers_in(seen):
        for digits in DIGITS:
            text = f"{abs(value):.{digits}g}"
            if sum(c.isdigit() for c in text.partition("e")[0].lstrip("0.")) >= FEWEST:
                found.add(text)
    return found


@functools.cache
def right_spellings(check: Check, seed: int) -> frozenset[str]:
    """Returns the numbers that a right solution leaves."""
    return frozenset(spellings(see(mutants.MutantTree({}), check, seed)))


def page(check: Check, seen: Seen, seed: int, answers: bool = False) -> str:
    """Returns what Gradescope's page has about a check, wrapped as it is and joined again."""
    shown = clean(in_words(worded(check, judged(check, seen, seed), answers)))
    joined = re.sub(r"\s*\n\s*", " ", shown)
    return f"{shown}\n{joined}\n{joined.replace(' ', '')}"


def within(seconds: int, work: Callable[[], list[str]]) -> list[str] | None:
    """Works, and gives up after some seconds: None then, and where anything was raised."""

    def give_up(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        return work()
    except BaseException as error:  # noqa: BLE001  (a wrong body may raise anything)
        if isinstance(error, KeyboardInterrupt):
            raise
        return None
    finally:
        signal.alarm(0)


def leaks(check: Check, body: str, seed: int, answers: bool = False) -> list[str]:
    """Returns the right numbers that stand on the page of a wrong body; all may, with `answers`."""
    files = mutants.filled({check.id: body})
    seen = see(mutants.MutantTree(files), check, seed)
    secret = right_spellings(check, seed) - spellings(seen)
    text = page(check, seen, seed, answers)
    return sorted(secret & set(NUMBER.findall(text)) - set(NUMBER.findall(body)))


def main() -> int:
    """Judges and searches; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--number", type=int, default=10_000, help="wrong bodies (10000)")
    parser.add_argument("--homework", default="hw3", help="whose blanks (hw3)")
    parser.add_argument("--seed", type=int, default=0, help="of the changes (0)")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so many")
    args = parser.parse_args()
    asked = [c for c in checks(args.homework) if c.points and c.id in mutants.regions()]
    rng, began, done, wrong, found = random.Random(args.seed), time.monotonic(), 0, 0, 0
    lost = 0
    while done < args.number and time.monotonic() - began < args.seconds:
        check = asked[done % len(asked)]
        body = mutants.regions()[check.id][2]
        other = changed(body, rng)
        done += 1
        if other == ast.unparse(ast.parse(body)):
            continue
        got = within(MOST_SECONDS, functools.partial(leaks, check, other, 0))
        wrong, lost = wrong + 1, lost + (got is None)
        for number in got or ():
            print(f"{check.id}: {number} stands on the page of:\n{other}\n", flush=True)
        found += bool(got)
    searched = sum(len(right_spellings(check, 0)) for check in asked)
    print(
        f"{wrong} wrong bodies in {len(asked)} blanks of {args.homework}, {searched} spellings of "
        f"right numbers: {found} pages with one, {lost} not judged to the end "
        f"({time.monotonic() - began:.0f} s)"
    )
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
