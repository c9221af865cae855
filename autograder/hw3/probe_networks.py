"""Probes of given networks: what they are made of, what trains them, and how a copy is kept."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.hw3.probe_dqn_critic import OptimizerSpec, hparams
from autograder.hw3.probe_step_env import STARTS
from autograder.hw3.probe_step_env import build as build_agent
from autograder.hw3.probes.schedules import takes
from autograder.hw3.step_world import StepWorld
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


def inspect_network(
    seen: Seen,
    compute: Callable[[], Any],
    module: nn.Module,
    optimizer: Any,
    seed: int,
) -> None:
    """Notes which tensors `compute` uses, who knows them, and what it makes of drawn weights.

    "shapes" has a row for each weight matrix; "known" and "trained" count the tensors in use that
    `module.parameters()` and `optimizer` hold.
    """
    output = compute()
    used = leaves_of(output)
    known = {id(parameter) for parameter in module.parameters()}
    seen["used"], seen["known"] = len(used), sum(id(leaf) in known for leaf in used)
    if optimizer is not None:
        groups = optimizer.param_groups
        held = {id(parameter) for group in groups for parameter in group["params"]}
        seen["trained"] = sum(id(leaf) in held for leaf in used)
        seen["rate"] = groups[0]["lr"]
    matrices = [leaf for leaf in used if leaf.ndim == 2]
    seen["shapes"] = np.array([tuple(leaf.shape) for leaf in matrices]).reshape(-1, 2)
    set_at_random(used, seed)
    for number, leaf in enumerate(matrices):
        seen[f"weight{number}"] = leaf
    for number, leaf in enumerate([leaf for leaf in used if leaf.ndim == 1]):
        seen[f"bias{number}"] = leaf
    seen["output"] = compute()


def note_gradient_mode(seen: Seen) -> None:
    """Notes whether gradients are still recorded, and has them recorded from here on."""
    seen["gradient_on"] = torch.is_grad_enabled()
    torch.set_grad_enabled(True)


def probe_mlp(student: Student, seed: int) -> None:
    """Builds perceptrons with `build_mlp`."""
    obs = torch.as_tensor(observations(seed))
    how: dict[str, dict[str, Any]] = {
        "mlp": {},
        "mlp_relu": {"activation": "relu"},
        "mlp_tanh_output": {"output_activation": "tanh", "activation": "relu"},
    }
    for name, options in how.items():

        def build(seen: Seen, options: dict[str, Any] = options) -> None:
            make = student.module("infrastructure.pytorch_util").build_mlp
            if not takes(make, OBS, ACTIONS, n_layers=LAYERS, size=WIDTH, **options):
                return
            network = make(OBS, ACTIONS, n_layers=LAYERS, size=WIDTH, **options)
            inspect_network(seen, lambda: network(obs), network, None, seed)

        student.try_out(name, build)


def probe_value(student: Student, seed: int) -> None:
    """Builds the critic of actor-critic, and values observations by tensor and by array."""
    obs = observations(seed)

    def build(seen: Seen) -> None:
        module = student.module("critics.bootstrapped_continuous_critic")
        critic = module.BootstrappedContinuousCritic(dict(VALUE_PARAMS))
        tensor = torch.as_tensor(obs)
        inspect_network(seen, lambda: critic(tensor), critic, critic.optimizer, seed)
        modes = [part.training for part in critic.modules()]
        values = critic.forward_np(obs)
        seen["by_array"], seen["is_array"] = values, isinstance(values, np.ndarray)
        seen["mode_kept"] = modes == [part.training for part in critic.modules()]
        note_gradient_mode(seen)

    student.try_out("value", build)


def probe_policies(student: Student, seed: int) -> None:
    """Builds policies over discrete and continuous actions."""
    obs = torch.as_tensor(observations(seed))
    for name, discrete in (("logits_na", True), ("mean_net", False)):

        def build(seen: Seen, name: str = name, discrete: bool = discrete) -> None:
            make = student.module("policies.MLP_policy").MLPPolicyAC
            options = {"discrete": discrete, "learning_rate": RATE}
            if not takes(make, ACTIONS, OBS, LAYERS, WIDTH, **options):
                return
            policy = make(ACTIONS, OBS, LAYERS, WIDTH, **options)
            network = getattr(policy, name, None)
            if network is None:
                return
            inspect_network(seen, lambda: network(obs), policy, policy.optimizer, seed)
            if not discrete and isinstance(getattr(policy, "logstd", None), torch.Tensor):
                groups = policy.optimizer.param_groups
                held = [id(p) for group in groups for p in group["params"]]
                seen["logstd_trained"] = policy.logstd.requires_grad and id(policy.logstd) in held
                seen["logstd_shape"] = tuple(policy.logstd.shape)

        student.try_out(name, build)


def probe_agents(student: Student, seed: int) -> None:
    """Builds both agents: the sizes of actor-critic's networks, and when DQN learns."""
    obs = torch.as_tensor(observations(seed))

    def actor_critic(seen: Seen) -> None:
        make = student.module("agents.ac_agent").ACAgent
        agent = make(StepWorld(), dict(VALUE_PARAMS))
        for name, network in (
            ("actor", getattr(agent.actor, "logits_na", None)),
            ("critic", agent.critic),
        ):
            leaves = leaves_of(network(obs)) if network is not None else []
            shapes = [tuple(leaf.shape) for leaf in leaves if leaf.ndim == 2]
            seen[f"{name}_shapes"] = np.array(shapes).reshape(-1, 2)

    def dqn(seen: Seen) -> None:
        world = StepWorld(endless=True)
        agent = build_agent(student, world, 0.0)
        if not takes(getattr(agent, "is_learning_step", None)):
            return
        agent.learning_starts, agent.learning_freq = STARTS, FREQUENCY
        for name, can in (("ready", True), ("too_few", False)):
            agent.replay_buffer.can_sample = lambda size, can=can: can
            learns = []
            for agent.t in range(STARTS + 10 * FREQUENCY + 1):
                learns.append(bool(agent.is_learning_step()))
            seen[name] = learns

    student.try_out("actor_critic", actor_critic)
    student.try_out("learning_step", dqn)


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
    with torch.no_grad():
        parts = [
            np.concatenate([np.asarray(t).ravel().astype(np.float64) for t in tensors])
            for tensors in (network.parameters(), network.buffers())
        ]
    return parts[0].copy(), parts[1].copy()


