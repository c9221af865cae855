"""What given networks are looked at with: their leaves, shapes and activations; flags."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.homeworks.hw3.fakes import actor_critic, transitions
from autograder.homeworks.hw3.fakes.critic import construct
from autograder.homeworks.hw3.fakes.given_code import Found, note
from autograder.running.probing import Student, plain_array

OBS, ACTIONS, BATCH = transitions.STATES, transitions.ACTIONS, transitions.BATCH
WIDTH, LAYERS = 13, 3  # no two sizes can be taken for each other
RATE, CLIP_AT = 0.0137, 0.01
DECAY = 0.5  # of the learning rate of DQN's critic, as `construct` has it
VALUE_PARAMS = actor_critic.hparams(0.7, 2, 3) | {
    "n_layers": LAYERS,
    "size": WIDTH,
    "learning_rate": RATE,
    "standardize_advantages": True,
    "num_critic_updates_per_agent_update": 1,
    "num_actor_updates_per_agent_update": 1,
}
ACTIVATIONS = {"Tanh", "Relu", "LeakyRelu", "Elu", "Sigmoid", "Softplus", "Softmax", "LogSoftmax"}
# What else a perceptron's history may hold: sums, products, shapes, and the parameters' own nodes.
PLAIN = set("Add Addmm Mm T Transpose Permute Squeeze View UnsafeView Select Slice".split())
PLAIN |= set("Unsqueeze ReshapeAlias Alias torch::autograd::AccumulateGrad".split())


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


def held_by(optimizer: torch.optim.Optimizer) -> set[int]:
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


def sizes_of(outputs: int) -> list[list[int]]:
    """Returns the shapes of the weights of a perceptron, from the input on, each sorted."""
    return [sorted(s) for s in ((WIDTH, OBS), *[(WIDTH, WIDTH)] * (LAYERS - 1), (outputs, WIDTH))]


def shapes_in(leaves: Iterable[torch.Tensor]) -> list[list[int]]:
    """Returns the shapes of matrices, each sorted."""
    return [sorted(leaf.shape) for leaf in leaves if leaf.ndim == 2]


def inspect_network(
    found: Found, name: str, output: torch.Tensor, module: nn.Module, optimizer: Any
) -> None:
    """Notes who knows the tensors that a network used, what trains them, and their shapes."""
    used = leaves_of(output)
    if not used:
        found.add("no_gradient")
        return
    known, using = {id(parameter) for parameter in module.parameters()}, {id(leaf) for leaf in used}
    note(found, layers_unregistered=not using <= known)
    if optimizer is not None and using <= known:
        trained = using & held_by(optimizer)
        note(
            found,
            optimizer_holds_other=not trained,
            optimizer_misses=trained and trained != using,
            learning_rate=not np.isclose(optimizer.param_groups[0]["lr"], RATE),
        )
    expected, shapes = sizes_of(1 if name == "value" else ACTIONS), shapes_in(used)
    deep = len(shapes) == len(expected)
    strange = name == "value" and deep and output.shape != (BATCH,)
    note(found, depth=not deep, width=deep and shapes != expected, value_shape=strange)
    if shapes == expected:
        note_activations(found, name, nodes_of(output))


def note_activations(found: Found, name: str, nodes: list[Any]) -> None:
    """Notes which activations a network has; any hidden one is right where none was asked."""
    asked = {"mlp": {"Tanh"}, "mlp_relu": {"Relu"}, "mlp_tanh_output": {"Relu"}}
    hidden = asked.get(name, {"Tanh", "Relu", "LeakyRelu", "Elu", "Sigmoid"})
    outputs = {"mlp_tanh_output": [["Tanh"]], "logits_na": [[], ["LogSoftmax"]]}.get(name, [[]])
    steps = [re.sub(r"Backward\d*$", "", node.name()) for node in nodes]
    last = max((at for at, step in enumerate(steps) if step in ("Addmm", "Mm")), default=0)
    bends = [
        [step for step in part if step in ACTIVATIONS] for part in (steps[:last], steps[last:])
    ]
    note(
        found,
        linear=not bends[0],
        hidden_activation=set(bends[0]) - hidden,
        output_activation=bends[1] not in outputs,
        strange_output=len(bends[0]) not in (0, LAYERS) or set(steps) - ACTIVATIONS - PLAIN,
    )


def q_network(*_: Any, **__: Any) -> nn.Module:
    """Makes a Q-network of several layers, one of which has buffers: state of no optimizer."""
    return nn.Sequential(nn.Linear(OBS, WIDTH), nn.BatchNorm1d(WIDTH), nn.Linear(WIDTH, ACTIONS))


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
    """Builds DQN's critic of such networks; its learning rate falls by `DECAY` each time."""
    return construct(student, 0.7, double_q, clip, q_func=q_network, ob_dim=(OBS,))
