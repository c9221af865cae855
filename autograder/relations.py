"""How numbers that are not right come from those that are: true of any mistake, named or not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.numbers import ABS, REL, close

LEAST = 3  # different numbers: fewer can be had from anything


def relation(observed: np.ndarray, expected: np.ndarray) -> str:
    """Says in what way all that was observed comes from what was expected; "" if in none."""
    if observed.ndim == 2 and close(observed, expected.T) and not close(observed, expected):
        return "what is right, transposed"
    if observed.shape != expected.shape or len(np.unique(observed)) < LEAST:
        return ""
    yours, right = observed.astype(np.float64), expected.astype(np.float64)
    if not (np.isfinite(yours).all() and np.isfinite(right).all()):
        return ""
    return next((words for words, made in _forms(yours, right) if close(yours, made)), "")


def _forms(yours: np.ndarray, right: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Yields what might have been made of right numbers, in words; the simplest first."""
    least, most = yours.min(), yours.max()
    near = ABS + REL * abs(right).max()
    between = least > right.min() + near, most < right.max() - near
    ends = [f"{end:.4g}" for end, cut in zip((least, most), between, strict=True) if cut]
    if ends:
        yield f"what is right, cut off at {' and '.join(ends)}", right.clip(least, most)
    yield "what is right with the other sign", -right
    yield "the absolute values of what is right", abs(right)
    yield "what is right, rounded", right.round()
    yield "what is right without what stands after the point", np.trunc(right)
    yield "what is right in the opposite order", right[::-1]
    yield "what is right, one row too late", np.roll(right, 1, 0)
    yield "what is right, one row too early", np.roll(right, -1, 0)
    yield "the sums of what is right up to each row", right.cumsum(0)
    more = float(np.median(yours - right))
    yield f"what is right and {more:.4g}", right + more
    (factor, shift), *_ = np.linalg.lstsq(
        np.stack([right.ravel(), np.ones(right.size)], 1), yours.ravel()
    )
    times = float((yours * right).sum() / max((right * right).sum(), 1e-30))
    yield f"{times:.4g} times what is right", times * right
    yield "what is right, scaled and shifted as a whole", factor * right + shift
