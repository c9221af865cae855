"""Makes `autograder/hw3/records.json`: what the records of all right forms have in common.

`python -m tests.autograder.records` writes it. A check's right forms are the reference, the
corpus's, and its blank right among others that are empty, that raise, or that are mistaken. Given
parts are left out: those with an interface of their own are not judged.
"""

from __future__ import annotations

import json
import multiprocessing
import tempfile
from collections.abc import Iterator
from pathlib import Path

from autograder.check import Check
from autograder.hw3.checks import CHECKS
from autograder.probing import Observation
from autograder.records import CRASH, FILE, Kinds, kind_of
from autograder.submission import ROOT, Tree
from autograder.worker import run_probe
from tests.autograder.corpus import Entry, all_entries, homes, write, wrong

SEED = 0
OPTIONAL = ("loss_first", "loss_second")  # seen where the code uses `self.loss`, as it need not
BROKEN = {"crash.no_module", "crash.syntax"}  # of a whole file, in which then nothing is right
RAISES = "raise ValueError('neighbour')"


def submissions(check: Check) -> Iterator[list[Entry]]:
    """Yields submissions in which a check's own part is right."""
    others = [blank for blank in homes() if blank != check.id]
    yield []
    yield [wrong("", blank, "", body=RAISES) for blank in others]
    yield [wrong("", blank, "", body=f'TODO("{blank}")') for blank in others]
    for entry in all_entries():
        own = entry.judged_by == check.id
        elsewhere = not own and entry.blank != check.id and not BROKEN & set(entry.mistakes)
        if elsewhere or (own and not entry.mistakes):
            yield [entry]


def common(records: list[Observation]) -> Kinds:
    """Returns the trials that all records have, with the arrays of those that did not crash."""
    found: Kinds = {}
    for trial in sorted(set.intersection(*(set(r) for r in records))):
        whole = [r[trial] for r in records if not r[trial].crash]
        safe = len(whole) == len(records)
        found[trial] = {} if safe else {CRASH: []}
        names = set.intersection(*(set(t.arrays) for t in whole)) if whole else set()
        for name in sorted(names - set(OPTIONAL)):
            found[trial][name] = sorted({kind_of(t.arrays[name]) for t in whole})
    return found


def needed_by(check: Check) -> Kinds:
    """Returns what the record of a check must have to pass."""
    records = []
    for entries in submissions(check):
        with tempfile.TemporaryDirectory() as folder:
            tree = Tree(write(Path(folder), entries))
            records.append(run_probe(tree, check.full_probe, check.owners, SEED).trials)
    return common(records)


def main() -> None:
    """Writes the file; takes some ten minutes on two cores."""
    checks = [check for check in CHECKS if check.level == "formula" and check.points]
    checks = [check for check in checks if ".answers." not in check.answer]  # they compare all
    with multiprocessing.Pool() as pool:
        found = dict(zip((c.id for c in checks), pool.map(needed_by, checks, 1), strict=True))
    file = ROOT / "autograder" / "hw3" / FILE
    file.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
