"""Looks at given networks: what they are made of, what trains them, and how a copy is kept.

Each misconception shows by itself: each trial notes flags.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import torch

from autograder.base.close import close
from autograder.homeworks.hw3.fakes import network as fake
from autograder.homeworks.hw3.fakes import settings
from autograder.homeworks.hw3.fakes.given_code import Found, Look, note, probe_of
from autograder.homeworks.hw3.fakes.network import ACTIONS, BATCH, LAYERS, OBS, WIDTH, state_of
from autograder.homeworks.hw3.fakes.stepping import SteppingFake
from autograder.homeworks.hw3.fakes.stepping_agent import STARTS
from autograder.homeworks.hw3.fakes.stepping_agent import build as build_agent
from autograder.running.guard import aside
from autograder.running.probing import Student
from autograder.running.scripted import Unplayed

FREQUENCY = 3
ACTION, ENDS = np.arange(BATCH) % ACTIONS, np.zeros(BATCH, np.float32)
REWARD = np.linspace(30, 90, BATCH).astype(np.float32)  # large


def mlp(found: Found, student: Student, seed: int, name: str, **options: str) -> None:
    """Builds a perceptron with `build_mlp`."""
    ptu: Any = student.module("infrastructure.pytorch_util")
    network = ptu.build_mlp(OBS, ACTIONS, n_layers=LAYERS, size=WIDTH, **options)
    output = network(torch.as_tensor(fake.observations(seed)))
    fake.inspect_network(found, name, output, network, None)


def images(found: Found, student: Student, seed: int) -> None:
    """Builds the Q-network of frames."""
    ptu: Any = student.module("infrastructure.pytorch_util")
    network = ptu.NatureCNN(fake.FRAMES, ACTIONS)
    shape = (2, fake.FRAMES, 84, 84)
    frames = np.random.default_rng([285, 34, seed]).integers(0, 256, shape, dtype=np.uint8)
    fake.inspect_network(found, "images", network(torch.as_tensor(frames)), network, None)


def params(student: Student) -> Any:
    """Returns the settings of actor-critic, with sizes that are known by themselves."""
    return settings.of_actor_critic(student, 0.7, **fake.SIZES)


def value(found: Found, student: Student, seed: int) -> None:
    """Builds the critic of actor-critic, and values observations by tensor and by array."""
    module, obs = student.module("critics.bootstrapped_continuous_critic"), fake.observations(seed)
    critic = module.BootstrappedContinuousCritic(OBS, params(student))
    output = critic(torch.as_tensor(obs))
    fake.inspect_network(found, "value", output, critic, critic.optimizer)
    by_tensor = np.asarray(output.detach())
    by_array = fake.asked(found, critic, critic.forward_np, obs)
    alike = by_array.shape != by_tensor.shape or close(by_array, by_tensor)
    note(found, value_shape=by_array.shape != (BATCH,), forward_np_differs=not alike)


def policy(found: Found, student: Student, seed: int, name: str) -> None:
    """Builds a policy over discrete or continuous actions."""
    module: Any = student.module("policies.MLP_policy")
    options = {"discrete": name == "logits_na", "learning_rate": fake.RATE}
    policy = module.MLPPolicyAC(ACTIONS, OBS, LAYERS, WIDTH, **options)
    network, logstd = getattr(policy, name, None), getattr(policy, "logstd", None)
    if network is None:
        return
    output = network(torch.as_tensor(fake.observations(seed)))
    fake.inspect_network(found, name, output, policy, policy.optimizer)
    untrained = options["discrete"] or "optimizer_holds_other" in found
    if torch.is_tensor(logstd) and not untrained:
        trained = logstd.requires_grad and id(logstd) in fake.trained_by(policy.optimizer)
        note(found, logstd_not_trained=not trained)


def actor_critic(found: Found, student: Student, seed: int) -> None:
    """Builds the agent, which is to pass on the sizes that it was given."""
    if {"depth", "width"} & found:
        return  # where networks alone have other sizes, nobody knows what the agent asked for
    env = Unplayed(OBS, ACTIONS, discrete=True)
    agent = student.module("agents.ac_agent").ACAgent(env, params(student))
    for network, outputs in ((agent.actor.logits_na, ACTIONS), (agent.critic, 1)):
        output = network(torch.as_tensor(fake.observations(seed)))
        sizes = fake.layers_of(outputs)
        right = not output.requires_grad or fake.note_sizes(set(), output, sizes)
        note(found, agent_sizes=not right)


def learner(student: Student) -> Any:
    """Builds DQN's agent; it is to learn often, and from anything."""
    agent = build_agent(student, SteppingFake(), 0.0)
    agent.learning_starts, agent.learning_freq = STARTS, FREQUENCY
    agent.replay_buffer.can_sample = lambda size: True
    return agent


