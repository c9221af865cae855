"""Judges frozen submissions once more, and prints each that is judged otherwise than it was.

    python benchmarks/compare_baseline.py
    python benchmarks/compare_baseline.py --files benchmarks/baseline/corpus.jsonl.gz --only hw6

Status 0: every verdict and every name is as it was. 1: some are not. 2: a file of rows is missing,
empty or cut short, or nothing was judged. `frozen.py` says what the files contain.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.frozen import PASSED, BaselineError, Judge, Row, judge_or_error, read, warm_judge

FOLDER = Path(__file__).resolve().parent / "baseline"
FILES = (FOLDER / "corpus.jsonl.gz", FOLDER / "misjudged.jsonl.gz")
EQUAL, VERDICT, NAMES = "equal", "verdict changed", "names changed"
NOTHING_WRONG = {"verdict": PASSED, "misconceptions": [], "unknown": False}


def kind_of(before: dict[str, Any], now: dict[str, Any]) -> str:
    """Returns what changed between two outcomes of a row: nothing, a verdict, or names alone."""
    checks = before.keys() | now.keys()
    pairs = [(before.get(c, NOTHING_WRONG), now.get(c, NOTHING_WRONG)) for c in checks]
    if any(old["verdict"] != new["verdict"] for old, new in pairs):
        return VERDICT
    return EQUAL if all(old == new for old, new in pairs) else NAMES


def described(row: Row, now: dict[str, Any]) -> str:
    """Returns a few lines about a row that is judged otherwise."""
    where = ", ".join([*row.bodies, *row.changes])
    lines = [f"{row.id} ({where}), judged by {row.judged}"]
    for check in sorted(row.outcomes.keys() | now.keys()):
        old, new = row.outcomes.get(check, NOTHING_WRONG), now.get(check, NOTHING_WRONG)
        if old != new:
            lines += [
                f"    {check}: {reported(old)}",
                f"    {' ' * len(check)}  now {reported(new)}",
            ]
    return "\n".join(lines)


def reported(outcome: dict[str, Any]) -> str:
    """Returns an outcome in a line."""
    names = ", ".join(outcome.get("misconceptions", ()))
    unknown = "and something without a name" if outcome.get("unknown") else ""
    parts = [outcome["verdict"], names, unknown, outcome.get("why", "")]
    return "; ".join(part for part in parts if part)


def compare(judge: Judge, rows: Sequence[Row]) -> Counter[str]:
    """Judges rows, prints those that differ, and counts."""
    counts: Counter[str] = Counter()
    began = time.monotonic()
    for number, row in enumerate(rows, 1):
        now = judge_or_error(judge, row)
        kind = kind_of(row.outcomes, now)
        counts[kind] += 1
        if kind != EQUAL:
            print(f"{kind}: {described(row, now)}", flush=True)
        if number % 100 == 0:
            seconds = time.monotonic() - began
            print(f"{number} of {len(rows)}, {seconds:.0f} s", file=sys.stderr, flush=True)
    return counts


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--files", type=Path, nargs="+", default=FILES, metavar="FILE")
    parser.add_argument("--only", default="", help="judge rows of checks that begin so: hw6, ...")
    args = parser.parse_args()
    try:
        every = {file: read(file) for file in args.files}
    except BaselineError as error:
        print(error, file=sys.stderr)
        return 2
    total: Counter[str] = Counter()
    with warm_judge() as judge:
        for file, rows in every.items():
            counts = compare(judge, [row for row in rows if row.judged.startswith(args.only)])
            total += counts
            kinds = ", ".join(f"{counts[kind]} {kind}" for kind in (EQUAL, VERDICT, NAMES))
            print(f"{file.name}: {counts.total()} rows, {kinds}", flush=True)
    if not total:
        print(f"no row is judged by a check that begins with {args.only!r}", file=sys.stderr)
        return 2
    return 0 if total[EQUAL] == total.total() else 1


if __name__ == "__main__":
    sys.exit(main())
