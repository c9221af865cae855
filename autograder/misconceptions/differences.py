"""How wrong numbers differ from the right ones, where no misconception explains them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from autograder.base.close import ABS, REL, close
from autograder.base.judgement import Difference, Relation
from autograder.base.seen import Seen
from autograder.misconceptions.wording import noun_of, sentence_of
from autograder.running.declared_cases import DRAWS, USUAL

SHORT = 8  # numbers of a list that is shown whole
LEAST = 3  # numbers that show a relation
FAR = 3.0  # times as large: then the size of numbers may be the reason
EACH = re.compile(r"(.+) (after|at|in) each (\w+)")
CLAUSE = re.compile(r"([^,(]+)(, .+)")
Arrays = Mapping[str, np.ndarray]
"""By "trial/quantity"."""


def both_shapes(actual: Seen, expected: Seen) -> list[Difference]:
    """Returns the first array that has another shape than ours, if there is one."""
    for name, right in expected.numbers.items():
        yours = actual.numbers.get(name)
        if yours is not None and yours.shape != right.shape:
            return [difference(noun_of(name.rpartition("/")[2]), yours, right)]
    return []


def how_it_differs(actual: Seen, expected: Seen) -> Difference:
    """Returns where a record differs from that of our solution: first where nothing should be."""
    yours, right = actual.numbers, expected.numbers
    names = [n for n, array in right.items() if n not in yours or not close(yours[n], array)]
    if not names:
        more = ", ".join(noun_of(n.rpartition("/")[2]) for n in sorted(yours.keys() - right.keys()))
        return Difference(remark=f"more was done than should be: {more}")
    name = min(names, key=lambda name: _rank(yours.get(name), right[name]))
    quantity = name.rpartition("/")[2]
    if name not in yours:
        return Difference(remark=f"nothing was recorded of {noun_of(quantity)}")
    wrong_in, right_in = _trials(names, right)
    is_flag = not right[name].ndim or yours[name].dtype.kind == "b"
    if is_flag and (sentence := sentence_of(quantity)):
        return Difference(sentence.removesuffix("."), wrong_in=wrong_in, right_in=right_in)
    found = difference(noun_of(quantity), yours[name], right[name])
    like = [n for n in names if n in yours and n != name and n.rpartition("/")[2] == quantity]
    pairs = [(yours[n], right[n]) for n in like if _comparable(yours[n], right[n])]
    return replace(
        found,
        relation=relation([(yours[name], right[name]), *pairs]),
        wrong_in=wrong_in,
        right_in=right_in,
        sizes=_sizes(quantity, wrong_in, right_in, right),
    )


def _rank(yours: np.ndarray | None, right: np.ndarray) -> int:
    """Returns how late an array is described: first what should be nothing, and is something."""
    if right.any() or yours is None:
        return 1
    return 0 if yours.shape == right.shape else 2


def _trials(names: Iterable[str], right: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the trials in which something is wrong, and those in which all is right.

    Left out are further draws of the usual case, where that one is among them.
    """
    wrong = dict.fromkeys(name.partition("/")[0] for name in names)
    every = dict.fromkeys(name.partition("/")[0] for name in right)
    agreeing = dict.fromkeys(trial for trial in every if trial not in wrong)
    first, last = (
        tuple(trial for trial in trials if USUAL not in trials or trial not in DRAWS)
        for trials in (wrong, agreeing)
    )
    return first, last


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
    at, is_flag = _first(bad), actual.dtype.kind == "b"
    yours, right = (
        ("yes" if array[at] else "no") if is_flag else f"{array[at]:.5g}"
        for array in (actual, expected)
    )
    return Difference(_entry(name, at, actual), f"is {yours}", right, remark=_how_many(bad, actual))


def _how_many(bad: np.ndarray, actual: np.ndarray) -> str:
    """Returns how many numbers differ, and how many rows before the first one are right."""
    if bad.size < 2:
        return ""
    first = int(np.argmax(bad.reshape(len(bad), -1).any(1)))
    right = f"; the first {first} rows are right" if first > 1 else ""
    return f"({int(bad.sum())} of {bad.size} differ{right}; {actual.dtype})"


def _is_list(array: np.ndarray) -> bool:
    """Returns whether an array is a short list of whole numbers, as a set of actions is."""
    return array.ndim == 1 and 0 < array.size <= SHORT and not np.any(array % 1)


def _contents(array: np.ndarray) -> str:
    return ", ".join(f"{number:g}" for number in array)


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


