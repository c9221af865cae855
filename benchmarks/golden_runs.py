"""Compares short training runs of this tree with those of another commit, byte for byte.

    python benchmarks/golden_runs.py HEAD~1

A change of structure must change no number. Each run is started in a checkout of the commit and in
this tree. Compared are all columns of log.csv but the clock's, and the bytes of the two files of
weights. It ends with status 1 if a run differs, and with status 2 if one does not run at all.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # this tree, not an installed one
from cs285.infrastructure.logging.logger import WALL_CLOCK_COLUMNS

ROOT = Path(__file__).parent.parent
WEIGHTS = ("weights.safetensors", "policy.safetensors")
# The ring of transitions comes round; episodes are cut by time limits, and evaluated.
OFF_POLICY = (
    "--env_name Pendulum-v1 --ep_len 80 --num_timesteps 560 --hid 16,8 -b 16 --random_steps 60 "
    "--learning_starts 40 --buffer_size 300 --scalar_log_freq 130 --eval_freq 400 "
    "--eval_episodes 2 --threads 1"
)
DQN = "--learning_starts 200 --target_update_freq 300 --scalar_log_freq 400 --threads 1"
RUNS = {
    "sac, clipped": f"run_hw4_sac {OFF_POLICY}",
    "sac, double": f"run_hw4_sac {OFF_POLICY} --q_backup double --temperature 0.2",
    "sac, single": f"run_hw4_sac {OFF_POLICY} --q_backup single --activation tanh",
    "td3": f"run_hw4_td3 {OFF_POLICY}",
    "ddpg": f"run_hw4_ddpg {OFF_POLICY}",
    "dqn, vectors": f"run_hw3_dqn --env_name LunarLander-v3 --num_timesteps 1200 {DQN}",
    "dqn, double": f"run_hw3_dqn --env_name CartPole-v1 --num_timesteps 900 --double_q {DQN} "
    "--eval_freq 600",
    "dqn, images": "run_hw3_dqn --num_timesteps 500 --learning_starts 100 --learning_freq 20 "
    "--target_update_freq 7 --buffer_size 300 --scalar_log_freq 130 --threads 1",
    "ppo, Gaussian": "run_hw5_ppo --env_name Pendulum-v1 -n 5 -b 210 --num_envs 3 -eb 200 "
    "--num_epochs 3 --target_kl 0.02 --normalize_observations",
    "ppo, discrete": "run_hw5_ppo -n 4 -b 256 -eb 100",
    "trpo": "run_hw5_trpo -n 5 -b 200 -eb 100 --scalar_log_freq 3",
    "actor-critic": "run_hw3_actor_critic --env_name CartPole-v0 -n 8 -b 200 -ntu 2 -ngsptu 3",
    "actor-critic, Gaussian": "run_hw3_actor_critic --env_name Pendulum-v1 -n 4 -b 400",
    "policy gradient": "run_hw2 --env_name Pendulum-v1 -n 5 -b 200 -eb 200 --discount 0.9 -rtg "
    "--nn_baseline --gae_lambda 0.9 --action_noise_std 0.3",
    "policy gradient, plain": "run_hw2 --env_name CartPole-v0 -n 5 -b 300 -dsa",
    "portfolio": f"run_hw6 {OFF_POLICY} --selector d3rb(ucb1,exp3)",
    "portfolio, own memories": f"run_hw6 {OFF_POLICY} --own_experience",
}


@contextlib.contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """Yields a folder with the files of a commit, for as long as they are needed."""
    with tempfile.TemporaryDirectory() as folder:
        git = ["git", "-C", str(ROOT)]
        archive = subprocess.run([*git, "archive", commit], check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        yield Path(folder)


def trained(tree: Path, flags: str, data: Path) -> Path:
    """Runs a script of a tree with its flags, and returns the run folder in `data`.

    Raises:
        RuntimeError: If the run fails; the message is what it printed last.
    """
    script, *words = shlex.split(flags.replace("(", r"\(").replace(")", r"\)"))
    command = [sys.executable, f"scripts/{script}.py", *words, "--data_dir", str(data)]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip().splitlines()[-1:]}")
    (folder,) = data.iterdir()
    return folder


def log(folder: Path) -> list[dict[str, str]]:
    """Returns the rows of a run's log without the clock's columns."""
    with (folder / "log.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [{name: v for name, v in row.items() if name not in WALL_CLOCK_COLUMNS} for row in rows]


def differences(before: Path, now: Path) -> list[str]:
    """Returns the files in which two runs differ."""
    found = [name for name in WEIGHTS if (before / name).read_bytes() != (now / name).read_bytes()]
    assert log(before), f"{before} has logged nothing"
    return found + ["log.csv"] * (log(before) != log(now))


def main() -> int:
    """Compares all runs, or those whose names contain --only; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("commit", help="to compare with")
    parser.add_argument("--only", default="", help="a part of a run's name")
    words = parser.parse_args()
    chosen = {name: flags for name, flags in RUNS.items() if words.only in name}
    if not chosen:
        parser.error(f"no run is called {words.only!r}: {', '.join(RUNS)}")
    differing = 0
    with checkout(words.commit) as before, tempfile.TemporaryDirectory() as data:
        for number, (name, flags) in enumerate(chosen.items()):
            here = (Path(data) / f"{number}_before", Path(data) / f"{number}_now")
            try:
                folders = [trained(t, flags, d) for t, d in zip((before, ROOT), here, strict=True)]
            except RuntimeError as error:
                print(f"{name}: {error}")
                return 2
            files = differences(*folders)
            print(f"{name}: {', '.join(files) + ' differ' if files else 'equal'}", flush=True)
            differing += bool(files)
    print(f"{len(chosen) - differing} of {len(chosen)} runs are equal to those of {words.commit}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
