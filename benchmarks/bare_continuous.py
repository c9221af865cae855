"""The contestant "bare" of continuous.py: the least that a step needs, each part timed alone.

seconds per step = environment step + forward pass of one observation + its share of the updates

There is no replay buffer, no log and no wrapper; batches are made beforehand. The updates are
written out here as plain PyTorch, on the same networks and optimizers as the agents have.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import torch
from bare_limit import time_alone
from contest import Turns
from torch import distributions, nn

from cs285.critics.q_critic import QCritic, polyak_update
from cs285.critics.value_critic import ValueCritic
from cs285.infrastructure import fast_torch as fast
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.matrix_library import choose_library
from cs285.policies.deterministic_policy import DeterministicActor
from cs285.policies.MLP_policy import MLPPolicy
from cs285.policies.squashed_policy import SquashedPolicy

OB, AC = 17, 6  # of HalfCheetah
GAMMA, TAU, HIDDEN = 0.99, 0.005, (256, 256)  # of the agents with a replay buffer
NUM_BATCHES = 16

# Name, update(ob, ac, x, next_ob, y), rows of a batch, updates per step. To agents with a replay
# buffer x is the reward and y whether it was the end; to others x is the advantage, y the target.
Part = tuple[str, Callable[..., None], int, float]


def run_bare(turns: Turns, key: str, env_name: str) -> None:
    """Reports the parts of a step, block by block."""
    ptu.set_up(seed=1, threads=1, no_gpu=True, which_gpu=0)
    actor, updates = ALGORITHMS[key]()
    choose_library(actor.parameters(), min(rows for _, _, rows, _ in updates))
    parts: list[tuple[str, Callable[[], None], float]] = [
        ("environment step", environment_step(env_name), 1.0),
        ("forward", forward(actor), 1.0),
        *((name, on_batches(update, rows), share) for name, update, rows, share in updates),
    ]
    while True:
        turns.wait()
        seconds = {
            name: time_alone(part, max(2, round(turns.block * min(1.0, 8 * share))))
            for name, part, share in parts
        }
        turns.report({"step": sum(share * seconds[name] for name, _, share in parts), **seconds})


def environment_step(env_name: str) -> Callable[[], None]:
    """Returns a function that takes a step, and begins a new episode after the last."""
    env = gym.make(env_name, disable_env_checker=True)
    env.reset(seed=1)
    actions = itertools.cycle([env.action_space.sample() for _ in range(NUM_BATCHES)])

    def act() -> None:
        _, _, terminated, truncated, _ = env.step(next(actions))
        if terminated or truncated:
            env.reset()

    return act


def forward(actor: Any) -> Callable[[], None]:
    """Returns a function that chooses an action for one observation."""
    one = torch.randn(1, OB).numpy()
    return lambda: actor.get_action(one)


def on_batches(update: Callable[..., None], rows: int) -> Callable[[], None]:
    """Returns a function that takes one update, on one batch after another."""
    batches = itertools.cycle(
        (torch.randn(rows, OB), torch.rand(rows, AC) * 2 - 1, torch.randn(rows))
        + (torch.randn(rows, OB), torch.zeros(rows))
        for _ in range(NUM_BATCHES)
    )
    return lambda: update(*next(batches))


def gradient_step(optimizer: torch.optim.Optimizer, loss: torch.Tensor, weights: Any) -> None:
    """Takes a gradient step on `weights`, which are the optimizer's."""
    optimizer.zero_grad()
    loss.backward(inputs=weights)
    optimizer.step()


def sac() -> tuple[Any, list[Part]]:
    """Returns the actor, and the update of SAC."""
    actor, critic = SquashedPolicy(OB, AC, HIDDEN), QCritic(OB, AC, HIDDEN, 2, 3e-4)
    weights, log_alpha = list(actor.parameters()), torch.zeros(1, requires_grad=True)
    adam, alpha_adam = fast.FusedAdam(weights, 3e-4), fast.FusedAdam([log_alpha], 3e-4)

    def update(ob: Any, ac: Any, re: Any, next_ob: Any, terminal: Any) -> None:
        with torch.no_grad():
            next_ac, log_prob = actor.sample(next_ob)
            next_v = critic.q_net_target(next_ob, next_ac).amin(0) - log_alpha.exp() * log_prob
            target = re + GAMMA * (1.0 - terminal) * next_v
        loss = 0.5 * (critic.q_net(ob, ac) - target).square().mean(1).sum()
        gradient_step(critic.optimizer, loss, critic.weights)
        new_ac, log_prob = actor.sample(ob)
        q = critic.q_net(ob, new_ac).min(0).values
        gradient_step(adam, (log_alpha.exp().detach() * log_prob - q).mean(), weights)
        gradient_step(alpha_adam, -(log_alpha * (log_prob.detach() - AC)).mean(), [log_alpha])
        polyak_update(critic.weights, critic.target_weights, TAU)

    return actor, [("update", update, 256, 1.0)]


