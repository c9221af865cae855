"""--frame_history_len for vectors: acting, learning, evaluation and enjoy see the same stacks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch

import tests.image_envs  # noqa: F401  (registers tasks)
from cs285.experiments import dqn
from cs285.infrastructure.logging.logger import read_log
from tests.running import load_script, only_run

pytestmark = pytest.mark.slow  # each of its tests starts whole runs

HISTORY = 3
ACTIONS = np.random.default_rng(0).integers(2, size=60)


class Follows:
    """Acts as it was told, and keeps what it is shown."""

    def __init__(self) -> None:
        self.seen: list[np.ndarray] = []

    def get_action(self, obs: np.ndarray) -> np.ndarray:
        self.seen.append(np.array(obs, float))
        return ACTIONS[len(self.seen) - 1 : len(self.seen)]


@pytest.mark.parametrize("env_name", ["CartPole-v1", "Taxi-v3", "Cells-v0"])
def test_what_a_policy_learns_from_it_is_shown_in_evaluations(env_name: str) -> None:
    config = dqn.DQNConfig(env_name=env_name, frame_history_len=HISTORY, buffer_size=200)
    config = dqn.EXPERIMENT.resolve(config)
    env = dqn.EXPERIMENT.make_env(config, training=True)
    evaluation = dqn.EXPERIMENT.make_env(config, training=False)
    agent = dqn.EXPERIMENT.new_agent(env, config, evaluation)
    env.reset(seed=5)
    agent.last_obs = env.reset()[0]  # the second episode of that seed
    agent.actor = follows = Follows()
    agent.learning_starts, agent.exploration.values = 0, [0.0] * len(agent.exploration.values)
    for _ in ACTIONS:
        agent.step_env()
        agent.t += 1

    shown = []
    evaluation.reset(seed=5)
    obs, _ = evaluation.reset()
    for action in ACTIONS:
        shown.append(np.array(obs, float))
        obs, _, terminated, truncated, _ = evaluation.step(action)
        obs = evaluation.reset()[0] if terminated or truncated else obs
    np.testing.assert_array_equal(np.array(follows.seen), np.array(shown))

    ob_no, ac_na, re_n, next_ob_no, terminal_n = agent.replay_buffer.sample(500)
    stacks = {stack.tobytes() for stack in shown}
    assert {stack.tobytes() for stack in ob_no.astype(float)} <= stacks
    np.testing.assert_array_equal(ob_no[:, 1:], next_ob_no[:, :-1])
    assert np.isfinite(agent.critic.update(ob_no, ac_na, next_ob_no, re_n, terminal_n).popitem()[1])


def test_a_run_of_stacks_evaluates_and_plays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "--env_name CartPole-v1 --num_timesteps 200 --learning_starts 50 --eval_freq 200"
    words += f" --frame_history_len {HISTORY} --eval_epsilon 0 --data_dir {tmp_path}"
    assert load_script("run_hw3_dqn").main(words.split()) == 0
    run_dir = only_run(tmp_path)
    assert np.isfinite(read_log(run_dir)["Eval_AverageReturn"][-1])
    weights = safetensors.torch.load_file(run_dir / "policy.safetensors")
    assert weights["1.0.weight"].shape == (64, HISTORY * 4)
    settings = json.loads((run_dir / "config.json").read_text())["settings"]
    env, policy = dqn.EXPERIMENT.load_policy(settings, weights, None)
    obs, _ = env.reset(seed=0)
    assert obs.shape == (HISTORY, 4) and policy.get_action(obs).shape == (1,)
    assert load_script("enjoy").main([str(run_dir), "-n", "2"]) == 0
    assert "mean of 2" in capsys.readouterr().out
