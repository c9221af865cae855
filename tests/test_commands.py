"""Every command of the handouts parses to what it says (fast) and runs (slow)."""

from __future__ import annotations

import dataclasses
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from cs285.experiments import registry
from cs285.infrastructure.base.config import parse_config, read_config_json
from cs285.infrastructure.logging.logger import read_log
from tests import handouts
from tests.logged_numbers import ALGORITHMS, columns
from tests.running import (
    ALL,
    ROOT,
    arguments,
    doors,
    handout_commands,
    load_script,
    only_run,
    run,
)

TRAINING = [c for c in handout_commands() if "--resume" not in c]
TINY_OFF_POLICY = (
    "--num_timesteps 300 --learning_starts 60 -b 32 --scalar_log_freq 100 --eval_episodes 2"
)
# Appended to a command, they make it tiny without changing what it is about.
TINY = {
    "run_hw2": "-n 2 -b 300 -eb 200",
    "run_hw5_ppo": "-n 2 -b 320 -eb 200",
    "run_hw5_trpo": "-n 2 -b 320 -eb 200",
    "run_hw6": "--num_timesteps 300 --learning_starts 60 --scalar_log_freq 100 --eval_freq 200 "
    "--eval_episodes 1 --buffer_size 1000",
    "run_hw3_dqn": "--num_timesteps 260 --learning_starts 60 --scalar_log_freq 100 "
    "--buffer_size 400",
    "run_hw3_actor_critic": "-n 2 -b 300 -eb 200 --scalar_log_freq 1",
} | dict.fromkeys([f"run_hw4_{name}" for name in ("ddpg", "td3", "sac")], TINY_OFF_POLICY)
ALIASES = {"n": "n_iter", "b": "batch_size", "eb": "eval_batch_size", "lr": "learning_rate"}
ALIASES |= {"l": "n_layers", "s": "size", "ntu": "num_target_updates"}
ALIASES |= {"ngsptu": "num_grad_steps_per_target_update", "rtg": "reward_to_go"}
ALIASES |= {"use_reward_to_go": "reward_to_go", "dsa": "dont_standardize_advantages"}
ALIASES |= {"na": "normalize_advantages", "blr": "baseline_learning_rate"}
ALIASES |= {"bgs": "baseline_gradient_steps"}
ALIASES |= {"hid": "hidden"}


def script_of(command: str) -> str:
    return Path(shlex.split(command)[1]).stem


def parse(command: str):
    experiment = registry.of_script(script_of(command))
    config_class = experiment.config_class
    config, explicit = parse_config(config_class, shlex.split(command)[2:], "")
    return experiment.resolve(config), explicit


@pytest.mark.parametrize("command", TRAINING)
def test_command_parses_to_what_it_says(command: str) -> None:
    config, explicit = parse(command)
    flags = re.findall(r" -{1,2}([a-z_]+)(?: ([^-\s]\S*))?", command.split(".py", 1)[1])
    assert len(flags) == len(explicit)
    for flag, value in flags:
        got = getattr(config, ALIASES.get(flag, flag))
        if flag == "eb":  # a number of episodes by now
            assert got is None
            assert config.eval_episodes == {"1500": 10, "6400": 32}[value]
            continue
        assert got == (type(got)(value) if value else True)


def test_defaults_of_dqn_are_the_courses() -> None:
    config, _ = parse("python scripts/run_hw3_dqn.py")
    expected = {
        "env_name": "MsPacman-v0",
        "max_episode_steps": None,
        "eval_episodes": 10,
        "eval_batch_size": None,
        "batch_size": 32,
        "num_agent_train_steps_per_iter": 1,
        "num_critic_updates_per_agent_update": 1,
        "double_q": False,
        "seed": 1,
        "no_gpu": False,
        "which_gpu": 0,
        "scalar_log_freq": 10_000,
        "video_log_freq": -1,
        "save_params": False,
        "num_timesteps": 1_000_000,
        "learning_starts": 50_000,
        "learning_freq": 4,
        "target_update_freq": 10_000,
        "buffer_size": 1_000_000,
        "discount": 0.99,
        "precision": "fp32",
    }
    assert expected.items() <= dataclasses.asdict(config).items()


def test_defaults_of_actor_critic_are_the_courses() -> None:
    config, _ = parse("python scripts/run_hw3_actor_critic.py")
    expected = {
        "env_name": "CartPole-v0",
        "ep_len": 200,
        "n_iter": 200,
        "num_agent_train_steps_per_iter": 1,
        "num_critic_updates_per_agent_update": 1,
        "num_actor_updates_per_agent_update": 1,
        "batch_size": 1000,
        "eval_episodes": 10,
        "eval_batch_size": None,
        "train_batch_size": 1000,
        "discount": 1.0,
        "learning_rate": 5e-3,
        "dont_standardize_advantages": False,
        "num_target_updates": 10,
        "num_grad_steps_per_target_update": 10,
        "n_layers": 2,
        "size": 64,
        "video_log_freq": -1,
        "scalar_log_freq": 10,
        "save_params": False,
    }
    assert expected.items() <= dataclasses.asdict(config).items()


def test_defaults_of_policy_gradient_are_the_courses() -> None:
    config, _ = parse("python scripts/run_hw2.py")
    expected = {
        "env_name": "CartPole-v0",
        "ep_len": None,
        "n_iter": 200,
        "batch_size": 1000,
        "eval_episodes": 10,
        "eval_batch_size": None,
        "discount": 1.0,
        "learning_rate": 5e-3,
        "reward_to_go": False,
        "dont_standardize_advantages": False,
        "nn_baseline": False,
        "baseline_learning_rate": 5e-3,
        "baseline_gradient_steps": 5,
        "gae_lambda": None,
        "action_noise_std": 0.0,
        "n_layers": 2,
        "size": 64,
        "scalar_log_freq": 1,
    }
    assert expected.items() <= dataclasses.asdict(config).items()