def td3(num_critics: int = 2, delay: int = 2, noise: float = 0.2) -> tuple[Any, list[Part]]:
    """Returns the actor, and the updates of TD3."""
    actor, actor_target = (DeterministicActor(OB, AC, HIDDEN, 0.1) for _ in range(2))
    critic = QCritic(OB, AC, HIDDEN, num_critics, 1e-3)
    weights, target_weights = list(actor.parameters()), list(actor_target.parameters())
    adam = fast.FusedAdam(weights, 1e-3)

    def update_critic(ob: Any, ac: Any, re: Any, next_ob: Any, terminal: Any) -> None:
        with torch.no_grad():
            next_ac = actor_target(next_ob)
            if noise:
                shift = (noise * torch.randn_like(next_ac)).clamp_(-0.5, 0.5)
                next_ac = (next_ac + shift).clamp_(-1.0, 1.0)
            next_q = critic.q_net_target(next_ob, next_ac).amin(0)
            target = re + GAMMA * (1.0 - terminal) * next_q
        loss = (critic.q_net(ob, ac) - target).square().mean(1).sum()
        gradient_step(critic.optimizer, loss, critic.weights)

    def update_actor(ob: Any, *_: Any) -> None:
        loss = -critic.q_net(ob, actor(ob), only_first=num_critics > 1).mean()
        gradient_step(adam, loss, weights)
        polyak_update(critic.weights, critic.target_weights, TAU)
        polyak_update(weights, target_weights, TAU)

    return actor, [
        ("critic's update", update_critic, 256, 1.0),
        ("actor's and targets' update", update_actor, 256, 1.0 / delay),
    ]


def ddpg() -> tuple[Any, list[Part]]:
    """Returns the actor, and the updates of DDPG."""
    return td3(num_critics=1, delay=1, noise=0.0)


def ppo() -> tuple[Any, list[Part]]:
    """Returns the actor, and the update of PPO on a minibatch."""
    actor, critic = MLPPolicy(AC, OB, 2, 64), ValueCritic(OB, 2, 64, 3e-4)
    weights = [*actor.parameters(), *critic.parameters()]
    adam = fast.FusedAdam(weights, 3e-4)

    def update(ob: Any, ac: Any, adv: Any, _: Any, target: Any) -> None:
        log_prob = actor(ob).log_prob(ac)
        ratio = (log_prob - log_prob.detach()).exp()
        adv = (adv - adv.mean()) / adv.std()
        gain = torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        loss = 0.5 * (critic(ob) - target).square().mean() - gain
        adam.zero_grad()
        loss.backward(inputs=weights)
        nn.utils.clip_grad_norm_(weights, 0.5)
        adam.step()

    return actor, [("update", update, 64, 10 / 64)]


def trpo() -> tuple[Any, list[Part]]:
    """Returns the actor, and the updates of TRPO."""
    actor, critic = MLPPolicy(AC, OB, 2, 64), ValueCritic(OB, 2, 64, 1e-3)
    weights, fitted = list(actor.parameters()), list(critic.parameters())

    def flat(scalar: torch.Tensor, graph: bool = False) -> torch.Tensor:
        parts = torch.autograd.grad(scalar, weights, create_graph=graph, retain_graph=True)
        return torch.cat([part.flatten() for part in parts])

    def update_policy(ob: Any, ac: Any, adv: Any, *_: Any) -> None:
        pi = actor(ob)
        old = distributions.Independent(
            distributions.Normal(pi.mean.detach(), pi.stddev.detach()), 1
        )
        log_prob = pi.log_prob(ac)
        gradient = flat(((log_prob - log_prob.detach()).exp() * adv).mean())
        kl_gradient = flat(distributions.kl_divergence(old, pi).mean(), graph=True)
        x, residual, direction = torch.zeros_like(gradient), gradient, gradient
        for _ in range(15):
            product = flat(kl_gradient @ direction) + 0.1 * direction
            alpha = residual @ residual / (direction @ product)
            x, after = x + alpha * direction, residual - alpha * product
            direction = after + (after @ after) / (residual @ residual) * direction
            residual = after
        step = torch.sqrt(0.02 / (x @ (flat(kl_gradient @ x) + 0.1 * x))) * x
        with torch.no_grad():
            start = nn.utils.parameters_to_vector(weights)
            nn.utils.vector_to_parameters(start + step, weights)
            distributions.kl_divergence(old, actor(ob)).mean().item()  # the line search's first

    def update_critic(ob: Any, _: Any, __: Any, ___: Any, target: Any) -> None:
        gradient_step(critic.optimizer, (critic(ob) - target).square().mean(), fitted)

    return actor, [
        ("policy's update", update_policy, 2048, 1 / 2048),
        ("critic's update", update_critic, 128, 10 / 128),
    ]


def pg() -> tuple[Any, list[Part]]:
    """Returns the actor, and the updates of policy gradient with a baseline."""
    actor, critic = MLPPolicy(AC, OB, 2, 64), ValueCritic(OB, 2, 64, 5e-3)
    weights, fitted = list(actor.parameters()), list(critic.parameters())

    def update_policy(ob: Any, ac: Any, adv: Any, *_: Any) -> None:
        gradient_step(actor.optimizer, -(actor(ob).log_prob(ac) * adv).mean(), weights)

    def update_baseline(ob: Any, _: Any, __: Any, ___: Any, target: Any) -> None:
        gradient_step(critic.optimizer, (critic(ob) - target).square().mean(), fitted)

    return actor, [
        ("policy's update", update_policy, 2000, 1 / 2000),
        ("baseline's update", update_baseline, 2000, 5 / 2000),
    ]


ALGORITHMS = {"sac": sac, "td3": td3, "ddpg": ddpg, "ppo": ppo, "trpo": trpo, "pg": pg}
