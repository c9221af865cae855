"""oneDNN multiplies where it is faster, and nowhere at the cost of precision."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import cs285
from cs285.infrastructure import matrix_library
from cs285.infrastructure import pytorch_util as ptu
from tests.running import assert_same_run

SMALL, WIDE = [torch.zeros(64, 64)], [torch.zeros(64, 17), torch.zeros(256, 256)]
SAC = {"env": "Pendulum-v1", "num_timesteps": 400, "size": 256, "batch_size": 256, "no_gpu": True}
SAC |= {"start_steps": 300, "learning_starts": 300, "buffer_size": 1000, "scalar_log_freq": 200}


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A processor that gains, whichever this is; and MKL before and after each test."""
    monkeypatch.setattr(matrix_library, "pays", lambda: True)
    is_exact = matrix_library.is_exact
    is_exact.cache_clear()
    yield
    is_exact.cache_clear()
    torch.set_float32_matmul_precision(matrix_library.USUAL)


def chosen() -> str:
    return torch.get_float32_matmul_precision()


def test_large_products_alone_go_to_onednn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_library, "is_exact", lambda: True)
    assert matrix_library.choose_library(WIDE, 46) and chosen() == matrix_library.ANY_LIBRARY
    assert not matrix_library.choose_library(WIDE, 45) and chosen() == matrix_library.USUAL
    assert not matrix_library.choose_library(SMALL, 64)  # PPO's minibatches
    assert matrix_library.choose_library(SMALL, 2048)  # TRPO's batches
    assert not matrix_library.choose_library(
        [torch.zeros(32, 4, 8, 8)], 10**6
    )  # no product of matrices
    assert not matrix_library.choose_library([], 256)


def test_a_processor_that_rounds_keeps_mkl(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one whose units for matrices take bfloat16 numbers: 1 + 2^-20 becomes 1."""
    eye = torch.eye
    monkeypatch.setattr(torch, "eye", lambda n: eye(n) / (1.0 + 2.0**-20))
    assert not matrix_library.is_exact()
    assert not matrix_library.choose_library(WIDE, 256) and chosen() == matrix_library.USUAL


def test_here_it_is_exact() -> None:
    """Else this machine has such units, and nothing is chosen."""
    if not matrix_library.is_exact():
        pytest.skip("oneDNN rounds to bfloat16 on this processor")
    rng = torch.Generator().manual_seed(1)
    a, b = (torch.randn(256, 256, generator=rng) for _ in range(2))
    wanted = a.double() @ b.double()
    assert matrix_library.choose_library(WIDE, 256)
    assert float((a @ b - wanted).abs().max()) < 1e-4  # bfloat16: 0.2


def test_other_processors_and_devices_keep_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_library, "is_exact", lambda: True)
    monkeypatch.setattr(matrix_library, "pays", lambda: False)
    assert not matrix_library.choose_library(WIDE, 256)
    monkeypatch.setattr(matrix_library, "pays", lambda: True)
    monkeypatch.setattr(ptu, "device", torch.device("cuda"))
    assert not matrix_library.choose_library(WIDE, 256) and chosen() == matrix_library.USUAL


def test_whose_processor_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    matrix_library.pays.cache_clear()
    monkeypatch.setattr(
        matrix_library.Path, "read_text", lambda *_, **__: "vendor_id : AuthenticAMD\n"
    )
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX512")
    assert matrix_library.pays()
    for vendor, capability in (("AuthenticAMD", "AVX2"), ("GenuineIntel", "AVX512")):
        matrix_library.pays.cache_clear()
        monkeypatch.setattr(matrix_library.Path, "read_text", lambda *_, v=vendor, **__: v)
        monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda c=capability: c)
        monkeypatch.setattr(matrix_library.platform, "processor", lambda: "")
        assert not matrix_library.pays()
    matrix_library.pays.cache_clear()


@pytest.mark.slow
def test_a_run_repeats_and_the_process_is_as_before(tmp_path: Path) -> None:
    runs = [cs285.train("sac", data_dir=tmp_path / str(i), **SAC) for i in range(2)]
    assert chosen() == matrix_library.USUAL
    assert_same_run(runs[0].folder, runs[1].folder)
    config = json.loads((runs[0].folder / "config.json").read_text())
    assert config.get("matrix_products") == ("oneDNN" if matrix_library.is_exact() else None)
