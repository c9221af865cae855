"""Evaluations and films: what they leave alone, what they average, and how they are stopped."""

from __future__ import annotations

import dataclasses
import os
import signal
import sys
import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from cs285.experiments import launch, limits, ppo, registry, vpg
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.base.settings import RunConfig
from cs285.infrastructure.environments import envs
from cs285.infrastructure.logging.logger import WALL_CLOCK_COLUMNS, read_log
from cs285.infrastructure.rl_trainer import RL_Trainer
from cs285.infrastructure.training.agent import Agent
from cs285.infrastructure.training.rollout_collector import VectorEnv
from cs285.infrastructure.training.run_folder import RunFolder, StopRequestedError
from tests.running import assert_same_run, load_script, only_run

pytestmark = pytest.mark.slow  # each of its tests starts whole runs

OFF_POLICY = (
    "--env_name Pendulum-v1 --ep_len 30 --num_timesteps 100 --hid 8 -b 8 --start_steps 20 "
    "--learning_starts 20 --buffer_size 60 --scalar_log_freq 50"
)
# Name -> flags of a run of a second: it learns, and some of its policies draw their actions.
RUNS = {
    "vpg": "--env_name Pendulum-v1 --ep_len 30 -n 2 -b 60 -rtg --nn_baseline -s 8 "
    "--action_noise_std 0.3",
    "actor_critic": "--ep_len 30 -n 2 -b 60 -s 8 -ntu 2 -ngsptu 2 --scalar_log_freq 1",
    "dqn": "--env_name CartPole-v1 --num_timesteps 100 --learning_starts 20 --scalar_log_freq 50",
    "ddpg": OFF_POLICY,
    "td3": OFF_POLICY,
    "sac": OFF_POLICY,
    "ppo": "--ep_len 30 -n 2 -b 64 --num_envs 2 -s 8 --normalize_observations",
    "trpo": "--ep_len 30 -n 2 -b 64 -mb 32 -s 8",
    "portfolio": OFF_POLICY,
}
STEPPING = ("dqn", "ddpg", "td3", "sac", "portfolio")  # their log counts steps, not iterations


def train(name: str, folder: Path, *more: str) -> Path:
    """Runs a script, and returns the run folder."""
    main = load_script(registry.algorithms()[name].script).main
    words = [*RUNS[name].split(), "--exp_name", "x", "--threads", "1", "--data_dir", str(folder)]
    assert main([*words, *more]) == 0
    return only_run(folder)


def often(name: str) -> str:
    """Returns an --eval_freq by which a run evaluates at its middle and at its end."""
    return "50" if name in STEPPING else "1"


def columns(run_dir: Path, prefix: str = "") -> dict[str, list[float]]:
    """Returns the columns of evaluations, or the others, without the clock and the row at step 0.

    `prefix` is "Eval_" for the former.
    """
    log = read_log(run_dir)
    later = log["Step"] > 0
    names = [
        n for n in log if n.startswith("Eval_") == bool(prefix) and n not in WALL_CLOCK_COLUMNS
    ]
    return {name: log[name][later].tolist() for name in sorted(names)}


@pytest.mark.parametrize("name", RUNS)
def test_training_does_not_depend_on_evaluations_and_films(name: str, tmp_path: Path) -> None:
    film = ["--video_log_freq", often(name)]
    evaluate = ["--eval_freq", often(name), "--eval_episodes", "2"]
    never = train(name, tmp_path / "never", "--eval_freq", "-1")
    evaluated = train(name, tmp_path / "evaluated", *evaluate)
    filmed = train(name, tmp_path / "filmed", *evaluate, *film)
    assert list((filmed / "videos").glob("*.webm"))
    for other in (evaluated, filmed):
        np.testing.assert_equal(columns(other), columns(never))
        for weights in ("weights.safetensors", "policy.safetensors"):
            assert (other / weights).read_bytes() == (never / weights).read_bytes()
    assert_same_run(evaluated, filmed)  # nor do evaluations depend on films


