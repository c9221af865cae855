"""Which inputs a result depends on, where that is not as it should be: as a table, and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from autograder.base.close import close
from autograder.base.judgement import Difference, Response
from autograder.base.seen import MOVED, Seen, case_of
from autograder.running.experiments import AGAIN, NOTHING

ALIKE = 0.01  # how much factors may differ that are one
SENTENCES, ROWS = 2, 4
Arrays = Mapping[str, np.ndarray]
"""By input: how far each row of a result rises or falls when the input is moved."""


def dependences(record: Seen, expected: Seen) -> list[Difference]:
    """Returns how a student's results depend on other inputs than ours, or in another way.

    Of several kinds of results, the first that differs is described.
    """
    for results, yours, right in moves(record, expected):
        if found := _described(results, yours, right):
            return [found]
    return []


def moves(record: Seen, expected: Seen) -> Iterator[tuple[str, Arrays, Arrays]]:
    """Yields kinds of results, and how these move with each input: theirs on our scale, and ours.

    Left out are kinds of which an array has another shape than ours.
    """
    for case in dict.fromkeys(map(case_of, expected.sensitivity)):
        if not case.startswith(MOVED):
            continue
        right = expected.of(case)
        yours = {name: array for name, array in record.of(case).items() if name in right}
        if all(array.shape == right[name].shape for name, array in yours.items()):
            yield case.removeprefix(MOVED), _scaled(yours, right), right


def _scaled(yours: Arrays, right: Arrays) -> dict[str, np.ndarray]:
    """Returns the moves of a student's results without a factor that most of them share.

    The scale of a loss is nobody's mistake: one input that counts more than others may be. Where
    any input counts as it should, such as the reward of a target, the scale is right.
    """
    factors = np.array([_factor(array, right[name]) for name, array in yours.items()])
    scale = float(np.median(factors[factors > 0])) if factors.any() else 1.0
    common = np.abs(factors - scale) < ALIKE * scale
    is_right = np.any(np.abs(factors - 1.0) < ALIKE)
    asked = sum(name != NOTHING for name in yours)
    if is_right or 2 * common.sum() <= asked:
        return dict(yours)
    return {name: array / scale for name, array in yours.items()}


def _factor(yours: np.ndarray, right: np.ndarray) -> float:
    """Returns the one positive factor between two results' moves; 0 if there is none."""
    if not np.array_equal(yours != 0, right != 0):
        return 0.0
    times = yours[right != 0] / right[right != 0]
    return float(times.mean()) if times.size and np.ptp(times) < ALIKE * times.min() else 0.0


def _described(results: str, yours: Arrays, right: Arrays) -> Difference | None:
    """Returns how results depend on their inputs; None if as they should."""
    asked = yours.get(NOTHING)
    if asked is not None and asked.any() and not right[NOTHING].any():
        remark = "differ when asked again with the same input: what is random in them?"
        return Difference(remark=f"your {results} {remark}")
    names = [name for name in right if name in yours and not serves(name)]
    wrong = [name for name in names if not alike(yours[name], right[name])]
    if not wrong:
        return None
    sentences = [s for name in wrong for s in _true_again(name, yours, right, results)]
    responses = [_response(name, yours[name], right[name]) for name in _shown(names, wrong)]
    remark = "; ".join(sentences[:SENTENCES])
    return Difference(remark=remark, responses=tuple(responses), results=results)


def serves(name: str) -> bool:
    """Returns whether nothing is moved, or once more: that is never shown by itself."""
    return name == NOTHING or name.endswith(AGAIN)


def _true_again(name: str, yours: Arrays, right: Arrays, results: str) -> list[str]:
    """Returns the sentences about one input that hold in another draw, too, if there is one."""
    sentences = list(_in_words(name, yours[name], right[name], results))
    if (again := f"{name}{AGAIN}") not in yours:
        return sentences
    if alike(yours[again], right[again]):
        return []
    there = list(_in_words(name, yours[again], right[again], results))
    return [sentence for sentence in sentences if sentence in there]


def alike(yours: np.ndarray, right: np.ndarray) -> bool:
    """Returns whether results move in the same way, up to a hundredth of the largest move."""
    return close(yours, right) or np.allclose(yours, right, ALIKE, ALIKE * np.abs(right).max())


def _shown(names: list[str], wrong: list[str]) -> list[str]:
    """Returns the inputs of a table: first those that differ, each of another kind if possible."""
    kinds = dict[str, str]()
    for name in wrong:
        kinds.setdefault(name.partition(" ")[0], name)
    first = [*kinds.values(), *(name for name in wrong if name not in kinds.values())]
    as_ours = [name for name in names if name not in wrong]
    most = ROWS - 1 if as_ours else ROWS
    return [*first[:most], *as_ours][:ROWS]


def _response(name: str, yours: np.ndarray, right: np.ndarray) -> Response:
    """Returns the change in the row where it differs most; where it agrees, in the largest."""
    differs = not alike(yours, right)
    row = int(np.argmax(np.abs(yours - right if differs else right)))
    place = f"{_quoted(name)}, row {row}" if right.size > 1 else _quoted(name)
    return Response(place, _number(yours.flat[row]), _number(right.flat[row]), differs)


def _number(value: float) -> str:
    return f"{value:+.3g}" if value else "0"


def _quoted(name: str) -> str:
    """Returns the name of an input, in backquotes, and what is special about the case."""
    name, blank, where = name.partition(" ")
    return f"`{name}`{blank}{where}"


def _in_words(name: str, yours: np.ndarray, right: np.ndarray, results: str) -> Iterator[str]:
    """Yields a sentence about one input, in which no right number is."""
    what, up = _quoted(name), np.sign(right)
    (others,) = np.nonzero((yours != 0) & (right == 0))
    if not yours.any():
        yield f"your {results} do not change when {what} does; they should"
    elif not right.any():
        yield f"your {results} change when {what} does; they should not"
    elif np.array_equal(np.sign(yours), -up):
        yield f"your {results} fall when {what} should raise them, or the other way round"
    elif others.size:
        yield f"row {others[0]} of your {results} changes with {what}; only others should"
    elif (strange := np.flatnonzero(np.sign(yours) != up)).size:
        yield f"row {strange[0]} of your {results} does not change with {what} as it should"
    else:
        yield f"your {results} change with {what}, but not as far as they should, or too far"
