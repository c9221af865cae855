"""What is known of code that is right or wrong: here from a handout's table."""

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
from autograder.misconceptions.catalogue import Question

PUBLIC_SEEDS = (0, 1, 2)
"""The seeds for which a student's copy knows what is right."""
NAMED_SEED = PUBLIC_SEEDS[0]
"""The one for which it also knows what mistakes lead to."""
GENERIC = "generic"
Group = int | str
"""What leads somewhere: so many mistakes at once, or one that is `GENERIC`."""


WHOLE = "take the whole folder autograder/ from one handout"


class NotRecordedError(Exception):
    """This copy has tables alone, and not for the seed that was asked for."""


class Table(NamedTuple):
    """What a copy has of one question in place of its answer.

    Attributes:
        words: Plain values, see `MutationSet.as_table`.
        groups: By seed, and then by group: where in `every` it is.
        every: What our solution leads to, in its right and its wrong forms.
    """

    words: Mapping[str, Any]
    groups: Mapping[str, Mapping[str, Sequence[int]]] = {}
    every: Sequence[Seen] = ()


class RecordedOracle:
    """What is known of one question. Here all comes from its table, see `live_oracle` for others.

    Attributes:
        most: Mistakes at once of which anything is known.
    """

    most = 2

    def __init__(self, question: Question, seed: int, table: Table) -> None:
        """Reads the words of a table."""
        self.question, self.seed, self.table, words = question, seed, table, table.words
        self.words = {name: Misconception(*each) for name, each in words["words"].items()}
        # What a line that raises must contain; and mistakes that the probe sees by itself.
        self.line_contains: Mapping[str, str] = words["line_contains"]
        self.flags: Mapping[str, str] = words["flags"]
        self.flags_first: Sequence[str] = words["flags_first"]

    def group(self, name: Group) -> list[Seen]:
        """Returns what a group leads to, as far as that is known.

        Raises:
            NotRecordedError: If this copy has a table alone, and not for this seed.
        """
        groups = self.table.groups.get(str(self.seed))
        if groups is None:
            raise NotRecordedError(f"seed {self.seed} is not among those this copy knows")
        return [*self.table.every[slice(*groups.get(str(name), (0, 0)))]]

    def likely(self, name: Group, actual: Seen) -> Iterable[Seen]:
        """Returns those of a group that may lead to what was observed."""
        return self.group(name)

    def right_forms(self) -> Iterator[Seen]:
        """Yields what our solution and its other right forms lead to, ours first."""
        yield from self.group(0)

    @functools.cached_property
    def right(self) -> Seen:
        """What our solution leads to."""
        return next(self.right_forms())

    def pairs(self) -> list[list[Choice]]:
        """Returns the pairs of mistakes that are looked for: first in their usual ways."""
        return [list(dict.fromkeys(one.choice for one in self.group(2)))]

    def several(self, choice: Choice, trial: str = "") -> Sequence[Seen]:
        """Returns what several mistakes at once lead to, at least in one trial."""
        return [one for one in self.group(2) if one.choice == choice]

    def foresee(self, number: int) -> None:
        """Predicts what so many mistakes lead to; a table has it already."""


def table_file(blank: str) -> Path:
    """Returns where the table of a blank lies in a copy that has one."""
    homework, _, name = blank.partition(".")
    return Path(__file__).parent.parent / "homeworks" / homework / "tables" / f"{name}.safetensors"


def is_handout(homework: str) -> bool:
    """Returns whether this is a copy that has tables in place of what they were made from."""
    return table_file(f"{homework}.").parent.is_dir()


@functools.cache
def read_table(blank: str) -> Table | None:
    """Returns the table of a blank; None where predictions are made instead.

    Raises:
        UsageError: If it is missing, or another release made it: its numbers are another probe's.
    """
    file = table_file(blank)
    if not is_handout(blank.partition(".")[0]):
        return None
    try:
        every, note = unpack(file.read_bytes())
    except Exception as error:
        raise UsageError(f"{file} is missing or damaged: {WHOLE}") from error
    if (release := note["release"]) != VERSION:
        raise UsageError(f"{file} is of release {release}, and this grader of {VERSION}: {WHOLE}")
    return Table(note["words"], note["groups"], every)
