"""Matching what a probe saw with what mistakes predict.

A quantity is described by *factors*: choices that whoever writes the code makes, rightly or
wrongly. Each choice is an option of its factor; some options are mistakes, others merely another
way to be right. An *answer* predicts the outcome of any combination. The judge finds the
combination with the fewest mistakes whose prediction is what was observed.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from autograder.probing import Crash
from autograder.recording import NotRecordedError, OtherNumbersError

REL, ABS = 1e-3, 1e-5  # float32 arithmetic in any order of summation stays well below these
MOST_MISTAKES = 3

ARRAYS, FREED = "crash.array_and_tensor", "crash.graph_used_twice"

Choice = Mapping[str, str]
Outcome = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Factor:
    """One thing that can be done rightly or wrongly.

    Attributes:
        name: What `Choice` calls it.
        options: What it can be -> the mistake's id, or None where it is right. The first is right.
    """

    name: str
    options: Mapping[str, str | None]

    @property
    def right(self) -> list[str]:
        """The options that are no mistake."""
        return [option for option, mistake in self.options.items() if mistake is None]

    @property
    def wrong(self) -> list[str]:
        """The options that are."""
        return [option for option, mistake in self.options.items() if mistake is not None]


def choices(factors: Sequence[Factor], most: int = MOST_MISTAKES) -> Iterator[Choice]:
    """Yields combinations of options, those with fewer mistakes first."""
    for number in range(most + 1):
        for wrong in itertools.combinations(factors, number):
            spaces = [f.wrong if f in wrong else f.right for f in factors]
            for options in itertools.product(*spaces):
                yield dict(zip((f.name for f in factors), options, strict=True))


def every(*factors: Factor) -> Iterator[Choice]:
    """Yields all combinations of the options of some factors, right and wrong."""
    for options in itertools.product(*(factor.options for factor in factors)):
        yield dict(zip((factor.name for factor in factors), options, strict=True))


def right_choice(factors: Sequence[Factor]) -> Choice:
    """Returns the combination of every factor's first, right option."""
    return {f.name: f.right[0] for f in factors}


def mistakes_in(choice: Choice, factors: Sequence[Factor]) -> list[str]:
    """Returns the ids of the mistakes in a combination."""
    ids = [f.options[choice[f.name]] for f in factors]
    return [i for i in ids if i is not None]


def explain(
    factors: Sequence[Factor],
    predict: Callable[[Choice], Outcome],
    agrees: Callable[[Outcome], bool],
    most: int = MOST_MISTAKES,
) -> Choice | None:
    """Finds the combination with the fewest mistakes that explains an observation.

    Args:
        factors: What may be done rightly or wrongly.
        predict: What a combination leads to.
        agrees: Whether an outcome is what was observed.
        most: Most mistakes at once.

    Returns:
        The combination; None if there is none.
    """
    for choice in choices(factors, most):
        try:
            outcome = predict(choice)
        except OtherNumbersError:
            raise
        except NotRecordedError:  # a student's copy does not know every combination
            continue
        if agrees(outcome):
            return choice
    return None


def close(a: np.ndarray, b: np.ndarray, rel: float = REL, absolute: float = ABS) -> bool:
    """Tells whether two arrays have the same shape and values, up to float32 arithmetic."""
    if a.shape != b.shape or a.dtype.kind not in "biuf":
        return False
    a, b = a.astype(np.float64), b.astype(np.float64)
    return bool(np.all(np.isfinite(a)) and np.allclose(a, b, rel, absolute))


def same_direction(a: np.ndarray, b: np.ndarray, rel: float = REL) -> bool:
    """Tells whether `a` is `b` times something positive: gradients of losses of another scale."""
    if a.shape != b.shape or not np.all(np.isfinite(a)):
        return False
    a, b = a.astype(np.float64), b.astype(np.float64)
    size_a, size_b = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    if size_a < ABS or size_b < ABS:
        return size_a < ABS and size_b < ABS
    return float(np.linalg.norm(a / size_a - b / size_b)) < rel


@dataclass
class Judgement:
    """What the judge has to say about one check."""

    mistakes: list[str] = field(default_factory=list)
    """Ids of named mistakes; with `unknown` empty as well, the check is passed."""
    unknown: list[str] = field(default_factory=list)
    """What is wrong beyond the named mistakes, and has no name."""
    notes: list[str] = field(default_factory=list)
    """Worth saying, and no fault."""
    blank: bool = False
    """The blank is not filled."""
    blamed: dict[str, Judgement] = field(default_factory=dict)
    """Of a check with parts: what is wrong, by the part that it is because of; "" if none is."""

    def name(self, *ids: str) -> None:
        """Adds mistakes, each once."""
        self.mistakes += [i for i in dict.fromkeys(ids) if i not in self.mistakes]

    @property
    def passed(self) -> bool:
        """Whether there is nothing to complain about."""
        return not (self.mistakes or self.unknown or self.blank)


