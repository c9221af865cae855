"""What the handouts call numbers to check by hand, typed as they stand there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from tests import handouts

SECTION = re.compile(r"^## Numbers to check by hand\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def blocks(homework: str) -> list[str]:
    """Returns the pieces of Python in a homework's section."""
    (section,) = SECTION.findall(handouts.page(homework, "blanks").read_text(encoding="utf-8"))
    return BLOCK.findall(section)


def typed(source: str, names: dict[str, Any]) -> Iterator[tuple[str, list[float], list[str]]]:
    """Runs statements; yields each line with a comment, what it gives, and the comment's words."""
    lines = source.splitlines()
    for statement in ast.parse(source).body:
        line = lines[(statement.end_lineno or 0) - 1]
        code, _, comment = line.partition("  # ")
        if isinstance(statement, ast.Expr) and comment:
            given = eval(compile(ast.Expression(statement.value), "handout", "eval"), names)
            yield code, numbers(given), comment.split(", ")
        else:
            exec(compile(ast.Module([statement], []), "handout", "exec"), names)


def numbers(value: Any) -> list[float]:
    """Returns all numbers in a number, an array, a tensor, or a tuple of these, in order."""
    parts = value if isinstance(value, list | tuple) else [value]
    arrays = [x.detach().numpy() if isinstance(x, torch.Tensor) else np.asarray(x) for x in parts]
    return [float(x) for array in arrays for x in array.ravel()]


@pytest.mark.parametrize("homework", handouts.HOMEWORKS)
def test_each_number_is_as_the_handout_has_it(homework: str) -> None:
    names: dict[str, Any] = {}
    count = 0
    for block in blocks(homework):
        for code, given, wanted in typed(block, names):
            last_digits = [10.0 ** -len(word.partition(".")[2]) for word in wanted]
            assert len(given) == len(wanted), code
            for got, word, digit in zip(given, wanted, last_digits, strict=True):
                assert got == pytest.approx(float(word), abs=0.51 * digit, rel=0), code
                count += 1
    assert count >= 10


def test_a_wrong_number_is_caught() -> None:
    ((_, given, wanted),) = typed("2 + 3  # 6\n", {})
    assert (given, wanted) == ([5.0], ["6"])
