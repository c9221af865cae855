"""Judges whole agents that die in training, and right ones, with the judge of this tree.

    python benchmarks/agents.py judge OUT.jsonl [--homework hw4] [--kind dead]
    python benchmarks/agents.py compare TODAY.jsonl NEW.jsonl [-v]

The rows are those of `rounds/*_dead.csv`, right bodies of `rounds/*_bodies.csv`, the entries of
`tests/autograder/beside`, and what is right alone and dies together in `test_blame`. A line of the
result has the row, who is blamed, who is at fault, whether it passed, and seconds of the processor.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from autograder.base import checks as homeworks
from autograder.base.checks import Check
from autograder.base.seen import PROBE
from autograder.grading.judging import judge_seen
from autograder.misconceptions.mutants import MutantTree
from autograder.misconceptions.wording import in_words
from autograder.running.see import see
from autograder.source.importing import Tree
from benchmarks.common import ROOT
from benchmarks.misjudged import PART, files_of
from tests.autograder import corpus, test_blame

DEAD, RIGHT = "dead", "right"
LISTS = (("DEAD", DEAD), ("ENTRIES", DEAD), ("TWINS", DEAD), ("RIGHT", RIGHT))
MODULES = (
    "dead_agents",
    "right_agents",
    "test_sac",
    "test_ddpg_td3",
    "test_policy_gradient",
    "test_segments",
)


class Row(NamedTuple):
    """A submission: which blanks it writes, and which one is at fault."""

    kind: str
    id: str
    blame: str
    blanks: frozenset[str]
    files: Mapping[str, str]


def rows() -> Iterator[Row]:
    """Yields all rows, each id once."""
    for file in sorted((ROOT / "benchmarks" / "rounds").glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as opened:
            for row in csv.DictReader(opened):
                if row.get("kind") in (DEAD, RIGHT):
                    written = row["written"]
                    blanks = frozenset(p[1] for p in PART.finditer(written) if not p[2])
                    blame = row.get("blame") or row["blank"]
                    yield Row(
                        row["kind"], f"{file.stem}:{row['id']}", blame, blanks, files_of(written)
                    )
    for name in MODULES:
        module = importlib.import_module(f"tests.autograder.beside.{name}")
        for group, kind in LISTS:
            found = getattr(module, group, ())
            entries = found.values() if isinstance(found, dict) else found
            kind = RIGHT if name == "right_agents" else kind
            yield from of_entries(f"{name}:{group}", kind, entries)
    yield from of_entries("test_blame:DIES", DEAD, (entry for entry, *_ in test_blame.DIES))
    dies = [entry for entry in corpus.all_entries("hw3") if entry.name in test_blame.DEAD]
    for number, entry in enumerate(dies, 1):
        blame = test_blame.DEAD[entry.name]
        files = corpus.files_of([entry])
        yield Row(DEAD, f"test_blame:DEAD:{number}", blame, frozenset([blame]), files)


def of_entries(name: str, kind: str, entries: Iterable[corpus.Entry]) -> Iterator[Row]:
    """Yields the rows of a list of a test."""
    for number, entry in enumerate(entries, 1):
        files, blank = corpus.files_of([entry]), entry.judged_by
        yield Row(kind, f"{name}:{number}", blank, frozenset([blank]), files)


def judged(row: Row, wholes: Iterable[Check]) -> dict[str, Any]:
    """Returns the line of a row: the first of its agents that is wrong says who is blamed."""
    began, blamed = time.process_time(), dict[str, Any]()
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "cs285"
        shutil.copytree(ROOT / "cs285", package, ignore=shutil.ignore_patterns("__pycache__"))
        for path, text in row.files.items():
            (package / path).write_text(text, encoding="utf-8")
        for check in (check for check in wholes if row.blanks & {*check.parts}):
            seen = see(Tree(package), check, 0)
            if crash := seen.crashes.get(PROBE):
                blamed = {"error": crash.text}
            elif not (judgement := judge_seen(check, seen, 0)).passed:
                blamed = judgement.blamed or {"error": text_of(judgement)}
            if blamed:
                break
    texts = [one if isinstance(one, str) else text_of(one) for one in blamed.values()]
    seconds = round(time.process_time() - began, 2)
    plain = {"kind": row.kind, "id": row.id, "blame": row.blame, "found": sorted(blamed)}
    return {**plain, "passed": not blamed, "text": texts, "seconds": seconds}


def text_of(judgement: Any) -> str:
    """Returns what a student reads."""
    return " ".join([*map(in_words, judgement.unknown), *judgement.notes])


def outcome(line: Mapping[str, Any]) -> str:
    """Returns the column of the table in which a row counts."""
    if line["passed"]:
        return "not noticed" if line["kind"] == DEAD else "right form passes"
    if line["kind"] == RIGHT:
        return "right form fails"
    found = [blank for blank in line["found"] if blank]
    if not found:
        return "nobody named"
    return "right blank alone" if found == [line["blame"]] else "another blank"


def compare(files: Iterable[Path], verbose: bool) -> None:
    """Prints the table of two results, by homework, and where they differ."""
    lines = [[json.loads(one) for one in file.read_text().splitlines()] for file in files]
    today, new = ({line["id"]: line for line in each} for each in lines)
    both = [id for id in today if id in new]
    for name, side in (("today", today), ("new", new)):
        every = [side[id] for id in both]
        for homework in sorted({line["blame"][:3] for line in every}):
            own = [line for line in every if line["blame"].startswith(homework)]
            seconds = sum(line["seconds"] for line in own)
            print(f"{name:6} {homework} {seconds:6.0f} s", dict(Counter(map(outcome, own))))
        print(
            f"{name:6} all {sum(line['seconds'] for line in every):6.0f} s",
            dict(Counter(map(outcome, every))),
        )
    for id in both:
        if verbose or outcome(today[id]) != outcome(new[id]):
            print(f"\n{id}: {today[id]['blame']}")
            for name, line in (("today", today[id]), ("new", new[id])):
                print(f"  {name}: {outcome(line)} {line['found']} {' '.join(line['text'])[:400]}")


def main() -> None:
    """Judges, or compares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("judge", "compare"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--homework", default="hw")
    parser.add_argument("--kind", choices=(DEAD, RIGHT))
    parser.add_argument("--only", default="", help="part of an id")
    parser.add_argument("-v", action="store_true", help="print all rows")
    args = parser.parse_args()
    if args.what == "compare":
        compare(args.files, args.v)
        return
    checks = [check for homework in homeworks.names() for check in homeworks.checks(homework)]
    wholes = [check for check in checks if check.beside]
    wholes = [check for check in wholes if check.id.startswith(args.homework)]
    for check in wholes:  # what ours does is predicted before, and its seconds are nobody's
        if (found := judge_seen(check, see(MutantTree({}), check, 0), 0)).blamed:
            print(check.id, "ours is wrong:", found.blamed)
    with args.files[0].open("a", encoding="utf-8") as out:
        for row in rows():
            kinds = args.kind is None or row.kind == args.kind
            if kinds and args.only in row.id and row.blame.startswith(args.homework):
                out.write(json.dumps(judged(row, wholes)) + "\n")
                out.flush()


if __name__ == "__main__":
    main()
