"""The DQN agent: what it does in which order, seen by spies, and what its memory then holds.

Environment, buffer, actor and critic are fakes that write on one tape, so each test looks at the
agent's own lines only. Tests at the end put the real parts together.
"""

import copy
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

from cs285.agents.dqn_agent import DQNAgent
from cs285.configs.dqn import DQNConfig
from cs285.critics.dqn_critic import DQNCritic
from cs285.experiments import dqn
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.base.config import parse_config
from cs285.infrastructure.environments import env_state, envs
from tests import by_hand

NUM_ACTIONS, GREEDY = 5, 3
TERMINATED, TRUNCATED, BOTH = (True, False), (False, True), (True, True)
RECENT = np.array([7.0, 7.0, 7.0])  # what the fake buffer calls the recent observation
BATCH = "abcde"  # stands for the five arrays of a batch
PARAMS: dict[str, Any] = {
    "hidden": "8",
    "activation": "tanh",
    "double_q": True,
    "discount": 0.9,
    "learning_rate": "1e-2",
    "adam_eps": 1e-8,
    "tau": 1.0,
    "exploration": "0",
    "buffer_size": 1000,
    "frame_history_len": 1,
    "learning_starts": 0,
    "learning_freq": 1,
    "target_update_freq": 3,
    "batch_size": 4,
    "eval_epsilon": 0.25,
}


def reward_of(step: int, action: int) -> float:
    """A fraction, far outside [-1, 1], that encodes step (from 1) and action."""
    return -200.5 - step - action / 8


class ScriptedEnv(gym.Env[np.ndarray, int]):
    """Shows (episode, step), counted from 0; `ends` says which step of all ends an episode how.

    With `in_place`, all observations are one and the same array, as some simulators have it.
    """

    observation_space = gym.spaces.Box(0, np.inf, (2,))
    action_space = gym.spaces.Discrete(NUM_ACTIONS)

    def __init__(
        self, tape: list[Any], ends: dict[int, tuple[bool, bool]], in_place: bool = False
    ) -> None:
        self.tape, self.ends, self.in_place = tape, ends, in_place
        self.steps, self.episode, self.at, self.over = 0, -1, 0, True
        self.screen = np.zeros(2, np.float32)

    def reset(self, **_: Any) -> tuple[np.ndarray, dict[str, Any]]:
        self.tape.append(("reset",))
        self.episode, self.at, self.over = self.episode + 1, 0, False
        return self.frame(), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        assert not self.over, "stepped an episode that is over"
        assert self.action_space.contains(action)
        self.tape.append(("step", action))
        self.at += 1
        terminated, truncated = self.ends.get(self.steps, (False, False))
        self.over = terminated or truncated
        self.steps += 1
        return self.frame(), reward_of(self.steps, action), terminated, truncated, {}

    def frame(self) -> np.ndarray:
        self.screen[:] = self.episode, self.at
        return self.screen if self.in_place else self.screen.copy()


class SpyBuffer:
    """Writes calls on the tape; its indices and observations mean nothing to anyone else."""

    path_ended = False

    def __init__(self, tape: list[Any]) -> None:
        self.tape, self.ready, self.idx, self.held = tape, True, 100, 0

    def store_frame(self, frame: np.ndarray) -> int:
        self.idx += 7
        self.tape.append(("store_frame", frame.tolist()))
        return self.idx

    def encode_recent_observation(self) -> np.ndarray:
        self.tape.append(("encode",))
        return RECENT

    def store_effect(self, idx: int, action: int, reward: float, done: bool) -> None:
        self.tape.append(("store_effect", idx, action, reward, done))

    def end_path(self, last_frame: np.ndarray) -> None:
        self.tape.append(("end_path", last_frame.tolist()))

    def __len__(self) -> int:
        return self.held

    def can_sample(self, batch_size: int) -> bool:
        assert batch_size == PARAMS["batch_size"]
        return self.ready

    def sample(self, batch_size: int) -> str:
        self.tape.append(("sample", batch_size))
        return BATCH


class SpyCritic:
    """Writes updates and syncs on the tape."""

    def __init__(self, tape: list[Any]) -> None:
        self.tape = tape
        self.times: list[int] = []

    def set_step_size(self, t: int) -> None:
        self.times.append(t)

    def update(
        self, ob_no: Any, ac_na: Any, next_ob_no: Any, reward_n: Any, terminal_n: Any
    ) -> dict[str, float]:
        self.tape.append(("update", ob_no, ac_na, next_ob_no, reward_n, terminal_n))
        return {"Training Loss": float(len(self.tape))}

    def update_target_network(self) -> None:
        self.tape.append(("sync",))


