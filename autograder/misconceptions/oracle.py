"""What a question knows of code that is right or wrong: from a handout's table, or predicted."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from autograder.base import VERSION
from autograder.base.packed import unpack
from autograder.base.results import Misconception
from autograder.base.seen import Choice, Seen
from autograder.base.text import UsageError
from autograder.misconceptions.question import Question


class Table(NamedTuple):
    """What a copy has of one question in place of its answer.

    Attributes:
        words: Plain values, see `MutationSet.as_table`.
        groups: By seed, and then by number of mistakes or "generic": where in `every` they are.
        every: What our solution leads to, in its right and its wrong forms.
    """

    words: Mapping[str, Any]
    groups: Mapping[str, Mapping[str, Sequence[int]]] = {}
    every: Sequence[Seen] = ()


class RecordedOracle:
    """What is known of one question, from its table."""

    most = 2  # mistakes at once of which anything is known

    def __init__(self, question: Question, seed: int, table: Table) -> None:
        """Reads the words of a table."""
        self.question, self.seed, self.table, words = question, seed, table, table.words
        self.words = {name: Misconception(*each) for name, each in words["words"].items()}
        # What a line that raises must hold; and mistakes that the probe sees by itself.
        self.line_contains: Mapping[str, str] = words["line_contains"]
        self.flags: Mapping[str, str] = words["flags"]
        self.flags_first: Sequence[str] = words["flags_first"]  # flags that are read first

    def with_misconceptions(self, number: int) -> list[Seen]:
        """Returns what no mistake, or so many, lead to, as far as that is known.

        Raises:
            NotRecordedError: If this copy has a table alone, and not for this seed.
        """
        return self._group(str(number))

    def _group(self, name: str) -> list[Seen]:
        groups = self.table.groups.get(str(self.seed))
        if groups is None:
            raise NotRecordedError(f"seed {self.seed} is not among those this copy knows")
        return [*self.table.every[slice(*groups.get(name, (0, 0)))]]

    def foresee(self, number: int) -> None:
        """Predicts what so many mistakes lead to; a table has it already."""

    def likely(self, kind: str, actual: Seen) -> Iterable[Seen]:
        """Returns what may lead to what was observed.

        Args:
            kind: "right", "single" or "generic".
            actual: What was observed.
        """
        return self._group({"right": "0", "single": "1"}.get(kind, kind))

    def right_forms(self) -> Iterator[Seen]:
        """Yields what our solution and its other right forms lead to, ours first."""
        yield from self.with_misconceptions(0)

    @functools.cached_property
    def right(self) -> Seen:
        """What our solution leads to."""
        return next(self.right_forms())

    def pairs(self) -> list[list[Choice]]:
        """Returns the pairs of mistakes that are looked for: first in their usual ways."""
        return [list(dict.fromkeys(one.choice for one in self._pairs))]

    def begun(self, choice: Choice, trial: str) -> Sequence[Seen]:
        """Returns what several mistakes at once lead to, at least in one trial."""
        return self.several(choice)

    def several(self, choice: Choice) -> Sequence[Seen]:
        """Returns what several mistakes at once lead to; nothing where that is not known."""
        return [one for one in self._pairs if one.choice == choice]

    @functools.cached_property
    def _pairs(self) -> list[Seen]:
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
    return Path(__file__).parent.parent / "homeworks" / homework / "tables" / f"{name}.safetensors"


def is_handout(homework: str) -> bool:
    """Tells whether this is a copy that has tables in place of what they were made from."""
    return table_file(f"{homework}.").parent.is_dir()


@functools.cache
def read_table(blank: str) -> Table | None:
    """Returns the table of a blank; None where predictions are made instead.

    Raises:
        UsageError: If another release made it: its numbers are those of another probe.
    """
    file = table_file(blank)
    if not file.is_file():
        return None
    every, note = unpack(file.read_bytes())
    if (release := note["release"]) != VERSION:
        raise UsageError(
            f"{file} is of release {release}, and this grader of {VERSION}: "
            "take the whole folder autograder/ from one handout"
        )
    return Table(note["words"], note["groups"], every)
