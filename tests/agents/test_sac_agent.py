"""SAC's formulas, by hand and against loops in NumPy."""

from typing import Any

import numpy as np
import pytest
import torch

from cs285.agents.sac_agent import SACAgent, soft_targets, temperature_loss
from cs285.configs.sac import SACConfig
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
    return SACAgent(ScriptedEnv(), SACConfig(**SMALL | more))


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


def targets_of(says_kn: torch.Tensor, q_backup: str) -> list[list[float]]:
    log_pi_n, terminal_n = torch.tensor([-0.5, -0.5, 1.0]), torch.tensor([0.0, 1.0, 0.0])
    y_kn = soft_targets(
        torch.ones(3), terminal_n, says_kn, log_pi_n, torch.tensor([0.2]), GAMMA, q_backup
    )
    return y_kn.tolist()


def test_targets_by_hand() -> None:
    says_kn = torch.tensor([[2.0, 2.0, 5.0], [3.0, 3.0, 4.0]])
    # 1 + 0.9 * (2 + 0.1) or of 3; 1; 1 + 0.9 * (4 - 0.2) or of 5.
    small, large = [2.89, 1.0, 5.32], [3.79, 1.0, 4.42]
    both = [2.89, 1.0, 4.42]
    np.testing.assert_allclose(targets_of(says_kn, "clipped"), [both, both], rtol=1e-6)
    np.testing.assert_allclose(targets_of(says_kn, "double"), [large, small], rtol=1e-6)
    np.testing.assert_allclose(targets_of(says_kn[:1], "single"), [small], rtol=1e-6)


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

    log = agent.update(*batch())
    assert log["Critic_Loss"].item() == pytest.approx(loss())
    check_gradients(agent.critic.weights, loss)  # and the actor's loss adds nothing to them
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

    log = agent.update(*batch())
    assert log["Actor_Loss"].item() == pytest.approx(loss())
    check_gradients(agent.actor_weights, loss)


@pytest.mark.parametrize(("log_prob", "slope"), [(5.0, -4.5), (-5.0, 5.5)])
def test_temperature_drives_entropy_to_its_target(log_prob: float, slope: float) -> None:
    # Not 0, where the loss with alpha in place of its logarithm has the same gradient.
    log_alpha = torch.full((1,), 0.7, requires_grad=True)
    temperature_loss(log_alpha, torch.tensor([log_prob, log_prob + 1]), -1.0).backward()
    # d loss / d log alpha = -mean(log prob + target entropy)
    assert log_alpha.grad.item() == pytest.approx(slope)


def test_temperature_takes_a_step_of_each_update() -> None:
    for entropy, rises in ((50.0, True), (-50.0, False)):
        agent = agent_of(target_entropy=entropy)
        assert agent.scalars()["Temperature"] == 1.0
        agent.train(*(x.float().numpy() for x in batch()))
        assert (agent.scalars()["Temperature"] > 1.0) == rises


def test_default_target_entropy_is_minus_the_number_of_components() -> None:
    assert agent_of().target_entropy == -AC
    assert agent_of(target_entropy=0.5).target_entropy == 0.5


def test_fixed_temperature_stays() -> None:
    agent = agent_of(temperature=0.2)
    for _ in range(3):
        agent.train(*(x.float().numpy() for x in batch()))
    assert agent.scalars() == {"Temperature": pytest.approx(0.2), "Num_Param_Updates": 3}