def spied_agent(
    ends: dict[int, tuple[bool, bool]] | None = None,
    exploration: Callable[[int], float] = lambda t: 0.0,
    **settings: Any,
) -> tuple[Any, list[Any]]:
    """Returns an agent made of fakes, and their empty tape."""
    tape: list[Any] = []

    def get_action(obs: np.ndarray) -> np.ndarray:
        tape.append(("get_action", obs))
        return np.array([GREEDY])

    agent: Any = DQNAgent(ScriptedEnv(tape, ends or {}), DQNConfig(**PARAMS | settings))
    agent.replay_buffer, agent.critic = SpyBuffer(tape), SpyCritic(tape)
    agent.actor = SimpleNamespace(get_action=get_action)
    agent.exploration = SimpleNamespace(value=exploration)
    tape.clear()
    return agent, tape


def calls(tape: list[Any], *wanted: str) -> list[Any]:
    return [call for call in tape if call[0] in wanted]


def names(tape: list[Any]) -> list[str]:
    return [call[0] for call in tape]


def step_and_train(agent: Any, steps: int) -> list[Mapping[str, float]]:
    return by_hand.step_and_train(agent, steps, agent.settings.batch_size)


def train_when_due(agent: Any, steps: int) -> list[int]:
    """Lets time pass; returns at which steps there were updates, as often as there were."""
    times = []
    for agent.t in range(steps):
        for _ in range(agent.updates_due()):
            agent.train(*BATCH)
            times.append(agent.t)
    return times


# ---------------------------------------------------------------- step_env


def test_a_greedy_step_from_first_call_to_last() -> None:
    agent, tape = spied_agent()
    agent.step_env()
    assert names(tape) == "store_frame encode get_action step store_effect".split()
    assert tape[0] == ("store_frame", [0, 0])  # the frame acted on, not the one that follows
    assert tape[2][1] is RECENT  # the actor sees the frames with their history
    assert tape[3] == ("step", GREEDY)
    assert tape[4] == ("store_effect", 107, GREEDY, reward_of(1, GREEDY), False)
    assert agent.last_obs.tolist() == [0, 1]
    assert agent.replay_buffer_idx == 107


def test_what_is_stored_is_what_was_seen_done_and_paid() -> None:
    agent, tape = spied_agent(exploration=lambda t: 0.5)
    step_and_train(agent, 50)
    assert [call[1] for call in calls(tape, "store_frame")] == [[0, t] for t in range(50)]
    sent = [call[1] for call in calls(tape, "step")]
    assert len(set(sent)) == NUM_ACTIONS
    _, indices, actions, rewards, _ = zip(*calls(tape, "store_effect"), strict=True)
    assert list(indices) == [107 + 7 * t for t in range(50)]
    assert list(actions) == sent
    assert list(rewards) == [reward_of(t + 1, action) for t, action in enumerate(sent)]


@pytest.mark.parametrize(
    ("end", "done", "last_frame"),
    [
        (TERMINATED, True, []),
        (BOTH, True, []),  # what envs.TimeLimitIsTerminal says at a limit
        (TRUNCATED, False, [("end_path", [0, 3])]),  # the limit's state keeps its value
    ],
)
def test_end_of_an_episode(end: tuple[bool, bool], done: bool, last_frame: list[Any]) -> None:
    agent, tape = spied_agent({2: end})
    step_and_train(agent, 3)
    effects = calls(tape, "store_effect")
    assert [call[4] for call in effects] == [False, False, done]
    # After the effect, and before a frame of the fresh episode, the one that the limit left.
    assert calls(tape[tape.index(effects[-1]) :], "end_path", "reset") == [("reset",), *last_frame]
    assert len(calls(tape, "end_path", "reset")) == len(last_frame) + 1  # and neither came earlier
    assert agent.last_obs.tolist() == [1, 0]


@pytest.mark.parametrize(("epsilon", "greedy_rate"), [(0.0, 1.0), (0.25, 0.8), (1.0, 0.2)])
def test_epsilon_is_the_chance_of_a_random_action(epsilon: float, greedy_rate: float) -> None:
    """One random action in NUM_ACTIONS is the greedy one: rate 1 - epsilon * 4 / 5."""
    agent, tape = spied_agent(exploration=lambda t: epsilon)
    n = 1000
    for _ in range(n):
        agent.step_env()
    actions = np.array([call[1] for call in calls(tape, "step")])
    # Four standard deviations, about 0.05; and none where nothing is left to chance.
    spread = 4 * np.sqrt(greedy_rate * (1 - greedy_rate) / n)
    assert abs((actions == GREEDY).mean() - greedy_rate) <= spread
    if epsilon == 1.0:
        counts = np.bincount(actions, minlength=NUM_ACTIONS)
        assert np.abs(counts / n - 0.2).max() <= spread
        assert not calls(tape, "get_action")