def learning_step(found: Found, student: Student, seed: int) -> None:
    """Asks DQN's agent at each step whether it is to learn."""
    agent, learns = learner(student), list[bool]()
    for agent.t in range(STARTS + 10 * FREQUENCY + 1):
        learns.append(bool(agent.is_learning_step()))
    late = learns[STARTS + 1 :]
    agent.replay_buffer.can_sample = lambda size: False
    for agent.t in range(STARTS, STARTS + 2 * FREQUENCY):
        note(found, learns_from_too_few=agent.is_learning_step())
    rare = sum(late) != len(late) // FREQUENCY
    note(found, learns_too_early=learns[:STARTS], learning_freq=rare)


def copies(found: Found, student: Student, seed: int) -> None:
    """Watches both Q-networks: at the start, through a sync, and while the online one moves."""
    critic, obs = fake.make_critic(student), fake.observations(seed)
    online, target = state_of(critic.q_net), state_of(critic.q_net_target)
    own, others = ({id(p) for p in net.parameters()} for net in (critic.q_net, critic.q_net_target))
    fake.disturb(critic.q_net)
    shared = not fake.same(target, state_of(critic.q_net_target))
    fake.note_training(found, own, critic.optimizer)
    held = fake.trained_by(critic.optimizer)
    note(
        found,
        differ_at_start=not fake.same(online, target),
        target_shared=shared,
        target_in_optimizer=bool(others & held and own & held) and not shared,
    )
    message = fake.asked(found, critic.q_net, critic.qa_values, obs)
    nets = [copy.deepcopy(net) for net in (critic.q_net, critic.q_net_target)]
    by_online, by_target = (np.asarray(net(torch.as_tensor(obs)).detach()) for net in nets)
    if not close(message, by_online):
        found.add("qa_of_target" if close(message, by_target) and not shared else "strange_values")
    if not shared:
        sync(found, critic)


def sync(found: Found, critic: Any) -> None:
    """Notes what becomes of both networks in a sync, and after it."""
    before, old = state_of(critic.q_net), state_of(critic.q_net_target)
    sync = critic.update_target_network  # written as a call, it is what a blank asks for
    sync()
    online, target = state_of(critic.q_net), state_of(critic.q_net_target)
    fake.disturb(critic.q_net)
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


def clipped(found: Found, student: Student, seed: int) -> None:
    """Updates DQN's critic with gradients that are to be clipped."""
    critic = fake.make_critic(student, grad_value_clipping=fake.CLIP_AT)
    obs = fake.observations(seed)
    before = state_of(critic.q_net)[0]
    with aside():  # its own check reports what is raised
        critic.update(obs, ACTION, obs[::-1].copy(), REWARD, ENDS)
        moved = abs(state_of(critic.q_net)[0] - before).max()
        note(found, clips_nothing=moved > 1.01 * fake.CLIP_AT)


def schedule(found: Found, student: Student, seed: int) -> None:
    """Lets DQN's agent learn: the learning rate is to fall with the steps of its environment."""
    agent, obs, rates = learner(student), fake.observations(seed), list[tuple[float, float]]()
    end = STARTS + 5 * FREQUENCY
    text = f"0:1,{end}:0"  # as their own schedule reads it: that is another check's
    planned = student.module("infrastructure.base.schedules").PiecewiseSchedule.parse(text)
    agent.critic = critic = fake.make_critic(student, learning_rate=text)
    update = critic.update

    def noted(*args: Any, **kwargs: Any) -> Any:
        rates.append((critic.optimizer.param_groups[0]["lr"], planned.value(agent.t)))
        return update(*args, **kwargs)

    critic.update = noted
    with aside():  # its own check reports what is raised
        for agent.t in range(STARTS + FREQUENCY, end):
            if agent.is_learning_step():
                agent.train(obs, ACTION, REWARD, obs[::-1].copy(), ENDS)
        note(found, schedule=any(not np.isclose(rate, wanted) for rate, wanted in rates))


LOOKS: Mapping[str, Look] = {
    "mlp": partial(mlp, name="mlp"),
    "mlp_relu": partial(mlp, name="mlp_relu", activation="relu"),
    "mlp_tanh_output": partial(
        mlp, name="mlp_tanh_output", output_activation="tanh", activation="relu"
    ),
    "images": images,
    "value": value,
    "logits_na": partial(policy, name="logits_na"),
    "mean_net": partial(policy, name="mean_net"),
    "actor_critic": actor_critic,
    "learning_step": learning_step,
    "copies": copies,
    "clipped": clipped,
    "schedule": schedule,
}
cases, observe = probe_of(LOOKS)
