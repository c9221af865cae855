"""Looks at given networks: what they are made of, what trains them, and how a copy is kept.

What is wrong with them is to be seen by itself: each trial notes flags.
"""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import numpy as np
import torch

from autograder.hw3.network_world import (
    ACTIONS,
    BATCH,
    CLIP_AT,
    DECAY,
    FREQUENCY,
    LAYERS,
    OBS,
    RATE,
    VALUE_PARAMS,
    WIDTH,
    Seen,
    disturb,
    inspect_network,
    leaves_of,
    look,
    make_critic,
    note_gradient_mode,
    observations,
    same,
    shapes_in,
    sizes_of,
    state_of,
)
from autograder.hw3.probes.schedules import takes
from autograder.hw3.step_agent import STARTS
from autograder.hw3.step_agent import build as build_agent
from autograder.hw3.step_world import StepWorld
from autograder.numbers import close
from autograder.probing import Student

NETWORK = (
    "no_gradient layers_unregistered optimizer_holds_other optimizer_misses learning_rate depth "
    "width linear hidden_activation output_activation strange_output "
)


def probe_mlp(student: Student, seed: int) -> None:
    """Builds perceptrons with `build_mlp`."""
    obs = torch.as_tensor(observations(seed))
    how: dict[str, dict[str, Any]] = {
        "mlp": {},
        "mlp_relu": {"activation": "relu"},
        "mlp_tanh_output": {"output_activation": "tanh", "activation": "relu"},
    }
    for name, options in how.items():

        def build(seen: Seen, name: str = name, options: dict[str, Any] = options) -> None:
            make = student.module("infrastructure.pytorch_util").build_mlp
            if takes(make, OBS, ACTIONS, n_layers=LAYERS, size=WIDTH, **options):
                network = make(OBS, ACTIONS, n_layers=LAYERS, size=WIDTH, **options)
                inspect_network(name, lambda: network(obs), network, None, seed, seen)

        look(student, name, NETWORK, build)


def probe_value(student: Student, seed: int) -> None:
    """Builds the critic of actor-critic, and values observations by tensor and by array."""
    obs = observations(seed)

    def build(seen: Seen) -> None:
        module = student.module("critics.bootstrapped_continuous_critic")
        critic = module.BootstrappedContinuousCritic(dict(VALUE_PARAMS))
        tensor = torch.as_tensor(obs)
        inspect_network("value", lambda: critic(tensor), critic, critic.optimizer, seed, seen)
        modes, by_tensor = [part.training for part in critic.modules()], critic(tensor).detach()
        values = critic.forward_np(obs)
        seen["mode_left"] = modes != [part.training for part in critic.modules()]
        note_gradient_mode(seen)
        seen["not_an_array"] = not isinstance(values, np.ndarray)
        by_array = np.asarray(values.detach() if seen["not_an_array"] else values)
        seen["value_shape"] |= by_array.shape != (BATCH,)
        same = by_array.shape != by_tensor.shape or close(by_array, np.asarray(by_tensor))
        seen["forward_np_differs"] = not same

    asked = "value_shape not_an_array forward_np_differs mode_left gradient_left_off"
    look(student, "value", NETWORK + asked, build)


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
            held = [id(p) for group in policy.optimizer.param_groups for p in group["params"]]
            inspect_network(name, lambda: network(obs), policy, policy.optimizer, seed, seen)
            logstd = getattr(policy, "logstd", None)
            if not (discrete or seen["optimizer_holds_other"]) and torch.is_tensor(logstd):
                seen["logstd_not_trained"] = not (logstd.requires_grad and id(logstd) in held)

        look(student, name, NETWORK + "logstd_not_trained", build)


def probe_agents(student: Student, seed: int) -> None:
    """Builds both agents: the sizes of actor-critic's networks, and when DQN learns."""
    obs = torch.as_tensor(observations(seed))
    sizes = [t.arrays[flag] for t in student.trials.values() for flag in ("depth", "width")]
    alone = any(flag.any() for flag in sizes)  # then nobody knows what the agent asked for

    def actor_critic(seen: Seen) -> None:
        agent = student.module("agents.ac_agent").ACAgent(StepWorld(), dict(VALUE_PARAMS))
        actor = getattr(agent.actor, "logits_na", None)
        for network, outputs in ((actor, ACTIONS), (agent.critic, 1)):
            shapes = shapes_in(leaves_of(network(obs))) if network is not None else []
            seen["agent_sizes"] |= bool(shapes) and not alone and shapes != sizes_of(outputs)

    def dqn(seen: Seen) -> None:
        agent = build_agent(student, StepWorld(endless=True), 0.0)
        if not takes(getattr(agent, "is_learning_step", None)):
            return
        agent.learning_starts, agent.learning_freq = STARTS, FREQUENCY
        learns: dict[bool, list[bool]] = {}
        for can in (True, False):
            agent.replay_buffer.can_sample = lambda size, can=can: can
            learns[can] = []
            for agent.t in range(STARTS + 10 * FREQUENCY + 1):
                learns[can].append(bool(agent.is_learning_step()))
        late = learns[True][STARTS + 1 :]
        seen["learns_too_early"] = any(learns[True][:STARTS])
        seen["learns_from_too_few"] = any(learns[False])
        seen["learning_freq"] = sum(late) != len(late) // FREQUENCY

    look(student, "actor_critic", "agent_sizes", actor_critic)
    look(student, "learning_step", "learns_too_early learns_from_too_few learning_freq", dqn)


