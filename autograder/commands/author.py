"""`author`: checks the files of one blank, for whoever writes them."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator

from autograder.authoring import distinguish, placing, template, validate
from autograder.authoring.survivors import judge_mutants
from autograder.base.text import UsageError
from autograder.commands import Commands
from autograder.misconceptions.catalogue import Question
from autograder.source import ROOT, reference

SEEDS = (0, 1, 1000)
SECONDS_OF_MUTANTS = 50.0
ALL_MUTANTS = "python benchmarks/mutants.py --blanks"
REST = "mutants are not judged yet"
BLANK = re.compile(r"hw\d+\.\w+\.\w+")


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "author", allow_abbrev=False, help="check the file of one blank, and give it its place"
    )
    parser.add_argument("blank", nargs="?", help="an id, such as hw4.td3.smoothing, or its file")
    parser.add_argument("--new", metavar="ID", help="make the file of a new blank")
    parser.add_argument("--title", default="...", help="with --new: what the board calls it")
    parser.add_argument("--points", type=int, default=5, help="with --new: what it counts (5)")
    parser.add_argument(
        "--file", default="agents/...", help="with --new: the file in cs285/ that holds it"
    )
    parser.add_argument(
        "--show", action="store_true", help="print what the probe records of the solution, alone"
    )
    parser.add_argument(
        "--seconds", type=float, default=SECONDS_OF_MUTANTS, help="most time for mutants (50)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Checks a blank, or makes a new one; returns 0, or 1 if anything is open.

    A new blank with nothing open gets its number, its section of the page and its cells.

    Raises:
        UsageError: If there is no such blank, or its file is there already.
    """
    blank = args.new or validate.id_of(args.blank or "")
    if not BLANK.fullmatch(blank):
        raise UsageError(f"{blank!r} is no blank's id, such as hw4.td3.smoothing")
    if args.new:
        return _new(args)
    asked = validate.question_of(blank)
    if asked is None:
        raise UsageError(f"no check asks about {blank}; `author --new {blank}` makes its file")
    if args.show:
        problems = list(validate.undeclared(asked))
        for line in problems or validate.record_of_solution(asked, SEEDS[0]):
            print(line)
        return int(bool(problems))
    reference.require_clone("author", "tests", "benchmarks")
    return _check(asked, args.seconds)


def _check(asked: Question, seconds: float) -> int:
    """Prints what is open; gives a new blank its place if nothing is. Returns the status."""
    began, still_open, last = time.monotonic(), 0, ""
    for line in _problems(asked, seconds):
        still_open += not line.startswith("  ")
        print(line, flush=True)
        last = line if REST in line else last
    unjudged = f"; {last.strip().partition(':')[0]}" if last else ""
    print(f"{still_open or 'nothing'} open, in {time.monotonic() - began:.0f} s{unjudged}")
    if not still_open:
        new = () if placing.is_placed(asked.blank) else placing.place(asked.blank)
        for line in (*new, *placing.write_section(asked.blank)):
            print(f"wrote {line}")
    return int(still_open > 0)


def _new(args: argparse.Namespace) -> int:
    try:
        file = template.write_new(args.new, args.title, args.points, args.file)
    except OSError as error:
        raise UsageError(str(error)) from error
    print(f"{file.relative_to(ROOT)}")
    print(f"fill in what is marked TODO, then: python -m autograder author {args.new}")
    return 0


def _problems(asked: Question, seconds: float) -> Iterator[str]:
    """Yields what is open, a line each; lines that begin with spaces explain."""
    print("the files", flush=True)
    found = list(validate.problems(asked))
    yield from found
    if found:
        return
    yield from distinguish.nested(asked)
    for seed in SEEDS:
        print(f"right forms and pairs, seed {seed}", flush=True)
        try:
            yield from validate.unlike(asked, seed)
        except RuntimeError as error:  # the probe raises, or records nothing
            yield str(error)
            return
        for pair in distinguish.confused(asked, seed):
            yield f"one record: {distinguish.in_words(asked, pair)}"
            words = distinguish.separating(asked, pair, seed)
            yield f"  {words or 'no other case that was tried'} would separate them"
    print("the solution, with the other blanks empty", flush=True)
    yield from validate.alone(asked, SEEDS[0])
    yield from placing.notes(asked.blank)
    print("the corpus", flush=True)
    yield from _corpus(asked)
    print(f"mutants, for {seconds:.0f} s at most", flush=True)
    yield from _mutants(asked, seconds)


def _corpus(asked: Question) -> Iterator[str]:
    from autograder.authoring import corpus

    number = 0
    for entry in corpus.entries(asked.blank):
        number += 1
        if wrong := corpus.misjudged(entry):
            yield f"corpus: {entry.name}: {wrong}"
    yield f"  {number} entries"


def _mutants(asked: Question, seconds: float) -> Iterator[str]:
    judged = judge_mutants(asked.blank, seconds)
    for survivor in judged.survivors:
        yield f"survives: {survivor.id}: {survivor.change}"
        yield f"  {survivor.why}"
    yield (
        f"  {judged.number} of {judged.every} mutants judged; {judged.equivalent} that pass are "
        f"equivalent, {len(judged.survivors)} are not explained"
    )
    if not judged.number:
        yield "no mutant was judged, so nothing is known of them: give more --seconds"
    if left := judged.every - judged.number:
        yield f"  {left} {REST}: --seconds 600, or {ALL_MUTANTS} {asked.blank}"
