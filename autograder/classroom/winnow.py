"""Marks of a piece of code that survive renaming, reformatting and moving: winnowing.

Schleimer, Wilkerson and Aiken (2003): of all runs of `RUN` tokens the hashes are taken, and of each
`WINDOW` of these the smallest is kept. So two texts that share `RUN + WINDOW - 1` tokens in one
piece share a mark.
"""

from __future__ import annotations

import hashlib
import keyword
import re
from collections.abc import Collection, Iterator, Sequence

RUN, WINDOW = 5, 4
TOKEN = re.compile(
    r"#[^\n]*"
    r"|[rbfuRBFU]{0,2}(?:\"[^\"\n]*\"|'[^'\n]*')"
    r"|[^\W\d]\w*"
    r"|\d[\w.]*"
    r"|\*\*=?|//=?|<<=?|>>=?|[-+*/%&|^@=!<>]=|->|:=|\.\.\."
    r"|\S"
)
LONGEST = 20_000  # characters of a piece that are compared
OWN = "v"  # a name that the student chose


def tokens(text: str, given: Collection[str]) -> list[str]:
    """Returns the tokens of a piece of code, without comments.

    Args:
        text: The code, which need not be valid.
        given: Names that the handout has. All others are one: renaming them changes nothing.
    """
    found, after = [], ""
    for match in TOKEN.finditer(text[:LONGEST]):
        token = match[0]
        if token.startswith("#"):
            continue
        free = token.isidentifier() and not keyword.iskeyword(token) and after != "."
        found.append(OWN if free and token not in given else token)
        after = token
    return found


def names(text: str) -> set[str]:
    """Returns all names in a piece of code."""
    return {match[0] for match in TOKEN.finditer(text) if match[0].isidentifier()}


def marks(found: Sequence[str]) -> frozenset[int]:
    """Returns the marks of a text's tokens; those of a short text are its whole."""
    if not found:
        return frozenset()
    hashes = [*_hashes(found)]
    if len(hashes) <= WINDOW:
        return frozenset([min(hashes)] if len(found) > RUN else hashes)
    windows = (hashes[n : n + WINDOW] for n in range(len(hashes) - WINDOW + 1))
    return frozenset(min(window) for window in windows)


def _hashes(found: Sequence[str]) -> Iterator[int]:
    for n in range(max(1, len(found) - RUN + 1)):
        run = "\0".join(found[n : n + RUN]).encode()
        yield int.from_bytes(hashlib.blake2b(run, digest_size=8).digest(), "big")


def likeness(one: frozenset[int], other: frozenset[int]) -> float:
    """Returns the share of marks that two texts have in common, of all that they have."""
    every = len(one | other)
    return len(one & other) / every if every else 0.0
