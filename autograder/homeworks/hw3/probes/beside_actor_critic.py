"""Actor-critic as a whole: the student's agent trains under the script that ours had."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np
import torch

from autograder.homeworks.hw3.fakes import settings
from autograder.homeworks.hw3.fakes.contracts import ACTOR_CRITIC_CONTRACTS
from autograder.running.probing import Student, plain_array
from autograder.running.streams import Streams, digest, fill
from autograder.running.training import Beside, Training
from autograder.running.watching import Part, at_the_cost_of_a_note, number_of

CUT = ((8, True), (8, False), (20, True), (8, True))  # at the same length, whatever ends them
SHORT = ((1, True), (1, False), (4, True), (1, True), (1, False))
LARGEST, GAP = 60.0, 21.0  # logits of a policy that leaves nothing to chance: 1 - 1e-9 is its best
COLUMNS = ("observation", "reward", "next_observation", "terminal")
FIVE = ("ob_no", "ac_na", "next_ob_no", "reward_n", "terminal_n")
RNG = np.random.default_rng(23)
TIMES = 5  # that each choice is asked for: who explores now and then is found out
SHOWN = RNG.normal(0, 2.0, (60, 4)).astype(np.float32)
ASKED: dict[bool, np.ndarray] = {
    True: RNG.integers(0, 3, 100),
    False: RNG.normal(0, 1, (100, 2)).astype(np.float32),
}


def densities(distribution: Any) -> Any:
    """Returns the log-probabilities of a few actions, the same in every row."""
    discrete = distribution.event_shape == torch.Size([])
    rows = distribution.batch_shape[0]
    actions = torch.as_tensor(ASKED[discrete][:3])
    return torch.stack([distribution.log_prob(one.expand(rows, *one.shape)) for one in actions])


def width(distribution: Any) -> Any:
    """Returns the probabilities of a distribution, or the spread of each component."""
    discrete = distribution.event_shape == torch.Size([])
    return distribution.probs if discrete else distribution.stddev


def columns(path: Any) -> np.ndarray:
    """Returns what a script decides of a path, a row for each step."""
    rows = len(path["reward"])
    return np.concatenate([np.reshape(path[name], (rows, -1)) for name in COLUMNS], axis=1)


def sizes(collected: Any) -> list[int]:
    """Returns how many paths were collected, and the steps that they are said to have."""
    paths, steps = collected
    return [len(paths), int(steps)]


PARTS = (
    Part(
        "infrastructure.rollouts:sample_trajectories",
        "sample_trajectories",
        ("min_timesteps_per_batch", "max_path_length"),
    ),
    Part(
        "infrastructure.rollouts:sample_trajectory",
        "sample_trajectory",
        ("max_path_length",),
        columns,
        ticks=True,
    ),
    Part(
        "infrastructure.rl_trainer:RL_Trainer.collect_training_trajectories",
        "collect",
        returns=sizes,
    ),
    Part("agents.ac_agent:ACAgent.train", "train"),
    Part("infrastructure.rl_trainer:RL_Trainer.train_agent", "train_agent", returns=number_of),
    Part(
        "critics.bootstrapped_continuous_critic:BootstrappedContinuousCritic.update",
        "critic.update",
        FIVE,
        trains="critic",
    ),
    Part(
        "agents.ac_agent:ACAgent.estimate_advantage",
        "estimate_advantage",
        ("ob_no", "next_ob_no", "re_n", "terminal_n"),
        lambda adv_n: adv_n,
    ),
    Part(
        "policies.MLP_policy:MLPPolicy.forward",
        "forward",
        ("observation",),
        densities,
        within="actor.update",
    ),
    Part("policies.MLP_policy:MLPPolicy.get_action", "get_action"),
    Part(
        "policies.MLP_policy:MLPPolicyAC.update",
        "actor.update",
        ("observations", "actions", "adv_n"),
        trains="actor",
    ),
    *(
        Part(f"torch.nn.utils:{clip}", f"{who} clip", ("parameters",), within=f"{who}.update")
        for clip in ("clip_grad_norm_", "clip_grad_value_")
        for who in ("critic", "actor")
    ),
)


def agent(student: Student, env: gym.Env[Any, Any], case: Training) -> Any:
    """Builds the student's agent, whose values have the size of the returns."""
    updates = {"num_target_updates": 3, "num_grad_steps_per_target_update": 4}
    usual = {"n_layers": 2, "size": 24, **updates}
    own = settings.of_actor_critic(student, 0.95, **{**usual, **case.settings})
    made = student.module("agents.ac_agent").ACAgent(env, own)
    fill(made.critic, 3, 5 * case.pay)
    actor = made.actor
    fill(actor.logits_na if case.discrete else actor.mean_net, 4)
    if not case.discrete:
        with torch.no_grad():
            actor.logstd.copy_(torch.tensor([-0.5, 0.3]))
    return made


