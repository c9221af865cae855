"""What given networks are looked at with: their leaves, shapes and activations; flags."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.crashes import Crash
from autograder.hw3.probe_dqn_critic import OptimizerSpec, hparams
from autograder.numbers import close
from autograder.probing import Student

BATCH, OBS, ACTIONS, WIDTH, LAYERS = 7, 17, 5, 13, 3  # no two sizes can be taken for each other
RATE, CLIP_AT, FREQUENCY = 0.0137, 0.01, 3
DECAY = 0.5  # of the learning rate of DQN's critic, for each update
VALUE_PARAMS = {
    "ob_dim": OBS,
    "ac_dim": ACTIONS,
    "discrete": True,
    "n_layers": LAYERS,
    "size": WIDTH,
    "learning_rate": RATE,
    "gamma": 0.7,
    "num_target_updates": 2,
    "num_grad_steps_per_target_update": 3,
    "standardize_advantages": True,
    "num_critic_updates_per_agent_update": 1,
    "num_actor_updates_per_agent_update": 1,
}
SIZES = {"mlp": ACTIONS, "mlp_relu": ACTIONS, "mlp_tanh_output": ACTIONS, "value": 1,
         "logits_na": ACTIONS, "mean_net": ACTIONS}  # fmt: skip
ACTIVATIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "tanh": torch.tanh,
    "relu": nn.functional.relu,
    "leaky_relu": nn.functional.leaky_relu,
    "elu": nn.functional.elu,
    "sigmoid": torch.sigmoid,
    "softplus": nn.functional.softplus,
    "identity": torch.clone,
    "softmax": functools.partial(torch.softmax, dim=-1),
    "log_softmax": functools.partial(torch.log_softmax, dim=-1),
}
NO = np.array(False)
Seen = dict[str, Any]


def observations(seed: int) -> np.ndarray:
    """Draws observations. Shape (BATCH, OBS), float32."""
    return np.random.default_rng([285, 33, seed]).normal(0, 1, (BATCH, OBS)).astype(np.float32)


def leaves_of(output: Any) -> list[torch.Tensor]:
    """Returns the tensors that a result was computed from and that can learn, deepest first."""
    depth: dict[Any, int] = {}
    frontier, level = {output.grad_fn} - {None}, 0
    while frontier:
        depth |= dict.fromkeys(frontier, level)
        frontier = {f for node in frontier for f, _ in node.next_functions} - {None}
        level += 1
    ordered = sorted(depth, key=lambda node: -depth[node])
    return [node.variable for node in ordered if hasattr(node, "variable")]


def set_at_random(leaves: list[torch.Tensor], seed: int) -> None:
    """Gives weights and biases values at which activations bend and none is saturated."""
    rng = np.random.default_rng([285, 34, seed])
    with torch.no_grad():
        for leaf in leaves:
            size = 1.8 / np.sqrt(leaf.shape[-1]) if leaf.ndim > 1 else 0.4
            leaf.copy_(torch.as_tensor(rng.uniform(-size, size, tuple(leaf.shape))))


def foreign(crash: Crash) -> bool:
    """Tells whether what was looked for is missing: a blank, a package, a file."""
    missing = re.match(r"(partially initialized )?module '|cannot import name", crash.text)
    absent = ("ImportError", "ModuleNotFoundError", "UserError", "DependencyNotInstalled")
    return bool(crash.blank or missing) or crash.kind in absent


def look(student: Student, name: str, flags: str, experiment: Callable[[Seen], None]) -> None:
    """Runs an experiment that notes flags; all are down where there is nothing to be seen.

    An optimizer that finds no parameters is the consequence of an iterator that was used up, or of
    layers that nobody knows of.
    """

    def run(seen: Seen) -> None:
        seen |= dict.fromkeys(flags.split(), False)
        experiment(seen)

    trial = student.try_out(name, run)
    if trial.crash and "empty parameter list" in trial.crash.text:
        unknown = any(
            t.arrays.get("layers_unregistered", NO).any() for t in student.trials.values()
        )
        trial.arrays["parameters_used_up"] = np.array(not unknown)
        trial.crash = None
    elif trial.crash and foreign(trial.crash):
        trial.crash = None


def sizes_of(outputs: int) -> list[list[int]]:
    """Returns the shapes of the weights of a perceptron, from the input on, each sorted."""
    return [sorted(s) for s in ((WIDTH, OBS), *[(WIDTH, WIDTH)] * (LAYERS - 1), (outputs, WIDTH))]


def shapes_in(leaves: Iterable[torch.Tensor]) -> list[list[int]]:
    """Returns the shapes of matrices, each sorted."""
    return [sorted(leaf.shape) for leaf in leaves if leaf.ndim == 2]


def inspect_network(
    name: str, compute: Callable[[], Any], module: nn.Module, optimizer: Any, seed: int, seen: Seen
) -> None:
    """Notes who knows the tensors that a network uses, what trains them, and their shapes."""
    used = leaves_of(compute())
    seen["no_gradient"] = not used
    if not used:
        return
    known = {id(parameter) for parameter in module.parameters()}
    seen["layers_unregistered"] = any(id(leaf) not in known for leaf in used)
    if optimizer is not None and not seen["layers_unregistered"]:
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        trained = sum(id(leaf) in held for leaf in used)
        seen["optimizer_holds_other"] = trained == 0
        seen["optimizer_misses"] = 0 < trained < len(used)
        seen["learning_rate"] = not np.isclose(optimizer.param_groups[0]["lr"], RATE)
    expected, shapes = sizes_of(SIZES[name]), shapes_in(used)
    seen["depth"] = len(shapes) != len(expected)
    seen["width"] = not seen["depth"] and shapes != expected
    set_at_random(used, seed)
    output = compute().detach()
    if name == "value":
        seen["value_shape"] |= not seen["depth"] and output.shape != (BATCH,)
    if shapes == expected and output.numel() == BATCH * SIZES[name]:
        note_activations(name, used, output.reshape(BATCH, -1), seed, seen)


def note_activations(
    name: str, used: list[torch.Tensor], output: torch.Tensor, seed: int, seen: Seen
) -> None:
    """Notes which activations explain an output; any hidden one is right where none was asked."""
    asked = {"mlp": ["tanh"], "mlp_relu": ["relu"], "mlp_tanh_output": ["relu"]}
    hidden = asked.get(name, ["tanh", "relu", "leaky_relu", "elu", "sigmoid"])
    last = {"mlp_tanh_output": ["tanh"], "logits_na": ["identity", "log_softmax"]}
    outputs = last.get(name, ["identity"])
    kinds = itertools.product(
        sorted(ACTIVATIONS, key=lambda kind: kind not in hidden),
        sorted(ACTIVATIONS, key=lambda kind: kind not in outputs),
    )
    observed = np.asarray(output)
    for inside, after in kinds:
        if close(observed, np.asarray(perceptron(used, seed, inside, after))):
            seen["linear"] = inside == "identity"
            seen["hidden_activation"] = not seen["linear"] and inside not in hidden
            seen["output_activation"] = after not in outputs
            return
    seen["strange_output"] = True


@torch.no_grad()
def perceptron(used: list[torch.Tensor], seed: int, inside: str, after: str) -> torch.Tensor:
    """Returns what a perceptron makes of the observations."""
    weights = [leaf for leaf in used if leaf.ndim == 2]
    biases = [leaf for leaf in used if leaf.ndim == 1]
    x = torch.as_tensor(observations(seed))
    for weight, bias in zip(weights, biases, strict=False):
        x = x @ (weight.T if weight.shape == (len(bias), x.shape[1]) else weight) + bias
        x = ACTIVATIONS[after if weight is weights[-1] else inside](x)
    return x


def note_gradient_mode(seen: Seen) -> None:
    """Notes whether gradients are no longer recorded, and has them recorded from here on."""
    seen["gradient_left_off"] = not torch.is_grad_enabled()
    torch.set_grad_enabled(True)


class Scale(nn.Module):
    """A layer with buffers, as batch normalisation has: state that no optimizer knows."""

    scale: torch.Tensor

    def __init__(self) -> None:
        """Begins with a scale drawn from torch's generator."""
        super().__init__()
        self.register_buffer("scale", 1 + torch.rand(()))
        self.register_buffer("steps", torch.randint(1, 1000, ()))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Scales."""
        scaled: torch.Tensor = features * self.scale
        return scaled


def q_network(*_: Any, **__: Any) -> nn.Module:
    """Makes a Q-network of several layers; no two are alike."""
    return nn.Sequential(nn.Linear(OBS, WIDTH), Scale(), nn.Linear(WIDTH, ACTIONS))


def state_of(network: nn.Module) -> tuple[np.ndarray, np.ndarray]:
    """Returns all parameters, and all buffers, as two flat arrays."""
    groups = (list(network.parameters()), list(network.buffers()))
    flat = [np.concatenate([t.detach().double().numpy().ravel() for t in g]) for g in groups]
    return flat[0].copy(), flat[1].copy()


def same(a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray]) -> bool:
    """Tells whether two states are equal."""
    return all(np.array_equal(*pair) for pair in zip(a, b, strict=True))


def disturb(network: nn.Module) -> None:
    """Changes a network in place, as a gradient step does; buffers too."""
    with torch.no_grad():
        for tensor in [*network.parameters(), *network.buffers()]:
            tensor.add_(1)


def make_critic(student: Student, clip: float = 1e9, double_q: bool = False) -> Any:
    """Builds DQN's critic with plain gradient descent."""
    module = student.module("critics.dqn_critic")
    spec = OptimizerSpec(torch.optim.SGD, {"lr": 1.0}, lambda update: DECAY**update)
    settings = hparams(0.7, double_q, clip) | {"q_func": q_network, "ob_dim": (OBS,)}
    return module.DQNCritic(settings, spec)
