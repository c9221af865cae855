"""Looks at given networks: what they are made of, what trains them, and how a copy is kept.

What is wrong with them is to be seen by itself: each trial notes flags.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch

from autograder.base.close import close
from autograder.homeworks.hw3.fakes import network as fake
from autograder.homeworks.hw3.fakes.given_code import Found, looking, note
from autograder.homeworks.hw3.fakes.network import ACTIONS, BATCH, LAYERS, OBS, WIDTH, state_of
from autograder.homeworks.hw3.fakes.stepping import SteppingFake
from autograder.homeworks.hw3.fakes.stepping_agent import STARTS
from autograder.homeworks.hw3.fakes.stepping_agent import build as build_agent
from autograder.running.probing import Student

FREQUENCY = 3
ACTION, ENDS = np.arange(BATCH) % ACTIONS, np.zeros(BATCH, np.float32)
REWARD = np.linspace(30, 90, BATCH).astype(np.float32)  # large


def cases(seed: int) -> Mapping[str, tuple[str, int]]:
    """Returns every network that is given to students, in agents and alone."""
    return {name: (name, seed) for name in LOOKS}


def observe(student: Student, case: tuple[str, int]) -> dict[str, Any]:
    """Notes what is wrong with what is looked at."""
    name, seed = case
    with looking(student) as found:
        LOOKS[name](found, student, fake.observations(seed))
    return {}


def mlp(found: Found, student: Student, obs: np.ndarray, name: str, **options: str) -> None:
    """Builds a perceptron with `build_mlp`."""
    ptu: Any = student.module("infrastructure.pytorch_util")
    network = ptu.build_mlp(OBS, ACTIONS, n_layers=LAYERS, size=WIDTH, **options)
    fake.inspect_network(found, name, network(torch.as_tensor(obs)), network, None)


def value(found: Found, student: Student, obs: np.ndarray) -> None:
    """Builds the critic of actor-critic, and values observations by tensor and by array."""
    module = student.module("critics.bootstrapped_continuous_critic")
    critic = module.BootstrappedContinuousCritic(dict(fake.VALUE_PARAMS))
    output = critic(torch.as_tensor(obs))
    fake.inspect_network(found, "value", output, critic, critic.optimizer)
    by_tensor = np.asarray(output.detach())
    by_array = fake.asked(found, critic, critic.forward_np, obs)
    alike = by_array.shape != by_tensor.shape or close(by_array, by_tensor)
    note(found, value_shape=by_array.shape != (BATCH,), forward_np_differs=not alike)


def policy(found: Found, student: Student, obs: np.ndarray, name: str) -> None:
    """Builds a policy over discrete or continuous actions."""
    module: Any = student.module("policies.MLP_policy")
    options = {"discrete": name == "logits_na", "learning_rate": fake.RATE}
    policy = module.MLPPolicyAC(ACTIONS, OBS, LAYERS, WIDTH, **options)
    network, logstd = getattr(policy, name, None), getattr(policy, "logstd", None)
    if network is None:
        return
    fake.inspect_network(found, name, network(torch.as_tensor(obs)), policy, policy.optimizer)
    untrained = options["discrete"] or "optimizer_holds_other" in found
    if torch.is_tensor(logstd) and not untrained:
        trained = logstd.requires_grad and id(logstd) in fake.held_by(policy.optimizer)
        note(found, logstd_not_trained=not trained)


def actor_critic(found: Found, student: Student, obs: np.ndarray) -> None:
    """Builds the agent: are its networks of the sizes it was given?"""
    agent = student.module("agents.ac_agent").ACAgent(SteppingFake(), dict(fake.VALUE_PARAMS))
    actor = getattr(agent.actor, "logits_na", None)
    for network, outputs in ((actor, ACTIONS), (agent.critic, 1)):
        used = fake.leaves_of(network(torch.as_tensor(obs))) if network is not None else []
        shapes = fake.shapes_in(used)
        # Where networks alone have other sizes nobody knows what the agent asked for.
        other = shapes and not {"depth", "width"} & found and shapes != fake.sizes_of(outputs)
        note(found, agent_sizes=bool(other))


def learning_step(found: Found, student: Student, obs: np.ndarray) -> None:
    """Asks DQN's agent at each step whether it is to learn."""
    agent = learner(student)
    learns: dict[bool, list[bool]] = {}
    for can in (True, False):
        agent.replay_buffer.can_sample = lambda size, can=can: can
        learns[can] = []
        for agent.t in range(STARTS + 10 * FREQUENCY + 1):
            learns[can].append(bool(agent.is_learning_step()))
    late = learns[True][STARTS + 1 :]
    note(
        found,
        learns_too_early=learns[True][:STARTS],
        learns_from_too_few=learns[False],
        learning_freq=sum(late) != len(late) // FREQUENCY,
    )


def learner(student: Student) -> Any:
    """Builds DQN's agent; it is to learn often, and from anything."""
    agent = build_agent(student, SteppingFake(endless=True), 0.0)
    agent.learning_starts, agent.learning_freq = STARTS, FREQUENCY
    agent.replay_buffer.can_sample = lambda size: True
    return agent


