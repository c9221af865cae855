"""What a task returns is copied, put in one form, and checked; its faults are one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box

from cs285.experiments import registry
from cs285.infrastructure.base.config import read_config_json
from cs285.infrastructure.base.errors import TaskError, UserError
from cs285.infrastructure.environments import atari, envs
from cs285.infrastructure.environments.checked_task import CheckedTask
from cs285.infrastructure.rollouts import sample_trajectory
from tests import odd_environments as odd
from tests.running import load_script, only_run


def make(kind: type[odd.Odd], continuous: bool = False, **rules: Any) -> Any:
    env = envs.make_env(odd.name(kind, continuous), **rules)
    env.reset(seed=0)
    return env


class Zero:
    """Always plays action 0."""

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        self.action = np.zeros_like(env.action_space.sample())

    def get_action(self, obs: np.ndarray) -> np.ndarray:
        return self.action[None]


# ---------------------------------------------------------------- copies


@pytest.mark.parametrize("algorithm", ["vpg", "actor_critic", "ppo"])
def test_a_path_has_a_row_for_each_state_of_a_task_that_changes_one_array(algorithm: str) -> None:
    experiment: Any = registry.algorithms()[algorithm]
    config = experiment.config_class(env_name=odd.name(odd.InPlace, False))
    env = experiment.make_env(config, training=True)
    path = sample_trajectory(env, Zero(env), 12)
    assert len(np.unique(path["observation"], axis=0)) == 12
    assert not (path["observation"] == path["next_observation"]).all(axis=1).any()


@pytest.mark.parametrize("algorithm", ["ddpg", "td3", "sac"])
def test_the_memory_of_such_a_task_has_other_next_states_than_states(algorithm: str) -> None:
    experiment: Any = registry.algorithms()[algorithm]
    config: Any = experiment.config_class
    config = config(env_name=odd.name(odd.InPlace, True), hidden="4", buffer_size=40)
    env = experiment.make_env(config)
    agent = experiment.new_agent(env, config, env)
    for agent.t in range(36):
        agent.step_env()
    rows = agent.replay_buffer.rows[:36]
    assert not (rows[:, :3] == rows[:, -4:-1]).all(axis=1).any()


def test_the_frames_of_a_game_are_arrays_of_their_own() -> None:
    env = atari.make_env("PongNoFrameskip-v4")
    frames = [env.reset(seed=0)[0], *(env.step(2)[0] for _ in range(5))]
    assert not any(np.shares_memory(a, b) for a in frames for b in frames if a is not b)


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        (odd.Double, 3),
        (odd.ManyDiscrete, 17),
        (odd.StartsAtOne, 3),
        (odd.Binary, 4),
        (odd.Parts, 9),
    ],
)
def test_observations_are_vectors_of_float32(kind: type[odd.Odd], size: int) -> None:
    env = make(kind)
    obs, reward = env.step(0)[:2]
    for one in (obs, env.reset()[0]):
        assert (one.shape, one.dtype) == ((size,), np.float32)
    assert (env.observation_space.shape, env.observation_space.dtype) == ((size,), np.float32)
    assert type(reward) is float


def test_flattened_observations_by_hand() -> None:
    assert make(odd.StartsAtOne).reset()[0].tolist() == [1, 0, 0]  # the first state is 1
    many = make(odd.ManyDiscrete)
    assert np.flatnonzero(many.step(0)[0]).tolist() == [1, 4 + 1]
    parts = make(odd.Parts)
    assert parts.step(1)[0].tolist() == [0, 1, 0, 1, 1, 1, 1, 1, 0]


# ---------------------------------------------------------------- faults


class Returns(gym.Env[Any, Any]):
    """Returns what it is told."""

    action_space = Box(-1, 1, (2,), np.float32)

    def __init__(self, obs: Any = (0.0, 0.0, 0.0), reward: Any = 0.0) -> None:
        self.observation_space = Box(-np.inf, np.inf, (3,), np.float64)
        self.obs, self.reward = obs, reward

    def reset(self, **_: Any) -> Any:
        return self.obs, {}

    def step(self, action: Any) -> Any:
        return self.obs, self.reward, False, False, {}


STILL = np.zeros(2, np.float32)
LARGE = [0.0, 3e38, -3e38]  # finite, though the sum of their squares is not


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ({"obs": [0, np.nan, 0]}, "Returns: component 1 of the observation is nan"),
        ({"obs": np.array([0, 0, -np.inf])}, "Returns: component 2 of the observation is -inf"),
        ({"obs": np.array([1e300, 0, 0])}, "component 0 of the observation is 1e[+]300"),
        ({"obs": np.zeros(4)}, r"observation has shape \(4,\), its space \(3,\)"),
        ({"reward": np.nan}, "Returns: reward is nan"),
        ({"reward": np.float32(-np.inf)}, "Returns: reward is -inf"),
        ({"reward": np.array([np.inf])}, "Returns: reward is inf"),
        ({"reward": np.zeros(2)}, r"reward has shape \(2,\), and must be one number"),
        ({"reward": None}, "step raised TypeError: float"),
    ],
)
def test_what_nobody_can_learn_from_is_a_fault_of_the_task(
    returned: dict[str, Any], message: str
) -> None:
    env = CheckedTask(Returns(**returned))
    with pytest.raises(TaskError, match=message):
        env.step(STILL)
    if "obs" in returned:
        with pytest.raises(TaskError, match=message):
            env.reset()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_large_numbers_are_no_fault(dtype: Any) -> None:
    large = [x if dtype != np.float16 else x * 2e-34 for x in LARGE]
    obs = CheckedTask(Returns(obs=np.array(large, dtype))).step(STILL)[0]
    assert np.isfinite(obs).all() and obs.dtype == np.float32


@pytest.mark.parametrize(
    "reward", [1, True, np.float32(1), np.array([1.0]), np.array(1), np.int8(1)]
)
def test_every_form_of_a_reward_becomes_a_float(reward: Any) -> None:
    got = CheckedTask(Returns(reward=reward)).step(STILL)[1]
    assert (type(got), got) == (float, 1.0)


def test_a_diverged_agent_is_named_and_not_the_task() -> None:
    env = CheckedTask(Returns(obs=np.array([np.nan, 0, 0])))
    with pytest.raises(TaskError, match=r"the agent's action is \[nan +0.\]"):
        env.step(np.array([np.nan, 0], np.float32))


def test_an_exception_within_the_task_names_its_place() -> None:
    env = make(odd.Raises)
    with pytest.raises(TaskError) as caught:
        for _ in range(9):
            sample_trajectory(env, Zero(env), 12)
    text = str(caught.value)
    assert "RaisesDiscrete-v0: step raised RuntimeError: the simulator is gone (odd_env" in text
    assert isinstance(caught.value.__cause__, RuntimeError) and "\n" not in text


@pytest.mark.parametrize("action", [5, np.zeros(3), "left"])
def test_an_action_that_no_task_has_is_the_agents_fault(action: Any) -> None:
    with pytest.raises(AssertionError) as caught:
        make(odd.Odd).step(action)
    assert not isinstance(caught.value, UserError)


def test_a_step_before_the_first_reset_is_the_agents_fault() -> None:
    with pytest.raises(gym.error.ResetNeeded):
        CheckedTask(gym.make("CartPole-v1")).step(0)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (odd.OldApi, "reset returns no pair"),
        (odd.OldStep, "step returns 4 values instead of 5"),
        (odd.OlderApi, "reset takes no seed and options"),
    ],
)
def test_the_old_interface_is_named(kind: type[odd.Odd], message: str) -> None:
    with pytest.raises(TaskError, match=rf"{message}.*interface before 0\.26"):
        make(kind).step(0)


def test_a_task_that_cannot_be_made_is_one_line() -> None:
    gym.register("Broken-v0", lambda: 1 // 0)
    with pytest.raises(TaskError, match="Broken-v0: gymnasium.make raised ZeroDivisionError"):
        envs.make_env("Broken-v0")


def test_observations_without_a_size_are_refused() -> None:
    with pytest.raises(UserError, match="GraphsDiscrete-v0: observations in Graph"):
        make(odd.Graphs)


def test_a_module_that_python_does_not_find_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert load_script("run_hw2").main(["--env_name", "my_tasks:Mine-v0"]) == 2
    err = capsys.readouterr().err
    assert "my_tasks:Mine-v0: there is no module my_tasks in " in err and "PYTHONPATH" in err


def test_a_task_of_ones_own_is_found_by_its_module_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["import gymnasium, tests.odd_environments as odd"]
    lines += ["gymnasium.register('mine/Own-v0', odd.Odd, kwargs={'continuous': False})"]
    (tmp_path / "my_own_task.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)
    words = ["--env_name", "my_own_task:mine/Own-v0", "-n", "1", "-b", "24", "-eb", "12"]
    assert load_script("run_hw2").main([*words, "--data_dir", str(tmp_path / "data")]) == 0
    assert "no longer shipped" not in capsys.readouterr().err
    run_dir = only_run(tmp_path / "data")
    assert run_dir.name.startswith("hw2_pg_my_own_task-mine-Own-v0_")
    assert read_config_json(run_dir)["env_made"] == "mine/Own-v0"
