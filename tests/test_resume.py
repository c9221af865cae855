"""A run that is killed and resumed ends exactly as one that was left alone."""

from __future__ import annotations

import random
import signal
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from cs285.infrastructure.rl_trainer import RL_Trainer
from cs285.infrastructure.training import run_folder
from cs285.infrastructure.training.run_folder import RunFolder
from tests.running import ALL, assert_same_run, load_script, only_run, run, start

# The ring of transitions comes round, and episodes are cut by time limits in between.
OFF_POLICY = (
    "--env_name Pendulum-v1 --ep_len 80 --num_timesteps 560 --hid 16,8 -b 16 --start_steps 60 "
    "--learning_starts 40 --buffer_size 300 --scalar_log_freq 130 --eval_freq 400 "
    "--eval_episodes 2 --threads 1"
)
# Name -> (script, flags): short runs, with updates, target copies, episodes and log rows in them.
RUNS = {
    "CartPole": ("run_hw3_actor_critic", "--env_name CartPole-v0 -n 12 -b 200 --scalar_log_freq 3"),
    "Pendulum": ("run_hw3_actor_critic", "--env_name Pendulum-v1 -n 6 -b 400 --discount 0.9"),
    "PolicyGradient": (
        "run_hw2",
        "--env_name Pendulum-v1 -n 5 -b 200 -eb 200 --discount 0.9 -rtg --nn_baseline "
        "--gae_lambda 0.9 --action_noise_std 0.3",
    ),
    "PPO": (
        "run_hw5_ppo",
        "--env_name Pendulum-v1 -n 5 -b 210 --num_envs 3 -eb 200 --num_epochs 3 "
        "--target_kl 0.02 --normalize_observations",
    ),
    "TRPO": ("run_hw5_trpo", "--env_name CartPole-v1 -n 5 -b 200 -eb 100 --scalar_log_freq 3"),
    "LunarLander": (
        "run_hw3_dqn",
        "--env_name LunarLander-v3 --num_timesteps 1200 --learning_starts 200 --double_q "
        "--target_update_freq 300 --buffer_size 700 --scalar_log_freq 400 --eval_freq 800 "
        "--eval_episodes 2",
    ),
    "CourseLander": (
        "run_hw3_dqn",
        "--env_name CourseLander-v0 --num_timesteps 1200 --learning_starts 200 --double_q "
        "--target_update_freq 300 --scalar_log_freq 400 --eval_freq 800 --eval_episodes 2",
    ),
    "MsPacman": (
        "run_hw3_dqn",
        "--num_timesteps 700 --learning_starts 100 --learning_freq 20 --target_update_freq 7 "
        "--buffer_size 300 --scalar_log_freq 130 --threads 1",
    ),
    "DDPG": ("run_hw4_ddpg", OFF_POLICY),
    "TD3": ("run_hw4_td3", OFF_POLICY),
    "SAC": ("run_hw4_sac", OFF_POLICY),
    "Portfolio": ("run_hw6", f"{OFF_POLICY} --selector d3rb(ucb1,exp3)"),
    "OwnExperience": ("run_hw6", f"{OFF_POLICY} --own_experience"),
}

# One that steps itself and one that plays segments by default, all of them in the slow tests.
OFTEN, SLOW = ("PPO", "LunarLander"), pytest.mark.slow

# Ten kills take a minute: these and two kills in CI, so that a resumed run is killed too; all
# and ten with CS285_ALL=1.
SOME = ("LunarLander", "MsPacman", "TD3")
KILLS = 10 if ALL else 2

# So that the runs outlast the kills: of each length, how long it is to be for each of them.
LONGER = {
    "-n 12": 20,
    "-n 6": 40,
    "-n 5": 25,
    "steps 1200": 5000,
    "steps 700": 600,
    "timesteps 560": 1500,
}


