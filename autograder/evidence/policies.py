"""Policies from handed-in weights: safetensors alone, of exactly the shapes that the run needs.

The networks are written out here once more, in a few lines. So what is judged are a student's
numbers: none of a student's code takes part, nor any that a blank might be missing from.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.numpy import load
from torch.nn import functional as F  # noqa: N812

from autograder.evidence.rules import Question

Shapes = dict[str, tuple[int, ...]]
Weights = Mapping[str, np.ndarray]
Layers = list[tuple[np.ndarray, np.ndarray]]
Policy = Callable[[np.ndarray, np.random.Generator], Any]
"""From one observation to an action."""

LONGEST_HEADER = 2**16
LARGEST = 1e4  # no weight of an honest run comes near: steps are 0.02 at most, and cancel
LARGEST_LOGSTD = 5.0
LEAST_MOVED = 0.003  # of a layer's numbers
MOST_LAYERS, MOST_UNITS = 8, 4096
FRAMES = 4
DQN_HIDDEN = (64, 64)  # of a portfolio's members, whose settings leave them as they are
CONVOLUTIONS = ((0, 4), (2, 2), (4, 1))  # index of the layer, stride


class MisfitError(Exception):
    """The weights are none of this run's network; one line says why."""


def shapes(question: Question, settings: Mapping[str, Any], best: float = 0) -> Shapes:
    """Returns name -> shape of the weights that a run of these settings leaves.

    `best` is the number of the member whose weights a portfolio has left.

    Raises:
        MisfitError: If the settings ask for no network that could be handed in.
    """
    task = question.task
    if question.portfolio:
        return _member_shapes(question, settings, best)
    if task.images:
        return _conv_shapes(task.ac_dim)
    layers, size = settings.get("n_layers"), settings.get("size")
    if not isinstance(layers, int) or not isinstance(size, int):
        raise MisfitError("the settings do not tell the size of the network")
    if not (0 < layers <= MOST_LAYERS and 0 < size <= MOST_UNITS):
        raise MisfitError(f"no network of {layers} layers of {size} units can be judged")
    if question.dqn:
        return _mlp_shapes("", task.ob_dim, task.ac_dim, *[size] * layers)
    if task.discrete:
        return _mlp_shapes("logits_na.", task.ob_dim, task.ac_dim, *[size] * layers)
    means = _mlp_shapes("mean_net.", task.ob_dim, task.ac_dim, *[size] * layers)
    return means | {"logstd": (task.ac_dim,)}


def _mlp_shapes(prefix: str, ob_dim: int, outputs: int, *hidden: int) -> Shapes:
    sizes = [ob_dim, *hidden, outputs]
    found: Shapes = {}
    for number, (before, after) in enumerate(zip(sizes, sizes[1:], strict=False)):
        found[f"{prefix}{2 * number}.weight"] = (after, before)
        found[f"{prefix}{2 * number}.bias"] = (after,)
    return found


def _member_shapes(question: Question, settings: Mapping[str, Any], best: float) -> Shapes:
    """Returns the weights of a portfolio's member, whose names begin with its number."""
    task, members = question.task, dict(enumerate(question.members))
    if best not in members:
        raise MisfitError("the log does not tell which member they are of")
    if task.discrete:
        return _mlp_shapes(f"{int(best)}.", task.ob_dim, task.ac_dim, *DQN_HIDDEN)
    try:
        hidden = [int(units) for units in str(settings.get("hidden")).split(",")]
    except ValueError:
        hidden = []
    if not (0 < len(hidden) <= MOST_LAYERS and 0 < min(hidden) <= max(hidden) <= MOST_UNITS):
        raise MisfitError("the settings do not tell the size of the network")
    outputs = 2 * task.ac_dim if members[int(best)] == "sac" else task.ac_dim  # and deviations
    return _mlp_shapes(f"{int(best)}.net.", task.ob_dim, outputs, *hidden)


def _conv_shapes(ac_dim: int) -> Shapes:
    weights = {0: (32, FRAMES, 8, 8), 2: (64, 32, 4, 4), 4: (64, 64, 3, 3)}
    dense = {7: (512, 3136), 9: (ac_dim, 512)}
    found: Shapes = {}
    for number, shape in (weights | dense).items():
        found[f"layers.{number}.weight"] = shape
        found[f"layers.{number}.bias"] = shape[:1]
    return found


def most_bytes(wanted: Shapes) -> int:
    """Returns the size that no file of these weights exceeds."""
    return 8 + LONGEST_HEADER + 4 * sum(math.prod(shape) for shape in wanted.values())


def load_weights(data: bytes, wanted: Shapes) -> dict[str, np.ndarray]:
    """Reads float32 arrays of exactly the wanted names and shapes.

    Raises:
        MisfitError: If `data` holds anything else.
    """
    _check_header(data, wanted)
    try:
        found = load(data)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise MisfitError(f"no safetensors file: {str(error)[:100]}") from None
    for name, array in found.items():
        largest = LARGEST_LOGSTD if name == "logstd" else LARGEST
        if not np.isfinite(array).all():
            raise MisfitError(f"{name} holds numbers that are not finite")
        if np.abs(array).max() > largest:
            raise MisfitError(f"{name} holds numbers beyond {largest:g}, which no run reaches")
    return found


