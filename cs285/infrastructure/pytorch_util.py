"""PyTorch helpers: the device, arrays to tensors and back, networks, seeds, checks."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import math
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from cs285.infrastructure.fast_torch import LeanSequential

device = torch.device("cpu")

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of mallopt(3), in bytes

Array = np.ndarray | torch.Tensor

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "identity": nn.Identity,
    "relu": nn.ReLU,
    "tanh": nn.Tanh,
}


def init_gpu(use_gpu: bool = True, gpu_id: int = 0) -> None:
    """Chooses where tensors live: CUDA device `gpu_id` where wanted and present, else the CPU."""
    global device
    use_cuda = use_gpu and torch.cuda.is_available()
    device = torch.device(f"cuda:{gpu_id}" if use_cuda else "cpu")


def set_up(seed: int, threads: int | None, no_gpu: bool, which_gpu: int) -> None:
    """Readies torch for a run: device, seeds, and CPU threads of a tensor operation (None: all)."""
    init_gpu(not no_gpu, which_gpu)
    # Adam's averages of gradients that stay zero decay until they are denormal numbers, below
    # 1e-38, with which processors compute a hundred times more slowly. Zero does as well.
    torch.set_flush_denormal(True)
    keep_freed_memory()
    seed_everything(seed)
    if threads is not None:
        torch.set_num_threads(threads)


def keep_freed_memory() -> None:
    """Asks the C library to keep the memory of freed tensors for the next ones.

    By its defaults glibc may hand large blocks back to the system at once. An update on images
    then pages in some 16 MB anew, for as long as a third of its arithmetic. Elsewhere than with
    glibc nothing happens.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        for option, size in ((M_MMAP_THRESHOLD, 32 << 20), (M_TRIM_THRESHOLD, 512 << 20)):
            mallopt(option, size)


def memory_of_machine() -> float:
    """Returns the bytes of this machine's memory; infinity where the system does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return math.inf


def from_numpy(array: Array) -> torch.Tensor:
    """Returns `array` as a float32 tensor on `device`, same shape."""
    if isinstance(array, np.ndarray) and array.dtype == np.float32 and device.type == "cpu":
        return torch.from_numpy(array)  # the same as below, in a third of the time
    return torch.as_tensor(array, dtype=torch.float32, device=device)


def observations_from_numpy(array: Array) -> torch.Tensor:
    """Returns observations as float32 on `device`; but bytes stay bytes, for a network to scale.

    Images travel at a quarter of the size that way.
    """
    if array.dtype == np.float32:
        return from_numpy(array)
    tensor = torch.as_tensor(array, device=device)
    return tensor if tensor.dtype == torch.uint8 else tensor.float()


def to_numpy(tensor: torch.Tensor) -> np.ndarray:
    """Returns the values of `tensor` as an array, cut from the graph, same shape and dtype."""
    array: np.ndarray = tensor.detach().cpu().numpy()
    return array


def check_shape(name: str, array: Array, shape: tuple[int, ...]) -> None:
    """Refuses an array of the wrong shape before it can broadcast silently.

    Raises:
        ValueError: If `array` has another shape; the message names it and both shapes.
    """
    if tuple(array.shape) != tuple(shape):
        raise ValueError(f"{name} has shape {tuple(array.shape)}, expected {tuple(shape)}")


def build_mlp(
    input_size: int,
    output_size: int,
    n_layers: int,
    size: int | Sequence[int],
    activation: str = "tanh",
    output_activation: str = "identity",
) -> nn.Sequential:
    """Builds a multilayer perceptron on `device`.

    Args:
        input_size: Features that enter. Tensors of shape (n, input_size).
        output_size: Features that leave. Tensors of shape (n, output_size).
        n_layers: Hidden layers.
        size: Units in each hidden layer; one number, or one for each.
        activation: After each hidden layer, a key of `ACTIVATIONS`.
        output_activation: After the last layer, a key of `ACTIVATIONS`.

    Raises:
        MemoryError: If this machine's memory cannot contain its weights.
    """
    hidden = [size] * n_layers if isinstance(size, int) else size
    all_units = [input_size, *hidden, output_size]
    weights = sum(before * after for before, after in itertools.pairwise(all_units))
    if 4 * weights > memory_of_machine():  # bytes; a system may kill a process instead of refusing
        raise MemoryError(f"a network of {weights:,} weights")
    layers: list[nn.Module] = []
    for units in hidden:
        layers += [nn.Linear(input_size, units), ACTIVATIONS[activation]()]
        input_size = units
    layers += [nn.Linear(input_size, output_size), ACTIVATIONS[output_activation]()]
    return LeanSequential(*layers).to(device)


def build_network(
    ob_dim: int | tuple[int, ...],
    output_size: int,
    n_layers: int,
    size: int | Sequence[int],
    activation: str = "tanh",
) -> nn.Module:
    """Builds the network for an observation: `NatureCNN` for frames, else a perceptron.

    Args:
        ob_dim: Components of a vector; or the shape of a stack, (frames, 84, 84).
        output_size: Features that leave. Tensors of shape (n, output_size).
        n_layers: Hidden layers of a perceptron.
        size: Units in each of them; one number, or one for each.
        activation: After each of them, a key of `ACTIVATIONS`.
    """
    if isinstance(ob_dim, tuple):
        return NatureCNN(ob_dim[0], output_size)
    return build_mlp(ob_dim, output_size, n_layers, size, activation)


class RunningNorm(nn.Module):
    """Scales each component by the mean and variance of all that `update` has seen, to [-10, 10].

    Before the first `update` it changes nothing else.
    """

    mean: torch.Tensor
    var: torch.Tensor
    count: torch.Tensor

    def __init__(self, size: int | tuple[int, ...]) -> None:
        """Begins with mean 0 and variance 1, seen 0 times."""
        super().__init__()
        self.register_buffer("mean", torch.zeros(size, device=device))
        self.register_buffer("var", torch.ones(size, device=device))
        self.register_buffer("count", torch.zeros((), device=device))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Returns `inputs` scaled, same shape (n, size)."""
        return ((inputs - self.mean) / torch.sqrt(self.var + 1e-8)).clamp(-10.0, 10.0)

    @torch.no_grad()
    def update(self, inputs: torch.Tensor) -> None:
        """Takes `inputs`, shape (n, size), into mean and variance (Chan et al., 1979)."""
        share = len(inputs) / (self.count + len(inputs))
        var, mean = torch.var_mean(inputs, dim=0, correction=0)
        off = mean - self.mean
        self.var.lerp_(var, share).add_(off**2 * share * (1 - share))
        self.mean.lerp_(mean, share)
        self.count += len(inputs)


