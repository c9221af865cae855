"""TD3's formulas, by hand and against loops in NumPy, and the order of its updates."""

from typing import Any

import numpy as np
import pytest
import torch

from cs285.agents.td3_agent import (
    TD3Agent,
    clipped_double_targets,
    smoothed_action,
)
from cs285.configs.td3 import TD3Config
from tests.off_policy import (
    GAMMA,
    SMALL,
    N,
    ScriptedEnv,
    actor_output,
    batch,
    check_gradients,
    fix_noise,
    hold_still,
    q_value,
    to_double,
)


def agent_of(**more: Any) -> Any:
    return TD3Agent(ScriptedEnv(), TD3Config(**SMALL | more))


def smoothed(agent: Any, ob: np.ndarray, noise: np.ndarray) -> np.ndarray:
    clipped = np.clip(agent.settings.target_noise * noise, -0.25, 0.25)
    return np.clip(np.tanh(actor_output(agent.actor_target, ob)) + clipped, -1, 1)


def oracle_targets(agent: Any, noise_na: np.ndarray) -> np.ndarray:
    _, _, re_n, next_ob_no, terminal_n = (x.numpy() for x in batch())
    target_n = np.zeros(N)
    for i in range(N):
        ac = smoothed(agent, next_ob_no[i], noise_na[i])
        q = min(q_value(agent.critic.q_net_target, k, next_ob_no[i], ac) for k in range(2))
        target_n[i] = re_n[i] + (0.0 if terminal_n[i] else GAMMA * q)
    return target_n


def test_targets_by_hand() -> None:
    says_kn = torch.tensor([[2.0, 2.0, 5.0], [3.0, 3.0, 4.0]])
    terminal_n = torch.tensor([0.0, 1.0, 0.0])
    y_n = clipped_double_targets(torch.ones(3), terminal_n, says_kn, GAMMA)
    np.testing.assert_allclose(y_n, [2.8, 1.0, 4.6], rtol=1e-6)


def test_smoothing_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    mean_na = torch.tensor([[0.0, 0.9, -0.3, 0.8]])
    monkeypatch.setattr(torch, "randn_like", lambda like: torch.tensor([[1.0, 1.0, 9.0, -9.0]]))
    # 0 + 0.2; 0.9 + 0.2 clipped to 1; -0.3 + 1.8 clipped to 0.5; 0.8 - 1.8 clipped to -0.5.
    wanted = [[0.2, 1.0, 0.2, 0.3]]
    np.testing.assert_allclose(smoothed_action(mean_na, 0.2, 0.5), wanted, rtol=1e-6)


def test_critic_loss_and_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    noise_na = fix_noise(monkeypatch)
    agent = to_double(agent_of(noise_clip=0.25))
    hold_still(agent)
    ob_no, ac_na, *_ = (x.numpy() for x in batch())
    target_n = oracle_targets(agent, noise_na)

    def loss() -> float:
        return sum(
            (q_value(agent.critic.q_net, k, ob_no[i], ac_na[i]) - target_n[i]) ** 2 / N
            for k in range(2)
            for i in range(N)
        )

    log = agent.update(*batch())
    assert log["Critic_Loss"].item() == pytest.approx(loss())
    check_gradients(agent.critic.weights, loss)
    assert all(weight.grad is None for weight in agent.actor_weights)  # it was not its turn
    assert np.abs(0.2 * noise_na).max() > 0.25  # the clip has something to do


def test_actor_climbs_the_first_critic() -> None:
    agent = to_double(agent_of(policy_delay=1))
    hold_still(agent)
    ob_no = batch()[0]

    def loss() -> float:
        actions = [np.tanh(actor_output(agent.actor, ob)) for ob in ob_no.numpy()]
        values = map(lambda ob, ac: q_value(agent.critic.q_net, 0, ob, ac), ob_no.numpy(), actions)
        return -sum(values) / N

    log = agent.update(*batch())
    assert log["Actor_Loss"].item() == pytest.approx(loss())
    check_gradients(agent.actor_weights, loss)


@pytest.mark.parametrize("delay", [1, 2, 3])
def test_actor_and_targets_take_their_time(delay: int) -> None:
    agent = agent_of(policy_delay=delay, tau=0.5)
    arrays = [x.float().numpy() for x in batch()]
    for update in range(1, 7):
        networks = (agent.actor, agent.actor_target, agent.critic.q_net_target, agent.critic.q_net)
        before = [torch.cat([w.flatten().clone() for w in net.parameters()]) for net in networks]
        log = agent.train(*arrays)
        after = [torch.cat([w.flatten() for w in net.parameters()]) for net in networks]
        moved = [not torch.equal(a, b) for a, b in zip(before, after, strict=True)]
        turn = update % delay == 0
        assert moved == [turn, turn, turn, True]
        assert ("Actor_Loss" in log) == turn
        if turn:  # half of the way to the actor as it is now
            torch.testing.assert_close(after[1], (before[1] + after[0]) / 2)
            torch.testing.assert_close(after[2], (before[2] + after[3]) / 2)