def note_start(critic: Any, seen: Seen) -> None:
    """Notes whether two networks begin as equals, apart, and one of them with an optimizer."""
    online, target = state_of(critic.q_net), state_of(critic.q_net_target)
    held = {id(p) for group in critic.optimizer.param_groups for p in group["params"]}
    own = [id(p) in held for p in critic.q_net.parameters()]
    seen["differ_at_start"] = not same(online, target)
    seen["optimizer_holds_other"], seen["optimizer_misses"] = not any(own), any(own) > all(own)
    disturb(critic.q_net)
    seen["target_shared"] = not same(target, state_of(critic.q_net_target))
    others = any(id(p) in held for p in critic.q_net_target.parameters())
    seen["target_in_optimizer"] = others and any(own) and not seen["target_shared"]


def note_values(critic: Any, obs: np.ndarray, seen: Seen) -> None:
    """Notes whose values are told, how, and what asking for them changes."""
    mode = critic.q_net.training
    values = critic.qa_values(obs)
    seen["mode_left"] = critic.q_net.training != mode
    note_gradient_mode(seen)
    seen["not_an_array"] = not isinstance(values, np.ndarray)
    told = np.asarray(values.detach() if seen["not_an_array"] else values)
    nets = [copy.deepcopy(net) for net in (critic.q_net, critic.q_net_target)]
    online, target = (np.asarray(net(torch.as_tensor(obs)).detach()) for net in nets)
    if not close(told, online):
        of_target = close(told, target) and not seen["target_shared"]
        seen["qa_of_target" if of_target else "strange_values"] = True


def note_sync(critic: Any, seen: Seen) -> None:
    """Notes what becomes of both networks in a sync, and after it."""
    before, old = state_of(critic.q_net), state_of(critic.q_net_target)
    sync = critic.update_target_network  # written as a call, it is what a blank asks for
    sync()
    online, target = state_of(critic.q_net), state_of(critic.q_net_target)
    disturb(critic.q_net)
    if seen["target_shared"]:
        return
    if not same(before, online):
        seen["sync_reversed"] = np.array_equal(online[0], old[0])
        seen["sync_moves_online"] = not seen["sync_reversed"]
    elif same(old, target):
        seen["no_sync"] = True
    else:
        seen["sync_partial"] = not np.allclose(target[0], online[0])
        seen["buffers_not_copied"] = not (seen["sync_partial"] or np.allclose(target[1], online[1]))
    seen["sync_shares"] = not same(target, state_of(critic.q_net_target))


def probe_copies(student: Student, seed: int) -> None:
    """Watches both Q-networks: at the start, through a sync, and while the online one moves."""
    obs = observations(seed)
    actions, reward, ends = outcomes()

    def networks(seen: Seen) -> None:
        critic = make_critic(student)
        note_start(critic, seen)
        note_values(critic, obs, seen)
        note_sync(critic, seen)

    def clipped(seen: Seen) -> None:
        critic = make_critic(student, CLIP_AT)
        before = state_of(critic.q_net)[0]
        with contextlib.suppress(Exception, SystemExit):  # that is told elsewhere
            critic.update(obs, actions, obs[::-1].copy(), reward, ends)
            seen["clips_nothing"] = abs(state_of(critic.q_net)[0] - before).max() > 1.01 * CLIP_AT

    def schedule(seen: Seen) -> None:
        critic = make_critic(student)
        agent = build_agent(student, StepWorld(endless=True), 0.0)
        agent.critic, counted = critic, count_updates(critic)
        agent.learning_starts, agent.learning_freq = STARTS, FREQUENCY
        agent.replay_buffer.can_sample = lambda size: True
        rates = []
        with contextlib.suppress(Exception, SystemExit):
            for agent.t in range(STARTS + FREQUENCY, STARTS + 5 * FREQUENCY):
                agent.train(obs, actions, reward, obs[::-1].copy(), ends)
                rates.append((len(counted), critic.optimizer.param_groups[0]["lr"]))
            updates, seen_rates = np.array(rates).T
            stands = np.allclose(seen_rates, 1) and computes_double_q(student, obs)
            seen["schedule"] = not (stands or np.allclose(seen_rates, DECAY**updates))

    flags = "differ_at_start optimizer_holds_other optimizer_misses target_shared mode_left "
    flags += "target_in_optimizer gradient_left_off not_an_array qa_of_target strange_values "
    flags += "sync_reversed sync_moves_online no_sync sync_partial buffers_not_copied sync_shares"
    look(student, "networks", flags, networks)
    look(student, "clipped", "clips_nothing", clipped)
    look(student, "schedule", "schedule", schedule)


def computes_double_q(student: Student, obs: np.ndarray) -> bool:
    """Tells whether the critic's `update` computes double Q itself, as in Fall 2022's handout."""
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


def count_updates(critic: Any) -> list[int]:
    """Lets a critic's `update` count its calls: each adds to the list."""
    update, calls = critic.update, list[int]()

    def counted(*args: Any, **kwargs: Any) -> Any:
        calls.append(1)
        return update(*args, **kwargs)

    critic.update = counted
    return calls


def probe(student: Student, seed: int) -> None:
    """Builds every network that is given to students, in agents and alone."""
    probe_mlp(student, seed)
    probe_value(student, seed)
    probe_policies(student, seed)
    probe_agents(student, seed)
    probe_copies(student, seed)