@pytest.mark.parametrize("name", ["vpg", "actor_critic", "dqn", "sac"])
def test_an_evaluation_does_not_depend_on_those_before(name: str, tmp_path: Path) -> None:
    last, longer = ("100", []) if name in STEPPING else ("4", ["-n", "4"])
    more = ["--eval_episodes", "2", *longer]
    every = train(name, tmp_path / "every", "--eval_freq", often(name), *more)
    once = train(name, tmp_path / "once", "--eval_freq", last, *more)
    fewer, more_of_them = (read_log(one)["Eval_AverageReturn"] for one in (once, every))
    assert np.isfinite(fewer).sum() < np.isfinite(more_of_them).sum()
    found, wanted = columns(once, "Eval_"), columns(every, "Eval_")
    assert found["Eval_AverageReturn"][-1] == wanted["Eval_AverageReturn"][-1]
    assert len(set(read_log(every)["Eval_AverageReturn"])) > 1


@pytest.mark.parametrize("name", RUNS)
def test_each_agent_is_evaluated_before_training_over_ten_whole_episodes(
    name: str, tmp_path: Path
) -> None:
    log = read_log(train(name, tmp_path, "--eval_freq", often(name)))
    assert log["Step"][0] == log["Train_EnvstepsSoFar"][0] == 0
    assert np.isnan(log["Train_AverageReturn"][0])
    assert set(log["Eval_NumEpisodes"]) == {10}
    assert np.isfinite(log["Eval_AverageReturn"]).all()


def first_observations(env: Any, count: int) -> list[bytes]:
    return [np.asarray(env.reset()[0]).tobytes() for _ in range(count)]


def test_no_environment_shares_episodes_with_another_run() -> None:
    seen: list[bytes] = []
    for seed in (1, 2, 3):
        training, evaluation = envs.make_env("CartPole-v1"), envs.make_env("CartPole-v1")
        launch.set_up(RunConfig(seed=seed, threads=1), training, evaluation)
        trainer = trainer_of(evaluation, seed=seed)
        with trainer._apart(1, 0):
            seen += first_observations(evaluation, 5)
        seen += first_observations(training, 5)
    assert len(set(seen)) == len(seen)


def test_environments_side_by_side_share_no_episode_with_another_run() -> None:
    def begun(seed: int) -> list[bytes]:
        env = VectorEnv(lambda: envs.make_env("CartPole-v1"), 3)
        return [row.tobytes() for row in env.reset(seed=seed)]

    runs = [begun(seed) for seed in (1, 2, 1001, 2001)]
    assert len({row for rows in runs for row in rows}) == 12
    alone = envs.make_env("CartPole-v1")
    assert runs[0][0] == alone.reset(seed=1)[0].tobytes()  # the first has the run's own seed


class Lengths(gym.Env[np.ndarray, int]):
    """Episodes of geometrically distributed length, 100 steps on average; 1 a step."""

    observation_space = gym.spaces.Box(0, 255, (84, 84, 4), np.uint8)
    action_space = gym.spaces.Discrete(2)
    mean = 100.0

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        return self._seen(), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        return self._seen(), 1.0, bool(self.np_random.random() < 1 / self.mean), False, {}

    def _seen(self) -> np.ndarray:
        return np.zeros((84, 84, 4), np.uint8)


def trainer_of(eval_env: Any, **params: Any) -> RL_Trainer:
    """Returns a trainer that can evaluate, and nothing else."""
    trainer = object.__new__(RL_Trainer)
    trainer.eval_env = eval_env
    trainer.params = {"seed": 1, "ep_len": 10**9, "eval_episodes": 10, "eval_batch_size": 400}
    trainer.params |= params
    trainer.agent = Agent()
    return trainer


RIGHT = SimpleNamespace(get_action=lambda obs: np.array([1]))


def test_the_mean_of_evaluations_is_that_of_episodes() -> None:
    trainer = trainer_of(Lengths())
    means = [trainer._evaluate(itr, RIGHT)["Eval_AverageReturn"] for itr in range(150)]
    # 1,500 episodes, so a standard error of 2.6; 122 where long episodes weigh more.
    assert np.mean(means) == pytest.approx(100, abs=8)


