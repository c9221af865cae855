"""How numbers that are not right come from those that are: true of any mistake, named or not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.numbers import ABS, REL, close

LEAST = 3  # numbers: fewer can be had from anything

Form = tuple[str, np.ndarray]
"""In words, and in numbers, what might have been made of right ones."""


def relation(observed: np.ndarray, expected: np.ndarray) -> str:
    """Says in what way all that was observed comes from what was expected; "" if in none."""
    if observed.ndim == 2 and close(observed, expected.T) and not close(observed, expected):
        return "what is right, transposed"
    if observed.shape != expected.shape or observed.size < LEAST:
        return ""
    yours, right = observed.astype(np.float64), expected.astype(np.float64)
    if not (np.isfinite(yours).all() and np.isfinite(right).all()):
        return ""
    forms = _counted if observed.dtype.kind in "iu" else _cut_off
    if len(np.unique(observed)) >= LEAST:
        forms = _forms
    return next((words for words, made in forms(yours, right) if close(yours, made)), "")


def _counted(yours: np.ndarray, right: np.ndarray) -> Iterator[Form]:
    """Yields what is too many, or too few."""
    more = float(yours.flat[0] - right.flat[0])
    yield f"{abs(more):g} too {'many' if more > 0 else 'few'} each time", right + more


def _cut_off(yours: np.ndarray, right: np.ndarray) -> Iterator[Form]:
    """Yields what is cut off at one end, or at both."""
    least, most = yours.min(), yours.max()
    near = ABS + REL * abs(right).max()
    between = least > right.min() + near, most < right.max() - near
    ends = [f"{end:.4g}" for end, cut in zip((least, most), between, strict=True) if cut]
    if ends and least < most:
        yield f"what is right, cut off at {' and '.join(ends)}", right.clip(least, most)


def _forms(yours: np.ndarray, right: np.ndarray) -> Iterator[Form]:
    """Yields what might have been made of right numbers; the simplest first."""
    yield from _cut_off(yours, right)
    yield "what is right with the other sign", -right
    yield "the absolute values of what is right", abs(right)
    yield "what is right, rounded", right.round()
    yield "what is right without what stands after the point", np.trunc(right)
    yield "what is right in the opposite order", right[::-1]
    yield "what is right, one row too late", np.roll(right, 1, 0)
    yield "what is right, one row too early", np.roll(right, -1, 0)
    yield "the sums of what is right up to each row", right.cumsum(0)
    places = np.argsort(np.argsort(yours, None), None)
    yield "what is right, in another order", np.sort(right, None)[places].reshape(right.shape)
    rows = tuple(range(1, right.ndim))
    ways = (None, ""), (0, ", each column for itself"), (rows, ", each row for itself")
    for axes, words in ways:
        spread = right.std(axes, keepdims=True) + np.finfo(np.float64).tiny
        made = (right - right.mean(axes, keepdims=True)) / spread
        yield f"what is right, standardized{words}", made
    more = float(np.median(yours - right))
    yield f"what is right and {more:.4g}", right + more
    (factor, shift), *_ = np.linalg.lstsq(
        np.stack([right.ravel(), np.ones(right.size)], 1), yours.ravel()
    )
    times = float((yours * right).sum() / max((right * right).sum(), 1e-30))
    yield f"{times:.4g} times what is right", times * right
    yield "what is right, scaled and shifted as a whole", factor * right + shift