@pytest.mark.parametrize(
    ("exploration", "learning_starts"),
    [(lambda t: 0.0, 30), (lambda t: float(t < 30), 0)],
    ids=["learning_starts", "schedule"],
)
def test_actions_are_random_for_the_first_30_steps(
    exploration: Callable[[int], float], learning_starts: int
) -> None:
    """Before `learning_starts` whatever epsilon is; then as the schedule says of the agent's t."""
    agent, tape = spied_agent(exploration=exploration, learning_starts=learning_starts)
    step_and_train(agent, 30)
    assert not calls(tape, "get_action")
    assert len({call[1] for call in calls(tape, "step")}) == NUM_ACTIONS
    step_and_train(agent, 10)
    assert len(calls(tape, "get_action")) == 10
    assert {call[1] for call in calls(tape, "step")[30:]} == {GREEDY}


# ---------------------------------------------------------------- sample and train


@pytest.mark.parametrize(
    ("starts", "freq", "expected"),
    [(0, 1, list(range(12))), (4, 3, [6, 9]), (6, 3, [6, 9]), (0, 5, [0, 5, 10]), (99, 1, [])],
)
def test_updates_come_every_learning_freq_steps_from_learning_starts_on(
    starts: int, freq: int, expected: list[int]
) -> None:
    agent, tape = spied_agent(learning_starts=starts, learning_freq=freq)
    assert train_when_due(agent, 12) == expected
    assert agent.num_param_updates == len(calls(tape, "update")) == len(expected)
    assert agent.critic.times == expected  # the step size is that of the clock


def test_no_update_before_the_buffer_can_sample() -> None:
    agent, tape = spied_agent()
    agent.replay_buffer.ready = False
    assert train_when_due(agent, 3) == tape == []


@pytest.mark.parametrize(("updates", "expected"), [(1, [2, 4]), (3, [2, 2, 2, 4, 4, 4])])
def test_each_update_that_is_due_draws_a_batch_of_its_own(
    updates: int, expected: list[int]
) -> None:
    settings = {"learning_starts": 1, "learning_freq": 2}
    agent, tape = spied_agent(**settings, num_agent_train_steps_per_iter=updates)
    for t in range(5):
        tape.clear()
        step_and_train(agent, 1)
        assert calls(tape, "sample") == [("sample", 4)] * expected.count(t)
        assert len(calls(tape, "update")) == expected.count(t)


def test_repeat_times_counts_what_memory_has() -> None:
    """Each transition has its turns in a batch of 4: 8 in memory, 3 turns, 6 batches."""
    agent, _ = spied_agent(repeat_times=3.0, learning_freq=8)
    agent.t, counts = 8, []
    for agent.replay_buffer.held in (1, 8, 10):
        counts.append(agent.updates_due())
    assert counts == [1, 6, 7]
    agent.t = 9
    assert agent.updates_due() == 0


def test_arguments_reach_the_critic_in_its_own_order() -> None:
    agent, tape = spied_agent()
    agent.train(ob_no="s", ac_na="a", re_n="r", next_ob_no="s'", terminal_n="end")
    assert tape[0] == ("update", "s", "a", "s'", "r", "end")


def test_train_returns_the_critics_log() -> None:
    agent, _ = spied_agent()
    assert [agent.train(*BATCH) for _ in range(2)] == [{"Training Loss": n} for n in (1.0, 3.0)]


def test_target_is_synced_at_every_nth_update_the_first_included() -> None:
    """Updates at t = 4, 6, 8, ...: it is they that count, and not `t`."""
    agent, tape = spied_agent(learning_starts=4, learning_freq=2, target_update_freq=3)
    train_when_due(agent, 4 + 2 * 8)
    plan = "update sync update update update sync update update update sync update"
    assert names(tape) == plan.split()


def test_several_updates_on_each_batch_count_as_one() -> None:
    agent, tape = spied_agent(num_critic_updates_per_agent_update=2)
    for _ in range(4):
        agent.train(*BATCH)
    pair = ["update", "update"]
    assert names(tape) == [*pair, "sync", *pair, *pair, *pair, "sync"]
    assert agent.num_param_updates == 4


# ---------------------------------------------------------------- the real parts together


def weights(network: Any) -> np.ndarray:
    return np.concatenate([ptu.to_numpy(p).ravel() for p in network.parameters()])


def test_target_network_moves_only_at_a_sync_and_stays_a_copy() -> None:
    agent = DQNAgent(ScriptedEnv([], {}), DQNConfig(**PARAMS | {"target_update_freq": 3}))
    critic, number = agent.critic, 0
    for _ in range(20):
        online, target = weights(critic.q_net), weights(critic.q_net_target)
        if step_and_train(agent, 1)[0]:
            assert not np.array_equal(weights(critic.q_net), online)  # a sync undoes no learning
            expected = weights(critic.q_net) if number % 3 == 0 else target
            np.testing.assert_array_equal(weights(critic.q_net_target), expected)
            number += 1
    assert number > 10
    shared = {p.data_ptr() for p in critic.q_net.parameters()}
    assert shared.isdisjoint(p.data_ptr() for p in critic.q_net_target.parameters())


