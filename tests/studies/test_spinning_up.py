"""Spinning Up's commands and its script, as its documents have them, lead to what they say."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from cs285.infrastructure.logging.logger import read_log
from studies import plan, scripts
from studies.words import StudyFlags, study_of
from tests.running import ALL, doors, run

OUTPUT = {"test_policy": "-n 1", "plot": "-o {}/picture.png", "compare": "-o {}/page.html"}
TOOLS = [command for command in doors(front=True) if command.split()[2] in OUTPUT]
TRAINING = [command for command in doors(front=True) if command not in TOOLS]
# Name -> the names of its first and last run, and how many there are.
EXPECTED = {
    "installtest": ("installtest_s0", "installtest_s0", 1),
    "walker": ("walker_s0", "walker_s0", 1),
    "walker --seed": ("walker_s0", "walker_s20", 3),
    "ppo_ant": ("ppo_ant_cli0.1_h32-32_s0", "ppo_ant_cli0.2_h64-32_s20", 12),
    "ddpg_tf1": ("ddpg_Hopper-v2_h300_ac-acttanh_s0", "ddpg_Hopper-v2_h128-128_ac-actrelu_s0", 4),
    "kwargs ": ("kwargs_ac-hid32-32_s0", "kwargs_ac-hid64-32_s0", 2),
    "kwargs_dict": ("kwargs_dict_s0", "kwargs_dict_s0", 1),
    "bench": ("bench_h32-32_cli0.1_s0", "bench_h64-32_cli0.2_s20", 12),
}
TINY = {
    "ppo": "--epochs 1 --steps_per_epoch 80 -mb 40 -eb 40",
    "trpo": "--steps_per_epoch 100 -mb 20 -eb 50",  # it gives its epochs itself
    "ddpg": "--num_timesteps 120 --learning_starts 60 -b 16 --eval_freq -1",
    "sac": "--num_timesteps 120 --learning_starts 60 -b 16 --eval_freq -1",
}


def planned(command: str, folder: Path) -> tuple[list[plan.Run], StudyFlags]:
    """The runs that a command of the front door asks for."""
    algorithm, *words = shlex.split(command)[2:]
    study, flags = study_of(scripts.known(algorithm), words)
    return plan.plan(study, folder), flags


@pytest.mark.parametrize("part", EXPECTED)
def test_names_hold_what_differs(part: str, tmp_path: Path) -> None:
    command = next(c for c in TRAINING if part in c)
    runs, _ = planned(command, tmp_path)
    assert (runs[0].name, runs[-1].name, len(runs)) == EXPECTED[part]
    assert len({run.identity["settings"] for run in runs}) == len(runs)


def test_settings_are_those_that_were_typed(tmp_path: Path) -> None:
    (ant, *_), flags = planned(next(c for c in TRAINING if "ppo_ant" in c), tmp_path)
    assert flags.datestamp and flags.data_dir == "data"
    wanted = {"env_name": "Ant-v2", "clip_ratio": 0.1, "hidden": "32,32", "seed": 0}
    assert {**wanted, "activation": "tanh"}.items() <= ant.settings.items()
    (one,), _ = planned(next(c for c in TRAINING if "dict(" in c), tmp_path)
    assert (one.settings["hidden"], one.settings["activation"]) == ("32,32", "relu")
    (one,), _ = planned(next(c for c in TRAINING if "installtest" in c), tmp_path)
    assert (one.settings["discount"], one.script) == (0.999, "run_hw5_ppo")


def test_every_command_is_planned(tmp_path: Path) -> None:
    for command in TRAINING:
        runs, _ = planned(command, tmp_path)
        assert runs and all(run.settings["env_name"] in command for run in runs)


# These two by default, all with CS285_ALL=1: each run takes seconds to start.
SOME = ("installtest", "exp_name kwargs ")


@pytest.mark.slow
@pytest.mark.parametrize("command", [c for c in TRAINING if ALL or any(s in c for s in SOME)])
def test_command_runs(command: str, tmp_path: Path) -> None:
    runs, _ = planned(command, tmp_path)
    tiny = TINY[str(runs[0].identity["parameters"]["algorithm"])]
    status, out, err = run(command, *tiny.split(), "--data_dir", str(tmp_path))
    assert status == 0, out + err
    folders = [path.parent for path in tmp_path.rglob("config.json")]
    assert {folder.name for folder in folders} == {run.name for run in runs}
    for folder in folders:
        assert (folder / "policy.safetensors").exists() and len(read_log(folder)["Step"])
    for tool in (t for t in TOOLS if t.split()[3].split("/")[1] == folders[0].parent.name):
        more = OUTPUT[tool.split()[2]].format(tmp_path).split()
        status, out, err = run(tool.replace(" data/", f" {tmp_path}/"), *more)
        assert status == 0, out + err
