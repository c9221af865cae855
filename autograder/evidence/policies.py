"""Policies from handed-in weights: safetensors alone, of exactly the shapes that the run needs.

The networks are written out here once more, in a few lines. So what is judged are a student's
numbers: none of a student's code takes part, nor any that a blank might be missing from.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import index
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.numpy import load
from torch.nn import functional as F  # noqa: N812

from autograder.evidence.files import arrays_in
from autograder.evidence.rules import RunQuestion

Shapes = dict[str, tuple[int, ...]]
Weights = Mapping[str, np.ndarray]
Policy = Callable[[np.ndarray, np.random.Generator], Any]
"""From one observation to an action."""

LONGEST_HEADER = 2**16
LARGEST = 1e4  # no weight of an honest run comes near: steps are 0.02 at most, and cancel
LARGEST_LOGSTD = 5.0
LEAST_MOVED = 0.003  # of a layer's numbers
MOST_LAYERS, MOST_UNITS = 8, 4096
MOST_NUMBERS = 2**20  # of a perceptron: a step of it takes less than a millisecond
FRAMES = 4
MEAN_NET = "mean_net."  # how the names of a Gaussian's means begin
ACTORS = ("ddpg", "td3", "sac")  # whose actions are bounded
SCALES = ("count", "mean", "var")  # of past observations, by which new ones are scaled
DQN_HIDDEN = (64, 64)  # of a portfolio's members, whose settings leave them as they are
RELU = partial(np.maximum, 0.0)
CONVOLUTIONS = ((0, 4), (2, 2), (4, 1))  # index of the layer, stride
IMAGE_WEIGHTS: dict[int, tuple[int, ...]]  # shapes, by the index of the layer; but for the last
IMAGE_WEIGHTS = {0: (32, FRAMES, 8, 8), 2: (64, 32, 4, 4), 4: (64, 64, 3, 3), 7: (512, 3136)}


class MisfitError(Exception):
    """The weights are none of this run's network; one line says why."""


def shapes(question: RunQuestion, settings: Mapping[str, Any], best: float = 0) -> Shapes:
    """Returns name -> shape of the weights that a run of these settings leaves.

    `best` is the number of the member whose weights a portfolio has left.

    Raises:
        MisfitError: If the settings ask for no network that could be handed in.
    """
    task = question.task
    prefix, outputs = _prefix_and_outputs(question, best)
    if task.images:
        layers = IMAGE_WEIGHTS | {9: (outputs, 512)}
    else:
        sizes = [task.ob_dim, *_hidden(question, settings), outputs]
        pairs = zip(sizes[1:], sizes, strict=False)
        first = int(bool(settings.get("normalize_observations")))
        layers = {first + 2 * number: pair for number, pair in enumerate(pairs)}
    found: Shapes = {}
    if not task.images and first:
        found |= {f"{prefix}0.{name}": (task.ob_dim,) for name in SCALES} | {f"{prefix}0.count": ()}
    for number, shape in layers.items():
        found[f"{prefix}{number}.weight"] = shape
        found[f"{prefix}{number}.bias"] = shape[:1]
    if prefix == MEAN_NET:
        found["logstd"] = (outputs,)
    return found


def _prefix_and_outputs(question: RunQuestion, best: float) -> tuple[str, int]:
    """Returns the beginning of the weights' names, and the number of the network's outputs."""
    task, outputs, agent, member = question.task, question.task.ac_dim, question.agent, ""
    if question.portfolio:
        members = dict(enumerate(question.members))
        if best not in members:
            raise MisfitError("the log does not name the member that they are of")
        agent, member = members[int(best)], f"{int(best)}."
    if agent in ACTORS:
        return f"{member}net.", outputs * (2 if agent == "sac" else 1)  # and deviations
    if task.images:
        return "layers.", outputs
    if agent == "dqn":
        return member, outputs
    return ("logits_na." if task.discrete else MEAN_NET), outputs


def _hidden(question: RunQuestion, settings: Mapping[str, Any]) -> Sequence[int]:
    """Returns the sizes of a perceptron's hidden layers.

    Raises:
        MisfitError: If the settings contain none that can be judged.
    """
    if question.portfolio and question.task.discrete:
        return DQN_HIDDEN
    try:
        if settings.get("hidden") is not None:
            sizes = [int(units) for units in str(settings["hidden"]).split(",")]
        else:
            sizes = [index(settings["size"])] * min(index(settings["n_layers"]), MOST_LAYERS + 1)
    except (KeyError, TypeError, ValueError):
        raise MisfitError("the settings do not contain the size of the network") from None
    if not (0 < len(sizes) <= MOST_LAYERS and 0 < min(sizes) <= max(sizes) <= MOST_UNITS):
        raise MisfitError(f"no network of hidden layers {str(sizes)[:50]} can be judged")
    if sum(a * b for a, b in itertools.pairwise([question.task.ob_dim, *sizes])) > MOST_NUMBERS:
        raise MisfitError(f"a network of hidden layers {str(sizes)[:50]} is too large to be played")
    return sizes


def most_bytes(wanted: Shapes) -> int:
    """Returns the size that no file of these weights exceeds."""
    return 8 + LONGEST_HEADER + 4 * sum(math.prod(shape) for shape in wanted.values())