def _sizes(
    quantity: str, wrong_in: Sequence[str], right_in: Sequence[str], right: Arrays
) -> tuple[str, str] | None:
    """Returns how large numbers are where all is right, and where it is not, if that differs much.

    Args:
        quantity: The array that is described.
        wrong_in: Trials that are wrong.
        right_in: Trials that are right.
        right: What is expected.
    """
    wrong, agreeing = (
        [
            float(np.abs(right[name]).max())
            for name in (f"{trial}/{quantity}" for trial in trials)
            if name in right and right[name].size
        ]
        for trials in (wrong_in, right_in)
    )
    if not wrong or not agreeing or min(wrong) < FAR * max(agreeing):
        return None
    return f"{max(agreeing):.2g}", f"{min(wrong):.2g}"


class Form(NamedTuple):
    """What might have been made of right numbers, in words and in numbers."""

    text: str
    made: np.ndarray
    hidden: str = ""  # the words without numbers, where there are any


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


def _comparable(actual: np.ndarray, expected: np.ndarray) -> bool:
    """Returns whether there are numbers enough for a relation: fewer can be had from anything."""
    return actual.ndim == 2 or (actual.shape == expected.shape and actual.size >= LEAST)


def _relations(actual: np.ndarray, expected: np.ndarray) -> Iterator[Relation]:
    """Yields each relation that holds; the simplest first."""
    if actual.ndim == 2 and close(actual, expected.T) and not close(actual, expected):
        yield Relation("what is right, transposed", "what is right, transposed")
    if actual.shape != expected.shape or actual.size < LEAST:
        return
    yours, right = actual.astype(np.float64), expected.astype(np.float64)
    if not (np.isfinite(yours).all() and np.isfinite(right).all()):
        return
    forms = _counted if actual.dtype.kind in "iu" else _cut_off
    if len(np.unique(actual)) >= LEAST:
        forms = _forms
    for form in forms(yours, right):
        if close(yours, form.made):
            yield Relation(form.text, form.hidden or form.text)


def _counted(yours: np.ndarray, right: np.ndarray) -> Iterator[Form]:
    """Yields what is too many, or too few."""
    more = float(yours.flat[0] - right.flat[0])
    hidden = f"too {'many' if more > 0 else 'few'} each time"
    yield Form(f"{abs(more):g} {hidden}", right + more, hidden)


def _cut_off(yours: np.ndarray, right: np.ndarray) -> Iterator[Form]:
    """Yields what is cut off at one end, or at both."""
    least, most = yours.min(), yours.max()
    near = ABS + REL * abs(right).max()
    between = least > right.min() + near, most < right.max() - near
    ends = [f"{end:.4g}" for end, cut in zip((least, most), between, strict=True) if cut]
    if ends and least < most:
        cut = "what is right, cut off"
        yield Form(f"{cut} at {' and '.join(ends)}", right.clip(least, most), cut)


def _forms(yours: np.ndarray, right: np.ndarray) -> Iterator[Form]:
    """Yields what might have been made of right numbers; the simplest first."""
    yield from _cut_off(yours, right)
    yield Form("what is right with the other sign", -right)
    yield Form("the absolute values of what is right", abs(right))
    yield Form("what is right, rounded", right.round())
    yield Form("what is right without what stands after the point", np.trunc(right))
    yield Form("what is right in the opposite order", right[::-1])
    yield Form("what is right, one row too late", np.roll(right, 1, 0))
    yield Form("what is right, one row too early", np.roll(right, -1, 0))
    yield Form("the sums of what is right up to each row", right.cumsum(0))
    places = np.argsort(np.argsort(yours, None), None)
    ordered = np.sort(right, None)[places].reshape(right.shape)
    yield Form("what is right, in another order", ordered)
    rows = tuple(range(1, right.ndim))
    for axes, words in (None, ""), (0, ", each column for itself"), (rows, ", each row for itself"):
        spread = right.std(axes, keepdims=True) + np.finfo(np.float64).tiny
        made = (right - right.mean(axes, keepdims=True)) / spread
        yield Form(f"what is right, standardized{words}", made)
    more = float(np.median(yours - right))
    yield Form(f"what is right and {more:.4g}", right + more, "what is right and a number")
    times = float((yours * right).sum() / max((right * right).sum(), 1e-30))
    words = "what is right times a number"
    yield Form(f"{times:.4g} times what is right", times * right, words)
    columns = np.stack([right.ravel(), np.ones(right.size)], 1)
    (factor, shift), *_ = np.linalg.lstsq(columns, yours.ravel())
    yield Form("what is right, scaled and shifted as a whole", factor * right + shift)
