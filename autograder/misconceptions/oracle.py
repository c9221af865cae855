"""The outcomes that a question knows: from a table in a handout, or predicted."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from autograder.base.errors import UsageError
from autograder.base.results import Misconception
from autograder.base.version import VERSION
from autograder.misconceptions.outcomes import Entry, Outcome, unpacked
from autograder.misconceptions.question import Choice, Question


class RecordedOracle:
    """What is known of one question, from its table."""

    most = 2  # mistakes at once of which anything is known

    def __init__(self, question: Question, seed: int, table: Mapping[str, Any]) -> None:
        """Reads the words of a table, and no outcome yet."""
        self.question, self.seed, self.table = question, seed, table
        self.words = {name: Misconception(*words) for name, words in table["words"].items()}
        self.line_contains: Mapping[str, str] = table[
            "line_contains"
        ]  # what a line that raises must hold
        self.flags: Mapping[str, str] = table["flags"]  # mistakes that the probe sees by itself
        self.flags_first: Sequence[str] = table["flags_first"]  # flags that are read first

    def with_misconceptions(self, number: int) -> list[Entry]:
        """Returns the outcomes of no mistake, or of so many, as far as they are known.

        Raises:
            NotRecordedError: If this copy has a table alone, and not for this seed.
        """
        kept = self.table["seeds"].get(str(self.seed))
        if kept is None:
            raise NotRecordedError(f"seed {self.seed} is not among those this copy knows")
        return unpacked(kept[number], self.table["arrays"]) if number < len(kept) else []

    def foresee(self, number: int) -> None:
        """Predicts what so many mistakes lead to; a table has it already."""

    def likely(self, kind: str, actual: Outcome) -> Iterable[Entry]:
        """Returns what may lead to what was observed.

        Args:
            kind: "right", "single" or "generic".
            actual: What was observed.
        """
        if kind != "generic":
            return self.with_misconceptions(int(kind == "single"))
        kept = self.table.get("generic", {}).get(str(self.seed), [])
        return unpacked(kept, self.table["arrays"])

    def right_forms(self) -> Iterator[Entry]:
        """Yields what our solution and its other right forms lead to, ours first."""
        yield from self.with_misconceptions(0)

    @functools.cached_property
    def right(self) -> Outcome:
        """What our solution leads to."""
        return next(self.right_forms()).outcome

    def pairs(self) -> list[list[Choice]]:
        """Returns the pairs of mistakes that are looked for: first in their usual ways."""
        return [list(dict.fromkeys(entry.choice for entry in self._pairs))]

    def begun(self, choice: Choice, trial: str) -> Sequence[Entry]:
        """Returns what several mistakes at once lead to, at least in one trial."""
        return self.several(choice)

    def several(self, choice: Choice) -> Sequence[Entry]:
        """Returns what several mistakes at once lead to; nothing where that is not known."""
        return [entry for entry in self._pairs if entry.choice == choice]

    @functools.cached_property
    def _pairs(self) -> list[Entry]:
        return self.with_misconceptions(2)


PUBLIC_SEEDS = (0, 1, 2)
"""The seeds for which a student's copy knows what is right."""
NAMED_SEED = PUBLIC_SEEDS[0]
"""The one for which it also knows what mistakes lead to."""


class NotRecordedError(Exception):
    """This copy has tables alone, and not for the seed that was asked for."""


def table_file(blank: str) -> Path:
    """Returns where the table of a blank lies in a copy that has one."""
    homework, _, name = blank.partition(".")
    return Path(__file__).parent.parent / "homeworks" / homework / "tables" / f"{name}.json"


def is_handout(homework: str) -> bool:
    """Tells whether this is a copy that has tables in place of what they were made from."""
    return table_file(f"{homework}.").parent.is_dir()


@functools.cache
def read_table(blank: str) -> dict[str, Any] | None:
    """Returns the table of a blank; None where predictions are made instead.

    Raises:
        UsageError: If another release made it: its numbers are those of another probe.
    """
    file = table_file(blank)
    if not file.is_file():
        return None
    table: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if (release := table.get("release")) != VERSION:
        raise UsageError(
            f"{file} is of release {release or '0.1.0'}, and this grader of {VERSION}: "
            "take the whole folder autograder/ from one handout"
        )
    return table