class FourSteps(gym.Env[np.ndarray, int]):
    """Episodes of four steps, number k of which begins in the state k and pays 1, 2, 3, 4."""

    observation_space = gym.spaces.Box(0, np.inf, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)
    episode = -1.0

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        self.episode = -1.0 if seed is not None else self.episode + 1
        self.screen, self.time = np.full(1, self.episode, np.float32), 0
        return self.screen, {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.time += 1
        self.screen += 100  # in place, as some simulators have it
        return self.screen, float(self.time), self.time == 4, False, {}


def test_q_stands_beside_the_discounted_return(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = trainer_of(FourSteps(), eval_episodes=3)
    row = trainer._evaluate(0, RIGHT)
    assert not {"Eval_Q_Start", "Eval_DiscountedReturn"} & row.keys()
    asked = lambda ob_no: 10 * ob_no[:, 0] + 1, 0.5
    monkeypatch.setattr(trainer.agent, "value_function", lambda: asked)
    row = trainer._evaluate(0, RIGHT)
    assert row["Eval_AverageReturn"] == 10
    assert row["Eval_DiscountedReturn"] == 1 + 2 / 2 + 3 / 4 + 4 / 8
    assert row["Eval_Q_Start"] == 10 * (0 + 1 + 2) / 3 + 1


def test_an_evaluation_keeps_no_observations() -> None:
    trainer = trainer_of(Lengths(), eval_episodes=2, ep_len=1000)
    trainer.eval_env.mean = 1e9
    tracemalloc.start()
    trainer._evaluate(0, RIGHT)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2e6  # bytes; 2,000 frames are 56e6


@pytest.mark.parametrize(
    ("env_name", "longest", "steps", "episodes"),
    [
        ("Pendulum-v1", None, 6400, 32),  # 200 steps each
        ("Pendulum-v1", None, 6401, 33),
        ("Pendulum-v1", None, 400, 10),  # never fewer than --eval_episodes
        ("HalfCheetah-v5", 150, 3000, 20),
        ("CliffWalking-v1", None, 10**6, 10),  # nobody knows how long its episodes are
        ("Pendulum-v1", None, None, 10),
    ],
)
def test_the_older_flag_stands_for_a_number_of_episodes(
    env_name: str, longest: int | None, steps: int | None, episodes: int
) -> None:
    config = vpg.PGConfig(env_name=env_name, ep_len=longest, eval_batch_size=steps)
    settled = vpg.EXPERIMENT.resolve(config)
    assert (settled.eval_batch_size, settled.eval_episodes) == (None, episodes)
    assert (
        vpg.EXPERIMENT.resolve(dataclasses.replace(config, eval_episodes=100)).eval_episodes == 100
    )


@pytest.mark.parametrize("spelled", ["--max_episode_steps", "--ep_len"])
@pytest.mark.parametrize("name", RUNS)
def test_every_script_takes_the_longest_episode(name: str, spelled: str, tmp_path: Path) -> None:
    more = [spelled, "7", "--eval_freq", often(name), "--eval_episodes", "2"]
    log = read_log(train(name, tmp_path, *more))
    for kind in ("Train", "Eval"):
        assert np.nanmax(log[f"{kind}_AverageEpLen"]) == 7


CLIFF = {
    "dqn": "--num_timesteps 200 --learning_starts 50 --eval_freq 100",
    "vpg": "-n 1 -b 100 -s 8",
    "actor_critic": "-n 1 -b 100 -s 8 --ep_len 300",  # 200 by default
    "ppo": "-n 1 -b 64 -s 8",
}


@pytest.mark.parametrize("name", CLIFF)
def test_a_task_without_a_time_limit_trains_and_evaluates(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "BOUND", 300)
    main = load_script(registry.algorithms()[name].script).main
    words = [*CLIFF[name].split(), "--eval_episodes", "2", "--threads", "1"]
    words += ["--env_name", "CliffWalking-v1", "--exp_name", "x", "--data_dir", str(tmp_path)]
    assert main(words) == 0
    log = read_log(only_run(tmp_path))
    assert np.nanmax(log["Eval_AverageEpLen"]) <= 300
    noted = "CliffWalking-v1 has no time limit; " in capsys.readouterr().err
    assert noted == (name != "actor_critic")
    monkeypatch.setattr(limits, "BOUND", 50)
    assert load_script("enjoy").main([str(only_run(tmp_path)), "-n", "1"]) == 0
    assert ("an episode ends after 50 steps" in capsys.readouterr().out) == noted


def test_a_path_cut_at_the_bound_is_not_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "BOUND", 20)
    config = vpg.EXPERIMENT.resolve(
        vpg.PGConfig(env_name="CliffWalking-v1", batch_size=30, discount=1.0)
    )
    trainer = vpg.EXPERIMENT.build(config, tmp_path)
    paths, steps = trainer.collect_training_trajectories(0, trainer.agent.actor, 30)
    assert steps == 40 and [path["terminal"].sum() for path in paths] == [0, 0]


def test_the_line_about_the_bound_is_for_tasks_without_a_limit() -> None:
    for env_name, longest in (("CartPole-v1", None), ("CliffWalking-v1", 50)):
        config = ppo.PPOConfig(env_name=env_name, ep_len=longest)
        assert limits.path_lengths(config)["path_bound"] is None


@pytest.mark.parametrize("name", RUNS)
def test_a_stop_within_an_evaluation_or_a_path_is_made_up_for(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is interrupted, in row 0, in a path or later, is played again after a resume."""
    calls, stop_at = 0, -1

    def stop_once(run: RunFolder) -> None:
        nonlocal calls
        calls += 1
        if calls == stop_at:
            run.stop_requested = "stopped by a test"
            raise StopRequestedError

    monkeypatch.setattr(RunFolder, "_raise_if_stopped", stop_once)
    more = ["--eval_freq", often(name), "--eval_episodes", "3"]
    whole = train(name, tmp_path / "whole", *more)
    moments = calls
    main = load_script(registry.algorithms()[name].script).main
    for stop_at in (1, moments // 3, moments // 2, moments):
        calls, folder = 0, tmp_path / str(stop_at)
        stopped = train(name, folder, *more)
        assert list((stopped / "checkpoints").glob("step_*"))
        assert main(["--resume", str(stopped)]) == 0
        assert_same_run(whole, stopped)


class Endless(gym.Env[np.ndarray, int]):
    """Never ends; in its 500th step it asks for the end of the process, as `kill` does."""

    observation_space = gym.spaces.Box(-1.0, 1.0, (3,), np.float32)
    action_space = gym.spaces.Discrete(2)
    steps = 0  # in all of them together

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        return np.zeros(3, np.float32), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        Endless.steps += 1
        if Endless.steps == 500:
            os.kill(os.getpid(), signal.SIGTERM)
        assert Endless.steps < 1000, "the run goes on after a stop"
        return np.zeros(3, np.float32), 1.0, False, False, {}


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("dqn", "--num_timesteps 900 --eval_freq 100"),  # in the evaluation before training
        ("vpg", "-n 3 -b 400 --eval_freq -1"),  # in a path
        ("actor_critic", "-n 3 -b 400 --eval_freq -1"),
        ("ppo", "-n 3 -b 64"),
    ],
)
def test_sigterm_ends_what_would_never_end(
    name: str,
    flags: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["scripts/run.py"])  # parallel pytest has none of its own
    gym.register("Endless-v0", Endless)
    Endless.steps = 0
    try:
        main = load_script(registry.algorithms()[name].script).main
        words = [*flags.split(), "--max_episode_steps", "1000000", "--threads", "1"]
        words += ["--env_name", "Endless-v0", "--exp_name", "x", "--data_dir", str(tmp_path)]
        assert main(words) == 130
    finally:
        del gym.registry["Endless-v0"]
    assert "go on with: python" in capsys.readouterr().err
    assert list((only_run(tmp_path) / "checkpoints").glob("step_*"))


def test_generators_apart_leave_no_trace() -> None:
    def drawn() -> tuple[float, ...]:
        import random

        import torch

        return random.random(), float(np.random.random()), float(torch.rand(()))

    ptu.seed_everything(3)
    wanted = [drawn(), drawn()]
    ptu.seed_everything(3)
    found = [drawn()]
    with pytest.raises(ZeroDivisionError), ptu.generators_apart(1, 2):
        apart = drawn()
        raise ZeroDivisionError
    assert [*found, drawn()] == wanted and apart not in wanted
    with ptu.generators_apart(1, 2):
        assert drawn() == apart
    with ptu.generators_apart(1, 3):
        assert drawn() != apart
