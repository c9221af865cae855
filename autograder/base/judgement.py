"""What the judge found in one record."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Judgement:
    """What the judge has to say about one check."""

    # Ids of named mistakes; with `unknown` empty as well, the check is passed.
    misconceptions: list[str] = field(default_factory=list)
    # What is wrong beyond the named mistakes, and has no name.
    unknown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # worth saying, and no fault
    blank: bool = False  # the blank is not filled
    # Of a check with parts: what is wrong, by the part that it is because of; "" if none is.
    blamed: dict[str, Judgement] = field(default_factory=dict)

    def name(self, *ids: str) -> None:
        """Adds mistakes, each once."""
        self.misconceptions += [i for i in dict.fromkeys(ids) if i not in self.misconceptions]

    @property
    def passed(self) -> bool:
        """Whether there is nothing to complain about."""
        return not (self.misconceptions or self.unknown or self.blank)
