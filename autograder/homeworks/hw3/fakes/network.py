"""What given networks are looked at with: their leaves, shapes and activations; flags."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.homeworks.hw3.fakes import transitions
from autograder.homeworks.hw3.fakes.critic import NO_CLIPPING, construct
from autograder.homeworks.hw3.fakes.given_code import Found, note
from autograder.running.probing import Student, plain_array

OBS, ACTIONS, BATCH = transitions.STATES, transitions.ACTIONS, transitions.BATCH
WIDTH, LAYERS = 13, 3  # no two sizes can be taken for each other
RATE, CLIP_AT = 0.0137, 0.01
FRAMES = 4
CONVOLUTIONS = [(32, FRAMES, 8, 8), (64, 32, 4, 4), (64, 64, 3, 3)]
IMAGE_LAYERS: Sequence[tuple[int, ...]] = [*CONVOLUTIONS, (512, 64 * 7 * 7), (ACTIONS, 512)]
SIZES = {"n_layers": LAYERS, "size": WIDTH, "learning_rate": RATE}
ANY = {"Tanh", "Relu", "LeakyRelu", "Elu", "Sigmoid"}  # right where none was asked for
ACTIVATIONS = ANY | {"Softplus", "Softmax", "LogSoftmax"}
HIDDEN = {"mlp": {"Tanh"}, "mlp_relu": {"Relu"}, "mlp_tanh_output": {"Relu"}, "images": {"Relu"}}
OUTPUTS = {"mlp_tanh_output": [["Tanh"]], "logits_na": [[], ["LogSoftmax"]]}


def observations(seed: int) -> np.ndarray:
    """Draws observations. Shape (BATCH, OBS), float32."""
    return np.random.default_rng([285, 33, seed]).normal(0, 1, (BATCH, OBS)).astype(np.float32)


def nodes_of(output: Any) -> list[Any]:
    """Returns the nodes of the graph that a result was computed by, deepest first."""
    depth: dict[Any, int] = {}
    frontier, level = {output.grad_fn} - {None}, 0
    while frontier:
        depth |= dict.fromkeys(frontier, level)
        frontier = {f for node in frontier for f, _ in node.next_functions} - {None}
        level += 1
    return sorted(depth, key=lambda node: -depth[node])


def leaves_of(output: Any) -> list[torch.Tensor]:
    """Returns the tensors that a result was computed from and that can learn, deepest first."""
    return [node.variable for node in nodes_of(output) if hasattr(node, "variable")]


def trained_by(optimizer: torch.optim.Optimizer) -> set[int]:
    """Returns the identities of what an optimizer changes."""
    return {id(p) for group in optimizer.param_groups for p in group["params"]}


def asked(found: Found, network: nn.Module, ask: Callable[..., Any], obs: np.ndarray) -> np.ndarray:
    """Returns the values of observations; notes what asking changes, and what is no array."""
    modes = [part.training for part in network.modules()]
    values = ask(obs)
    note(
        found,
        mode_left=modes != [part.training for part in network.modules()],
        gradient_left_off=not torch.is_grad_enabled(),
        not_an_array=not isinstance(values, np.ndarray),
    )
    torch.set_grad_enabled(True)
    return plain_array(values)


def layers_of(outputs: int) -> Sequence[tuple[int, ...]]:
    """Returns the shapes of the matrices that a perceptron is to have."""
    return [(WIDTH, OBS), *[(WIDTH, WIDTH)] * (LAYERS - 1), (outputs, WIDTH)]


def note_sizes(found: Found, output: torch.Tensor, sizes: Sequence[tuple[int, ...]]) -> bool:
    """Notes depth and width of a network, by its weights; returns whether both are right."""
    shapes = [sorted(leaf.shape) for leaf in leaves_of(output) if leaf.ndim > 1]
    deep, right = len(shapes) == len(sizes), shapes == [sorted(size) for size in sizes]
    note(found, depth=not deep, width=deep and not right)
    return right


def inspect_network(
    found: Found, name: str, output: torch.Tensor, module: nn.Module, optimizer: Any
) -> None:
    """Notes who knows the tensors that a network used, what trains them, and their shapes."""
    used = {id(leaf) for leaf in leaves_of(output)}
    if not used:
        found.add("no_gradient")
        return
    known = used <= {id(parameter) for parameter in module.parameters()}
    note(found, layers_unregistered=not known)
    if optimizer is not None and known:
        note_training(found, used, optimizer)
        note(found, learning_rate=not np.isclose(optimizer.param_groups[0]["lr"], RATE))
    is_value = name == "value"
    sizes = IMAGE_LAYERS if name == "images" else layers_of(1 if is_value else ACTIONS)
    right = note_sizes(found, output, sizes)
    note(found, value_shape=is_value and "depth" not in found and output.shape != (BATCH,))
    if right:
        note_activations(found, name, nodes_of(output), len(sizes) - 1)


def note_training(found: Found, used: set[int], optimizer: Any) -> None:
    """Notes whether an optimizer holds all the weights that are used, or some, or none."""
    trained = used & trained_by(optimizer)
    missed = bool(trained) and trained != used
    note(found, optimizer_holds_other=not trained, optimizer_misses=missed)


def note_activations(found: Found, name: str, nodes: list[Any], hidden: int) -> None:
    """Notes which activations a network has, before its last layer and after it."""
    steps = [re.sub(r"Backward\d*$", "", node.name()) for node in nodes]
    last = max((at for at, step in enumerate(steps) if step in ("Addmm", "Mm")), default=0)
    bends = [[s for s in part if s in ACTIVATIONS] for part in (steps[:last], steps[last:])]
    note(
        found,
        linear=not bends[0],
        hidden_activation=set(bends[0]) - HIDDEN.get(name, ANY),
        output_activation=bends[1] not in OUTPUTS.get(name, [[]]),
        strange_output=len(bends[0]) not in (0, hidden),
    )


def q_network() -> nn.Module:
    """Makes a Q-network of several layers, one of which has buffers: state of no optimizer."""
    return nn.Sequential(nn.Linear(OBS, WIDTH), nn.BatchNorm1d(WIDTH), nn.Linear(WIDTH, ACTIONS))


def state_of(network: nn.Module) -> tuple[np.ndarray, np.ndarray]:
    """Returns all parameters, and all buffers, as two flat arrays."""
    groups = (list(network.parameters()), list(network.buffers()))
    flat = [np.concatenate([t.detach().double().numpy().ravel() for t in g]) for g in groups]
    return flat[0].copy(), flat[1].copy()


def same(a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray]) -> bool:
    """Returns whether two states are equal."""
    return all(map(np.array_equal, a, b))


def disturb(network: nn.Module) -> None:
    """Changes a network in place, as a gradient step does; buffers too."""
    with torch.no_grad():
        for tensor in [*network.parameters(), *network.buffers()]:
            tensor.add_(1)


def make_critic(student: Student, **own: Any) -> Any:
    """Builds DQN's critic of such networks, which clips nothing unless it is asked to."""
    unclipped = {"grad_value_clipping": NO_CLIPPING}
    return construct(student, OBS, q_network, **{**unclipped, **own})
