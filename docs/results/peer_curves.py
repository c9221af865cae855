"""Trains Stable-Baselines3 by our settings, and writes the log and the config that our plots read.

python docs/results/peer_curves.py sac --env_name HalfCheetah-v5 --num_timesteps 100000 \
    --random_steps 10000 --seed 1        # -> data/sb3_sac_HalfCheetah-v5_seed1/
python scripts/plot.py data/hw4_q5_sac_* data/sb3_sac_* -o sac.png

Networks, batches, learning rates, noise and delays are its defaults, which are also those of our
scripts (`--learning_rate` asks for another); DDPG has the networks and the batch of the others.
PPO and TRPO see scaled observations, as ours do with `--normalize_observations`. Both evaluate the
policy without noise, over ten whole episodes.

TRPO of sb3-contrib measures its trust region by the mean divergence of an action's component, not
by the divergence of the action, which is the sum. So with n components `--target_kl 0.01` is our
`--max_kl` of n times 0.01, and `--cg_damping 0.1` is our `--damping` of n times 0.1.

Install it with `pip install -c constraints.txt stable-baselines3 sb3-contrib`.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import peer_config
import sb3_contrib
import stable_baselines3 as sb3
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.noise import NormalActionNoise
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecNormalize

sys.path.insert(1, str(Path(__file__).resolve().parents[2]))  # this tree, not an installed one
from cs285.infrastructure.logging.logger import Logger, summary

PACKAGES = ("torch", "numpy", "gymnasium", "mujoco", "stable-baselines3", "sb3-contrib")
OFF_POLICY = {"sac": sb3.SAC, "td3": sb3.TD3, "ddpg": sb3.DDPG}
ON_POLICY = {"ppo": sb3.PPO, "trpo": sb3_contrib.TRPO}


class Rows(BaseCallback):
    """Evaluates every `every` steps, and writes a row of the log."""

    def __init__(self, env: VecEnv, log: Logger, every: int) -> None:
        """Plays evaluations in `env`."""
        super().__init__()
        self.env, self.log, self.every, self.began = env, log, every, time.monotonic()

    def row(self) -> None:
        """Evaluates the policy as it is now."""
        returns, lengths = evaluate_policy(self.model, self.env, 10, return_episode_rewards=True)
        seconds = time.monotonic() - self.began
        row = summary("Eval", list(map(float, returns)), lengths)
        row |= {"Train_EnvstepsSoFar": self.num_timesteps, "TimeSinceStart": seconds}
        self.log.log_scalars(self.num_timesteps, row)

    def _on_training_start(self) -> None:
        self.row()

    def _on_step(self) -> bool:
        if self.num_timesteps % self.every == 0:
            self.row()
        return True

    def _on_training_end(self) -> None:
        if self.num_timesteps % self.every:  # else it has its row
            self.row()


def environments(args: argparse.Namespace) -> tuple[VecEnv, VecEnv]:
    """Returns one to train in and one to evaluate in, which scales observations as that does."""
    train, evaluate = (DummyVecEnv([lambda: Monitor(gym.make(args.env_name))]) for _ in range(2))
    evaluate.seed(args.seed + 1)
    if args.algo in OFF_POLICY:
        return train, evaluate
    scaled = VecNormalize(train, norm_reward=False)
    follows = VecNormalize(evaluate, norm_reward=False, training=False)
    follows.obs_rms = scaled.obs_rms
    return scaled, follows


def model(args: argparse.Namespace, env: VecEnv) -> Any:
    """Builds the peer."""
    settings: dict[str, Any] = {"seed": args.seed, "device": "cpu"}
    if args.learning_rate is not None:
        settings["learning_rate"] = args.learning_rate
    if args.algo == "trpo":
        asked = {"target_kl": args.target_kl, "cg_damping": args.cg_damping}
        settings |= {name: value for name, value in asked.items() if value is not None}
    if args.algo in ON_POLICY:
        return ON_POLICY[args.algo]("MlpPolicy", env, **settings)
    settings |= {"learning_starts": args.random_steps}
    settings |= {"batch_size": 256, "policy_kwargs": {"net_arch": [256, 256]}}
    if args.algo != "sac":
        size = env.action_space.shape
        settings["action_noise"] = NormalActionNoise(np.zeros(size), np.full(size, 0.1))
    return OFF_POLICY[args.algo]("MlpPolicy", env, **settings)


def main() -> None:
    """Trains one run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("algo", choices=(*OFF_POLICY, *ON_POLICY))
    parser.add_argument("--env_name", default="HalfCheetah-v5")
    parser.add_argument("--num_timesteps", type=int, default=100_000)
    parser.add_argument("--random_steps", type=int, default=10_000)
    parser.add_argument("--eval_freq", type=int, default=5_000)
    parser.add_argument("--learning_rate", type=float, help="its own by default")
    parser.add_argument("--target_kl", type=float, help="of TRPO; its own by default")
    parser.add_argument("--cg_damping", type=float, help="of TRPO; its own by default")
    parser.add_argument("--exp_name", help="part of the folder's name; default: sb3_ALGO")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    own = "" if args.learning_rate is None else f"_lr{args.learning_rate:g}"
    name = args.exp_name or f"sb3_{args.algo}{own}"
    run_dir = Path("data") / f"{name}_{args.env_name}_seed{args.seed}"
    run_dir.mkdir(parents=True)
    env, eval_env = environments(args)
    peer = model(args, env)
    settings = vars(args) | {"exp_name": name, "learning_starts": args.random_steps}
    peer_config.write(run_dir, "peer_curves", settings, PACKAGES)
    peer.learn(args.num_timesteps, callback=Rows(eval_env, Logger(run_dir), args.eval_freq))
    peer.policy.save(run_dir / "policy.zip")


if __name__ == "__main__":
    main()
