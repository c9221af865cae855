"""How the grader judges solutions that others wrote, row by row.

    python benchmarks/misjudged.py ROWS.csv --write

A row of the table has the columns `blank` (ids, with blanks between; "all": those that are
written), `what` (in a few words),
`judged` (what was wrong with the verdict then; or `kind`: wrong, right or dead) and `written`: for
each blank a line `[id]` and its body; for a change of given code a line `[path] replaced:`, the old
lines, `-- by:`, and the new. Writes docs/results/misjudged.md.
"""

from __future__ import annotations

import argparse
import csv
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from autograder.base import checks as homeworks
from autograder.base.results import Judgement
from autograder.misconceptions.mutants import filled
from autograder.misconceptions.wording import in_words
from autograder.source import reference
from benchmarks.common import ROOT, table
from tests.autograder.judging import judge_package

PAGE = ROOT / "docs" / "results" / "misjudged.md"
PART = re.compile(
    r"^\[([\w./]+)\]( replaced:)?\n(.*?)(?=^\[[\w./]+\](?: replaced:)?$|\Z)", re.M | re.S
)
BY = "\n-- by:\n"
CHECKS = [check for homework in homeworks.names() for check in homeworks.checks(homework)]
BY_ID = {check.id: check for check in CHECKS}
PASSES, NAMED, NUMBERS = "passes", "named", "numbers alone"
MESSAGE, LINE = "described by where its numbers come from", "an exception, with its line"
INTRODUCTION = """# Solutions that were misjudged

From `python benchmarks/misjudged.py ROWS.csv --write`. Each row is a mistake, or a right form,
that an earlier grader judged wrongly. It passed a mistake or failed what is right, or gave another
mistake's name, a vague one, or none. What is "tolerated" or "disputed" may pass.
"""


def files_of(written: str) -> dict[str, str]:
    """Returns the files of `cs285` that a row changes, by path.

    Raises:
        ValueError: If what is to be replaced is not there.
    """
    parts = list(PART.finditer(written))
    files = filled({part[1]: part[3] for part in parts if not part[2]})
    for part in parts:
        if part[2]:
            old, new = part[3].rstrip("\n").split(BY)
            text = files.get(part[1]) or reference.texts()[part[1]]
            if old not in text:
                raise ValueError(f"{part[1]} does not hold {old!r}")
            files[part[1]] = text.replace(old, new, 1)
    return files


def judged(files: Mapping[str, str], blanks: set[str]) -> dict[str, Judgement]:
    """Returns the judgements of a row's blanks; if all pass, those of the agents that have them."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "cs285"
        shutil.copytree(ROOT / "cs285", package, ignore=shutil.ignore_patterns("__pycache__"))
        for path, text in files.items():
            (package / path).write_text(text, encoding="utf-8")
        found = judge_package(package, [BY_ID[blank] for blank in sorted(blanks)])
        if all(judgement.passed for judgement in found.values()):
            whole = [check for check in CHECKS if blanks & set(check.parts)]
            found |= judge_package(package, whole)
    return found


def kind_of(judgements: Mapping[str, Judgement]) -> str:
    """Returns how well a row's mistake is told."""
    failed = [judgement for judgement in judgements.values() if not judgement.passed]
    texts = [in_words(found) for judgement in failed for found in judgement.unknown]
    if not failed:
        return PASSES
    if any(judgement.ids for judgement in failed):
        return NAMED
    if any(
        text.startswith(("your ", "how your ", "row ")) or "; yours is " in text for text in texts
    ):
        return MESSAGE
    return LINE if any(" at " in text and ".py:" in text for text in texts) else NUMBERS


def reported(judgements: Mapping[str, Judgement]) -> str:
    """Returns what a student is told, in short."""
    parts = []
    for judgement in judgements.values():
        parts += [f"`{misconception}`" for misconception in judgement.ids]
        parts += [
            in_words(found).split(': "')[0].replace("|", "/").replace("\n", "; ")
            for found in judgement.unknown[:2]
        ]
    return "; ".join(parts)[:160]


def rows(file: Path) -> Iterator[list[str]]:
    """Yields number, blank, label, what was wrong then, how it is told now, and the words."""
    with file.open(newline="", encoding="utf-8") as stream:
        for number, row in enumerate(csv.DictReader(stream), 1):
            named = set(row["blank"].split()) - {"all"}
            blanks = named or {part[1] for part in PART.finditer(row["written"]) if not part[2]}
            found = judged(files_of(row["written"]), blanks)
            blank = " ".join(sorted(blanks)).replace("hw3.", "")
            print(number, blank, row["what"], kind_of(found), sep=" | ", flush=True)
            before = row.get("judged") or row["kind"]
            yield [str(number), blank, row["what"], before, kind_of(found), reported(found)]


def page(found: list[list[str]]) -> str:
    """Returns the page."""
    counts = Counter((row[3], row[4]) for row in found)
    kinds = (NAMED, MESSAGE, LINE, NUMBERS, PASSES)
    lines = [
        [then, *(str(counts[then, kind] or "") for kind in kinds)]
        for then in sorted({row[3] for row in found})
    ]
    head = ["", "blank", "what is done", "judged then", "now", "what is said now"]
    return "\n".join(
        [INTRODUCTION, table(["judged then", *kinds], lines), "", table(head, found), ""]
    )


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rows", type=Path, metavar="ROWS.csv")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    text = page(list(rows(options.rows)))
    print(text)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
