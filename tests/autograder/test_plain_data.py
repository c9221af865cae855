"""Only plain arrays and tensors count: an object can make itself up when it is looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from autograder.base.checks import checks
from autograder.grading.judging import judged
from autograder.running import probing
from autograder.running.probing import number_in, plain_array
from autograder.running.see import see
from autograder.source.importing import Tree
from tests.attacks.suite import attacks

ATTACK = "forging/arrays_read_from_the_fake"


class MadeUp:
    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.ones(3)


class OfItsOwn(np.ndarray):
    pass


@pytest.mark.parametrize(
    "value", [MadeUp(), [MadeUp()], np.ones(3).view(OfItsOwn), {"a": 1}, "1", None, range(3)]
)
def test_nothing_else_counts(value: object) -> None:
    assert plain_array(value).shape == (0,)


@pytest.mark.parametrize(
    "value",
    [
        *(np.ones(3), torch.ones(3), torch.nn.Parameter(torch.ones(3)), [1.0, 1, True]),
        *((np.float32(1), np.int64(1), 1.0), [torch.ones(()), 1.0, np.ones(())]),
    ],
)
def test_numbers_count(value: object) -> None:
    assert plain_array(value).tolist() == [1, 1, 1]


@pytest.mark.parametrize("blank", ["hw3.dqn.update", "hw3.ac.train"])
@pytest.mark.parametrize("plain", [True, False])
def test_an_object_that_reads_the_fake_is_no_data(
    blank: str, plain: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where any object counts, it passes: so the trick does what it says."""
    if not plain:
        monkeypatch.setattr(probing, "is_plain", lambda value: True)
    next(one for one in attacks() if one.name == ATTACK).hand_in(tmp_path)
    (package,) = tmp_path.glob("*/cs285")
    check = next(check for check in checks("hw3") if check.id == blank)
    assert judged(check, see(Tree(package), check, 5), 5).passed != plain


def test_a_number_that_fits_nowhere_is_none() -> None:
    assert np.isnan(number_in(10**400))
    assert number_in(2) == number_in(np.array([2.0])) == number_in(torch.tensor(2)) == 2.0
