"""What makes a run ill: patches of the code in one process, named as in `diagnose_cases`."""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Callable
from typing import Any


def after(owner: Any, name: str, then: Callable[..., None]) -> None:
    """Lets something happen whenever a method is done."""
    method = getattr(owner, name)

    def both(self: Any, *given: Any, **named: Any) -> Any:
        result = method(self, *given, **named)
        then(self)
        return result

    setattr(owner, name, both)


def agents() -> list[Any]:
    """Returns all classes of agents."""
    names = {"dqn": "DQN", "ac": "AC", "pg": "PG", "ppo": "PPO", "trpo": "TRPO", "ddpg": "DDPG"}
    names |= {"td3": "TD3", "sac": "SAC"}
    return [
        getattr(importlib.import_module(f"cs285.agents.{file}_agent"), f"{name}Agent")
        for file, name in names.items()
    ]


def scale_rewards(factor: float) -> None:
    """Lets every environment pay `factor` times as much."""
    import gymnasium as gym

    make = gym.make

    def scaled(*given: Any, **named: Any) -> Any:
        env = make(*given, **named)
        return gym.wrappers.TransformReward(env, lambda reward: factor * float(reward))

    gym.make = scaled  # type: ignore[assignment]


def scale_evaluation(factor: float) -> None:
    """Lets evaluations alone pay `factor` times as much."""
    import gymnasium as gym

    from cs285.infrastructure.rl_trainer import RL_Trainer

    def wrap(self: Any) -> None:
        pay = gym.wrappers.TransformReward
        self.eval_env = pay(self.eval_env, lambda reward: factor * float(reward))

    after(RL_Trainer, "__init__", wrap)


def change_batches(terminal: Callable[[Any], Any] = lambda t: t, reward: float = 1.0) -> None:
    """Lets all agents learn from other ends of episodes, or other rewards, than were played."""
    for agent in agents():
        method = agent.train

        def train(self: Any, *batch: Any, method: Any = method) -> Any:
            ob_no, ac_na, re_n, next_ob_no, terminal_n, *ends = batch
            ends = [terminal(terminal_n), *ends]
            return method(self, ob_no, ac_na, reward * re_n, next_ob_no, *ends)

        agent.train = train


def no_steps_of(part: str) -> None:
    """Takes the steps of one optimizer away, as if no gradient arrived there."""

    def stop(self: Any) -> None:
        owner = self.critic if part == "critic" else self
        optimizer = owner.optimizer if part == "critic" else owner.actor_optimizer
        optimizer.step = lambda: None

    for agent in agents():
        if agent.__name__ in ("DDPGAgent", "TD3Agent", "SACAgent"):
            after(agent, "__init__", stop)


def end_at(step: int, killed: bool) -> None:
    """Ends a run there: by a stop, or killed, with a checkpoint of 2/3 of that."""
    from cs285.infrastructure.training.run_folder import RunFolder

    save = RunFolder.save_if_due

    def save_or_end(self: Any, now: int, trainer: Any) -> bool:
        if killed and now == 2 * step // 3:
            self.next_checkpoint = 0.0
        if now >= step and killed:
            os._exit(9)
        if now >= step:
            self.stop_requested = "the benchmark stops it"
        return save(self, now, trainer)

    RunFolder.save_if_due = save_or_end  # type: ignore[method-assign]


def no_steps(_: float) -> None:
    """Takes the optimizers' steps away."""
    from cs285.infrastructure.fast_torch import FusedAdam

    FusedAdam.step = lambda self: None  # type: ignore[assignment,method-assign]


def no_copies(_: float) -> None:
    """Takes the target networks' copies away."""
    from cs285.agents import ddpg_agent, sac_agent, td3_agent
    from cs285.critics.dqn_critic import DQNCritic

    DQNCritic.update_target_network = lambda self: None  # type: ignore[method-assign]
    for module in (ddpg_agent, sac_agent, td3_agent):
        module.polyak_update = lambda *_: None


def no_advantages(_: float) -> None:
    """Replaces all advantages by 0."""
    from cs285.agents import ac_agent, pg_agent, ppo_agent

    for owner in (ac_agent.ACAgent, pg_agent.PGAgent, ppo_agent.PPOAgent):
        method = owner.estimate_advantage  # type: ignore[attr-defined]

        def zero(self: Any, *given: Any, method: Any = method) -> Any:
            result = method(self, *given)
            pair = isinstance(result, tuple)
            return (0 * result[0], result[1] - result[0]) if pair else 0 * result

        owner.estimate_advantage = zero  # type: ignore[attr-defined]


def dead_units(_: float) -> None:
    """Draws biases of the critic's first layer at which no ReLU is ever on."""
    import torch

    def kill(self: Any) -> None:
        net = self.critic.q_net
        with torch.no_grad():
            (net.biases[0] if hasattr(net, "biases") else net[0].bias).fill_(-100.0)

    for agent in agents():
        after(agent, "__init__", kill)


def one_action(_: float) -> None:
    """Draws a policy that is nearly sure of its actions."""
    import torch

    def collapse(self: Any) -> None:
        with torch.no_grad():
            if self.actor.discrete:
                layers = [one for one in self.actor.logits_na if hasattr(one, "bias")]
                layers[-1].bias[0] += 30.0
            else:
                self.actor.logstd.fill_(-6.0)

    for agent in agents():
        after(agent, "__init__", collapse)


def wrong_discount(gamma: float) -> None:
    """Sets a discount beyond 1, past the checks of the flags."""

    def change(self: Any) -> None:
        if hasattr(self, "settings"):
            object.__setattr__(self.settings, "discount", gamma)
        if hasattr(self.critic, "gamma"):  # DQN's and actor-critic's, copied from the settings
            self.critic.gamma = gamma

    for agent in agents():
        after(agent, "__init__", change)


def not_a_number(_: float) -> None:
    """Makes one weight nan after 1,000 steps of the optimizers together.

    The run goes on, as runs of earlier versions did: now the trainer ends it at that step. Of a
    continuous action that is nan, the environment complains, so DQN alone is made ill so.
    """
    import torch

    from cs285.infrastructure.fast_torch import FusedAdam
    from cs285.infrastructure.training import run_folder

    run_folder.RunFolder.check_losses = lambda *_: None  # type: ignore[method-assign]
    run_folder.require_finite = lambda *_: None

    taken = Counter[str]()

    def poison(self: Any) -> None:
        taken["steps"] += 1
        if taken["steps"] == 1000:
            with torch.no_grad():
                self.param_groups[0]["params"][0].view(-1)[0] = float("nan")

    after(FusedAdam, "step", poison)


PATCHES: dict[str, Callable[[float], None]] = {
    "rewards": scale_rewards,
    "evaluation": scale_evaluation,
    "no steps": no_steps,
    "no actor": lambda _: no_steps_of("actor"),
    "no critic": lambda _: no_steps_of("critic"),
    "no mask": lambda _: change_batches(terminal=lambda t: 0 * t),
    "inverted mask": lambda _: change_batches(terminal=lambda t: 1 - t),
    "wrong sign": lambda _: change_batches(reward=-1.0),
    "no copies": no_copies,
    "advantages": no_advantages,
    "dead units": dead_units,
    "one action": one_action,
    "discount": wrong_discount,
    "nan": not_a_number,
}


def patch(text: str) -> None:
    """Makes the code of this process ill, as "rewards 0" or "no steps" say."""
    name, _, number = text.rpartition(" ")
    known = text if text in PATCHES else name
    PATCHES[known](0.0 if known == text else float(number))