def _check_header(data: bytes, wanted: Shapes) -> None:
    """Compares what the file says about itself with what is wanted, before anything is read."""
    if len(data) < 8:
        raise MisfitError("the file is cut off")
    (length,) = struct.unpack("<Q", data[:8])
    if length > min(LONGEST_HEADER, len(data) - 8):
        raise MisfitError("the header is longer than the file, or than a header needs to be")
    try:
        head = json.loads(data[8 : 8 + length])
        told = {
            str(name): (entry["dtype"], tuple(entry["shape"]))
            for name, entry in head.items()
            if name != "__metadata__"
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise MisfitError("the header is no description of arrays") from None
    for name, shape in wanted.items():
        if told.get(name) != ("F32", shape):
            what = "is missing" if name not in told else f"is not float32 of shape {shape}"
            raise MisfitError(f"{name} {what}")
    if len(told) > len(wanted):
        raise MisfitError(f"{len(told) - len(wanted)} arrays too many for this network")


def untrained(weights: Weights) -> str:
    """Returns the first layer that training never moved; empty if there is none.

    PyTorch draws weights and biases within 1 / sqrt(inputs) of zero. A hundred updates of homework
    3's actor take 5 to 38 % of a layer beyond, the first 1,250 of Ms. Pac-Man's critic 0.5 %.
    """
    for name, array in weights.items():
        if name.endswith(".weight"):
            numbers = np.append(array, weights[name.removesuffix("weight") + "bias"])
            edge = 1.0001 / math.sqrt(math.prod(array.shape[1:]))
            if (np.abs(numbers) > edge).mean() < LEAST_MOVED:
                return name.removesuffix(".weight")
    return ""


def make_policy(question: Question, weights: Weights, epsilon: float) -> Policy:
    """Returns the policy of the question's agent; `epsilon` is DQN's chance of a random action."""
    if question.task.images:
        tensors = {name: torch.from_numpy(array.copy()) for name, array in weights.items()}
        return partial(greedy_on_images, tensors, epsilon)
    layers = _layers(weights)
    if question.dqn or (question.portfolio and question.task.discrete):
        return partial(greedy, layers, epsilon)
    if question.portfolio:
        return partial(bounded, layers, question.task.ac_dim)
    return partial(sampled, layers, np.exp(weights["logstd"]) if "logstd" in weights else None)


def _layers(weights: Weights) -> Layers:
    """Returns weight and bias of each layer, in order."""
    names = [name for name in weights if name.endswith(".weight")]
    names.sort(key=lambda name: int(name.split(".")[-2]))
    return [(weights[n], weights[n.removesuffix("weight") + "bias"]) for n in names]


def greedy(layers: Layers, epsilon: float, obs: np.ndarray, rng: np.random.Generator) -> int:
    """The action of the largest value of a perceptron with ReLU units; sometimes a random one."""
    *hidden, (weight, bias) = layers
    if epsilon and rng.random() < epsilon:
        return int(rng.integers(len(bias)))
    for inner, offset in hidden:
        obs = np.maximum(inner @ obs + offset, 0.0)
    return int(np.argmax(weight @ obs + bias))


def sampled(
    layers: Layers, std: np.ndarray | None, obs: np.ndarray, rng: np.random.Generator
) -> Any:
    """A draw from what a perceptron with tanh units describes; without `std`, of choices."""
    *hidden, (weight, bias) = layers
    features = obs.astype(np.float32)
    for inner, offset in hidden:
        features = np.tanh(inner @ features + offset)
    out = weight @ features + bias
    if std is None:  # the largest of logits with Gumbel noise is a draw from the softmax
        return int(np.argmax(out + rng.gumbel(size=len(out))))
    return (out + std * rng.standard_normal(len(out))).astype(np.float32)


def bounded(layers: Layers, ac_dim: int, obs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The action of DDPG's, TD3's or SAC's actor without its noise, between -1 and 1."""
    *hidden, (weight, bias) = layers
    features = obs.astype(np.float32)
    for inner, offset in hidden:
        features = np.maximum(inner @ features + offset, 0.0)
    # Behind the means of SAC's actions stand their deviations.
    action: np.ndarray = np.tanh(weight @ features + bias)[:ac_dim]
    return action


@torch.no_grad()
def greedy_on_images(
    tensors: Mapping[str, torch.Tensor], epsilon: float, obs: np.ndarray, rng: np.random.Generator
) -> int:
    """The same of the network of Mnih et al.; `obs` is a stack of frames, bytes."""

    def layer(number: int) -> tuple[torch.Tensor, torch.Tensor]:
        return tensors[f"layers.{number}.weight"], tensors[f"layers.{number}.bias"]

    if rng.random() < epsilon:
        return int(rng.integers(len(tensors["layers.9.bias"])))
    features = torch.from_numpy(np.array(obs))[None].float() / 255.0
    for number, stride in CONVOLUTIONS:
        features = F.relu(F.conv2d(features, *layer(number), stride=stride))
    features = F.relu(F.linear(features.flatten(1), *layer(7)))
    return int(F.linear(features, *layer(9)).argmax())
