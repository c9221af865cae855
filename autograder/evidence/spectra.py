"""Weights up to the order of their units, and up to a little noise: the layers' singular values.

A network with its hidden units in another order computes the same, and so does one with a little
noise, nearly. Neither changes a layer's singular values by much. Two trainings differ by far more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from autograder.evidence.files import arrays_in

MOST_VALUES = 16  # of a layer, the largest
MOST_LAYERS, MOST_NUMBERS = 24, 2**23
LONGEST_HEADER = 2**16
SAME = 0.005  # root mean square of the relative differences in a layer, see robustness.md
LEAST = 1e-9
CHUNK = 256
Spectra = tuple[tuple[float, ...], ...]
"""For each layer its singular values, the largest first."""


def spectra(data: bytes) -> Spectra:
    """Returns the singular values of a safetensors file's layers; none if it is no such file."""
    try:
        described = arrays_in(data, LONGEST_HEADER)
        if any(kind != "F32" for kind, _ in described.values()):
            return ()
        arrays = load(data)
    except (ValueError, SafetensorError, KeyError, TypeError):
        return ()
    layers = [name for name in sorted(arrays) if arrays[name].ndim >= 2 and arrays[name].size]
    if len(layers) > MOST_LAYERS or sum(arrays[n].size for n in layers) > MOST_NUMBERS:
        return ()
    return tuple(_values(arrays, name) for name in layers)


def _values(arrays: Mapping[str, np.ndarray], name: str) -> tuple[float, ...]:
    """Returns a layer's singular values; its bias is one more input."""
    layer = arrays[name].reshape(len(arrays[name]), -1)
    bias = arrays.get(name.removesuffix("weight") + "bias")
    if bias is not None and bias.shape == layer.shape[:1]:
        layer = np.column_stack([layer, bias])
    if not np.isfinite(layer).all():
        return ()
    values = np.linalg.svd(layer.astype(np.float64), compute_uv=False)[:MOST_VALUES]
    return tuple(float(f"{value:.6g}") for value in values)


def close_pairs(runs: Sequence[Spectra]) -> Iterator[tuple[int, int]]:
    """Yields the places of two runs whose layers all have nearly the same singular values."""
    by_sizes: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for place, layers in enumerate(runs):
        if layers and all(layers):
            by_sizes[tuple(map(len, layers))].append(place)
    for places in by_sizes.values():
        tables = [_logs(runs, places, layer) for layer in range(len(runs[places[0]]))]
        for first in range(0, len(places), CHUNK):
            near = np.ones((min(CHUNK, len(places) - first), len(places)), np.bool_)
            for table in tables:
                away = table[first : first + CHUNK, None] - table[None]
                near &= np.sqrt(np.square(away).mean(axis=2)) <= SAME
            for one, two in np.argwhere(near):
                if first + one < two:
                    yield places[first + one], places[two]


def _logs(runs: Sequence[Spectra], places: Sequence[int], layer: int) -> np.ndarray:
    """Returns the logarithms of a layer's singular values, a row for each run."""
    table: np.ndarray = np.array([runs[place][layer] for place in places])
    logs: np.ndarray = np.log(np.maximum(table, LEAST))
    return logs