def load_weights(data: bytes, wanted: Shapes) -> dict[str, np.ndarray]:
    """Reads float32 arrays of exactly the wanted names and shapes.

    Raises:
        MisfitError: If `data` contains anything else.
    """
    _check_names(data, wanted)
    try:
        found = load(data)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise MisfitError(f"no safetensors file: {str(error)[:100]}") from None
    for name, array in found.items():
        largest = LARGEST_LOGSTD if name == "logstd" else math.inf if scales(name) else LARGEST
        if not np.isfinite(array).all():
            raise MisfitError(f"{name} contains numbers that are not finite")
        if np.abs(array).max() > largest:
            raise MisfitError(f"{name} contains numbers beyond {largest:g}, which no run reaches")
    return found


def _check_names(data: bytes, wanted: Shapes) -> None:
    """Compares the file's header with the wanted shapes, before anything is read."""
    try:
        message = arrays_in(data, LONGEST_HEADER)
    except ValueError as error:
        raise MisfitError(str(error)) from None
    for name, shape in wanted.items():
        if message.get(name) != ("F32", shape):
            what = "is missing" if name not in message else f"is not float32 of shape {shape}"
            raise MisfitError(f"{name} {what}")
    if len(message) > len(wanted):
        raise MisfitError(f"{len(message) - len(wanted)} arrays too many for this network")


def scales(name: str) -> bool:
    """Returns whether an array tells of past observations."""
    return name.rpartition(".")[2] in SCALES


def untrained(question: RunQuestion, weights: Weights) -> str:
    """Returns the first layer that training never moved; empty if there is none.

    PPO and TRPO begin with biases of 0 (Huang et al., 2022, detail 2). Else PyTorch draws weights
    and biases within 1 / sqrt(inputs) of zero. A hundred updates of homework 3's actor take 5 to
    38 % of a layer beyond, the first 1,250 of Ms. Pac-Man's critic 0.5 %.
    """
    for name, array in weights.items():
        if name.endswith(".weight"):
            bias = weights[name.removesuffix("weight") + "bias"]
            edge = 1.0001 / math.sqrt(math.prod(array.shape[1:]))
            moved = np.abs(np.append(array, bias)) > edge
            if question.agent == "ppo":
                moved = bias != 0.0
            if moved.mean() < LEAST_MOVED:
                return name.removesuffix(".weight")
    return ""


def make_policy(question: RunQuestion, weights: Weights, epsilon: float) -> Policy:
    """Returns the policy of the question's agent; `epsilon` is DQN's chance of a random action."""
    if question.task.images:
        tensors = {name: torch.from_numpy(array.copy()) for name, array in weights.items()}
        return partial(greedy_on_images, tensors, epsilon)
    if question.dqn or (question.portfolio and question.task.discrete):
        return partial(greedy, Perceptron(weights, RELU), epsilon)
    if question.portfolio or question.agent in ACTORS:
        return partial(bounded, Perceptron(weights, RELU), question.task.ac_dim)
    std = np.exp(weights["logstd"]) if "logstd" in weights else None
    if question.agent == "pg":
        return partial(sampled, Perceptron(weights, np.tanh), std)
    return partial(likeliest, Perceptron(weights, np.tanh), question.task.discrete)


class Perceptron:
    """Layers of units that all bend their sums in one way, but for the last, which does not."""

    def __init__(self, weights: Weights, bend: Callable[[np.ndarray], np.ndarray]) -> None:
        """Puts the layers in order."""
        self.scales = {n.rpartition(".")[2]: array for n, array in weights.items() if scales(n)}
        names = [name for name in weights if name.endswith(".weight")]
        names.sort(key=lambda name: int(name.split(".")[-2]))
        layers = [(weights[n], weights[n.removesuffix("weight") + "bias"]) for n in names]
        *self.hidden, (self.weight, self.bias) = layers
        self.bend = bend

    def __call__(self, obs: np.ndarray) -> np.ndarray:
        """Returns the outputs for one observation, which is scaled first if weights say how."""
        if self.scales:
            std = np.sqrt(np.maximum(self.scales["var"], 0.0) + 1e-8)
            obs = ((obs - self.scales["mean"]) / std).clip(-10.0, 10.0)
        for weight, bias in self.hidden:
            obs = self.bend(weight @ obs + bias)
        return np.asarray(self.weight @ obs + self.bias)


def greedy(net: Perceptron, epsilon: float, obs: np.ndarray, rng: np.random.Generator) -> int:
    """The action of the largest value; sometimes a random one."""
    if epsilon and rng.random() < epsilon:
        return int(rng.integers(len(net.bias)))
    return int(np.argmax(net(obs)))


def sampled(
    net: Perceptron, std: np.ndarray | None, obs: np.ndarray, rng: np.random.Generator
) -> Any:
    """A draw from what the outputs describe; without `std`, of choices."""
    out = net(obs.astype(np.float32))
    if std is None:  # the largest of logits with Gumbel noise is a draw from the softmax
        return int(np.argmax(out + rng.gumbel(size=len(out))))
    return (out + std * rng.standard_normal(len(out))).astype(np.float32)


def likeliest(net: Perceptron, discrete: bool, obs: np.ndarray, rng: np.random.Generator) -> Any:
    """The most likely choice, or the mean of the actions."""
    out = net(obs.astype(np.float32))
    return int(np.argmax(out)) if discrete else out.astype(np.float32)


def bounded(net: Perceptron, ac_dim: int, obs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The action of DDPG's, TD3's or SAC's actor without its noise, between -1 and 1."""
    # Behind the means of SAC's actions stand their deviations.
    return np.asarray(np.tanh(net(obs.astype(np.float32)))[:ac_dim])


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
