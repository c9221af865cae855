"""State trees: what is written comes back exactly, or is refused where it stands."""

from __future__ import annotations

import math
import os
import random
from collections import OrderedDict, deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cs285.infrastructure.base.state import Blob
from cs285.infrastructure.training.checkpoint import read_state, write_state


def assert_same(got: Any, expected: Any) -> None:
    """Same types, dtypes, shapes and bits, all the way down."""
    assert type(got) is type(expected)
    if isinstance(expected, dict):
        assert list(got) == list(expected)
        assert [type(key) for key in got] == [type(key) for key in expected]
        for key in expected:
            assert_same(got[key], expected[key])
    elif isinstance(expected, list | tuple):
        assert len(got) == len(expected)
        for got_item, expected_item in zip(got, expected, strict=True):
            assert_same(got_item, expected_item)
    elif isinstance(expected, torch.Tensor):
        assert got.dtype == expected.dtype and got.shape == expected.shape
        assert bytes_of(got) == bytes_of(expected)
    elif isinstance(expected, np.ndarray | np.generic):
        assert got.dtype == expected.dtype and got.shape == expected.shape
        assert got.tobytes() == expected.tobytes()
    elif isinstance(expected, float):
        assert got == expected or math.isnan(got) and math.isnan(expected)
        assert math.copysign(1, got) == math.copysign(1, expected)
    else:
        assert got == expected


def bytes_of(tensor: torch.Tensor) -> bytes:
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def round_trip(tmp_path: Path, tree: Any) -> Any:
    write_state(tmp_path / "state", tree)
    return read_state(tmp_path / "state")


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, False, 0, -1, 2**53, -(2**64) - 1, 10**50),
        *(0.1, -0.0, 5e-324, math.inf, -math.inf, math.nan),
        *("", "π \ud800 \x00", b"", b"\x00\xff", [], (), {}, [()], ([], {})),
        {1: "int key", "1": "str key", -5: {"dict": [["a", 1]], "torch": "0 tree"}},
        {"a/b": torch.ones(1), "a": {"b": torch.zeros(1)}},
        *(np.float64(0.1), np.int64(-3), np.bool_(True), np.float32(math.nan)),
        *(np.array(7, np.uint32), np.zeros((0, 3)), np.array([True, False])),
        *(np.arange(12.0).reshape(3, 4).T, np.arange(9)[::-2], np.arange(3, dtype=np.float16)),
        *(torch.tensor(3.5), torch.zeros(0, 2), torch.arange(6).reshape(2, 3).T),
        *(torch.tensor([1.5, math.nan]).bfloat16(), torch.tensor([True]), torch.ones(2).half()),
        Blob("frames_00000007", b"\x00" * 100),
    ],
    ids=lambda value: f"{type(value).__name__}",
)
def test_a_value_comes_back_exactly(tmp_path: Path, value: Any) -> None:
    assert_same(round_trip(tmp_path, {"value": value})["value"], value)


def test_random_states_go_on_with_the_same_numbers(tmp_path: Path) -> None:
    pcg, twister = np.random.Generator(np.random.PCG64(3)), np.random.RandomState(4)
    pcg.random(5, np.float32)  # leaves half of a 64-bit draw behind
    twister.normal(size=3)  # leaves the second of a pair of normals behind
    python = random.Random(5)
    torch_rng = torch.Generator().manual_seed(6)
    state = {
        "pcg": pcg.bit_generator.state,
        "twister": twister.get_state(),
        "python": python.getstate(),
        "torch": torch_rng.get_state(),
    }
    back = round_trip(tmp_path, state)
    assert_same(back, state)

    def draw(a: Any, b: Any, c: Any, d: Any) -> list[Any]:
        numbers = [a.random(3, np.float32).tolist(), b.normal(size=3).tolist(), c.random()]
        return [*numbers, torch.rand(3, generator=d).tolist()]

    expected = draw(pcg, twister, python, torch_rng)
    others = (np.random.default_rng(), np.random.RandomState(), random.Random(), torch.Generator())
    others[0].bit_generator.state = back["pcg"]
    others[1].set_state(back["twister"])
    others[2].setstate(back["python"])
    others[3].set_state(back["torch"])
    assert draw(*others) == expected


