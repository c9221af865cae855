"""Perceptrons from weights: whether they were ever trained, and whether their units are alive."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from autograder.evidence.files import UnreadableError, arrays_in, read_bytes

Tensors = Mapping[str, np.ndarray]
MOST_BYTES, LONGEST_HEADER = 2**26, 2**18  # a network of the games takes 7 MB
INPUTS, SCALES = 256, (0.1, 0.3, 1.0, 3.0)  # how many observations are made up, and how large
KINDS = {f"{sign}{bits}" for sign in "IU" for bits in (8, 16, 32, 64)} | {"F32", "F64", "BOOL"}
FLAT = 1e-3  # a unit whose output varies less is constant
OF_LAYER = re.compile(r"(.*?)\.?(?:(\d+)\.(weight|bias)|(weights|biases)\.(\d+))$")


@dataclass(frozen=True)
class Net:
    """A perceptron, or several of one shape side by side.

    Attributes:
        layers: Weight, shape (k, in, out), and bias, shape (k, 1, out), of each, in order.
    """

    layers: tuple[tuple[np.ndarray, np.ndarray], ...]

    @property
    def finite(self) -> bool:
        """Whether all its numbers are finite."""
        return all(np.isfinite(array).all() for layer in self.layers for array in layer)

    @property
    def begun(self) -> bool:
        """Whether a bias is other than 0, as all of PPO's and TRPO's are before the first step."""
        return any(bias.any() for _, bias in self.layers)

    @property
    def moved(self) -> float:
        """The largest share of a layer's numbers that lie beyond where they were drawn.

        PyTorch draws weights and biases within 1 / sqrt(inputs) of 0.
        """
        if not self.begun:
            return 0.0
        shares = []
        for weight, bias in self.layers:
            numbers = np.abs(np.concatenate([weight.ravel(), bias.ravel()]))
            shares.append(float((numbers > 1.0001 / math.sqrt(weight.shape[1])).mean()))
        return max(shares)

    @property
    def width(self) -> int:
        """The most inputs of a layer."""
        return max(int(weight.shape[1]) for weight, _ in self.layers)

    def dormant(self, relu: bool) -> float:
        """Returns the largest share of a hidden layer's units that give the same for every input.

        Observations are not kept with a run, so `INPUTS` are made up, of the sizes in `SCALES`. A
        unit that does not vary over them, a ReLU that is always off or a tanh at its end, passes
        nothing on and no gradient back.

        Source: Sokar et al., 2023, https://arxiv.org/abs/2302.12902, definition 3.1; Lu et al.,
        2019, "Dying ReLU and Initialization", https://arxiv.org/abs/1903.06733.
        """
        count, inputs, _ = self.layers[0][0].shape
        rng = np.random.default_rng(0)
        units = rng.standard_normal((count, INPUTS, inputs))
        units *= np.resize(SCALES, INPUTS)[:, None]
        worst = 0.0
        with np.errstate(all="ignore"):
            for weight, bias in self.layers[:-1]:
                units = units @ weight.astype(np.float64) + bias
                units = np.maximum(units, 0.0) if relu else np.tanh(units)
                worst = max(worst, float((np.ptp(units, axis=1) < FLAT).mean(axis=1).max()))
        return worst


def read_tensors(file: Path) -> dict[str, np.ndarray]:
    """Reads a safetensors file of float32 arrays; others in it are left out.

    Raises:
        UnreadableError: If it is none, or larger than any run's.
    """
    data = read_bytes(file, MOST_BYTES)
    try:
        kinds = {kind for kind, _ in arrays_in(data, LONGEST_HEADER).values()}
        if not kinds <= KINDS:
            raise ValueError
        found = load(data)
    except (SafetensorError, ValueError, KeyError, TypeError):
        raise UnreadableError(f"{file.name} contains no weights that can be read") from None
    return {  # named as in a module: a checkpoint's name is a path, a run's ends in a dot
        name.rpartition("tree/agent/")[2].replace("/", ".").rstrip("."): array
        for name, array in found.items()
        if array.dtype == np.float32
    }


def nets_of(tensors: Tensors) -> dict[str, Net]:
    """Returns the perceptrons among some arrays, by what their names begin with.

    `critic.q_net.0.weight` and its bias are the first layer of `critic.q_net`; `weights.0` and
    `biases.0` that of several networks side by side. What is no chain of such layers, as
    convolutions are none, is left out: of a network for images, the dense end remains.
    """
    nets = {}
    for name, layers in _parts(tensors).items():
        whole = [layer for _, layer in sorted(layers.items()) if layer.keys() == {"w", "b"}]
        chain = tuple((layer["w"], layer["b"]) for layer in whole)
        if len(chain) == len(layers) and _fits(chain):
            nets[name] = Net(chain)
    return nets


def _parts(tensors: Tensors) -> dict[str, dict[int, dict[str, np.ndarray]]]:
    """Returns name of a network -> number of a layer -> "w" or "b" -> array, as in `Net`."""
    parts: dict[str, dict[int, dict[str, np.ndarray]]] = {}
    for name, array in tensors.items():
        found = OF_LAYER.match(name)
        if not found:
            continue
        network, number, of_one, of_several, other_number = found.groups()
        kind = (of_one or of_several)[0]
        axes = 3 if of_several else {"w": 2, "b": 1}[kind]
        if array.ndim == axes:
            shaped = array if of_several else np.atleast_2d(array.T)[None]
            parts.setdefault(network, {}).setdefault(int(number or other_number), {})[kind] = shaped
    return parts


def _fits(chain: tuple[tuple[np.ndarray, np.ndarray], ...]) -> bool:
    outs = [weight.shape[2] for weight, _ in chain]
    ins = [weight.shape[1] for weight, _ in chain]
    right = all(bias.shape == (weight.shape[0], 1, weight.shape[2]) for weight, bias in chain)
    sized = all(array.size for layer in chain for array in layer)
    return len(chain) > 1 and right and sized and outs[:-1] == ins[1:]
