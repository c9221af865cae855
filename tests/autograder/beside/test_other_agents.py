"""Agents of other homeworks train beside ours with a few lines of declaration each."""

from __future__ import annotations

import functools
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from autograder.homeworks.hw2.fakes.pg import config
from autograder.misconceptions import beside, trainings
from autograder.misconceptions.mutants import MutantTree
from autograder.misconceptions.question import Question
from autograder.misconceptions.trainings import Agent, Stream
from autograder.running.probing import Student
from autograder.running.scripted import script_rows
from autograder.running.streams import fill
from autograder.running.training import Beside, Training
from autograder.running.watching import Part
from autograder.running.worker import run_experiments
from autograder.source import reference

ENDS = ((5, True), (3, False), (9, True))
SIZES = {
    "batch_size": 12,
    "train_batch_size": 12,
    "eval_batch_size": 10,
    "ep_len": 50,
    "eval_freq": 15,
    "scalar_log_freq": 5,
}
OFF_POLICY: dict[str, Any] = {
    "learning_rate": 1e-2,
    "tau": 0.3,
    "start_steps": 0,
    "learning_starts": 0,
    "exploration_noise": 0.0,
}


def off_policy(student: Student, env: gym.Env[Any, Any], case: Training) -> Any:
    """Builds DDPG or TD3, whose networks and copies have the same weights everywhere."""
    name = case.settings["name"]
    module = student.module(f"agents.{name.lower()}_agent")
    settings = {key: value for key, value in case.settings.items() if key != "name"}
    own = getattr(student.module(f"configs.{name.lower()}"), f"{name}Config")
    made = getattr(module, f"{name}Agent")(env, own(hidden="16,16", **settings))
    for number, networks in enumerate(
        ((made.actor, made.actor_target), (made.critic.q_net, made.critic.q_net_target))
    ):
        for network in networks:
            fill(network, number)
    return made


def policy_gradient(student: Student, env: gym.Env[Any, Any], case: Training) -> Any:
    """Builds REINFORCE with a baseline."""
    module = student.module("agents.pg_agent")
    made = module.PGAgent(env, config(student.module, hidden="16", **case.settings))
    fill(made.actor.logits_na, 1)
    fill(made.critic, 2)
    return made


TARGETS: dict[str, Any] = {
    "networks": {
        "critic": "critic.q_net",
        "actor": "actor",
        "target critic": "critic.q_net_target",
        "target actor": "actor_target",
    },
    "trained": {},
    "log": ("Critic_Loss", "Actor_Loss"),
    "script": script_rows,
}
DDPG = Beside(
    {"DDPG": Training(40, SIZES, {"name": "DDPG", **OFF_POLICY}, ENDS, discrete=False)},
    off_policy,
    (Part("agents.ddpg_agent:bellman_targets", "targets", returns=lambda y_n: y_n),),
    **TARGETS,
)
TD3 = Beside(
    {
        "TD3": Training(
            40, SIZES, {"name": "TD3", "target_noise": 0.0, **OFF_POLICY}, ENDS, discrete=False
        )
    },
    off_policy,
    (Part("agents.td3_agent:clipped_double_targets", "targets", returns=lambda y_n: y_n),),
    **TARGETS,
)
PG = Beside(
    {
        "PG": Training(
            5,
            SIZES,
            {
                "learning_rate": 5e-3,
                "discount": 0.95,
                "reward_to_go": True,
                "nn_baseline": True,
                "baseline_learning_rate": 5e-3,
                "baseline_gradient_steps": 4,
            },
            ENDS,
        )
    },
    policy_gradient,
    (Part("agents.pg_agent:PGAgent.estimate_advantage", "targets", returns=lambda adv_n: adv_n),),
    networks={"actor": "actor", "critic": "critic"},
    trained={},
    log=("Actor_Loss",),
    scripted_actions=True,
)
STREAMS = (
    Stream("targets returns", "the target", ("targets",)),
    Stream("batch", "the batch", ("batch",), decides=True),
    Stream("critic", "the critic", ("critic",), decides=True, moved=True),
    Stream("actor", "the actor", ("actor",), decides=True, moved=True),
    Stream("target critic", "the target critic", ("copies",), decides=True, moved=True),
    Stream("target actor", "the target actor", ("copies",), decides=True, moved=True),
    Stream("log", "the log's names", ("log",), decides=True),
)
AGENT = Agent(Question("hw3.given.beside_dqn", "beside_dqn"), STREAMS, {})
AGENTS = {"ddpg": DDPG, "td3": TD3, "pg": PG}


def record(name: str, *changes: tuple[str, str]) -> Any:
    """Trains our own agent, with pieces of its file changed."""
    path = f"agents/{name}_agent.py"
    text = reference.texts()[path]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    trials = run_experiments(MutantTree({path: text}), AGENTS[name], (), 0).trials
    del trials["probe"]
    assert all(trial.crash is None for trial in trials.values()), trials
    return trials


@functools.cache
def ours(name: str) -> Any:
    (trial,) = record(name).values()
    return trial.arrays


@pytest.mark.parametrize("name", AGENTS)
def test_it_learns_and_does_the_same_again(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert np.abs(ours(name)["actor"][-1, 1:]).max() > 0.01
    assert np.abs(ours(name)["critic"][-1, 1:]).max() > 0.01
    monkeypatch.setattr(trainings, "references", lambda *_: iter([ours(name)]))
    assert beside.judge(AGENT, record(name)).blamed == {}


PLANTED = [
    ("ddpg", "targets", ("(1.0 - terminal_n)", "(1.0 - 0.5 * terminal_n)")),
    ("ddpg", "actor", ("loss = -critic(", "loss = critic(")),
    ("td3", "targets", (".min(dim=0).values", ".mean(dim=0)")),
    ("td3", "critic", (".square().mean(dim=1).sum()", ".abs().mean(dim=1).sum()")),
    ("td3", "actor", ("turn = update % policy_delay == 0", "turn = True")),
    ("pg", "targets", ("adv_n = q_values - value_n", "adv_n = q_values - 0.5 * value_n")),
    ("pg", "critic", ("(q_n - self.q_mean) / (self.q_std + 1e-8)", "q_n / (self.q_std + 1e-8)")),
]  # fmt: skip


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: f"{planted[0]}-{planted[1]}")
def test_a_planted_mistake_is_found_where_it_is(
    monkeypatch: pytest.MonkeyPatch, planted: tuple[Any, ...]
) -> None:
    name, blank, *changes = planted
    monkeypatch.setattr(trainings, "references", lambda *_: iter([ours(name)]))
    assert list(beside.judge(AGENT, record(name, *changes)).blamed) == [blank]
