"""Judges each known body by its blank's own check, and compares the verdicts of two trees.

    python benchmarks/own_checks.py verdicts.jsonl --only hw4    # in each tree
    python benchmarks/own_checks.py before.jsonl after.jsonl     # prints what differs

Bodies are the entries of the corpus (tests/autograder/corpus), the rows of benchmarks/rounds, and
those of tables that `--more` names. Status 1: a verdict or a name differs. 2: nothing was judged.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from autograder.base.results import Judgement
from autograder.grading.judging import judge_seen
from autograder.misconceptions.mutants import MutantTree
from autograder.misconceptions.wording import in_words
from autograder.running.see import see
from benchmarks.common import ROOT
from benchmarks.misjudged import BY_ID, PART, files_of
from tests.autograder import corpus

SEED = 0
Found = dict[str, dict[str, Any]]  # blank -> whether it passes, the names, and other words


def bodies(only: str, tables: Sequence[Path]) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Yields the key of each body, the blanks that it is judged by, and the files it changes."""
    for homework in sorted({blank.partition(".")[0] for blank in BY_ID}):
        for entry in corpus.all_entries(homework):
            if entry.judged_by.startswith(only):
                yield f"corpus: {entry.name}", [entry.judged_by], dict(corpus.files_of([entry]))
    for table in tables:
        with table.open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                written = row["written"]
                if not PART.search(written):  # the body alone
                    written = f"[{row['blank']}]\n{written}\n"
                named = {part[1] for part in PART.finditer(written) if not part[2]}
                blanks = sorted(one for one in named & BY_ID.keys() if one.startswith(only))
                if blanks:
                    yield f"{table.name}: {row['id']}", blanks, files_of(written)


def judged(blanks: Sequence[str], files: Mapping[str, str]) -> Found:
    """Returns what the checks of some blanks find."""
    found: Found = {}
    for blank in blanks:
        check = BY_ID[blank]
        seen = see(MutantTree(files), check, SEED)
        found[blank] = outcome(judge_seen(check, seen, SEED))
    return found


def outcome(judgement: Judgement) -> dict[str, Any]:
    """Returns a judgement as plain values."""
    words = [in_words(one) for one in judgement.unknown]
    return {"passed": judgement.passed, "names": sorted(judgement.ids), "words": words}


def kind_of(before: Found, after: Found) -> str:
    """Returns what differs between two outcomes of a body."""
    for key in ("passed", "names", "words"):
        if any(before[blank][key] != after.get(blank, {}).get(key) for blank in before):
            return {"passed": "verdict", "names": "names", "words": "words"}[key]
    return "equal"


def compare(before: Path, after: Path) -> int:
    """Prints each body whose verdict or names differ, and how many there are of each kind."""
    old, new = ({row[0]: row[1] for row in map(json.loads, f.open())} for f in (before, after))
    counts = Counter(kind_of(old[key], new[key]) for key in old.keys() & new.keys())
    for key in old:
        if key in new and kind_of(old[key], new[key]) in ("verdict", "names"):
            print(key, json.dumps(old[key])[:300], json.dumps(new[key])[:300], sep="\n    ")
    print(f"{counts.total()} bodies: {dict(counts)}; only in one: {len(old.keys() ^ new.keys())}")
    return 2 if not counts else int(counts["verdict"] + counts["names"] > 0)


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="where verdicts are written; or those of before")
    parser.add_argument("after", type=Path, nargs="?", help="verdicts to compare with")
    parser.add_argument("--only", default="", help="blanks that begin so: hw4, hw3.dqn, ...")
    parser.add_argument("--more", type=Path, nargs="*", default=[], metavar="ROWS.csv")
    args = parser.parse_args()
    if args.after:
        return compare(args.file, args.after)
    rounds = sorted((ROOT / "benchmarks/rounds").glob("*.csv"))
    tables = [*(table for table in rounds if "attacks" not in table.name), *args.more]
    number = 0
    with args.file.open("w", encoding="utf-8") as stream:
        for key, blanks, files in bodies(args.only, tables):
            number += 1
            stream.write(json.dumps([key, judged(blanks, files)]) + "\n")
    print(f"{number} bodies judged")
    return 0 if number else 2


if __name__ == "__main__":
    sys.exit(main())
