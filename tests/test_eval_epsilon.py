"""Random actions in DQN's evaluations: how many, from which generator, and who says so."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from autograder.evidence.run_folder import Run
from autograder.evidence.settings import eval_epsilon
from cs285.experiments import dqn
from cs285.infrastructure.logging.logger import read_log
from cs285.infrastructure.logging.plotting import episodes_note
from cs285.infrastructure.training.agent import EpsilonGreedyPolicy
from tests.running import assert_same_run, load_script, only_run

pytestmark = pytest.mark.slow  # each of its tests starts whole runs

FLAGS = "--env_name CartPole-v1 --num_timesteps 300 --learning_starts 100 --scalar_log_freq 100"
FLAGS += " --exploration 0.5"


class Zero:
    """Always chooses action 0."""

    def get_action(self, obs: np.ndarray) -> np.ndarray:
        return np.zeros(len(obs), int)


def train(words: str, folder: Path) -> Path:
    assert load_script("run_hw3_dqn").main([*words.split(), "--data_dir", str(folder)]) == 0
    return only_run(folder)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_the_chance_is_that_of_a_random_action(epsilon: float) -> None:
    policy = EpsilonGreedyPolicy(Zero(), epsilon, 4)
    actions = policy.get_action(np.zeros((20_000, 2)))
    for other in (1, 2, 3):  # 0.006: four standard errors
        assert (actions == other).mean() == pytest.approx(epsilon / 4, abs=0.0125)


def test_no_draw_is_made_without_need() -> None:
    policy = EpsilonGreedyPolicy(Zero(), 0.0, 4)
    before = np.random.get_state()
    policy.get_action(np.zeros((5, 2)))
    np.testing.assert_equal(np.random.get_state(), before)


@pytest.mark.parametrize(
    ("env_name", "chance"),
    [("MsPacman-v0", 0.05), ("BreakoutNoFrameskip-v4", 0.05), ("CartPole-v1", 0.0)],
)
def test_the_default_is_dqn_zoos_for_games_and_none_elsewhere(env_name: str, chance: float) -> None:
    config = dqn.EXPERIMENT.resolve(dqn.DQNConfig(env_name=env_name))
    assert config.eval_epsilon == chance
    typed = dqn.EXPERIMENT.resolve(dqn.DQNConfig(env_name=env_name, eval_epsilon=0.2))
    assert typed.eval_epsilon == 0.2


def test_evaluations_that_draw_change_no_training(tmp_path: Path) -> None:
    runs = []
    for number, more in enumerate(("", "--eval_freq 100 --eval_epsilon 0.5")):
        runs.append(read_log(train(f"{FLAGS} {more}", tmp_path / str(number))))
    without, with_draws = runs
    assert np.isfinite(with_draws["Eval_AverageReturn"]).all()
    for name in ("Train_AverageReturn", "Training Loss", "Q_Mean"):
        # The row before training is an evaluation alone.
        np.testing.assert_array_equal(without[name], with_draws[name][1:])


def test_what_is_drawn_does_not_depend_on_evaluations_before(tmp_path: Path) -> None:
    runs = []
    for number, freq in enumerate((100, 300)):
        words = f"{FLAGS} --eval_freq {freq} --eval_epsilon 0.5"
        runs.append(read_log(train(words, tmp_path / str(number))))
    often, once = (run["Eval_AverageReturn"][-1] for run in runs)
    assert often == once


def test_the_generator_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = f"{FLAGS} --eval_freq 100 --eval_epsilon 0.5"
    whole = train(words, tmp_path / "whole")
    from cs285.infrastructure.rl_trainer import RL_Trainer

    def stop_after_an_evaluation(trainer, itr, *rest):
        if itr == 149:
            trainer.run.stop_requested = "stopped by the test"
        return real(trainer, itr, *rest)

    real = RL_Trainer.perform_logging
    with monkeypatch.context() as patch:
        patch.setattr(RL_Trainer, "perform_logging", stop_after_an_evaluation)
        run_dir = train(words, tmp_path / "stopped")
    assert load_script("run_hw3_dqn").main(["--resume", str(run_dir)]) == 0
    assert_same_run(whole, run_dir)


def test_log_picture_and_screen_say_the_chance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_dir = train(f"{FLAGS} --eval_freq 100 --eval_epsilon 0.25", tmp_path)
    assert "evaluations play with --eval_epsilon 0.25" in capsys.readouterr().err
    log = read_log(run_dir)
    assert log["Eval_Epsilon"].tolist() == [0.25] * 4
    note = episodes_note([log], ["Eval_AverageReturn"])
    assert note.endswith("; chance of a random action: 0.25.")
    assert "chance" not in episodes_note([log, log | {"Eval_Epsilon": np.zeros(3)}], ["Eval_x"])


def test_enjoy_plays_as_evaluations_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_dir = train(f"{FLAGS} --eval_epsilon 1", tmp_path)

    def played(words: str) -> str:
        capsys.readouterr()
        assert load_script("enjoy").main([str(run_dir), *words.split()]) == 0
        return capsys.readouterr().out

    assert "chance of a random action: 1;" in played("-n 3")
    greedy = played("-n 3 --epsilon 0")
    assert "chance" not in greedy and greedy == played("-n 3 -d")
    assert played("-n 3").splitlines()[1:] == played("-n 3 --epsilon 1").splitlines()[1:]
    config = json.loads((run_dir / "config.json").read_text())
    del config["settings"]["eval_epsilon"]  # as an older version has it: it drew nothing
    (run_dir / "config.json").write_text(json.dumps(config))
    assert played("-n 3") == greedy


@pytest.mark.parametrize(
    ("settings", "chance"),
    [
        ({}, 0.0),
        ({"eval_epsilon": 0.05}, 0.05),
        ({"eval_epsilon": 1}, 1.0),
        ({"eval_epsilon": 1.5}, None),
        ({"eval_epsilon": "0.1"}, None),
        ({"eval_epsilon": True}, None),
        ({"eval_epsilon": float("nan")}, None),
    ],
)
def test_the_judge_reads_the_chance(settings: dict[str, object], chance: float | None) -> None:
    run = Run(Path("hw3_q1"), "run_hw3_dqn", settings, {})
    assert eval_epsilon(run) == chance


def test_the_setting_is_one_of_the_agent() -> None:
    config = dqn.EXPERIMENT.resolve(dqn.DQNConfig(env_name="CartPole-v1", eval_epsilon=0.3))
    env = dqn.EXPERIMENT.make_env(config, training=True)
    agent = dqn.EXPERIMENT.new_agent(env, config, env)
    assert agent.eval_policy.epsilon == 0.3 and agent.eval_policy.greedy is agent.actor
    assert "eval_epsilon" in dataclasses.asdict(config)
