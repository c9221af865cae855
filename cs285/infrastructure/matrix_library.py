"""Products of matrices by oneDNN, where PyTorch's usual library for them takes twice as long.

PyTorch's products of float32 matrices are MKL's, which uses half of the width that AMD's processors
with AVX-512 have. oneDNN uses all of it, but needs 10 microseconds more for a product. So it gets
those of runs whose products are large. PyTorch hands them over at the precision "medium", which
allows bfloat16 as well: where oneDNN makes use of that, everything stays with MKL.
"""

from __future__ import annotations

import contextlib
import functools
import platform
from collections.abc import Iterable
from pathlib import Path

import torch

from cs285.infrastructure import pytorch_util as ptu

LARGE = 3_000_000  # multiplications in a product: 64 units need 700 rows, 256 units need 46
USUAL, ANY_LIBRARY = "highest", "medium"


def choose_library(weights: Iterable[torch.Tensor], rows: int) -> bool:
    """Chooses who multiplies matrices in this process; returns whether it is oneDNN.

    The choice follows from sizes and the processor alone: a resumed run goes on with equal numbers.

    Args:
        weights: Of the layers that will learn.
        rows: How many they learn from at once.
    """
    sizes = [weight.numel() for weight in weights if weight.dim() == 2]
    large = rows * max(sizes, default=0) >= LARGE and ptu.device.type == "cpu"
    wide = large and pays() and is_exact()
    torch.set_float32_matmul_precision(ANY_LIBRARY if wide else USUAL)
    return wide


@functools.cache
def pays() -> bool:
    """Returns whether this processor is AMD's, and has AVX-512."""
    vendor = platform.processor()
    with contextlib.suppress(OSError):
        vendor += Path("/proc/cpuinfo").read_text(encoding="utf-8")[:1000]
    return "AuthenticAMD" in vendor and torch.backends.cpu.get_cpu_capability() == "AVX512"


@functools.cache
def is_exact() -> bool:
    """Returns whether oneDNN keeps all 24 bits of float32 here."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(ANY_LIBRARY)
    try:
        numbers = torch.full((64, 64), 1.0 + 2.0**-20)
        return torch.equal(numbers @ torch.eye(64), numbers)
    finally:
        torch.set_float32_matmul_precision(before)
