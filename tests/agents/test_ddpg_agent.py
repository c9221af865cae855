"""DDPG's formulas, by hand and against loops in NumPy."""

from typing import Any

import numpy as np
import pytest
import torch

from cs285.agents.ddpg_agent import DDPGAgent
from cs285.configs.ddpg import DDPGConfig
from tests.off_policy import (
    AC,
    GAMMA,
    OB,
    SMALL,
    N,
    ScriptedEnv,
    actor_output,
    batch,
    check_gradients,
    hold_still,
    q_value,
    to_double,
)


def agent_of(**more: Any) -> Any:
    return DDPGAgent(ScriptedEnv(), DDPGConfig(**SMALL | more))


def oracle_targets(agent: Any) -> np.ndarray:
    _, _, re_n, next_ob_no, terminal_n = (x.numpy() for x in batch())
    target_n = np.zeros(N)
    for i in range(N):
        ac = np.tanh(actor_output(agent.actor_target, next_ob_no[i]))
        q = q_value(agent.critic.q_net_target, 0, next_ob_no[i], ac)
        target_n[i] = re_n[i] + (0.0 if terminal_n[i] else GAMMA * q)
    return target_n


def test_critic_loss_and_gradient() -> None:
    agent = to_double(agent_of())
    hold_still(agent)
    ob_no, ac_na, *_ = (x.numpy() for x in batch())
    target_n = oracle_targets(agent)

    def loss() -> float:
        values = [q_value(agent.critic.q_net, 0, ob_no[i], ac_na[i]) for i in range(N)]
        return sum((values[i] - target_n[i]) ** 2 for i in range(N)) / N

    log = agent.update(*batch())
    assert log["Critic_Loss"].item() == pytest.approx(loss())
    check_gradients(agent.critic.weights, loss)


def test_actor_climbs_q() -> None:
    agent = to_double(agent_of())
    hold_still(agent)
    ob_no = batch()[0]

    def loss() -> float:
        actions = [np.tanh(actor_output(agent.actor, ob)) for ob in ob_no.numpy()]
        values = map(lambda ob, ac: q_value(agent.critic.q_net, 0, ob, ac), ob_no.numpy(), actions)
        return -sum(values) / N

    log = agent.update(*batch())
    assert log["Actor_Loss"].item() == pytest.approx(loss())
    check_gradients(agent.actor_weights, loss)


def test_every_update_moves_both_targets() -> None:
    agent = agent_of(tau=0.5)
    pairs = ((agent.actor_weights, agent.actor_target_weights),)
    pairs += ((agent.critic.weights, agent.critic.target_weights),)
    for _ in range(3):
        before = [[w.clone() for w in target] for _, target in pairs]
        agent.train(*(x.float().numpy() for x in batch()))
        for (weights, targets), old in zip(pairs, before, strict=True):
            for weight, target, was in zip(weights, targets, old, strict=True):
                torch.testing.assert_close(target, ((was + weight) / 2).detach())


def test_what_the_paper_has_besides_is_not_here() -> None:
    """As the docstring says: no weight decay, no batch normalisation, no small last layers."""
    torch.manual_seed(0)
    agent = agent_of(hidden="40,30")
    for optimizer in (agent.actor_optimizer, agent.critic.optimizer):
        assert not any(group.get("weight_decay") for group in optimizer.param_groups)
    for network in (agent.actor, agent.critic.q_net):
        assert not any("Norm" in type(part).__name__ for part in network.modules())
    assert agent.critic.q_net.weights[0].shape[1] == OB + AC  # actions enter the first layer
    last = [agent.actor.net[-2].weight, agent.critic.q_net.weights[-1]]
    assert all(0.1 < float(weight.detach().abs().max()) <= 30**-0.5 for weight in last)
    said = " ".join(str(DDPGAgent.__doc__).split())
    for words in ("no L2 weight decay", "batch normalisation", "last layers", "first layer"):
        assert words in said
