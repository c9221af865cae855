"""Tasks that show pictures: DQN and PPO learn from them, and all others refuse in one line."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from cs285.experiments import dqn, ppo
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.environments import envs, images
from cs285.infrastructure.logging.logger import read_log
from cs285.infrastructure.rl_trainer import RL_Trainer
from cs285.infrastructure.training.rollout_collector import RolloutCollector, VectorEnv
from tests.image_envs import SHAPES
from tests.running import assert_same_run, load_script, only_run

pytestmark = pytest.mark.slow  # each of its tests starts whole runs

DQN, PPO = "run_hw3_dqn", "run_hw5_ppo"
OTHERS = {
    "run_hw2": "",
    "run_hw3_actor_critic": "",
    "run_hw4_ddpg": "",
    "run_hw4_td3": "",
    "run_hw4_sac": "",
    "run_hw5_trpo": "",
    "run_hw6": "--members td3,td3",
}


def train(script: str, words: str, folder: Path) -> Path:
    assert load_script(script).main([*words.split(), "--data_dir", str(folder)]) == 0
    return only_run(folder)


@pytest.mark.parametrize("name", ["Colour", "Grey", "OneChannel", "ChannelsFirst"])
def test_pictures_become_grey_frames(name: str) -> None:
    env = envs.make_env(f"{name}-v0", images=4)
    obs, _ = env.reset(seed=0)
    assert env.observation_space.contains(obs)
    assert obs.shape == (4, 84, 84) and obs.dtype == np.uint8 and not obs[:3].any()
    sides = []
    for _ in range(5):
        sides.append(env.unwrapped.side)
        bright, dark = obs[-1, :, 45:], obs[-1, :, :39]
        bright, dark = (bright, dark) if sides[-1] else (dark, bright)
        assert bright.min() > 120 > 90 > dark.max()
        before = obs
        obs = env.step(0)[0]
        np.testing.assert_array_equal(obs[:3], before[1:])
    assert set(sides) == {0, 1}


def test_cells_of_a_grid_are_no_picture() -> None:
    assert not envs.shows_images("Cells-v0")
    env = envs.make_env("Cells-v0")
    assert env.observation_space.shape == (int(np.prod(SHAPES["Cells"])),)


@pytest.mark.parametrize("env_name", ["Colour-v0", "Grey-v0", "Steer-v0", "MsPacman-v0"])
@pytest.mark.parametrize("script", OTHERS)
def test_other_agents_refuse_in_one_line(
    script: str, env_name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*OTHERS[script].split(), "--env_name", env_name, "--data_dir", str(tmp_path)]
    assert load_script(script).main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {env_name} shows images: ")
    assert "DQN" in line and "PPO" in line and not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("script", "words", "parts"),
    [
        (DQN, "--env_name FourChannels-v0", ["(84, 84, 4)", "1 nor 3 channels"]),
        (PPO, "--env_name FourChannels-v0", ["(84, 84, 4)", "1 nor 3 channels"]),
        (DQN, "--env_name Steer-v0", ["continuous actions", "PPO, of homework 5"]),
        (PPO, "--env_name Colour-v0 --normalize_observations", ["--normalize_observations"]),
        (
            DQN,
            "--env_name CartPole-v1 --frame_history_len 300",
            ["--frame_history_len", "1 to 256"],
        ),
    ],
)
def test_what_cannot_be_is_refused(
    script: str, words: str, parts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load_script(script).main([*words.split(), "--data_dir", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and all(part in line for part in parts), line


@pytest.mark.slow
def test_dqn_learns_from_pictures(tmp_path: Path) -> None:
    """By chance an episode scores 5, at most 10."""
    words = "--env_name Colour-v0 --num_timesteps 700 --learning_starts 100 --eval_freq 700"
    words += " --target_update_freq 20 --exploration 0:1,500:0.05 --learning_rate 5e-4"
    words += " --discount 0 --learning_freq 3 --eval_batch_size 1 --threads 1"
    run_dir = train(DQN, words, tmp_path)
    assert read_log(run_dir)["Eval_AverageReturn"][-1] > 8


@pytest.mark.slow
@pytest.mark.parametrize("env_name", ["Colour-v0", "Steer-v0"])
def test_ppo_learns_from_pictures(env_name: str, tmp_path: Path) -> None:
    """By chance an episode scores 5, at most 10."""
    words = f"--env_name {env_name} -n 4 -b 200 --num_epochs 3 -eb 100 --discount 0 -lr 1e-3"
    run_dir = train(PPO, f"{words} --num_envs 2 --eval_freq 4 --threads 1", tmp_path)
    assert read_log(run_dir)["Eval_AverageReturn"][-1] > 8


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (DQN, "--env_name Grey-v0 --num_timesteps 60 --learning_starts 20 --frame_history_len 1"),
        (PPO, "--env_name ChannelsFirst-v0 -n 2 -b 40 -mb 20 --num_epochs 1 -eb 10"),
        (PPO, "--env_name BreakoutNoFrameskip-v4 -n 2 -b 60 -mb 20 --num_epochs 1 --eval_freq -1"),
    ],
)
def test_an_image_run_goes_on_exactly_and_plays(
    script: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words += " --scalar_log_freq 1 --checkpoint_secs 1e-6 --threads 1"
    whole = train(script, words, tmp_path / "whole")
    experiment = {DQN: dqn, PPO: ppo}[script]
    half = tmp_path / "half"

    def stop_midway(trainer, itr, *rest):
        if itr == trainer.params["n_iter"] // 2 - 1:
            (trainer.run_dir / "stop").touch()
        return real(trainer, itr, *rest)

    real = RL_Trainer.perform_logging
    with monkeypatch.context() as patch:
        patch.setattr(RL_Trainer, "perform_logging", stop_midway)
        patch.setattr("cs285.infrastructure.training.run_folder.time.monotonic", clock())
        run_dir = train(script, words, half)
    assert (run_dir / "checkpoints").exists()
    assert experiment.main(["--resume", str(run_dir)]) == 0
    assert_same_run(whole, run_dir)
    assert load_script("enjoy").main([str(run_dir), "-n", "1", "-l", "20"]) == 0


def clock():
    """A clock by which enough time has passed at each look."""
    times = iter(range(10**6))
    return lambda: float(next(times))


def test_segments_keep_bytes() -> None:
    config = ppo.PPOConfig(env_name="Colour-v0", batch_size=8)

    class Left:
        def get_action(self, obs: np.ndarray) -> np.ndarray:
            return np.zeros(len(obs), int)

    env = VectorEnv(lambda: ppo.EXPERIMENT.make_env(config, training=True), 2)
    env.reset(seed=0)
    collector = RolloutCollector(env, Left(), 40)
    ob_no, _, _, next_ob_no, *_ = collector.collect()
    assert ob_no.dtype == next_ob_no.dtype == np.uint8 and ob_no.shape == (40, 4, 84, 84)
    begins = np.flatnonzero(~ob_no[:, 2].any((1, 2)))
    assert begins.tolist() == [0, 10, 20, 30]  # the first of each episode stands alone


def test_lives_end_episodes_of_a_game_and_whole_games_are_counted() -> None:
    config = ppo.PPOConfig(env_name="BreakoutNoFrameskip-v4")
    env = VectorEnv(lambda: ppo.EXPERIMENT.make_env(config, training=True), 1)
    env.reset(seed=0)
    rng, ends = np.random.default_rng(0), 0
    while env.episode_count == 0 and ends < 20:
        _, _, _, terminated, truncated = env.step(rng.integers(4, size=1))
        ends += int((terminated | truncated)[0])
    assert ends == 5 and len(env.return_queue) == 1


def evaluation_peak(env_name: str, folder: Path) -> int:
    """The most bytes of Python and NumPy in a run that does little but evaluate one episode."""
    words = f"--env_name {env_name} --num_timesteps 2 --eval_freq 2 --eval_batch_size 1 --threads 1"
    tracemalloc.start()
    train(DQN, f"{words} --eval_episodes 1 --buffer_size 200", folder)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.slow
def test_evaluations_keep_no_frames(tmp_path: Path) -> None:
    evaluation_peak("Colour100-v0", tmp_path / "warm_up")
    short = evaluation_peak("Colour100-v0", tmp_path / "short")
    long = evaluation_peak("Colour1000-v0", tmp_path / "long")
    assert long - short < 5e6  # 900 steps more: 51 MB if both stacks of each are kept


def test_the_side_of_a_frame_is_what_the_network_takes() -> None:
    frames = np.zeros((2, 4, images.SIDE, images.SIDE), np.uint8)
    network = ptu.NatureCNN(4, 3)
    assert network(ptu.observations_from_numpy(frames)).shape == (2, 3)
    assert network(ptu.observations_from_numpy(frames[0])).shape == (1, 3)