def make_learner(seed: int) -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(seed)
    network = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2))
    return network, torch.optim.Adam(network.parameters(), lr=0.01, eps=1e-4)


def learn(network: torch.nn.Module, optimizer: torch.optim.Optimizer, steps: int) -> None:
    for step in range(steps):
        optimizer.zero_grad()
        network(torch.full((4, 3), 0.1 * step + 1)).square().sum().backward()
        optimizer.step()


def test_adam_goes_on_exactly(tmp_path: Path) -> None:
    network, optimizer = make_learner(1)
    learn(network, optimizer, 3)
    state = {"network": network.state_dict(), "optimizer": optimizer.state_dict()}
    back = round_trip(tmp_path, state)
    assert_same(back["optimizer"], state["optimizer"])
    learn(network, optimizer, 3)
    other_network, other_optimizer = make_learner(2)
    other_network.load_state_dict(back["network"])
    other_optimizer.load_state_dict(back["optimizer"])
    learn(other_network, other_optimizer, 3)
    assert_same(dict(other_network.state_dict()), dict(network.state_dict()))


def test_channels_last_tensors_keep_their_layout(tmp_path: Path) -> None:
    weight = torch.randn(6, 4, 3, 3).to(memory_format=torch.channels_last)
    got = round_trip(tmp_path, {"weight": weight, "plain": weight.contiguous()})
    assert got["weight"].stride() == weight.stride()
    assert got["plain"].stride() == weight.contiguous().stride()
    assert torch.equal(got["weight"], weight)


def test_a_deque_travels_as_a_list_and_an_ordered_dict_as_a_dict(tmp_path: Path) -> None:
    window = deque([1.0, 2.0, 3.0], maxlen=3)
    back = round_trip(tmp_path, {"window": list(window), "ordered": OrderedDict(b=1, a=2)})
    assert_same(back, {"window": [1.0, 2.0, 3.0], "ordered": {"b": 1, "a": 2}})
    assert deque(back["window"], maxlen=3) == window


def test_tensors_that_share_memory_come_back_apart_and_writable(tmp_path: Path) -> None:
    shared = torch.arange(4.0)
    array = shared.numpy()
    back = round_trip(tmp_path, [shared, shared[1:], shared.view(2, 2), array, array[:2]])
    assert_same(back, [shared, shared[1:], shared.view(2, 2), array, array[:2]])
    back[0][:] = -1
    back[3][:] = -2
    assert back[1].tolist() == [1, 2, 3] and back[4].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (deque([1]), "tree/agent/0: .* a deque"),
        (os.stat_result(range(10)), "tree/agent/0: .* a stat_result"),
        ({1.5: 0}, "tree/agent/0: a key .* not 1.5"),
        ({True: 0}, "tree/agent/0: a key .* not True"),
        (np.array(["a"]), "tree/agent/0: .* a ndarray <U1"),
        (np.array([None]), "tree/agent/0: .* a ndarray object"),
        (np.zeros(2, ">f4"), "tree/agent/0: .* a ndarray >f4"),
        (torch.nn.Linear(1, 1), "tree/agent/0: .* a Linear"),
    ],
)
def test_what_would_not_come_back_exactly_is_refused_where_it_stands(
    tmp_path: Path, value: Any, words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        write_state(tmp_path / "state", {"agent": [value]})


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a b", "x.tmp", "a\n"])
def test_a_blobs_name_is_a_plain_file_name(name: str) -> None:
    with pytest.raises(ValueError, match="cannot name a blob"):
        Blob(name, b"")


def test_one_name_for_two_contents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="two blobs named 'a' differ"):
        write_state(tmp_path / "state", [Blob("a", b"1"), Blob("a", b"2")])
