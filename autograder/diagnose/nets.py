"""Perceptrons from weights: whether they were ever trained, and whether their units are alive."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

Tensors = Mapping[str, np.ndarray]
INPUTS, SCALES = 256, (0.1, 0.3, 1.0, 3.0)  # how many observations are made up, and how large
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
    def inputs(self) -> int:
        """How many numbers it reads."""
        return int(self.layers[0][0].shape[1])

    @property
    def width(self) -> int:
        """The most inputs of a layer."""
        return max(int(weight.shape[1]) for weight, _ in self.layers)

    def dormant(self, relu: bool, inputs: np.ndarray) -> float:
        """Returns the largest share of a hidden layer's units that give the same for every input.

        A unit that does not vary over them, a ReLU that is always off or a tanh at its end, passes
        nothing on and no gradient back.

        Args:
            relu: Whether units are ReLUs; else they are tanh.
            inputs: Shape (n, in).

        Source: Sokar et al., 2023, https://arxiv.org/abs/2302.12902, definition 3.1; Lu et al.,
        2019, "Dying ReLU and Initialization", https://arxiv.org/abs/1903.06733.
        """
        worst = 0.0
        for units in self._hidden(relu, inputs):
            worst = max(worst, float((np.ptp(units, axis=1) < FLAT).mean(axis=1).max()))
        return worst

    def outputs(self, relu: bool, inputs: np.ndarray) -> np.ndarray:
        """Returns what the last layer gives, without an activation. Shape (k, n, out)."""
        *_, units = self._hidden(relu, inputs)
        weight, bias = self.layers[-1]
        with np.errstate(all="ignore"):
            found: np.ndarray = units @ weight.astype(np.float64) + bias
        return found

    def _hidden(self, relu: bool, inputs: np.ndarray) -> Iterator[np.ndarray]:
        """Yields the outputs of each hidden layer. Shape (k, n, units)."""
        units = np.broadcast_to(inputs, (len(self.layers[0][0]), *inputs.shape)).astype(np.float64)
        with np.errstate(all="ignore"):
            for weight, bias in self.layers[:-1]:
                units = units @ weight.astype(np.float64) + bias
                units = np.maximum(units, 0.0) if relu else np.tanh(units)
                yield units


def made_up(size: int) -> np.ndarray:
    """Returns observations where a run has kept none: of the sizes in `SCALES`. Shape (n, size)."""
    units = np.random.default_rng(0).standard_normal((INPUTS, size))
    found: np.ndarray = units * np.resize(SCALES, INPUTS)[:, None]
    return found


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
