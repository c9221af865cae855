"""Plays the policy of a run: prints the score of each episode, and shows or films it."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import run_hw3_actor_critic as ac_script  # type: ignore[import-not-found]  # beside this one
import run_hw3_dqn as dqn_script  # type: ignore[import-not-found]  # beside this one
import safetensors.torch
from gymnasium.wrappers import FrameStackObservation

from cs285.critics.dqn_critic import DQNCritic
from cs285.infrastructure import envs
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.config import (
    UserError,
    cli,
    config_from_dict,
    flag,
    parse_config,
    read_config_json,
)
from cs285.infrastructure.logger import Logger
from cs285.infrastructure.rollouts import Policy
from cs285.policies.argmax_policy import ArgMaxPolicy
from cs285.policies.MLP_policy import MLPPolicyAC


@dataclasses.dataclass(frozen=True)
class EnjoyConfig:
    """The flags of this script, which stand after the run folder."""

    episodes: int = flag(5, "episodes to play", "-n", positive=True)
    seed: int = flag(0, "seed of the environment and of a random policy", low=0)
    film: bool = flag(False, "write each episode into the run folder's videos/")
    window: bool = flag(False, "show the game in a window")
    weights: str = flag("policy.safetensors", "file in the run folder, of --save_params")


def load_weights(run_dir: Path, name: str) -> dict[str, Any]:
    """Reads a policy's weights; raises UserError if there are none, or they are damaged."""
    try:
        return safetensors.torch.load_file(run_dir / name)
    except FileNotFoundError:
        raise UserError(f"{run_dir / name} is not there: the run has saved no policy yet") from None
    except safetensors.SafetensorError as error:
        raise UserError(f"{run_dir / name} is damaged: {error}") from None


def load_dqn(settings: dict[str, Any], weights: dict[str, Any], render: str | None) -> Any:
    """Returns the environment and the greedy policy of a DQN run."""
    config = config_from_dict(dqn_script.DQNConfig, settings)
    env = envs.make_env(config.env_name, training=False, render=render)
    critic = DQNCritic(dqn_script.agent_params(env, config), dqn_script.optimizer_spec(config))
    critic.q_net.load_state_dict(weights)
    if config.frame_history_len > 1:
        env = FrameStackObservation(env, config.frame_history_len, padding_type="zero")
    return env, ArgMaxPolicy(critic)


def load_actor_critic(settings: dict[str, Any], weights: dict[str, Any], render: str | None) -> Any:
    """Returns the environment and the policy of an actor-critic run."""
    config = config_from_dict(ac_script.ACConfig, settings)
    env = envs.make_env(config.env_name, ep_len=config.ep_len, render=render)
    params = ac_script.agent_params(env, config)
    names = ("ac_dim", "ob_dim", "n_layers", "size", "discrete")
    policy = MLPPolicyAC(*(params[name] for name in names))
    policy.load_state_dict(weights)
    return env, policy


def play(env: gym.Env[Any, Any], policy: Policy, film: bool) -> tuple[float, list[np.ndarray]]:
    """Plays one episode; returns its score and, to film it, its pictures."""
    obs, _ = env.reset()
    score, done, frames = 0.0, False, []
    while not done:
        if film:
            frames.append(np.asarray(env.render()))
        obs, reward, terminated, truncated, _ = env.step(policy.get_action(obs)[0])
        score += float(reward)
        done = terminated or truncated
    return score, frames


@cli
def main(argv: Sequence[str]) -> int:
    """Plays, as the command line says: RUN_DIR, then flags."""
    if not argv or (argv[0].startswith("-") and argv[0] not in ("-h", "--help")):
        raise UserError("name a run folder first: python scripts/enjoy.py RUN_DIR [--film]")
    config, _ = parse_config(EnjoyConfig, argv[argv[0][0] != "-" :], __doc__)
    run_dir = Path(argv[0])
    document = read_config_json(run_dir)
    ptu.seed_everything(config.seed)
    render = "human" if config.window else "rgb_array" if config.film else None
    load = {"run_hw3_dqn": load_dqn, "run_hw3_actor_critic": load_actor_critic}
    weights = load_weights(run_dir, config.weights)
    env, policy = load[document["script"]](document["settings"], weights, render)
    env.reset(seed=config.seed)
    scores = []
    for number in range(1, config.episodes + 1):
        score, frames = play(env, policy, config.film)
        scores.append(score)
        print(f"episode {number}: {score:g}")
        if config.film:
            fps = int(env.metadata.get("render_fps", 30))
            print(f"  {Logger(run_dir).log_video(number, 'enjoy', np.array(frames), fps)}")
    print(f"mean of {len(scores)}: {np.mean(scores):.1f} (std {np.std(scores):.1f})")
    env.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