@pytest.mark.parametrize("in_place", [False, True])
def test_memory_holds_what_happened(in_place: bool) -> None:
    """Every sampled transition is one of the environment's, and nearly all of them come up."""
    kinds = {2: TERMINATED, 3: TRUNCATED, 6: BOTH}
    ends = {step: kinds[step % 7] for step in range(200) if step % 7 in kinds}
    tape: list[Any] = []
    settings = DQNConfig(**PARAMS | {"exploration": "0.7"})
    agent = DQNAgent(ScriptedEnv(tape, ends, in_place), settings)
    happened, episode, at = {}, 0, 0
    for step in range(200):
        agent.step_env()
        terminated, truncated = ends.get(step, (False, False))
        action = calls(tape, "step")[-1][1]
        next_ob = (0, 0) if terminated else (episode, at + 1)  # none after a true end
        happened[episode, at] = (action, reward_of(step + 1, action), next_ob, float(terminated))
        episode, at = (episode + 1, 0) if terminated or truncated else (episode, at + 1)
    agent.step_env()  # the last step needs a successor to be sampled
    record = set()
    for ob, ac, re, next_ob, terminal in zip(*agent.replay_buffer.sample(2000), strict=True):
        assert (ac, re, tuple(next_ob), terminal) == happened[tuple(ob)]
        record.add(tuple(ob))
    assert len(record) > 0.95 * len(happened)  # 2000 draws of 200: each is missed once in 20,000


def cartpole_agent() -> DQNAgent:
    env = envs.make_env("CartPole-v0", discount=0.9)
    env.reset(seed=5)
    settings = {"learning_starts": 20, "batch_size": 8, "exploration": "0.3"}
    return DQNAgent(env, DQNConfig(**PARAMS | settings))


def test_resumed_agent_goes_on_bit_for_bit() -> None:
    agent = cartpole_agent()
    step_and_train(agent, 50)
    saved_env = env_state.within(agent.env, env_state.ResumableEnv).state_dict()
    saved = copy.deepcopy((agent.state_dict(), saved_env))
    resumed = cartpole_agent()
    resumed.load_state_dict(saved[0])
    env_state.within(resumed.env, env_state.ResumableEnv).load_state_dict(saved[1])
    resumed.t = agent.t
    assert step_and_train(agent, 60) == step_and_train(resumed, 60)
    for network in ("q_net", "q_net_target"):
        pair = (weights(getattr(twin.critic, network)) for twin in (agent, resumed))
        np.testing.assert_array_equal(*pair)
    assert agent.scalars() == resumed.scalars()
    assert agent.last_obs.tolist() == resumed.last_obs.tolist()


def test_values_are_logged_once_there_are_any_and_change_nothing() -> None:
    torch.manual_seed(1)
    agent = cartpole_agent()
    torch.manual_seed(1)
    twin = cartpole_agent()
    step_and_train(agent, 10)
    assert "Q_Mean" not in agent.scalars()  # nothing is learned yet
    step_and_train(agent, 40)
    q_na = agent.critic.qa_values(agent.learned_from)
    values, discount = agent.value_function()
    np.testing.assert_array_equal(values(agent.learned_from), q_na.max(axis=1))
    assert discount == agent.critic.gamma
    message = agent.scalars()
    assert message["Q_Mean"] == pytest.approx(q_na.max(axis=1).mean())
    assert message["Q_Max"] == q_na.max()
    step_and_train(twin, 50)
    assert step_and_train(agent, 20) == step_and_train(twin, 20)


def test_the_optimizer_is_the_courses_and_the_error_the_papers() -> None:
    """As the docstring says: Adam with a schedule; the gradient of the error clipped to [-1, 1]."""
    config, _ = parse_config(
        dqn.DQNConfig, ["--env_name", "CartPole-v1", "-lr", "0:1e-3,9:1e-4"], ""
    )
    critic = DQNCritic((2,), NUM_ACTIONS, dqn.EXPERIMENT.resolve(config))
    assert isinstance(critic.optimizer, torch.optim.Adam)
    (group,) = critic.optimizer.param_groups
    rates = []
    for t in (0, 10**4):
        critic.set_step_size(t)
        rates.append(group["lr"])
    assert rates == pytest.approx([1e-3, 1e-4])
    error = torch.tensor([-3.0, -0.5, 0.25, 7.0], requires_grad=True)
    (4 * critic.loss(error, torch.zeros(4))).backward()
    assert error.grad is not None and error.grad.tolist() == [-1.0, -0.5, 0.25, 1.0]
    assert all(w in str(DQNAgent.__doc__) for w in ("RMSProp", "Adam", "Huber", "clipped gradient"))
