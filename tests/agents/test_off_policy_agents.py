"""What DDPG, TD3 and SAC do around their formulas: step, store, wait, resume."""

import copy
from typing import Any

import numpy as np
import pytest
import torch

from cs285.agents.ddpg_agent import DDPGAgent
from cs285.agents.sac_agent import SACAgent
from cs285.agents.td3_agent import TD3Agent
from cs285.configs.ddpg import DDPGConfig
from cs285.configs.sac import SACConfig
from cs285.configs.td3 import TD3Config
from tests.by_hand import step_and_train
from tests.off_policy import AC, SMALL, ScriptedEnv

MAKERS: dict[str, tuple[Any, Any]] = {
    "ddpg": (DDPGAgent, DDPGConfig),
    "td3": (TD3Agent, TD3Config),
    "sac": (SACAgent, SACConfig),
}
agents = pytest.mark.parametrize("name", MAKERS)
TERMINATED, TRUNCATED, BOTH = (True, False), (False, True), (True, True)
BATCH = 8


def agent_of(name: str, ends: Any = None, **more: Any) -> Any:
    make, settings = MAKERS[name]
    return make(ScriptedEnv(ends), settings(**SMALL | more))


@agents
def test_memory_holds_what_happened(name: str) -> None:
    """A cut is no end, and the state after it is the one reached, not the next one begun."""
    agent = agent_of(name, {2: TERMINATED, 5: TRUNCATED, 8: BOTH})
    for agent.t in range(11):
        agent.step_env()
    rows = agent.replay_buffer.rows[:11]
    ob_no, ac_na, re_n = rows[:, :3], rows[:, 3:5], rows[:, 5]
    next_ob_no, terminal_n = rows[:, 6:9], rows[:, 9]
    assert ob_no.tolist() == [[t // 3, t % 3, t] for t in range(11)]
    assert next_ob_no.tolist() == [[t // 3, t % 3 + 1, t + 1] for t in range(11)]
    assert terminal_n.nonzero()[0].tolist() == [2, 8]
    np.testing.assert_array_equal(ac_na, agent.env.actions)
    assert re_n.tolist() == [-(t + 1) / 8 for t in range(11)]


@agents
def test_the_claim_of_q_is_that_of_the_evaluated_action(name: str) -> None:
    agent = agent_of(name, discount=0.7)
    values, discount = agent.value_function()
    ob_no = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    tensors = [torch.from_numpy(x) for x in (ob_no, agent.eval_policy.get_action(ob_no))]
    expected = agent.critic.q_net(*tensors)[0].detach().numpy()
    np.testing.assert_allclose(values(ob_no), expected, rtol=1e-6)
    assert discount == 0.7 and expected.std() > 0


@agents
def test_first_actions_are_uniform_then_the_actors(name: str) -> None:
    agent = agent_of(name, start_steps=2000)
    record = []
    real = agent.actor.get_action
    agent.actor.get_action = lambda obs: record.append(obs) or real(obs)
    for agent.t in range(2003):
        agent.step_env()
    assert len(record) == 3 and record[0].tolist() == [0, 2000, 2000]
    actions = np.array(agent.env.actions[:2000])
    # Deciles of a uniform law hold 200 +- 13; five deviations.
    for component in actions.T:
        assert np.abs(np.histogram(component, 10, (-1, 1))[0] - 200).max() < 68
    assert abs(np.corrcoef(actions.T)[0, 1]) < 0.12


@agents
def test_learning_waits_for_its_start_alone(name: str) -> None:
    """Not for as many transitions as a batch has: it is drawn with replacement."""
    for settings, first in (({"learning_starts": 20}, 20), ({"learning_starts": 0}, 0)):
        agent = agent_of(name, **settings)
        logs = step_and_train(agent, 30, BATCH)
        assert [bool(log) for log in logs] == [t >= first for t in range(30)]
        assert agent.scalars()["Num_Param_Updates"] == 30 - first


@agents
def test_losses_are_plain_finite_numbers(name: str) -> None:
    log = step_and_train(agent_of(name), 30, BATCH)[-1]
    wanted = {"Critic_Loss", "Critic_Gradient_Norm", "Q_Mean", "Q_Max"}
    wanted |= {"Actor_Loss", "Actor_Gradient_Norm"}
    wanted |= {"Entropy"} if name == "sac" else set()
    if name == "td3":
        log |= step_and_train(agent_of(name), 31, BATCH)[-1]
    assert set(log) == wanted
    assert all(type(value) is float and np.isfinite(value) for value in log.values())


@agents
def test_training_leaves_its_batch_alone(name: str) -> None:
    agent = agent_of(name)
    step_and_train(agent, 20, BATCH)
    arrays = agent.sample(BATCH)
    before = copy.deepcopy(arrays)
    agent.train(*arrays)
    for one, other in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(one, other)


@agents
def test_policies(name: str) -> None:
    agent = agent_of(name)
    obs = np.ones((50, 3), np.float32)
    noisy, still = agent.actor.get_action(obs), agent.eval_policy.get_action(obs)
    assert noisy.shape == still.shape == (50, AC)
    assert np.ptp(still, axis=0).max() < 1e-6 < np.ptp(noisy, axis=0).min()
    step_and_train(agent, 30, BATCH)  # evaluation plays what has been learned
    assert (agent.eval_policy.get_action(obs) != still).all()
    assert agent.policy_state_dict().keys() == agent.actor.state_dict().keys()


@agents
def test_resumed_agent_goes_on_bit_for_bit(name: str) -> None:
    """Also with a ring that has come round, and with TD3 between two turns of its actor."""
    agent = agent_of(name)
    step_and_train(agent, 66, BATCH)
    random = torch.get_rng_state()
    state = copy.deepcopy(agent.state_dict())
    env = copy.deepcopy(agent.env)
    logs = step_and_train(agent, 20, BATCH)
    resumed = agent_of(name, seed=9)
    resumed.load_state_dict(state)
    resumed.env, resumed.t = env, 66
    torch.set_rng_state(random)
    assert step_and_train(resumed, 20, BATCH) == logs
    assert resumed.scalars() == agent.scalars()
    for one, other in zip(agent.actor_weights, resumed.actor_weights, strict=True):
        assert torch.equal(one, other)


@agents
def test_activation_reaches_every_network(name: str) -> None:
    """With weights that let only negative numbers in, rectified units are dead and tanh is not."""
    outputs = {}
    for activation in ("relu", "tanh"):
        agent = agent_of(name, activation=activation)
        obs, acs = torch.ones(1, 3), torch.zeros(1, AC)
        for network in (agent.actor, agent.critic.q_net):
            for parameter in network.parameters():
                parameter.data.fill_(-0.1)
        actions = agent.actor(obs)
        actions = actions[0] if isinstance(actions, tuple) else actions
        outputs[activation] = (actions.flatten()[0].item(), agent.critic.q_net(obs, acs)[0].item())
    for relu, tanh in zip(outputs["relu"], outputs["tanh"], strict=True):
        assert relu != pytest.approx(tanh)


LEARNS_AT = (11, 15, 19, 23)  # from step 10 on, at the end of each fourth step


@agents
@pytest.mark.parametrize(
    ("more", "updates"),
    [
        ({}, [4, 4, 4, 4]),
        ({"num_agent_train_steps_per_iter": 2}, [8, 8, 8, 8]),
        ({"repeat_times": 1.5}, [12 * 3 // 16, 16 * 3 // 16, 20 * 3 // 16, 24 * 3 // 16]),
        ({"repeat_times": 1e-6}, [1, 1, 1, 1]),
    ],
)
def test_updates_come_at_the_end_of_a_horizon(name: str, more: Any, updates: list[int]) -> None:
    agent = agent_of(name, horizon_len=4, learning_starts=10, batch_size=BATCH, **more)
    due, made = {}, []
    for t in range(26):
        agent.t = t
        agent.step_env()
        due[t] = agent.updates_due()
        made.append(len([agent.train(*agent.sample(BATCH)) for _ in range(due[t])]))
    assert {t: n for t, n in due.items() if n} == dict(zip(LEARNS_AT, updates, strict=True))
    assert agent.num_param_updates == sum(made) == sum(updates)
