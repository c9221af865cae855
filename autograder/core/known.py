"""What is known of a question: from its table in a copy without answers, or from predictions."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from autograder.core.outcomes import Entry, Outcome, unpacked
from autograder.core.question import Choice, Question
from autograder.core.tables import NotRecordedError, read_table
from autograder.mistakes import Mistake


class Known:
    """What is known of one question, from its table."""

    most = 2  # mistakes at once of which anything is known

    def __init__(self, question: Question, seed: int, told: Mapping[str, Any]) -> None:
        """Reads the words of a table, and no outcome yet."""
        self.question, self.seed, self.told = question, seed, told
        self.words = {name: Mistake(*words) for name, words in told["words"].items()}
        self.calls: Mapping[str, str] = told["calls"]  # what a line that raises must hold
        self.flags: Mapping[str, str] = told["flags"]  # mistakes that the probe sees by itself
        self.drawn: Sequence[str] = told["drawn"]  # flags that are read first

    def with_mistakes(self, number: int) -> list[Entry]:
        """Returns the outcomes of no mistake, or of so many, as far as they are known.

        Raises:
            NotRecordedError: If this copy has a table alone, and not for this seed.
        """
        kept = self.told["seeds"].get(str(self.seed))
        if kept is None:
            raise NotRecordedError(f"seed {self.seed} is not among those this copy knows")
        return unpacked(kept[number], self.told["arrays"]) if number < len(kept) else []

    def generic(self) -> list[Entry]:
        """Returns the outcomes of generic mistakes, as far as they are known."""
        kept = self.told.get("generic", {}).get(str(self.seed), [])
        return unpacked(kept, self.told["arrays"])

    @functools.cached_property
    def right(self) -> Outcome:
        """What our solution leads to."""
        return self.with_mistakes(0)[0].outcome

    def pairs(self) -> list[list[Choice]]:
        """Returns the pairs of mistakes that are looked for: first in their usual ways."""
        return [list(dict.fromkeys(entry.choice for entry in self._pairs))]

    def several(self, choice: Choice) -> Sequence[Entry]:
        """Returns what several mistakes at once lead to; nothing where that is not known."""
        return [entry for entry in self._pairs if entry.choice == choice]

    @functools.cached_property
    def _pairs(self) -> list[Entry]:
        return self.with_mistakes(2)


def known_of(question: Question, seed: int = 0) -> Known:
    """Returns what is known of a question."""
    if (table := read_table(question.blank)) is not None:
        return Known(question, seed, table)
    # By its name, so that no import of it is seen: a copy does not have it.
    predictions = importlib.import_module("autograder.core.predictions")
    predicted: Known = predictions.Predicted(question, seed)
    return predicted
