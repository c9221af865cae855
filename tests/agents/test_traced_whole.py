"""Updates can be compiled: each is traced as one graph, and does the same as it does plainly."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch

from cs285.agents.dqn_agent import DQNAgent
from cs285.critics.dqn_critic import OptimizerSpec
from cs285.infrastructure import fast
from cs285.infrastructure.base.schedules import PiecewiseSchedule
from cs285.infrastructure.environments import envs
from tests.agents.test_dqn_agent import PARAMS
from tests.agents.test_off_policy_agents import agent_of, step_and_train
from tests.off_policy import batch

SLOW = pytest.mark.slow


def traced(update: Any, *optimizers: Any) -> Any:
    return fast.compiled(update, *optimizers, backend="eager")


def weights_of(agent: Any) -> list[torch.Tensor]:
    parts = [agent.critic.q_net, agent.critic.q_net_target, getattr(agent, "actor", None)]
    networks = [part for part in parts if isinstance(part, torch.nn.Module)]
    return [weight.detach().clone() for network in networks for weight in network.parameters()]


@pytest.mark.parametrize("name", ["sac", *(pytest.param(n, marks=SLOW) for n in ("ddpg", "td3"))])
def test_homework_4(name: str) -> None:
    plain, whole = agent_of(name), agent_of(name)
    step_and_train(plain, 20)
    whole.load_state_dict(copy.deepcopy(plain.state_dict()))
    optimizers = [whole.critic.optimizer, whole.actor_optimizer]
    optimizers += [whole.temperature_optimizer] if name == "sac" else []
    whole.update = traced(whole.update, *optimizers)
    for seed in range(4):  # TD3's actor learns in every other update
        logs = []
        for agent in (plain, whole):
            torch.manual_seed(seed)
            logs.append(agent.train(*(column.float().numpy() for column in batch(seed))))
        assert logs[0] == pytest.approx(logs[1], rel=1e-4, abs=1e-6)
    for one, other in zip(weights_of(plain), weights_of(whole), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)


def dqn_agent(double_q: bool) -> DQNAgent:
    env = envs.make_env("CartPole-v0", discount=0.9)
    env.reset(seed=5)
    own = {
        "ob_dim": (4,),
        "ac_dim": 2,
        "learning_starts": 20,
        "batch_size": 8,
        "double_q": double_q,
    }
    own |= {"optimizer_spec": OptimizerSpec(fast.FusedAdam, {"lr": 0.01}, lambda _: 1.0)}
    return DQNAgent(env, PARAMS | own | {"exploration": PiecewiseSchedule([(0, 0.3)])})


@pytest.mark.parametrize("double_q", [True, pytest.param(False, marks=SLOW)])
def test_dqn(double_q: bool) -> None:
    plain, whole = dqn_agent(double_q), dqn_agent(double_q)
    whole.critic.q_net.load_state_dict(plain.critic.q_net.state_dict())
    whole.critic.update_target_network()
    critic = whole.critic
    critic.gradient_step = traced(critic.gradient_step, critic.optimizer)
    losses = [
        [log["Training Loss"] for log in step_and_train(agent, 60) if log]
        for agent in (plain, whole)
    ]
    assert len(losses[0]) > 5
    assert losses[0] == pytest.approx(losses[1], rel=1e-4, abs=1e-6)