def disturb(network: nn.Module) -> None:
    """Changes a network in place, as a gradient step does; buffers too."""
    with torch.no_grad():
        for tensor in [*network.parameters(), *network.buffers()]:
            tensor.add_(1)


def note_states(critic: Any, seen: Seen, when: str) -> None:
    """Notes what both networks hold."""
    seen[f"{when}_online"], seen[f"{when}_online_buffers"] = state_of(critic.q_net)
    seen[f"{when}_target"], seen[f"{when}_target_buffers"] = state_of(critic.q_net_target)


def make_critic(student: Student, clip: float = 1e9, double_q: bool = False) -> Any:
    """Builds DQN's critic with plain gradient descent."""
    module = student.module("critics.dqn_critic")
    spec = OptimizerSpec(torch.optim.SGD, {"lr": 1.0}, lambda update: DECAY**update)
    settings = hparams(0.7, double_q, clip) | {"q_func": q_network, "ob_dim": (OBS,)}
    return module.DQNCritic(settings, spec)


def probe_copies(student: Student, seed: int) -> None:
    """Watches both Q-networks: at the start, through a sync, and while the online one moves."""
    obs = observations(seed)

    def networks(seen: Seen) -> None:
        critic = make_critic(student)
        note_states(critic, seen, "start")
        held = [id(p) for group in critic.optimizer.param_groups for p in group["params"]]
        for name in ("q_net", "q_net_target"):
            ids = [id(p) for p in getattr(critic, name).parameters()]
            seen[f"{name}_size"], seen[f"{name}_held"] = len(ids), sum(i in held for i in ids)
        disturb(critic.q_net)
        note_states(critic, seen, "moved")
        mode = critic.q_net.training
        values = critic.qa_values(obs)
        seen["qa"], seen["qa_is_array"] = values, isinstance(values, np.ndarray)
        seen["mode_kept"] = critic.q_net.training == mode
        note_gradient_mode(seen)
        for name in ("q_net", "q_net_target"):
            seen[f"qa_of_{name}"] = copy.deepcopy(getattr(critic, name))(torch.as_tensor(obs))
        sync = critic.update_target_network  # written as a call, it is what a blank asks for
        sync()
        note_states(critic, seen, "synced")
        disturb(critic.q_net)
        note_states(critic, seen, "later")

    def clipped(seen: Seen) -> None:
        critic = make_critic(student, CLIP_AT)
        before = state_of(critic.q_net)[0]
        actions, reward, ends = outcomes()
        critic.update(obs, actions, obs[::-1].copy(), reward, ends)
        seen["largest"] = np.abs(state_of(critic.q_net)[0] - before).max()

    def schedule(seen: Seen) -> None:
        critic = make_critic(student)
        agent = build_agent(student, StepWorld(endless=True), 0.0)
        agent.critic = count_updates(critic, seen)
        agent.learning_starts, agent.learning_freq = STARTS, FREQUENCY
        agent.replay_buffer.can_sample = lambda size: True
        actions, reward, ends = outcomes()
        seen["rates"], seen["inline"] = [], computes_double_q(student, obs)
        for agent.t in range(STARTS + FREQUENCY, STARTS + 5 * FREQUENCY):
            agent.train(obs, actions, reward, obs[::-1].copy(), ends)
            seen["rates"].append((seen["updates"], critic.optimizer.param_groups[0]["lr"]))

    student.try_out("networks", networks)
    student.try_out("clipped", clipped)
    student.try_out("schedule", schedule)


def computes_double_q(student: Student, obs: np.ndarray) -> bool:
    """Tells whether the critic's `update` computes double Q itself, as in older handouts."""
    asked: list[Any] = []
    critic = make_critic(student, double_q=True)
    critic.double_q_values = asked.append
    actions, reward, ends = outcomes()
    with contextlib.suppress(Exception):  # it did not get any values
        critic.update(obs, actions, obs[::-1].copy(), reward, ends)
    return not asked


def outcomes() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns actions, large rewards and ends of a batch. Shape (BATCH,) each."""
    reward = np.linspace(30, 90, BATCH).astype(np.float32)
    return np.arange(BATCH) % ACTIONS, reward, np.zeros(BATCH, np.float32)


def count_updates(critic: Any, seen: Seen) -> Any:
    """Lets a critic's `update` count its calls."""
    update, seen["updates"] = critic.update, 0

    def counted(*args: Any, **kwargs: Any) -> Any:
        seen["updates"] += 1
        return update(*args, **kwargs)

    critic.update = counted
    return critic


def probe_networks(student: Student, seed: int) -> None:
    """Builds every network that is given to students, in agents and alone."""
    probe_mlp(student, seed)
    probe_value(student, seed)
    probe_policies(student, seed)
    probe_agents(student, seed)
    probe_copies(student, seed)