def test_defaults_of_ppo_are_those_of_stable_baselines() -> None:
    config, _ = parse("python scripts/run_hw5_ppo.py")
    expected = {
        "batch_size": 2048,
        "minibatch_size": 64,
        "num_epochs": 10,
        "discount": 0.99,
        "gae_lambda": 0.95,
        "learning_rate": 3e-4,
        "clip_ratio": 0.2,
        "target_kl": None,
        "value_coef": 0.5,
        "entropy_coef": 0.0,
        "max_grad_norm": 0.5,
        "n_layers": 2,
        "size": 64,
    }
    assert expected.items() <= dataclasses.asdict(config).items()


def test_defaults_of_trpo_are_those_of_stable_baselines() -> None:
    config, _ = parse("python scripts/run_hw5_trpo.py")
    expected = {
        "batch_size": 2048,
        "minibatch_size": 128,
        "num_epochs": 10,
        "discount": 0.99,
        "gae_lambda": 0.95,
        "critic_learning_rate": 1e-3,
        "max_kl": 0.01,
        "cg_steps": 15,
        "damping": 0.1,
        "line_search_steps": 10,
        "line_search_shrink": 0.8,
    }
    assert expected.items() <= dataclasses.asdict(config).items()


@pytest.mark.parametrize(
    ("flags", "standardized", "baseline"),
    [
        ("-rtg", True, False),
        ("-rtg -dsa", False, False),
        ("--nn_baseline", True, True),
        ("--nn_baseline -dsa", False, True),
        ("-rtg -na", True, False),
        ("--use_baseline", False, True),
        ("--use_baseline -na", True, True),
    ],
)
def test_both_dialects_of_policy_gradient(flags: str, standardized: bool, baseline: bool) -> None:
    config, _ = parse(f"python scripts/run_hw2.py {flags}")
    assert config.dont_standardize_advantages == (not standardized)
    assert config.nn_baseline == baseline


def test_defaults_of_homework_4_are_stable_baselines() -> None:
    shared = {
        "batch_size": 256,
        "buffer_size": 1_000_000,
        "discount": 0.99,
        "tau": 0.005,
        "learning_starts": 100,
        "n_layers": 2,
        "size": 256,
        "num_agent_train_steps_per_iter": 1,
    }
    own = {
        "ddpg": {"learning_rate": 1e-3, "exploration_noise": 0.1},
        "td3": {"learning_rate": 1e-3, "policy_delay": 2, "target_noise": 0.2, "noise_clip": 0.5},
        "sac": {"learning_rate": 3e-4, "temperature": None, "target_entropy": None},
    }
    for name, settings in own.items():
        config, _ = parse(f"python scripts/run_hw4_{name}.py")
        assert (shared | settings).items() <= dataclasses.asdict(config).items()


@pytest.mark.parametrize("homework", handouts.HOMEWORKS)
def test_handout_shows_its_commands_and_no_other(homework: str) -> None:
    text = handouts.commands(homework) + (ROOT / "README.md").read_text()
    found = re.findall(rf"python scripts/run_{homework}\S* [^`\n#]*", text)
    shown = {
        " ".join(command.split())
        for command in found
        if not {"RUN_DIR", "--help", "--algo"} & set(command.split())
    }
    assert shown == {" ".join(command.split()) for command in handout_commands(homework)}


def behind(command: str) -> str:
    """Returns the script that a command starts, by whichever door."""
    words = shlex.split(command)
    return f"{script_of(command)}_{words[3]}" if "--algo" in words else script_of(command)


def kind(command: str) -> str:
    """Returns a command with each number as #, and without its name, its seed and its sizes.

    The sizes are those that TINY replaces. Parsing is tested with every number, by
    `test_command_parses_to_what_it_says`.
    """
    sizes = "|".join(re.findall(r"-{1,2}\w+", TINY[behind(command)]))
    plain = re.sub(rf" (--seed|--exp_name|{sizes}|-n) \S+", "", command)
    return re.sub(r"(?<=[ =:,])\d[\d.e-]*(?=[ :,]|$)", "#", plain)


def one_of_each(commands: list[str]) -> list[str]:
    """Returns one command of each kind; with CS285_ALL=1 in the environment, all."""
    return commands if ALL else list({kind(command): command for command in commands}.values())


def in_own_process(command: str, *more: str) -> None:
    status, _, err = run(command, *more)
    assert status == 0, err


def in_this_process(command: str, *more: str) -> None:
    assert load_script(script_of(command)).main([*arguments(command), *more]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("command", one_of_each([*TRAINING, *doors()]))
def test_command_runs(command: str, tmp_path: Path) -> None:
    script = behind(command)
    started = in_own_process if ALL or command in doors() else in_this_process
    started(command, *shlex.split(TINY[script]), "--data_dir", str(tmp_path))
    run_dir = only_run(tmp_path)
    log = read_log(run_dir)
    assert log["Train_EnvstepsSoFar"][-1] >= 260
    assert set(log) <= columns(ALGORITHMS[script])
    assert read_config_json(run_dir)["settings"]["env_name"] in run_dir.name
    assert (run_dir / "policy.safetensors").exists()
    returns = [log[name] for name in ("Train_AverageReturn", "Eval_AverageReturn") if name in log]
    has_curve = np.isfinite(returns).any()  # no game may have ended yet
    assert (run_dir / "learning_curve.png").exists() == has_curve
    assert (run_dir / "run.html").exists()
    assert list(run_dir.glob("events.out.tfevents.*"))
    assert (run_dir / "weights.safetensors").exists()  # it is finished
