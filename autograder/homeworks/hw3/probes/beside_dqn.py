"""DQN and double DQN as a whole: the student's agent trains under the script that ours had."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium as gym
import torch
from torch import nn

from autograder.homeworks.hw3.fakes import settings
from autograder.homeworks.hw3.fakes.contracts import DQN_CONTRACTS
from autograder.running.probing import Student
from autograder.running.scripted import CHOICE, VECTORS, script_frames
from autograder.running.streams import fill
from autograder.running.training import Beside, Training
from autograder.running.watching import Part, number_of

WITHOUT_END = 2**31  # steps of a path
CHOICES = int(CHOICE.n)
HIGH, LOW = 1.5, -1.5  # the level of all values, in units of their spread
PARTS = (
    Part("policies.argmax_policy:ArgMaxPolicy.get_action", "argmax", ("obs",), lambda ac: ac),
    Part(
        "infrastructure.replay.replay_buffer:MemoryOptimizedReplayBuffer.store_effect",
        "store_effect",
        ("action", "reward", "done"),
    ),
    Part(
        "critics.dqn_critic:DQNCritic.update",
        "critic.update",
        ("ob_no", "ac_na", "next_ob_no", "reward_n", "terminal_n"),
        trains="critic",
    ),
    Part(
        "critics.dqn_critic:DQNCritic.double_q_values",
        "double_q_values",
        ("next_ob_no",),
        lambda q_n: q_n,
    ),
    Part("torch.nn:SmoothL1Loss.forward", "loss", ("target",)),
    Part("agents.dqn_agent:DQNAgent.step_env", "step_env"),
    Part("agents.dqn_agent:DQNAgent.sample", "sample", returns=tuple),
    Part("agents.dqn_agent:DQNAgent.train", "train"),
    Part("infrastructure.rl_trainer:RL_Trainer.train_agent", "train_agent", returns=number_of),
)


def network(ptu: Any, case: Training) -> nn.Module:
    """Returns the network that runs have, with small layers: large ones take most of the time."""
    if not case.frames:
        made: nn.Module = ptu.build_mlp(VECTORS.shape[0], CHOICES, 2, 32, activation="relu")
        return made
    made = ptu.NatureCNN(case.history, CHOICES)
    made.layers = nn.Sequential(
        nn.Conv2d(case.history, 8, kernel_size=12, stride=12),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(8 * 7 * 7, 32),
        nn.ReLU(),
        nn.Linear(32, CHOICES),
    )
    return made


def agent(student: Student, env: gym.Env[Any, Any], case: Training) -> Any:
    """Builds the student's agent, whose values have the size of those of long training."""
    ptu = student.module("infrastructure.pytorch_util")
    given = dict(case.settings)
    size, level, rate = (given.pop(name) for name in ("spread", "level", "rate"))
    half = 8 * given["learning_freq"]  # when the step size becomes half
    own = settings.of_dqn(
        student,
        learning_rate=f"0:{rate},{half}:{rate},{half + 1}:{rate / 2}",
        adam_eps=1e-4,
        exploration="0.5" if case.free else "0",
        discount=0.97,
        grad_value_clipping=10.0,
        buffer_size=1000,
        frame_history_len=case.history,
        learning_starts=-1,
        batch_size=case.sizes["train_batch_size"],
        seed=3,
        **given,
    )
    networks = settings.q_networks(lambda: network(ptu, case))
    made = student.module("agents.dqn_agent").DQNAgent(env, own, networks)
    for net in (made.critic.q_net, made.critic.q_net_target):
        fill(net, 5, size)
        with torch.no_grad():  # values that are near each other, and far from 0
            list(net.parameters())[-1].add_(level * size)
    return made


def training(
    frames: bool,
    double_q: bool,
    steps: int,
    batch: int,
    every: int,
    evaluation: int,
    **settings: Any,
) -> Training:
    """Returns a training of so many steps, whose evaluation comes at every `evaluation`-th."""
    pay = settings.pop("pay")
    return Training(
        iterations=steps,
        sizes={
            "batch_size": batch,
            "train_batch_size": batch,
            "eval_freq": evaluation,
            "scalar_log_freq": 5,
            "learning_starts": 0,
            "ep_len": WITHOUT_END,
        },
        settings={
            "double_q": double_q,
            "learning_freq": every,
            "target_update_freq": 3,
            "num_critic_updates_per_agent_update": 1,
            **settings,
        },
        ends=((7, True), (4, False), (11, True), (9, False), (1, True)),
        pay=pay,
        frames=frames,
    )


TWICE = {"num_critic_updates_per_agent_update": 2}
OF_VECTORS = {"steps": 60, "batch": 16, "evaluation": 25}
OF_FRAMES = {"steps": 26, "batch": 4, "evaluation": 13}
EXPLORES = training(
    True, True, every=2, level=0.0, rate=2e-3, pay=1.0, spread=1.0, steps=12, batch=1, evaluation=20
)
BESIDE = Beside(
    trainings={
        "double DQN on frames, exploring": replace(EXPLORES, free=True),
        "DQN on vectors": training(
            False, False, every=1, level=HIGH, rate=2e-3, pay=1.0, spread=3.0, **OF_VECTORS, **TWICE
        ),
        "double DQN on vectors": training(
            False, True, every=2, level=HIGH, rate=2e-2, pay=40.0, spread=300.0, **OF_VECTORS
        ),
        "DQN on frames": training(
            True, False, every=2, level=0.0, rate=2e-3, pay=5.0, spread=30.0, **OF_FRAMES
        ),
        "double DQN on frames": training(
            True, True, every=2, level=LOW, rate=1e-2, pay=50.0, spread=300.0, **OF_FRAMES
        ),
    },
    agent=agent,
    parts=PARTS,
    networks={"online network": "critic.q_net", "target network": "critic.q_net_target"},
    trained={"critic": ("critic", "critic.q_net")},
    log=("Training Loss",),
    script=script_frames,
    contracts=DQN_CONTRACTS,
)
cases, observe, probe = BESIDE.cases, BESIDE.observe, BESIDE.probe
