"""Writes down what the grader says of the corpus, and of a table of misjudged solutions.

    python benchmarks/freeze_baseline.py COMMIT [--misjudged ROWS.csv]

`compare_baseline.py` reads the files. They are written once, by the code of one commit: what the
grader says later is compared with them, so write them anew for a good reason only.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

if __package__ in (None, ""):  # at the end: PYTHONPATH may name the commit that is to judge
    sys.path.append(str(Path(__file__).resolve().parent.parent))

from autograder.base import checks as homeworks
from benchmarks.frozen import Row, judge_or_error, warm_judge, write
from benchmarks.misjudged import BY, PART
from tests.autograder.corpus import Entry, all_entries, files_of, homes

FOLDER = Path(__file__).resolve().parent / "baseline"


def row_of(entry: Entry, name: str) -> Row:
    """Returns an entry of the corpus as a row."""
    if entry.blank not in homes("hw"):
        return Row(name, entry.judged_by, {}, {entry.blank: entry.changes})
    body = homes("hw")[entry.blank][1] if entry.body is None else entry.body
    for old, new in entry.changes:
        body = body.replace(old, new, 1)
    return Row(name, entry.judged_by, {entry.blank: body}, {})


def of_corpus() -> Iterator[Row]:
    """Yields the corpus of all homeworks."""
    for name in homeworks.names():
        for number, entry in enumerate(all_entries(name), 1):
            row = row_of(entry, f"{name}/{number}")
            changed, files = files_of([entry]), row.files()
            if _code({path: files[path] for path in changed}) != _code(changed):
                raise ValueError(f"{entry.name}: the row is another submission")
            yield row


def _code(files: Mapping[str, str]) -> dict[str, list[str]]:
    """Returns the lines of files that are not empty: the others differ with the way of filling."""
    return {p: [line for line in text.splitlines() if line.strip()] for p, text in files.items()}


def of_table(file: Path) -> Iterator[Row]:
    """Yields the rows of a table such as `misjudged.py` reads; all checks judge each."""
    with file.open(newline="", encoding="utf-8") as stream:
        for number, line in enumerate(csv.DictReader(stream), 1):
            parts = list(PART.finditer(line["written"]))
            bodies = {part[1]: part[3] for part in parts if not part[2]}
            changes: dict[str, list[list[str]]] = {}
            for part in parts:
                if part[2]:
                    changes.setdefault(part[1], []).append(part[3].rstrip("\n").split(BY))
            name = f"{number} {line.get('id', '')}".strip()
            own = line["blank"].partition(".")[0]
            yield Row(name, own if own in homeworks.names() else "hw3", bodies, changes)


def freeze(rows: list[Row], file: Path, commit: str) -> None:
    """Judges rows, and writes them with their outcomes."""
    began, found = time.monotonic(), []
    with warm_judge() as judge:
        for row in rows:
            found.append(replace(row, outcomes=judge_or_error(judge, row)))
            if len(found) % 100 == 0:
                print(f"{len(found)} of {len(rows)}, {time.monotonic() - began:.0f} s", flush=True)
    write(file, found, commit)
    print(f"{file.name}: {len(found)} rows, {time.monotonic() - began:.0f} s", flush=True)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("commit", help="whose code this is, for the first line of each file")
    parser.add_argument("--misjudged", type=Path, metavar="ROWS.csv", help="freeze this table")
    args = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    if args.misjudged:
        freeze(list(of_table(args.misjudged)), FOLDER / "misjudged.jsonl.gz", args.commit)
    else:
        freeze(list(of_corpus()), FOLDER / "corpus.jsonl.gz", args.commit)


if __name__ == "__main__":
    main()