@torch.no_grad()
def make_certain(actor: Any) -> np.ndarray:
    """Makes a policy certain, in the same network; returns for which of `SHOWN` it is.

    No logit gets beyond what `exp` takes, for whoever computes probabilities by themselves.
    """
    if not actor.discrete:
        actor.logstd.fill_(-30.0)
        return np.ones(len(SHOWN), bool)
    shown = torch.as_tensor(SHOWN)
    factor = LARGEST / actor.logits_na(shown).abs().max()
    for weight in list(actor.logits_na.parameters())[-2:]:
        weight.mul_(factor)
    best = actor.logits_na(shown).topk(2).values
    return np.asarray((best[:, 0] - best[:, 1] > GAP).numpy())


def play_certainly(agent: Any, streams: Streams) -> None:
    """Makes the policy certain, and notes what it chooses then."""
    actor = agent.actor
    certain = make_certain(actor)
    shown = SHOWN[certain]
    with at_the_cost_of_a_note(), torch.no_grad():
        streams.note("certain distribution", digest(width(actor(torch.as_tensor(shown)))))
    for ob in np.tile(shown, (TIMES, 1)):
        streams.note("certain actions", np.ravel(plain_array(actor.get_action(ob.copy()))))
    streams.note("certain actions in a batch", digest(actor.get_action(shown.copy())))


def training(discrete: bool, pay: float, **more: int) -> Training:
    """Returns a training whose batches have one size: Adam then forgives the scale of a loss."""
    sizes = {"batch_size": 40, "train_batch_size": 40, "ep_len": 8}
    steps = more.pop("num_agent_train_steps_per_iter")
    return Training(
        iterations=8 // steps,
        sizes={
            **sizes,
            "eval_freq": 2,
            "scalar_log_freq": 2,
            "num_agent_train_steps_per_iter": steps,
        },
        settings={
            "learning_rate": 5e-3,
            "dont_standardize_advantages": not discrete,
            "num_agent_train_steps_per_iter": steps,
            **more,
        },
        ends=SHORT if discrete else CUT,
        pay=pay,
        discrete=discrete,
    )


def free(discrete: bool) -> Training:
    """Returns a short training in which the actor's own actions are played."""
    usual = training(discrete, 1.0, num_agent_train_steps_per_iter=1, **dict.fromkeys(COUNTS, 1))
    sizes = {**usual.sizes, "batch_size": 7, "train_batch_size": 7, "ep_len": 3}
    return replace(usual, iterations=3, sizes=sizes, free=True)


def as_long_as_real_ones() -> Training:
    """Returns a training with paths and a batch as long as those of real runs."""
    usual = training(False, 1.0, num_agent_train_steps_per_iter=1, **dict.fromkeys(COUNTS, 1))
    sizes = {"batch_size": 5000, "train_batch_size": 5000, "ep_len": 1000}
    ends = ((1000, True), (1500, False))
    once = dict.fromkeys(("num_target_updates", "num_grad_steps_per_target_update"), 1)
    return replace(
        usual,
        iterations=1,
        sizes={**usual.sizes, **sizes},
        settings={**usual.settings, **once},
        ends=ends,
        noted=10,
    )


COUNTS = ("num_critic_updates_per_agent_update", "num_actor_updates_per_agent_update")
BESIDE = Beside(
    trainings={
        "actor-critic, discrete, own actions": free(True),
        "actor-critic, continuous, own actions": free(False),
        "actor-critic, discrete": training(
            True, 1.0, num_agent_train_steps_per_iter=1, **dict(zip(COUNTS, (1, 2), strict=True))
        ),
        "actor-critic, continuous": training(
            False, 5.0, num_agent_train_steps_per_iter=2, **dict(zip(COUNTS, (2, 1), strict=True))
        ),
        "actor-critic, batches of 5,000": as_long_as_real_ones(),
    },
    agent=agent,
    parts=PARTS,
    networks={"critic": "critic", "actor": "actor"},
    trained={"critic": ("critic", "critic"), "actor": ("actor", "actor")},
    log=("Critic_Loss", "Actor_Loss"),
    scripted_actions=True,
    contracts=ACTOR_CRITIC_CONTRACTS,
    at_end=play_certainly,
)
cases, observe, probe = BESIDE.cases, BESIDE.observe, BESIDE.probe
