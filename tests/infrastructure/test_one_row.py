"""One row by NumPy is what the network answers, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from cs285.infrastructure.one_row import OneRow
from torch import nn

from cs285.infrastructure import pytorch_util as ptu

ROW = np.array([[0.3, -2.0, 5.0]], np.float32)


def network(activation: str = "relu") -> Any:
    return ptu.build_mlp(3, 4, 2, 7, activation)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_it_is_the_networks_answer_whatever_is_learned(activation: str) -> None:
    its = network(activation)
    one_row = OneRow(its)
    for _ in range(2):
        with torch.no_grad():
            expected = its(torch.from_numpy(ROW)).numpy()
            np.testing.assert_allclose(one_row(ROW), expected, rtol=1e-6, atol=1e-6)
            for weight in its.parameters():
                weight.add_(0.1)


CHANGES: dict[str, Callable[[Any], Any]] = {
    "a hook": lambda its: its[0].register_forward_hook(lambda *_: None),
    "another layer": lambda its: its.__setitem__(1, nn.Tanh()),
    "another weight": lambda its: setattr(its[0], "weight", nn.Parameter(torch.zeros(7, 3))),
    "another memory": lambda its: setattr(its[0].weight, "data", torch.zeros(7, 3)),
    "another type": lambda its: its.double(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_after_a_change_the_network_is_asked(name: str) -> None:
    its = network()
    one_row = OneRow(its)
    assert one_row(ROW) is not None
    CHANGES[name](its)
    assert one_row(ROW) is None


def test_unknown_networks_and_rows_are_left_to_torch() -> None:
    assert OneRow(nn.Sequential(nn.Linear(3, 4)))(ROW) is None
    assert OneRow(network())(ROW.astype(np.float64)) is None