class NatureCNN(nn.Module):
    """The convolutional Q-network of Mnih et al. (2015), "Methods".

    Maps a stack of frames, uint8 of shape (n, frames, 84, 84), to action values of shape
    (n, num_actions), float32. Scaling pixels to [0, 1] happens here and nowhere else. A stack
    without its batch axis counts as a batch of 1.
    """

    def __init__(self, num_frames: int, num_actions: int, bf16: bool = False) -> None:
        """Builds the layers; `bf16` computes them in bfloat16 while weights stay float32."""
        super().__init__()
        self.bf16, self.num_frames = bf16, num_frames
        self.layers = LeanSequential(
            nn.Conv2d(num_frames, 32, kernel_size=8, stride=4),
            nn.ReLU(),
            nn.Conv2d(32, 64, kernel_size=4, stride=2),
            nn.ReLU(),
            nn.Conv2d(64, 64, kernel_size=3, stride=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(64 * 7 * 7, 512),
            nn.ReLU(),
            nn.Linear(512, num_actions),
        )
        # Channels last is the layout that convolutions run fastest in, on CPU and GPU alike.
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.to(device)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        """Returns Q(s, a) for every action. Shape (n, num_actions), reward units."""
        frames = frames.view(-1, self.num_frames, *frames.shape[-2:])  # one frame has no such axis
        # Scaled in place: fresh memory for a batch of images costs as much as a convolution.
        pixels = frames.to(
            device, torch.float32, memory_format=torch.channels_last, copy=True
        ).div_(255.0)
        # One frame alone is sooner done in float32 than the weights are brought to bfloat16.
        bf16 = self.bf16 and len(frames) > 1
        with torch.autocast(device.type, torch.bfloat16, enabled=bf16):
            q_values: torch.Tensor = self.layers(pixels)
        return q_values.float()


def seed_everything(seed: int) -> None:
    """Seeds every global generator that our code or a student's may draw from."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def own_seeds(seed: int, count: int) -> list[int]:
    """Returns a seed for each of `count` environments: the first is `seed`, others follow from it.

    They are hashed, for `seed + 1` would be the first of another run.
    """
    others = np.random.SeedSequence(seed).spawn(count - 1)
    return [seed, *(int(other.generate_state(1)[0]) for other in others)]


class GlobalGenerators:
    """The global generators of Python, NumPy and torch, as something that has state."""

    def state_dict(self) -> dict[str, Any]:
        """Returns their states."""
        state = {"python": random.getstate(), "numpy": np.random.get_state()}
        state["torch"] = torch.get_rng_state()
        if torch.cuda.is_available():
            state["cuda"] = torch.cuda.get_rng_state_all()
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores what `state_dict` returned."""
        random.setstate(state["python"])
        np.random.set_state(state["numpy"])
        torch.set_rng_state(state["torch"])
        if "cuda" in state and torch.cuda.is_available():
            torch.cuda.set_rng_state_all(state["cuda"])


@contextlib.contextmanager
def generators_apart(*key: int) -> Iterator[int]:
    """Seeds the global generators by `key` for a while; afterwards they go on as if nothing was.

    Args:
        key: Numbers that name what is done meanwhile, such as a run's seed and an iteration.

    Yields:
        The seed that follows from the key, for generators that are not global.
    """
    generators = GlobalGenerators()
    before = generators.state_dict()
    seed = int(np.random.SeedSequence(key).generate_state(1)[0])
    seed_everything(seed)
    try:
        yield seed
    finally:
        generators.load_state_dict(before)