class Clock:
    """A clock that stands still but for what takes time."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def save(self, *_: object) -> None:
        """Takes as long as a checkpoint on a slow disk."""
        self.now += 3.0


@pytest.mark.parametrize(("wanted", "pause"), [(1.0, 150.0), (149.0, 150.0), (600.0, 600.0)])
def test_checkpoints_take_a_fiftieth_of_the_time_at_most(
    wanted: float, pause: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(run_folder, "time", clock)
    run = RunFolder(tmp_path, {"checkpoint_secs": wanted, "save_params": False})
    monkeypatch.setattr(run, "checkpoints", clock)
    monkeypatch.setattr(run, "save_policy", lambda policy: None)
    run.next_look = run.next_checkpoint = 0.0
    agent = SimpleNamespace(policy_state_dict=dict)
    trainer = SimpleNamespace(state_dict=dict, agent=agent)
    due = partial(run.save_if_due, trainer=trainer)
    due(1)
    saved = clock.now
    for later, again in ((0.0, False), (pause - 0.1, False), (pause + 0.1, True)):
        clock.now = saved + later
        before = clock.now
        assert not due(2)  # nobody asks for a stop
        assert (clock.now > before) == again


class Killed(BaseException):
    """Stands for a kill: nothing catches it, nothing is tidied up."""


def train(name: str, data_dir: Path, *more: str) -> Path:
    script, flags = RUNS[name]
    main = load_script(script).main
    assert main([*flags.split(), "--data_dir", str(data_dir), "--exp_name", "x", *more]) == 0
    return only_run(data_dir)


# The killed trainer cannot close its files, of course.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", [n if n in OFTEN else pytest.param(n, marks=SLOW) for n in RUNS])
@pytest.mark.slow
def test_killed_run_ends_like_one_left_alone(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train(name, tmp_path / "whole")

    # Checkpoints come so often that each kill falls between two of them.
    stepping = RUNS[name][0] in (
        "run_hw3_dqn",
        "run_hw4_ddpg",
        "run_hw4_td3",
        "run_hw4_sac",
        "run_hw6",
    )
    often = ["--checkpoint_secs", "0.3" if name == "MsPacman" else "0.05" if stepping else "1e-6"]
    monkeypatch.setattr("cs285.infrastructure.training.run_folder.SAVING_SHARE", 1e9)
    real, calls = RL_Trainer.train_agent, [0]
    rng = random.Random(name)

    def train_agent(self):
        calls[0] += 1
        if calls[0] == killed_at[0]:
            raise Killed
        return real(self)

    monkeypatch.setattr(RL_Trainer, "train_agent", train_agent)
    killed_at = [rng.randrange(2, 500 if RUNS[name][0] == "run_hw3_dqn" else 4)]
    with pytest.raises(Killed):
        train(name, tmp_path / "killed", *often)
    run_dir = only_run(tmp_path / "killed")
    main = load_script(RUNS[name][0]).main
    killed_at[0] = calls[0] + rng.randrange(1, 3)
    with pytest.raises(Killed):
        main(["--resume", str(run_dir)])
    killed_at[0] = -1
    assert main(["--resume", str(run_dir)]) == 0
    assert_same_run(whole, run_dir)


@pytest.mark.slow
def test_ctrl_c_leaves_a_checkpoint_and_the_command_that_resumes(tmp_path: Path) -> None:
    flags = f"--num_timesteps 100000 --scalar_log_freq 50 --threads 1 --data_dir {tmp_path}"
    process = start(f"python scripts/run_hw3_dqn.py --exp_name x {flags}")
    while not list(tmp_path.glob("*/log.csv")):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    run_dir = only_run(tmp_path)
    assert f"go on with: python scripts/run_hw3_dqn.py --resume {run_dir}" in err
    assert "Traceback" not in err
    assert list((run_dir / "checkpoints").glob("step_*"))


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS if ALL else SOME)
def test_kill_9_at_random_moments(name: str, tmp_path: Path) -> None:
    script, flags = RUNS[name]
    for short, each in LONGER.items():
        flags = flags.replace(short, f"{short.split()[0]} {KILLS * each}")
    command = f"python scripts/{script}.py {flags} --exp_name x --checkpoint_secs 0.5"
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    status, _, err = run(command, "--data_dir", str(whole), timeout=900)  # if others compute too
    assert status == 0, err
    rng = random.Random(name)
    resume = ""
    for _ in range(KILLS):
        process = start(resume or command, *([] if resume else ["--data_dir", str(killed)]))
        deadline = time.monotonic() + 60
        while not list(killed.glob("*/config.json")) and time.monotonic() < deadline:
            time.sleep(0.01)  # before that there is nothing to resume
        time.sleep(rng.uniform(0.0, 4.0))
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "it ended before the last kill"
        resume = f"python scripts/{script}.py --resume {only_run(killed)}"
    status, _, err = run(resume, timeout=900)
    assert status == 0, err
    assert_same_run(only_run(whole), only_run(killed))