def copies(found: Found, student: Student, obs: np.ndarray) -> None:
    """Watches both Q-networks: at the start, through a sync, and while the online one moves."""
    critic = fake.make_critic(student)
    online, target = state_of(critic.q_net), state_of(critic.q_net_target)
    held = fake.held_by(critic.optimizer)
    own = [id(p) in held for p in critic.q_net.parameters()]
    fake.disturb(critic.q_net)
    shared = not fake.same(target, state_of(critic.q_net_target))
    others = any(id(p) in held for p in critic.q_net_target.parameters())
    note(
        found,
        differ_at_start=not fake.same(online, target),
        optimizer_holds_other=not any(own),
        optimizer_misses=any(own) and not all(own),
        target_shared=shared,
        target_in_optimizer=others and any(own) and not shared,
    )
    message = fake.asked(found, critic.q_net, critic.qa_values, obs)
    nets = [copy.deepcopy(net) for net in (critic.q_net, critic.q_net_target)]
    by_online, by_target = (np.asarray(net(torch.as_tensor(obs)).detach()) for net in nets)
    if not close(message, by_online):
        found.add("qa_of_target" if close(message, by_target) and not shared else "strange_values")
    sync(found, critic, shared)


def sync(found: Found, critic: Any, shared: bool) -> None:
    """Notes what becomes of both networks in a sync, and after it."""
    before, old = state_of(critic.q_net), state_of(critic.q_net_target)
    sync = critic.update_target_network  # written as a call, it is what a blank asks for
    sync()
    online, target = state_of(critic.q_net), state_of(critic.q_net_target)
    fake.disturb(critic.q_net)
    if shared:
        return
    moved, still = not fake.same(before, online), fake.same(old, target)
    back = moved and np.array_equal(online[0], old[0])
    partial, buffers = (not np.allclose(a, b) for a, b in zip(target, online, strict=True))
    note(
        found,
        sync_reversed=back,
        sync_moves_online=moved and not back,
        no_sync=still and not moved,
        sync_partial=partial and not (moved or still),
        buffers_not_copied=buffers and not (moved or still or partial),
        sync_shares=not fake.same(target, state_of(critic.q_net_target)),
    )


def clipped(found: Found, student: Student, obs: np.ndarray) -> None:
    """Updates DQN's critic with gradients that are to be clipped."""
    critic = fake.make_critic(student, fake.CLIP_AT)
    before = state_of(critic.q_net)[0]
    try:
        critic.update(obs, ACTION, obs[::-1].copy(), REWARD, ENDS)
    except (Exception, SystemExit):  # noqa: BLE001  (the student's code: its own check reports it)
        pass
    else:
        moved = abs(state_of(critic.q_net)[0] - before).max()
        note(found, clips_nothing=moved > 1.01 * fake.CLIP_AT)


def schedule(found: Found, student: Student, obs: np.ndarray) -> None:
    """Lets DQN's agent learn: does the learning rate fall with each update of its critic?"""
    agent, critic = learner(student), fake.make_critic(student)
    update, updates, rates = critic.update, list[int](), list[float]()

    def counted(*args: Any, **kwargs: Any) -> Any:
        updates[-1] += 1
        return update(*args, **kwargs)

    agent.critic, critic.update = critic, counted
    try:
        for agent.t in range(STARTS + FREQUENCY, STARTS + 5 * FREQUENCY):
            updates.append(0)
            agent.train(obs, ACTION, REWARD, obs[::-1].copy(), ENDS)
            rates.append(critic.optimizer.param_groups[0]["lr"])
        stands = np.allclose(rates, 1) and computes_double_q(student, obs)
        falls = np.allclose(rates, fake.DECAY ** np.cumsum(updates))
    except (Exception, SystemExit):  # noqa: BLE001  (the student's code: its own check reports it)
        pass
    else:
        note(found, schedule=not (stands or falls))


def computes_double_q(student: Student, obs: np.ndarray) -> bool:
    """Tells whether the critic's `update` computes double Q itself, as in Fall 2022's handout."""
    asked = list[Any]()
    critic = fake.make_critic(student, double_q=True)
    critic.double_q_values = asked.append
    try:
        critic.update(obs, ACTION, obs[::-1].copy(), REWARD, ENDS)
    except Exception:  # noqa: BLE001  (it did not get any values)
        pass
    return not asked


LOOKS: Mapping[str, Callable[[Found, Student, np.ndarray], None]] = {
    "mlp": partial(mlp, name="mlp"),
    "mlp_relu": partial(mlp, name="mlp_relu", activation="relu"),
    "mlp_tanh_output": partial(
        mlp, name="mlp_tanh_output", output_activation="tanh", activation="relu"
    ),
    "value": value,
    "logits_na": partial(policy, name="logits_na"),
    "mean_net": partial(policy, name="mean_net"),
    "actor_critic": actor_critic,
    "learning_step": learning_step,
    "copies": copies,
    "clipped": clipped,
    "schedule": schedule,
}
