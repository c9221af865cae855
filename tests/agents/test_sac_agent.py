"""SAC's formulas, by hand and against loops in NumPy."""

from typing import Any

import numpy as np
import pytest
import torch

from cs285.agents.sac_agent import SACAgent, SACSettings
from tests.off_policy import (
    AC,
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

BACKUPS = ("single", "double", "clipped")
ALPHA = 0.3


def agent_of(**more: Any) -> Any:
    return SACAgent(ScriptedEnv(), SACSettings(**SMALL | more))


def double_agent(**more: Any) -> Any:
    agent = to_double(agent_of(temperature=ALPHA, **more))
    agent.log_temperature = torch.tensor([np.log(ALPHA)], dtype=torch.float64)
    return agent


def sampled(actor: Any, ob: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, float]:
    """The action and its log-density in one state, by the textbook."""
    mean, log_std = np.split(actor_output(actor, ob), 2)
    u = mean + np.exp(log_std) * noise
    gaussian = -0.5 * noise**2 - log_std - 0.5 * np.log(2 * np.pi)
    # 1 - tanh(u)^2 = 1 / cosh(u)^2, which keeps its digits where tanh(u) is nearly 1.
    return np.tanh(u), float((gaussian + 2 * np.log(np.cosh(u))).sum())


def oracle_targets(agent: Any, noise_na: np.ndarray) -> np.ndarray:
    """y, shape (k, N), sample by sample."""
    _, _, re_n, next_ob_no, terminal_n = (x.numpy() for x in batch())
    backup = agent.settings.q_backup
    rows = 1 if backup == "single" else 2
    target_kn = np.zeros((rows, N))
    for i in range(N):
        ac, log_prob = sampled(agent.actor, next_ob_no[i], noise_na[i])
        q_k = [q_value(agent.critic.q_net_target, k, next_ob_no[i], ac) for k in range(rows)]
        for k in range(rows):
            value = {"single": q_k[0], "double": q_k[k - 1], "clipped": min(q_k)}[backup]
            soft = value - ALPHA * log_prob
            target_kn[k, i] = re_n[i] + (0.0 if terminal_n[i] else GAMMA * soft)
    return target_kn


@pytest.mark.parametrize("q_backup", BACKUPS)
def test_targets(q_backup: str, monkeypatch: pytest.MonkeyPatch) -> None:
    noise_na = fix_noise(monkeypatch)
    agent = double_agent(q_backup=q_backup)
    _, _, re_n, next_ob_no, terminal_n = batch()
    target_kn = agent.targets(re_n, next_ob_no, terminal_n)
    np.testing.assert_allclose(target_kn.detach().numpy(), oracle_targets(agent, noise_na))


def test_targets_by_hand() -> None:
    agent = agent_of(temperature=0.2)
    log_prob_n = torch.tensor([-0.5, -0.5, 1.0])
    agent.actor.sample = lambda ob_no: (torch.zeros(3, AC), log_prob_n)
    says_kn = torch.tensor([[2.0, 2.0, 5.0], [3.0, 3.0, 4.0]])
    agent.critic.q_net_target = lambda ob_no, ac_na: says_kn
    target_kn = agent.targets(torch.ones(3), torch.zeros(3, 3), torch.tensor([0.0, 1.0, 0.0]))
    # 1 + 0.9 * (2 + 0.1); 1; 1 + 0.9 * (4 - 0.2).
    wanted = [2.89, 1.0, 4.42]
    np.testing.assert_allclose(target_kn.detach().numpy(), [wanted, wanted], rtol=1e-6)


def test_next_values_by_hand() -> None:
    q_kn = torch.tensor([[1.0, 4.0, 2.0], [3.0, 0.0, 2.0]])
    wanted = {
        "double": [[3.0, 0.0, 2.0], [1.0, 4.0, 2.0]],
        "clipped": [[1.0, 0.0, 2.0], [1.0, 0.0, 2.0]],
    }
    for q_backup, values in wanted.items():
        assert agent_of(q_backup=q_backup).next_values(q_kn).tolist() == values
    assert agent_of(q_backup="single").next_values(q_kn[:1]).tolist() == [[1.0, 4.0, 2.0]]


@pytest.mark.parametrize("q_backup", BACKUPS)
def test_critic_loss_and_gradient(q_backup: str, monkeypatch: pytest.MonkeyPatch) -> None:
    noise_na = fix_noise(monkeypatch)
    agent = double_agent(q_backup=q_backup)
    hold_still(agent)
    ob_no, ac_na, *_ = (x.numpy() for x in batch())
    target_kn = oracle_targets(agent, noise_na)

    def loss() -> float:
        return sum(
            0.5 * (q_value(agent.critic.q_net, k, ob_no[i], ac_na[i]) - target_kn[k, i]) ** 2 / N
            for k in range(len(target_kn))
            for i in range(N)
        )

    log = agent.update_critic(*batch())
    assert log["Critic_Loss"].item() == pytest.approx(loss())
    check_gradients(agent.critic.weights, loss)
    assert all(weight.grad is None for weight in agent.actor_weights)
    assert log["Q_Max"] >= log["Q_Mean"]


@pytest.mark.parametrize("q_backup", BACKUPS)
def test_actor_loss_and_gradient(q_backup: str, monkeypatch: pytest.MonkeyPatch) -> None:
    noise_na = fix_noise(monkeypatch)
    agent = double_agent(q_backup=q_backup)
    hold_still(agent)
    ob_no = batch()[0]

    def loss() -> float:
        total = 0.0
        for ob, noise in zip(ob_no.numpy(), noise_na, strict=True):
            ac, log_prob = sampled(agent.actor, ob, noise)
            rows = range(1 if q_backup == "single" else 2)
            q = min(q_value(agent.critic.q_net, k, ob, ac) for k in rows)
            total += (ALPHA * log_prob - q) / N
        return total

    log = agent.update_actor(ob_no)
    assert log["Actor_Loss"].item() == pytest.approx(loss())
    check_gradients(agent.actor_weights, loss)
    assert all(weight.grad is None for weight in agent.critic.weights)


@pytest.mark.parametrize(("log_prob", "rises"), [(5.0, True), (-5.0, False)])
def test_temperature_drives_entropy_to_its_target(log_prob: float, rises: bool) -> None:
    agent = agent_of(target_entropy=-1.0)
    assert agent.scalars()["Temperature"] == 1.0
    agent.update_temperature(torch.tensor([log_prob, log_prob + 1]))
    # d loss / d log alpha = -mean(log prob + target entropy)
    assert agent.log_temperature.grad.item() == pytest.approx(-(log_prob + 0.5 - 1.0))
    assert (agent.scalars()["Temperature"] > 1.0) == rises


def test_default_target_entropy_is_minus_the_number_of_components() -> None:
    assert agent_of().target_entropy == -AC
    assert agent_of(target_entropy=0.5).target_entropy == 0.5


def test_fixed_temperature_stays() -> None:
    agent = agent_of(temperature=0.2)
    for _ in range(3):
        agent.train(*(x.float().numpy() for x in batch()))
    assert agent.scalars() == {"Temperature": pytest.approx(0.2), "Num_Param_Updates": 3}