NO_AXIS = "Dimension out of range|out of bounds for array of dimension"
CRASHES = (  # kind of exception, what its text matches -> the mistake behind it
    ("UnboundLocalError", "", "crash.one_path"),
    ("NameError", "", "crash.unknown_name"),
    ("SyntaxError|IndentationError|TabError", "", "crash.syntax"),
    ("TypeError", "must be Tensor, not|expected Tensor|got ndarray|numpy.ndarray", ARRAYS),
    ("TypeError|RuntimeError", "Can't call numpy|can't convert .* to numpy|requires grad", ARRAYS),
    ("RuntimeError", "same dtype|expected scalar type|Found dtype", "crash.dtypes"),
    ("IndexError|AxisError", NO_AXIS, "crash.no_such_axis"),
    ("TypeError", "object is not iterable", "crash.not_iterable"),
    ("RuntimeError", "backward through the graph a second time|backward a second", FREED),
    ("TypeError", "unexpected keyword argument '(dim|axis|keepdims?)'", ARRAYS),
    ("AttributeError", "'(Tensor|numpy.ndarray)' object has no attribute", ARRAYS),
    ("BdbQuit", "", "crash.debugger"),
)
CRASHES_OF_A_LINE = (  # the same, if a line of the student's raised it: it may be the grader's else
    ("AttributeError", "has no attribute", "crash.no_attribute"),
    ("ValueError", "values to unpack", "crash.unpacked"),
    ("ModuleNotFoundError|ImportError", "", "crash.no_module"),
)
EMPTY = "name 'TODO' is not defined"  # what a blank of an older handout says


def ends_as_given(crash: Crash) -> bool:
    """Tells whether all that went wrong is that no `loss` is made, which older handouts return.

    It is an empty blank, if nothing else was done.
    """
    return crash.kind == "NameError" and "name 'loss' is not defined" in crash.text


def judge_crash(crash: Crash, known: str | None, verdict: Judgement) -> Judgement:
    """Names the mistake behind an exception: `known`, or what stands behind any of its kind.

    Or says that the blank is empty, in the words of an older handout.
    """
    if crash.kind == "NameError" and EMPTY in crash.text:
        verdict.blank = True
        return verdict
    mistake = known
    for kinds, text, general in (*CRASHES, *(CRASHES_OF_A_LINE if crash.file else ())):
        if mistake is None and crash.kind in kinds.split("|") and re.search(text, crash.text):
            mistake = general
    if mistake:
        verdict.name(mistake)
        verdict.notes.append(tell(crash))
    else:
        verdict.unknown.append(tell(crash))
    return verdict


def judge_blank(crash: Crash, own: str, verdict: Judgement) -> Judgement:
    """Judges an exception that says that a blank is empty: this one, or one not asked for here."""
    if crash.blank == own:
        verdict.blank = True
    else:
        verdict.unknown.append(tell(crash))
    return verdict


def tell(crash: Crash) -> str:
    """Says what was raised, and on which of the student's lines."""
    where = f' at {crash.file}:{crash.line}: "{crash.source}"' if crash.file else ""
    return f"{crash.kind}: {crash.text}{where}"


def difference(name: str, observed: np.ndarray, expected: np.ndarray | None = None) -> str:
    """Says what is first wrong with an array, for a mistake that has no name.

    Shape, then numbers that are not finite, then the first element that differs. Without
    `expected`, only what can be said about the array alone.
    """
    if observed.dtype.kind not in "biuf":
        return f"{name}: not numbers"
    if expected is not None and observed.shape != expected.shape:
        return f"{name}: shape {observed.shape}, expected {expected.shape}"
    if not np.all(np.isfinite(observed)):
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(observed))[0])
        return f"{name}{list(where)} is {observed[where]}, not a finite number"
    if expected is None:
        return f"{name}: shape {observed.shape}, {observed.dtype}"
    bad = ~np.isclose(observed, expected, REL, ABS)
    if not bad.any():
        return f"{name} agrees"
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    if not where:
        return f"{name} is {observed[where]:.5g}, expected {expected[where]:.5g}"
    return (
        f"{name}{list(where) or ''} is {observed[where]:.5g}, expected {expected[where]:.5g} "
        f"({int(bad.sum())} of {bad.size} differ; {observed.dtype})"
    )
