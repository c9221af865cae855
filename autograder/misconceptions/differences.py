"""How wrong numbers differ from the right ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from autograder.base.results import Difference, Relation
from autograder.base.seen import ABS, REL, close

SHORT = 8  # numbers of a list that is shown whole
EACH = re.compile(r"(.+) (after|at|in) each (\w+)")
CLAUSE = re.compile(r"([^,(]+)(, .+)")
LEAST = 3  # numbers that show a relation
Form = tuple[Relation, np.ndarray]
"""In words, and in numbers, what might have been made of right ones."""


def difference(name: str, actual: np.ndarray, expected: np.ndarray) -> Difference:
    """Returns what is first wrong with an array.

    Contents of a short list, shape, then numbers that are not finite, then the first that differs.
    """
    if actual.dtype.kind not in "biuf":
        return Difference(name, "holds no numbers")
    if actual.shape != expected.shape:
        if _is_list(actual) and _is_list(expected):
            return Difference(name, f"are {_contents(actual)}", _contents(expected))
        yours, right = f"has shape {actual.shape}", f"{expected.shape}"
        return Difference(name, yours, right, secret=False)
    finite = np.isfinite(actual)
    if not finite.all():
        at = _first(~finite)
        return Difference(_entry(name, at, actual), f"is {actual[at]}, not a finite number")
    bad = ~np.isclose(actual, expected, REL, ABS)
    if not bad.any():
        return Difference(name, "agrees")
    at = _first(bad)
    yours, right = f"is {_value(actual, at)}", _value(expected, at, actual)
    return Difference(_entry(name, at, actual), yours, right, remark=_how_many(bad, actual))


def _how_many(bad: np.ndarray, actual: np.ndarray) -> str:
    """Returns how many numbers differ, and how many rows before the first one are right."""
    if bad.size < 2:
        return ""
    first = int(np.argmax(bad.reshape(len(bad), -1).any(1)))
    right = f"; the first {first} rows are right" if first > 1 else ""
    return f"({int(bad.sum())} of {bad.size} differ{right}; {actual.dtype})"


def _is_list(array: np.ndarray) -> bool:
    """Tells whether an array is a short list of whole numbers, as a set of actions is."""
    return array.ndim == 1 and 0 < array.size <= SHORT and not np.any(array % 1)


def _contents(array: np.ndarray) -> str:
    return ", ".join(f"{number:g}" for number in array)


def _value(array: np.ndarray, at: tuple[int, ...], like: np.ndarray | None = None) -> str:
    """Returns an entry as text; of flags in words."""
    if (array if like is None else like).dtype.kind == "b":
        return "yes" if array[at] else "no"
    return f"{array[at]:.5g}"


def _first(flags: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(flags)[0])


def _entry(name: str, at: tuple[int, ...], array: np.ndarray) -> str:
    """Returns what an entry is called: a row may be a play or an episode, which have numbers."""
    if array.size < 2:
        return name
    if clause := CLAUSE.fullmatch(name):
        return f"{clause[1]}{list(at)}{clause[2]},"
    each = EACH.fullmatch(name)
    if not each:
        return f"{name}{list(at)}"
    rest = f"[{', '.join(map(str, at[1:]))}]" if at[1:] else ""
    return f"{each[1]}{rest} {each[2]} {each[3]} {at[0] + 1}"


def _related(text: str, *numbers: str, hidden: str = "") -> Relation:
    """Returns a relation; `text` has a {} for each number, `hidden` is said without them."""
    return Relation(text.format(*numbers), hidden or text)


def relation(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> Relation | None:
    """Returns how all wrong arrays come from the right ones; None if in no simple way.

    What holds in one trial alone may hold by chance. Too few numbers are no evidence either way.

    Args:
        pairs: What was observed of one quantity, and what was expected: for each trial in which
            they differ, the trial that is described first.
    """
    first, *others = [list(_relations(*pair)) for pair in pairs] or [[]]
    for related in first:
        hidden = related.without_numbers
        same = [[one for one in other if one.without_numbers == hidden] for other in others]
        if all(same):
            numbers = {related.text, *(each[0].text for each in same)}
            return related if len(numbers) == 1 else Relation(hidden, hidden)
    return None


def comparable(actual: np.ndarray, expected: np.ndarray) -> bool:
    """Returns whether there are numbers enough for a relation: fewer can be had from anything."""
    return actual.ndim == 2 or (actual.shape == expected.shape and actual.size >= LEAST)


def _relations(actual: np.ndarray, expected: np.ndarray) -> Iterator[Relation]:
    """Yields each relation that holds; the simplest first."""
    if actual.ndim == 2 and close(actual, expected.T) and not close(actual, expected):
        yield _related("what is right, transposed")
    if actual.shape != expected.shape or actual.size < LEAST:
        return
    yours, right = actual.astype(np.float64), expected.astype(np.float64)
    if not (np.isfinite(yours).all() and np.isfinite(right).all()):
        return
    forms = _counted if actual.dtype.kind in "iu" else _cut_off
    if len(np.unique(actual)) >= LEAST:
        forms = _forms
    yield from (related for related, made in forms(yours, right) if close(yours, made))


def _counted(yours: np.ndarray, right: np.ndarray) -> Iterator[Form]:
    """Yields what is too many, or too few."""
    more = float(yours.flat[0] - right.flat[0])
    much = "many" if more > 0 else "few"
    related = _related(
        f"{{}} too {much} each time", f"{abs(more):g}", hidden=f"too {much} each time"
    )
    yield related, right + more


def _cut_off(yours: np.ndarray, right: np.ndarray) -> Iterator[Form]:
    """Yields what is cut off at one end, or at both."""
    least, most = yours.min(), yours.max()
    near = ABS + REL * abs(right).max()
    between = least > right.min() + near, most < right.max() - near
    ends = [f"{end:.4g}" for end, cut in zip((least, most), between, strict=True) if cut]
    if ends and least < most:
        cut = "what is right, cut off"
        yield _related(f"{cut} at {{}}", " and ".join(ends), hidden=cut), right.clip(least, most)


def _forms(yours: np.ndarray, right: np.ndarray) -> Iterator[Form]:
    """Yields what might have been made of right numbers; the simplest first."""
    yield from _cut_off(yours, right)
    yield _related("what is right with the other sign"), -right
    yield _related("the absolute values of what is right"), abs(right)
    yield _related("what is right, rounded"), right.round()
    yield _related("what is right without what stands after the point"), np.trunc(right)
    yield _related("what is right in the opposite order"), right[::-1]
    yield _related("what is right, one row too late"), np.roll(right, 1, 0)
    yield _related("what is right, one row too early"), np.roll(right, -1, 0)
    yield _related("the sums of what is right up to each row"), right.cumsum(0)
    places = np.argsort(np.argsort(yours, None), None)
    yield (
        _related("what is right, in another order"),
        np.sort(right, None)[places].reshape(right.shape),
    )
    rows = tuple(range(1, right.ndim))
    axes_in_words = (None, ""), (0, ", each column for itself"), (rows, ", each row for itself")
    for axes, words in axes_in_words:
        spread = right.std(axes, keepdims=True) + np.finfo(np.float64).tiny
        made = (right - right.mean(axes, keepdims=True)) / spread
        yield _related(f"what is right, standardized{words}"), made
    more = float(np.median(yours - right))
    yield (
        _related("what is right and {}", f"{more:.4g}", hidden="what is right and a number"),
        right + more,
    )
    (factor, shift), *_ = np.linalg.lstsq(
        np.stack([right.ravel(), np.ones(right.size)], 1), yours.ravel()
    )
    times = float((yours * right).sum() / max((right * right).sum(), 1e-30))
    yield (
        _related("{} times what is right", f"{times:.4g}", hidden="what is right times a number"),
        times * right,
    )
    yield _related("what is right, scaled and shifted as a whole"), factor * right + shift
