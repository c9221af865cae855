"""What is known of a question: from predictions, or from its table in a copy without answers."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping, Sequence
from types import ModuleType

from autograder.core.outcomes import Entry, Outcome, unpacked
from autograder.core.question import Choice, Question
from autograder.core.tables import NotRecordedError, read_table
from autograder.mistakes import Mistake


def _absent(module: str) -> ModuleType:
    """Returns a module by its name: no import of it is seen, since a copy does not have it."""
    return importlib.import_module(f"autograder.core.{module}")


class Known:
    """What is known of one question: from its table, or from predictions."""

    def __init__(self, question: Question, seed: int = 0) -> None:
        """Reads the words, and no outcome yet."""
        self.question, self.seed = question, seed
        self.table = read_table(question.blank)
        told = self.table or _absent("answer_file").answer_of(question).told
        self.words = {name: Mistake(*words) for name, words in told["words"].items()}
        self.calls: Mapping[str, str] = told["calls"]  # what a line that raises must hold
        self.flags: Mapping[str, str] = told["flags"]  # mistakes that the probe sees by itself
        self.drawn: Sequence[str] = told["drawn"]  # flags that are read first

    def with_mistakes(self, number: int) -> list[Entry]:
        """Returns the outcomes of no mistake, or of one.

        Raises:
            NotRecordedError: If this copy has a table alone, and not for this seed.
        """
        if self.table is None:
            made: list[Entry] = _absent("predictions").cached(self.question, self.seed, number)
            return made
        return self._recorded[number]

    @property
    def right(self) -> Outcome:
        """What our solution leads to."""
        return self.with_mistakes(0)[0].outcome

    def pairs(self) -> list[list[Choice]]:
        """Returns the pairs of mistakes that are looked for: first in their usual ways."""
        if self.table is None:
            choices = _absent("predictions").choices
            usual, every = ({*choices(self.question, self.seed, 2, e)} for e in (False, True))
            return [sorted(usual), sorted(every - usual)]
        return [list(dict.fromkeys(entry.choice for entry in self._pairs))]

    def several(self, choice: Choice) -> Sequence[Entry]:
        """Returns what several mistakes at once lead to; nothing where that is not known."""
        if self.table is None:
            made: Sequence[Entry] = _absent("predictions").made(self.question, self.seed, choice)
            return made
        return [entry for entry in self._pairs if entry.choice == choice]

    @property
    def _pairs(self) -> list[Entry]:
        return [entry for entries in self._recorded[2:] for entry in entries]

    @functools.cached_property
    def _recorded(self) -> list[list[Entry]]:
        """All that the table knows for the seed, by the number of mistakes."""
        assert self.table is not None
        kept = self.table["seeds"].get(str(self.seed))
        if kept is None:
            raise NotRecordedError(f"seed {self.seed} is not among those this copy knows")
        return [unpacked(entries, self.table["arrays"]) for entries in kept]
