"""What is wrong with the files of a blank: each problem is one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from autograder.base import checks as homeworks
from autograder.base.blank_files import SHOWN, modules_of, parsed
from autograder.misconceptions.catalogue import Question, question
from autograder.misconceptions.live_oracle import cached
from autograder.misconceptions.mutants import filled, regions, run, written
from autograder.misconceptions.mutation_file import ANSWERS, file_of, mutation_set_of, opened
from autograder.running.declared import load
from autograder.source import reference
from autograder.source.handout_files import ROOT, knows_mutations, modules

PAGE = re.compile(r"(docs/[\w/]+\.md), ([^\";]+)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
UNWRITTEN = re.compile(r"\bTODO\b")
"""What `author --new` writes where an author is to write."""


def id_of(name: str) -> str:
    """Returns the id of a blank that is named by its file; any other name as it is."""
    file = Path(name)
    if file.suffix != ".toml" or not file.is_file():
        return name
    return str(parsed(file.resolve()).get("blank", {}).get("id", name))


def question_of(blank: str) -> Question | None:
    """Returns the question about a blank; None if no check asks it."""
    homework = blank.partition(".")[0]
    if homework not in homeworks.names():
        return None
    return next((question(c) for c in homeworks.checks(homework) if c.id == blank), None)


def problems(asked: Question) -> Iterator[str]:
    """Yields what is wrong with a blank's probe, its mutations or their words."""
    mutations = mutation_set_of(asked)
    if differing := list(reference.differences()):
        yield f"{differing[0]} {reference.UPDATE}"
        return
    if not mutations.files and asked.blank not in regions():
        yield f"no region of cs285/ is marked {asked.blank}"
        return
    if found := list(unwritten(file_of(asked))) or list(undeclared(asked)):
        yield from found
        return
    for path in modules(modules_of(f"autograder.{asked.probe}")):
        if knows_mutations(path):
            yield f"{path}: the probe imports it, and it knows mutations"
    for choice in [*mutations.choices(0), *mutations.choices(1), *mutations.generic_choices()]:
        if len(choice) < 2 and not list(written(asked, choice)):
            piece, mutation = mutations.mutations(choice)[0]
            yield f"{file_of(asked).name}: {piece.text!r} is nowhere in the solution"
            yield f"    so it cannot become {mutation.text!r}"
    yield from _words(asked)
    yield from unread(asked)


def unwritten(file: Path) -> Iterator[str]:
    """Yields the lines that `author --new` has left to be written."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if UNWRITTEN.search(line):
            yield f"{file.name}:{number}: is still to be written: {line.strip()}"


def unread(asked: Question) -> Iterator[str]:
    """Yields what a file sends readers to that is on no page: "docs/hw4/background.md, TD3"."""
    for page, place in PAGE.findall(file_of(asked).read_text(encoding="utf-8")):
        file = ROOT / page
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        if not any(place.replace("'", "").startswith(one) for one in HEADING.findall(text)):
            yield f"{file_of(asked).name}: {page} has no heading of {place!r}"


def undeclared(asked: Question) -> Iterator[str]:
    """Yields tables that no file has, and what keeps the cases of a probe from being drawn."""
    file = file_of(asked)
    for name in sorted(parsed(file).keys() - {*SHOWN, *ANSWERS}):
        yield f"{file.name}: there is no table or key {name!r}"
    try:
        load(f"autograder.{asked.probe}").cases(0)
    except (TypeError, ValueError) as error:
        yield f"{file.name}: {error}"


def _words(asked: Question) -> Iterator[str]:
    """Yields ids without words, and words without an id."""
    mutations, reader = mutation_set_of(asked), opened(file_of(asked))
    made = {
        mutation.misconception
        for point in mutations.points
        for mutation in point.mutations
        if mutation.misconception
    }
    made |= set(mutations.flags.values())
    for name in sorted(made - mutations.words.keys()):
        if not name.startswith("crash."):
            yield f"{file_of(asked).name}: {name} has no words"
    for name in sorted(reader.words.keys() - reader.of_shared - made):
        yield f"{file_of(asked).name}: nothing makes {name}, which has words"


def unlike(asked: Question, seed: int) -> Iterator[str]:
    """Yields right forms that do not lead to the solution's record, and crashes of the solution."""
    right = cached(asked, seed, 0)
    if not right[0].numbers:
        yield f"seed {seed}: the probe records nothing"
    for trial, text in right[0].raised.items():
        yield f"seed {seed}: the solution raises {text} in {trial!r}"
    for entry in right[1:]:
        if not entry.agrees(right[0]):
            forms = ", ".join(
                repr(mutation.text)
                for _, mutation in mutation_set_of(asked).mutations(entry.choice)
            )
            yield f"seed {seed}: a right form has another record than the solution: {forms}"


def alone(asked: Question, seed: int) -> Iterator[str]:
    """Yields where the solution has another record while the homework's other blanks are empty.

    A student fills one after the other: a probe that needs a second blank fails who is right.
    """
    if mutation_set_of(asked).files:
        return
    others = [id for id in regions() if id.startswith(f"{asked.homework}.") and id != asked.blank]
    bodies = {**dict.fromkeys(others), asked.blank: regions()[asked.blank][2]}
    found = run(asked, filled(bodies), seed)
    if not found.agrees(cached(asked, seed, 0)[0]):
        why = next(iter(found.crashes.values()), "its numbers are others")
        yield f"with the other blanks empty the solution has another record: {why}"
        yield "  replace what the probe calls of them: [instead]"


def record_of_solution(asked: Question, seed: int) -> Iterator[str]:
    """Yields what the probe records of our solution: a line for each array."""
    for name, array in cached(asked, seed, 0)[0].numbers.items():
        values = np.array2string(array, precision=4, threshold=20, max_line_width=10**6)
        yield f"{name}, shape {array.shape}: {' '.join(values.split())}"
